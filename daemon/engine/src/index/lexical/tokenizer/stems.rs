//! Stems, remembered: the same words come again and again, and stemming was a fifth of the time of storing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rust_stemmers::{Algorithm, Stemmer};

/// Words that a thread remembers; beyond it they are forgotten together. About half a megabyte a thread.
const REMEMBERED_MAX: usize = 4_096;

struct Stems {
    stemmer: Stemmer,
    known: HashMap<Box<str>, Rc<str>>,
}

thread_local! {
    static STEMS: RefCell<Stems> =
        RefCell::new(Stems { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new() });
}

/// Returns the English stem of a lowercased word.
pub(super) fn stem(word: &str) -> Rc<str> {
    STEMS.with_borrow_mut(|stems| {
        if let Some(stem) = stems.known.get(word) {
            return Rc::clone(stem);
        }
        if stems.known.len() >= REMEMBERED_MAX {
            stems.known.clear();
        }
        let stem: Rc<str> = Rc::from(&*stems.stemmer.stem(word));
        stems.known.insert(Box::from(word), Rc::clone(&stem));
        stem
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_stem_is_the_stem() {
        let words: Vec<String> = (0..REMEMBERED_MAX + 10).map(|n| format!("running{n}")).collect();
        for word in words.iter().chain(&words) {
            assert_eq!(&*stem(word), &*Stemmer::create(Algorithm::English).stem(word));
        }
        assert_eq!(&*stem("running"), "run");
        assert_eq!(&*stem("running"), "run");
    }
}
