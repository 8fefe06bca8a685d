//! Stems, remembered for all threads: the same words come again and again, and stemming was a fifth
//! of the time of storing. Each thread keeps the latest for itself, because a lock that two threads
//! read costs each of them more than the look-up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{LazyLock, PoisonError, RwLock};

use compact_str::CompactString;
use hashbrown::DefaultHashBuilder;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxBuildHasher;

/// Words that a thread keeps for itself, each where its hash says: 48 KiB a thread.
const RECENT: usize = 1_024;

/// Parts of the memory, each with a lock of its own, so that threads seldom meet.
const SHARDS: usize = 16;

/// Words that a shard remembers; beyond it they are forgotten together. Some three megabytes when
/// all are full.
const REMEMBERED_MAX: usize = 2_048;

type Shard = RwLock<HashMap<CompactString, CompactString, DefaultHashBuilder>>;

struct Stems {
    hasher: DefaultHashBuilder,
    stemmer: Stemmer,
    shards: [Shard; SHARDS],
}

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems {
    hasher: DefaultHashBuilder::default(),
    stemmer: Stemmer::create(Algorithm::English),
    shards: std::array::from_fn(|_| RwLock::default()),
});

/// A word and its stem.
type Stemmed = (CompactString, CompactString);

thread_local! {
    static RECENTLY: RefCell<Vec<Stemmed>> = RefCell::new(vec![Stemmed::default(); RECENT]);
}

/// Returns the English stem of a lowercased word.
#[must_use]
pub fn stem(word: &str) -> CompactString {
    let place = usize::try_from(FxBuildHasher.hash_one(word) >> 32).unwrap_or_default() % RECENT;
    let recent = |recent: &RefCell<Vec<Stemmed>>| {
        let mut recent = recent.borrow_mut();
        let Some((known, stem)) = recent.get_mut(place) else {
            return shared(word);
        };
        if known != word {
            (*known, *stem) = (CompactString::new(word), shared(word));
        }
        stem.clone()
    };
    // A thread that ends has none any more.
    RECENTLY.try_with(recent).unwrap_or_else(|_| shared(word))
}

/// The stem as all threads know it.
fn shared(word: &str) -> CompactString {
    let stems = &*STEMS;
    let Some(shard) = usize::try_from(stems.hasher.hash_one(word) >> 32)
        .ok()
        .and_then(|hash| stems.shards.get(hash % SHARDS))
    else {
        return CompactString::from(stems.stemmer.stem(word));
    };
    if let Some(stem) = shard
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(word)
    {
        return stem.clone();
    }
    let stem = CompactString::from(stems.stemmer.stem(word));
    let mut known = shard.write().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= REMEMBERED_MAX {
        known.clear();
    }
    known.insert(CompactString::new(word), stem.clone());
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_stem_is_the_stem() {
        let words: Vec<String> = (0..SHARDS * REMEMBERED_MAX + 10)
            .map(|n| format!("running{n}"))
            .collect();
        for word in words.iter().chain(&words) {
            assert_eq!(
                &*stem(word),
                &*Stemmer::create(Algorithm::English).stem(word)
            );
        }
        assert_eq!(&*stem("running"), "run");
        assert_eq!(&*stem("running"), "run");
    }
}
