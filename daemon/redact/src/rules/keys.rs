//! The words that are looked for in every text: one pass over it says which rules may find
//! something and where.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::RuleError;

/// A word that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A key word of a shape, which counts in its own case.
    Shape(usize),
    /// A key word of a place.
    Place(usize),
    /// A telling word.
    Name(usize),
}

/// All words that are looked for.
pub(super) struct Keys {
    automaton: AhoCorasick,
    words: Vec<(String, Owner)>,
}

/// The words that a text has.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Shapes with a key word in the text, in their order.
    pub(super) shapes: Vec<usize>,
    /// Places with a key word in the text, in their order, and where these begin.
    pub(super) places: Vec<(usize, usize)>,
    /// Telling words; of those that overlap the one that begins first, and the longest of these.
    pub(super) names: Vec<(usize, Range<usize>)>,
}

impl Keys {
    /// Compiles the key words of shapes and of places, and the telling words. All are numbered as
    /// they come.
    pub(super) fn of<'r>(
        shapes: impl Iterator<Item = (&'r String, &'r Vec<String>)>,
        places: impl Iterator<Item = (&'r String, &'r Vec<String>)>,
        names: impl Iterator<Item = String>,
    ) -> Result<Self, RuleError> {
        let mut words = keyed(shapes, Owner::Shape)?;
        words.extend(keyed(places, Owner::Place)?);
        words.extend(names.enumerate().map(|(at, name)| (name, Owner::Name(at))));
        let spellings: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        Ok(Self {
            automaton: automaton(&spellings, MatchKind::Standard)?,
            words,
        })
    }

    /// The words that a text has.
    pub(super) fn met_in(&self, text: &str) -> Met {
        let mut met = Met::default();
        for found in self.automaton.find_overlapping_iter(text) {
            let Some((word, owner)) = self.words.get(found.pattern().as_usize()) else {
                continue;
            };
            match *owner {
                Owner::Shape(shape) if text.get(found.range()) == Some(word) => {
                    met.shapes.push(shape);
                }
                Owner::Shape(_) => {}
                Owner::Place(place) => met.places.push((place, found.start())),
                Owner::Name(name) => met.names.push((name, found.range())),
            }
        }
        met.shapes.sort_unstable();
        met.shapes.dedup();
        met.places.sort_unstable();
        met.names
            .sort_by_key(|(name, range)| (range.start, usize::MAX - range.end, *name));
        let mut end = 0;
        met.names.retain(|(_, range)| {
            let is_apart = range.start >= end;
            if is_apart {
                end = range.end;
            }
            is_apart
        });
        met
    }
}

/// The key words of rules with their owners.
fn keyed<'r>(
    rules: impl Iterator<Item = (&'r String, &'r Vec<String>)>,
    owner: impl Fn(usize) -> Owner,
) -> Result<Vec<(String, Owner)>, RuleError> {
    let mut keyed = Vec::new();
    for (at, (name, words)) in rules.enumerate() {
        if words.is_empty() || words.iter().any(String::is_empty) {
            return Err(RuleError::Useless {
                rule: name.clone(),
                lacks: "key",
            });
        }
        keyed.extend(words.iter().map(|word| (word.clone(), owner(at))));
    }
    Ok(keyed)
}

/// An automaton over words in any case. As a table of all states it takes some hundred kilobytes
/// and reads a byte in some nanoseconds.
pub(crate) fn automaton<W: AsRef<[u8]>>(
    words: &[W],
    kind: MatchKind,
) -> Result<AhoCorasick, RuleError> {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(kind)
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA));
    Ok(builder.build(words)?)
}
