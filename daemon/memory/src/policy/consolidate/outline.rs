//! Tells cheaply that a known text means nothing to a new statement, by the stems that they share.
//!
//! Nearly all texts with words in common stand beside each other, and reading one as a statement
//! costs more than all else of comparing it. Each verdict needs more than a few common words: all of
//! a subject, most of what ended, or nearly all of what either text says. A text without any of
//! these needs no reading.

use std::hash::BuildHasher;

use compact_str::CompactString;
use rustc_hash::FxBuildHasher;

use super::GONE_KNOWN_MIN;
use super::claims::Claim;
use super::rules::{Rules, rules};
use super::statement::{Part, Statement, gone, is_number, is_of_form, lowered, stem, words};
use crate::policy::resemble::is_unspaced;

/// Words of substance in which two texts differ that are the same but for a value, at most.
const OTHER_WORDS_MAX: usize = 6;

/// Hashes of stems, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stems(Vec<u64>);

impl Stems {
    fn of<'s>(stems: impl IntoIterator<Item = &'s str>) -> Self {
        let mut hashes: Vec<u64> = stems.into_iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    fn of_part(part: &Part) -> Self {
        Self::of(part.words())
    }

    /// How many of these another text has.
    fn shared(&self, other: &Self) -> usize {
        let is_shared = |stem: &&u64| other.0.binary_search(stem).is_ok();
        self.0.iter().filter(is_shared).count()
    }

    /// Returns whether a text with these says all of `part`.
    fn has_all(&self, part: &Self) -> bool {
        part.shared(self) == part.0.len()
    }

    /// Returns whether a text with these says most of `part`.
    fn has_most(&self, part: &Self) -> bool {
        let shared = part.shared(self);
        shared > 0 && super::ratio(shared, part.0.len()) >= GONE_KNOWN_MIN
    }
}

fn hash(stem: &str) -> u64 {
    FxBuildHasher.hash_one(stem)
}

/// What is read of a known text before it is read as a statement.
#[derive(Debug, Default)]
pub struct Outline {
    /// Stems of its words, those of form left out, and of the parts of words with marks in them.
    words: Stems,
    /// Those that say which thing it is about and what of it, without numbers.
    specific: Stems,
    /// What it says has ended.
    departures: Vec<Stems>,
    is_unspaced: bool,
}

impl Outline {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let text = Statement::read_part(text);
        let Some(rules) = rules() else {
            return Self::default();
        };
        let (mut all, mut specific) = (Vec::new(), Vec::new());
        for word in words(text) {
            let lower = lowered(word);
            if is_of_form(&lower, rules) {
                continue;
            }
            let stem = stem(&lower);
            if is_specific(&stem, rules) {
                specific.push(hash(&stem));
            }
            all.push(hash(&stem));
            // A claim's subject may end within such a word.
            let parts = lower
                .split(['.', ':', '\'', '’'])
                .skip_while(|part| part.len() == lower.len());
            all.extend(parts.map(|part| hash(&self::stem(part))));
        }
        let departures = rules.departures(text, &text.to_lowercase());
        let departures = gone(&departures, rules);
        Self {
            words: sorted(all),
            specific: sorted(specific),
            departures: departures.iter().map(Stems::of_part).collect(),
            is_unspaced: text.chars().any(is_unspaced),
        }
    }

    /// Returns whether the text may be more to a new statement than one that stands beside it.
    #[must_use]
    pub fn may_concern(&self, new: &Sought) -> bool {
        self.is_unspaced
            || new.is_unspaced
            || self.is_alike(new)
            || new.gone.iter().any(|part| self.words.has_most(part))
            || new
                .subjects
                .iter()
                .any(|subject| self.words.has_all(subject))
            || self.departures.iter().any(|part| new.words.has_most(part))
    }

    /// Returns whether the text says nearly the same, or one of both has all that the other says.
    fn is_alike(&self, new: &Sought) -> bool {
        let shared = self.specific.shared(&new.specific);
        let only_known = self.specific.0.len() - shared;
        let only_new = new.specific.0.len() - shared;
        only_known == 0 || only_new == 0 || only_known + only_new <= OTHER_WORDS_MAX
    }
}

/// What a known text must have to be more to a new statement than one that stands beside it.
#[derive(Debug)]
pub struct Sought {
    words: Stems,
    specific: Stems,
    /// What it says has ended or is not so.
    gone: Vec<Stems>,
    /// The things of which it claims something.
    subjects: Vec<Stems>,
    is_unspaced: bool,
}

impl Sought {
    /// Reads it off a statement.
    pub fn of(new: &Statement) -> Self {
        let gone = new.departures.iter();
        let gone = gone.chain(new.denials.iter().map(|denial| &denial.gone));
        let specific = rules().into_iter().flat_map(|rules| {
            let stems = new.words.iter().map(CompactString::as_str);
            stems.filter(|stem| is_specific(stem, rules))
        });
        let subjects = new.claims.iter().map(Claim::subject);
        let subjects = subjects.filter(|subject| !subject.is_empty());
        Self {
            words: Stems::of(new.words.iter().map(CompactString::as_str)),
            specific: Stems::of(specific),
            gone: gone.map(Stems::of_part).collect(),
            subjects: subjects
                .map(|subject| Stems::of(subject.iter().map(CompactString::as_str)))
                .collect(),
            is_unspaced: new.is_unspaced,
        }
    }
}

fn sorted(mut hashes: Vec<u64>) -> Stems {
    hashes.sort_unstable();
    hashes.dedup();
    Stems(hashes)
}

/// Returns whether a stem says which thing a text is about, and is no number.
fn is_specific(stem: &str, rules: &Rules) -> bool {
    !rules.is_generic(stem) && !rules.is_polarity(stem) && !is_number(stem)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::super::{Verdict, relate};
    use super::*;

    /// Of so many texts one is compared with each: all of them take minutes.
    const STRIDE: usize = 31;

    /// All texts of the labelled pairs, which are near each other in every way that is known.
    fn texts() -> BTreeSet<String> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
        let mut texts = BTreeSet::new();
        for file in std::fs::read_dir(fixtures).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.starts_with("memory-pairs") {
                continue;
            }
            let pairs: Vec<serde_json::Value> =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            for pair in pairs {
                for side in ["old", "new"] {
                    texts.insert(pair[side].as_str().unwrap().to_owned());
                }
            }
        }
        texts
    }

    #[test]
    fn no_text_that_means_something_is_passed_over() {
        let texts = texts();
        assert!(texts.len() > 1_000, "{}", texts.len());
        let read: Vec<(&String, Statement, Outline, Sought)> = texts
            .iter()
            .map(|text| {
                let statement = Statement::of(text);
                let sought = Sought::of(&statement);
                (text, statement, Outline::of(text), sought)
            })
            .collect();
        let (mut decided, mut passed_over, mut compared) = (0, 0, 0);
        for (place, (known, known_statement, outline, _)) in read.iter().enumerate() {
            for (new, statement, _, sought) in read.iter().skip(place % STRIDE).step_by(STRIDE) {
                compared += 1;
                let is_decided = relate(known_statement, statement) != Verdict::Apart;
                let may = outline.may_concern(sought);
                assert!(may || !is_decided, "{known} | {new}");
                decided += usize::from(is_decided);
                passed_over += usize::from(!may);
            }
        }
        assert!(decided > 0);
        // Else nothing would be gained.
        assert!(passed_over > compared / 2, "{passed_over}");
    }
}
