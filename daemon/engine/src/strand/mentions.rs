//! Which memories name which topics: one pass over the texts for all names at once, then only over
//! what has changed.

use std::sync::{MutexGuard, PoisonError};

use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use helix_memory::{MemoryNumber, Sequence, Status};

use super::{ReadError, Strand};
use crate::index::catalog::Catalog;
use crate::lock_order::{Lock, Ordered};
use crate::store::Snapshot;

/// Changed memories beyond which one pass over all texts is cheaper than reading each of them.
const SINGLE_READS_MAX: usize = 1_000;

/// Mentions in the texts up to a commit, of every scope.
#[derive(Default)]
pub(super) struct Mentions {
    up_to: Sequence,
    /// Finds the names of the catalog's first topics.
    finder: Option<NameFinder>,
    /// How many topics these are.
    names: usize,
    /// By the number of a memory: the topics that its text names, its own among them, in ascending
    /// order.
    of: Vec<Box<[u32]>>,
}

/// The role of a memory's text in the pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// The memory is not active.
    Unused,
    /// Read before.
    Known,
    /// Stored or changed since.
    New,
}

/// Rows that the catalog gained.
struct News {
    up_to: Sequence,
    /// By the number of a memory.
    texts: Vec<Text>,
    /// All names, when there are new ones.
    names: Option<Vec<String>>,
}

impl Strand {
    /// Reads what was written since the last question. Its lock comes before the catalog's.
    pub(super) fn mentions(&self) -> Result<Ordered<MutexGuard<'_, Mentions>>, ReadError> {
        let lock = || self.mentions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut mentions = Ordered::take(Lock::Mentions, lock);
        let news = mentions.news(&self.catalog());
        if let Some(news) = news {
            mentions.follow(&news, &self.snapshot()?)?;
        }
        Ok(mentions)
    }
}

impl Mentions {
    /// The memories that name topics, and which.
    pub(super) fn iter(&self) -> impl Iterator<Item = (MemoryNumber, &[u32])> {
        let all = (0..).map(MemoryNumber).zip(&self.of);
        all.filter(|(_, topics)| !topics.is_empty())
            .map(|(number, topics)| (number, &**topics))
    }

    fn news(&self, catalog: &Catalog) -> Option<News> {
        if catalog.sequence() == self.up_to {
            return None;
        }
        let mut texts = vec![Text::Unused; catalog.extent()];
        for (number, row) in catalog
            .rows()
            .filter(|(_, row)| row.status == Status::Active)
        {
            if let Some(text) = texts.get_mut(number.0 as usize) {
                *text = if row.sequence > self.up_to {
                    Text::New
                } else {
                    Text::Known
                };
            }
        }
        let has_names = catalog.topics.len() > self.names;
        let names = has_names.then(|| {
            catalog
                .topics
                .iter()
                .map(|(_, name)| name.to_owned())
                .collect()
        });
        Some(News {
            up_to: catalog.sequence(),
            texts,
            names,
        })
    }

    /// Reads the texts that are new, and with new names all others for these. The snapshot may be
    /// newer than the news: what it has besides is read again later. After an error everything
    /// that was new still is.
    fn follow(&mut self, news: &News, snapshot: &Snapshot) -> Result<(), ReadError> {
        self.of.resize_with(news.texts.len(), Box::default);
        for (topics, text) in self.of.iter_mut().zip(&news.texts) {
            if *text != Text::Known {
                *topics = Box::default();
            }
        }
        match &news.names {
            Some(names) => self.read_all(names, news, snapshot)?,
            None => self.read_new(news, snapshot)?,
        }
        self.up_to = news.up_to;
        Ok(())
    }

    fn read_all(
        &mut self,
        names: &[String],
        news: &News,
        snapshot: &Snapshot,
    ) -> Result<(), ReadError> {
        let numbered = || (0..).zip(names.iter().map(String::as_str));
        let all = NameFinder::new(numbered())?;
        let added = NameFinder::new(numbered().skip(self.names))?;
        snapshot.for_each_text(
            |number| news.text(number) != Text::Unused,
            |number, text| match news.text(number) {
                Text::New => self.note(number, all.find(text)),
                Text::Known => self.add(number, &added.find(text)),
                Text::Unused => {}
            },
        )?;
        self.finder = Some(all);
        self.names = names.len();
        Ok(())
    }

    fn read_new(&mut self, news: &News, snapshot: &Snapshot) -> Result<(), ReadError> {
        let Some(finder) = self.finder.take() else {
            return Ok(());
        };
        let is_new = |number| news.text(number) == Text::New;
        let new: Vec<MemoryNumber> = (0..)
            .map(MemoryNumber)
            .take(news.texts.len())
            .filter(|&n| is_new(n))
            .collect();
        let read = if new.len() > SINGLE_READS_MAX {
            snapshot.for_each_text(is_new, |number, text| self.note(number, finder.find(text)))
        } else {
            new.into_iter().try_for_each(|number| {
                let memory = snapshot.memory(number)?;
                self.note(
                    number,
                    memory.map_or_else(Vec::new, |memory| finder.find(&memory.text)),
                );
                Ok(())
            })
        };
        self.finder = Some(finder);
        Ok(read?)
    }

    fn note(&mut self, number: MemoryNumber, topics: Vec<u32>) {
        if let Some(slot) = self.of.get_mut(number.0 as usize) {
            *slot = topics.into_boxed_slice();
        }
    }

    /// New topics have higher numbers than those that were known, so the order stays; a pass that
    /// failed may have added some of them before.
    fn add(&mut self, number: MemoryNumber, topics: &[u32]) {
        if let Some(slot) = self
            .of
            .get_mut(number.0 as usize)
            .filter(|_| !topics.is_empty())
        {
            let known = slot.iter().copied().filter(|topic| !topics.contains(topic));
            *slot = known.chain(topics.iter().copied()).collect();
        }
    }
}

impl News {
    fn text(&self, number: MemoryNumber) -> Text {
        self.texts
            .get(number.0 as usize)
            .copied()
            .unwrap_or(Text::Unused)
    }
}

/// Finds the names of topics in texts: as whole words in any case, also with spaces for dashes.
pub(super) struct NameFinder {
    automaton: AhoCorasick,
    /// The topic of each pattern.
    topics: Vec<u32>,
}

impl NameFinder {
    pub(super) fn new<'a>(names: impl Iterator<Item = (u32, &'a str)>) -> Result<Self, BuildError> {
        let (mut patterns, mut topics) = (Vec::new(), Vec::new());
        for (topic, name) in names {
            if name.contains('-') {
                patterns.push(name.replace('-', " "));
                topics.push(topic);
            }
            patterns.push(name.to_owned());
            topics.push(topic);
        }
        // Names overlap: `iris` is a word of `iris engine`.
        let mut builder = AhoCorasick::builder();
        let automaton = builder
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(patterns)?;
        Ok(Self { automaton, topics })
    }

    /// The topics that a text names, each once, in ascending order.
    pub(super) fn find(&self, text: &str) -> Vec<u32> {
        let lowered = (!text.is_ascii()).then(|| text.to_lowercase());
        let text = lowered.as_deref().unwrap_or(text);
        let matches = self.automaton.find_overlapping_iter(text);
        let whole = matches.filter(|found| is_whole_word(text, found.start(), found.end()));
        let mut topics: Vec<u32> = whole
            .filter_map(|found| self.topics.get(found.pattern().as_usize()).copied())
            .collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }
}

/// Returns whether what lies between two places is no part of a longer word. A dash joins words:
/// `iris-engine` is not `iris`.
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
        let names = ["iris", "iris-engine", "größe", "a-b-c"];
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
