//! Random histories against a `BTreeMap`: what is found must be the same at every moment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

use super::marks;
use crate::index::lexical::tokenizer::tokenize;
use crate::index::lexical::{Document, LexicalIndex, LexicalQuery, Mode, Restriction};

const VOCABULARY: [&str; 9] = [
    "build",
    "FxHashSet",
    "hash",
    "set",
    "arm64",
    "arm",
    "検索",
    "my_var",
    "the",
];

const QUERIES: [&str; 12] = [
    "build",
    "FxHashSet",
    "hash set",
    "arm64",
    "arm",
    "検索",
    "my_var build",
    "the",
    "hash arm 検索",
    "absent build",
    "var",
    "build the set",
];

#[derive(Debug, Clone)]
struct Memory {
    text: String,
    topic: String,
    tags: Vec<String>,
    source: Option<String>,
}

impl Memory {
    fn document(&self, number: u32) -> Document<'_> {
        let source = self.source.as_deref();
        Document {
            number,
            text: &self.text,
            topic: &self.topic,
            tags: &self.tags,
            source,
        }
    }

    fn tokens(&self) -> BTreeSet<String> {
        let parts = [&self.text, &self.topic]
            .into_iter()
            .chain(&self.tags)
            .chain(&self.source);
        parts
            .flat_map(|part| tokenize(part))
            .map(|token| token.text)
            .collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Upsert(u32, Memory),
    Remove(u32),
    Flush,
    /// A flush that gets as far as freezing the tail.
    Freeze,
    /// A flush that commits but is not read back.
    Commit,
    Reopen,
}

fn memory() -> impl Strategy<Value = Memory> {
    let words = |most| {
        prop::collection::vec(select(&VOCABULARY[..]), 0..most).prop_map(|words| words.join(" "))
    };
    let tags = prop::collection::vec(select(&VOCABULARY[..]).prop_map(str::to_owned), 0..2);
    (words(5), words(2), tags, prop::option::of(words(2))).prop_map(
        |(text, topic, tags, source)| Memory {
            text,
            topic,
            tags,
            source,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..10_u32, memory()).prop_map(|(number, memory)| Step::Upsert(number, memory)),
        3 => (0..10_u32).prop_map(Step::Remove),
        2 => Just(Step::Flush),
        1 => Just(Step::Freeze),
        1 => Just(Step::Commit),
        1 => Just(Step::Reopen),
    ]
}

/// The index, and the history that a store would replay into it.
struct Subject {
    index: LexicalIndex,
    history: Vec<(u64, u32, Option<Memory>)>,
}

impl Subject {
    fn apply(&self, (sequence, number, memory): &(u64, u32, Option<Memory>)) {
        match memory {
            Some(memory) => self.index.upsert(*sequence, &memory.document(*number)),
            None => self.index.remove(*sequence, *number),
        }
    }

    fn change(&mut self, number: u32, memory: Option<Memory>) {
        let change = (self.history.len() as u64 + 1, number, memory);
        self.apply(&change);
        self.history.push(change);
    }

    fn reopen(self, directory: &Path) -> Self {
        let Self { index, history } = self;
        drop(index);
        let index = LexicalIndex::open(directory, marks()).unwrap();
        assert!(!index.rebuilt());
        let watermark = index.watermark();
        let reopened = Self { index, history };
        reopened
            .history
            .iter()
            .filter(|change| change.0 > watermark)
            .for_each(|change| reopened.apply(change));
        reopened
    }

    fn commit(&self) {
        let frozen = self.index.write().freeze();
        if let Some(frozen) = frozen {
            self.index
                .writer()
                .commit(
                    &self.index.index,
                    &self.index.fields,
                    &frozen,
                    &self.index.marks,
                )
                .unwrap();
        }
    }

    fn model(&self) -> BTreeMap<u32, Memory> {
        let mut model = BTreeMap::new();
        for (_, number, memory) in self.history.iter().cloned() {
            match memory {
                Some(memory) => model.insert(number, memory),
                None => model.remove(&number),
            };
        }
        model
    }
}

fn check(subject: &Subject) {
    let model = subject.model();
    assert_eq!(subject.index.document_count().unwrap(), model.len() as u64);
    let tokens: BTreeMap<u32, BTreeSet<String>> = model
        .iter()
        .map(|(&number, memory)| (number, memory.tokens()))
        .collect();
    for text in QUERIES {
        for mode in [Mode::All, Mode::Any] {
            let query = LexicalQuery::parse(text, mode);
            let hits = subject
                .index
                .search(&query, 100, &Restriction::default(), |_| true)
                .unwrap();
            let mut found: Vec<u32> = hits.iter().map(|hit| hit.number).collect();
            found.sort_unstable();
            let expected: Vec<u32> = tokens
                .iter()
                .filter(|(_, tokens)| matches(&query, tokens))
                .map(|(&number, _)| number)
                .collect();
            assert_eq!(found, expected, "{text} {mode:?}");
        }
    }
}

fn matches(query: &LexicalQuery, tokens: &BTreeSet<String>) -> bool {
    let mut terms = query.terms().iter();
    match query.mode() {
        Mode::All => terms.all(|term| !term.required || tokens.contains(&term.token)),
        Mode::Any => terms.any(|term| tokens.contains(&term.token)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn finds_what_the_model_finds(steps in prop::collection::vec(step(), 1..30)) {
        let home = tempfile::tempdir().unwrap();
        let mut subject = Subject { index: LexicalIndex::open(home.path(), marks()).unwrap(), history: Vec::new() };
        subject.index.flush().unwrap();
        for step in steps {
            match step {
                Step::Upsert(number, memory) => subject.change(number, Some(memory)),
                Step::Remove(number) => subject.change(number, None),
                Step::Flush => { subject.index.flush().unwrap(); }
                Step::Freeze => { subject.index.write().freeze(); }
                Step::Commit => subject.commit(),
                Step::Reopen => subject = subject.reopen(home.path()),
            }
            check(&subject);
        }
    }
}
