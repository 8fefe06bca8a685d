//! Which memories name which topics: one pass over the texts for all names at once, kept until something changes.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use aho_corasick::{AhoCorasick, BuildError, MatchKind};

use super::topics::in_scopes;
use super::{ReadError, Strand};
use crate::model::{MemoryNumber, Scope, Sequence};

/// Passes that are kept: the default scopes of a few projects. A pass over 100,000 memories takes some megabytes.
const PASSES_KEPT_MAX: usize = 4;

/// What one pass found.
#[derive(Debug)]
pub(super) struct Mentions {
    sequence: Sequence,
    scopes: Vec<Scope>,
    /// Memories with the catalog's numbers of the topics that they name, their own left out, in the order of both.
    pub(super) found: Vec<(MemoryNumber, u32)>,
}

/// The latest passes, oldest first.
#[derive(Debug, Default)]
pub(super) struct MentionCache {
    passes: VecDeque<Arc<Mentions>>,
}

impl MentionCache {
    fn find(&self, sequence: Sequence, scopes: &[Scope]) -> Option<Arc<Mentions>> {
        self.passes.iter().find(|pass| pass.sequence == sequence && pass.scopes == scopes).cloned()
    }

    fn keep(&mut self, pass: Arc<Mentions>) {
        self.passes.retain(|kept| kept.scopes != pass.scopes);
        if self.passes.len() == PASSES_KEPT_MAX {
            self.passes.pop_front();
        }
        self.passes.push_back(pass);
    }
}

impl Strand {
    /// Which active memories of these scopes name which topics of these scopes. Two askers at once may both do the work.
    pub(super) fn mentions(&self, scopes: &[Scope]) -> Result<Arc<Mentions>, ReadError> {
        let (sequence, names, topic_of) = {
            let catalog = self.catalog();
            let cache = self.mentions.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = cache.find(catalog.sequence(), scopes) {
                return Ok(known);
            }
            drop(cache);
            let filter = in_scopes(scopes).compile(&catalog);
            let mut topic_of: Vec<Option<u32>> = vec![None; catalog.extent()];
            let mut names: Vec<Option<String>> = vec![None; catalog.topics.len()];
            for (number, row) in catalog.rows().filter(|(_, row)| filter.keeps(row)) {
                if let (Some(slot), Some(name)) =
                    (topic_of.get_mut(number.0 as usize), names.get_mut(row.topic as usize))
                {
                    *slot = Some(row.topic);
                    name.get_or_insert_with(|| catalog.topics.text(row.topic).to_owned());
                }
            }
            (catalog.sequence(), names, topic_of)
        };
        let finder = NameFinder::new((0..).zip(names).filter_map(|(topic, name)| Some((topic, name?))))?;
        let own_topic = |number: MemoryNumber| topic_of.get(number.0 as usize).copied().flatten();
        let mut found = Vec::new();
        self.snapshot()?.for_each_text(
            |number| own_topic(number).is_some(),
            |number, text| {
                let others = finder.find(text).into_iter().filter(|&topic| Some(topic) != own_topic(number));
                found.extend(others.map(|topic| (number, topic)));
            },
        )?;
        let pass = Arc::new(Mentions { sequence, scopes: scopes.to_vec(), found });
        self.mentions.lock().unwrap_or_else(PoisonError::into_inner).keep(Arc::clone(&pass));
        Ok(pass)
    }
}

/// Finds the names of topics in texts: as whole words in any case, also with spaces for dashes.
struct NameFinder {
    automaton: AhoCorasick,
    /// The topic of each pattern.
    topics: Vec<u32>,
}

impl NameFinder {
    fn new(names: impl Iterator<Item = (u32, String)>) -> Result<Self, BuildError> {
        let (mut patterns, mut topics) = (Vec::new(), Vec::new());
        for (topic, name) in names {
            if name.contains('-') {
                patterns.push(name.replace('-', " "));
                topics.push(topic);
            }
            patterns.push(name);
            topics.push(topic);
        }
        // Names overlap: `iris` is a word of `iris engine`.
        let mut builder = AhoCorasick::builder();
        let automaton = builder.match_kind(MatchKind::Standard).ascii_case_insensitive(true).build(patterns)?;
        Ok(Self { automaton, topics })
    }

    /// The topics that a text names, each once, in ascending order.
    fn find(&self, text: &str) -> Vec<u32> {
        let lowered = (!text.is_ascii()).then(|| text.to_lowercase());
        let text = lowered.as_deref().unwrap_or(text);
        let matches = self.automaton.find_overlapping_iter(text);
        let whole = matches.filter(|found| is_whole_word(text, found.start(), found.end()));
        let mut topics: Vec<u32> =
            whole.filter_map(|found| self.topics.get(found.pattern().as_usize()).copied()).collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }
}

/// Whether what lies between two places is no part of a longer word. A dash joins words: `iris-engine` is not `iris`.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().chars().rev();
    let after = text.get(end..).unwrap_or_default().chars();
    !continues(before) && !continues(after)
}

fn continues(mut neighbours: impl Iterator<Item = char>) -> bool {
    match neighbours.next() {
        Some('-') => neighbours.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric() || c == '_',
        None => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn find(text: &str) -> Vec<u32> {
        let names = ["iris", "iris-engine", "größe", "a-b-c"].map(str::to_owned);
        NameFinder::new((0..).zip(names)).unwrap().find(text)
    }

    #[test]
    fn names_are_whole_words_in_any_case() {
        let table: [(&str, &[u32]); 11] = [
            ("see iris.", &[0]),
            ("IRIS: (Iris-Engine)", &[0, 1]),
            ("the Iris Engine", &[0, 1]),
            ("iris-engine", &[1]),
            ("iris-engines", &[]),
            ("siris irises iris_x", &[]),
            ("src/iris/engine.rs", &[0]),
            ("iris - the engine", &[0]),
            ("iris-", &[0]),
            ("Die GRÖSSE, die Größe", &[2]),
            ("a b c", &[3]),
        ];
        for (text, topics) in table {
            assert_eq!(find(text), topics, "{text}");
        }
    }
}
