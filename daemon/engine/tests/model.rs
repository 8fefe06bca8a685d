//! A model beside the strand: whatever is done to both, they agree on what exists, what it is called and what is found.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use helix_engine::index::filter::Filter;
use helix_engine::model::{Kinds, Memory, MemoryNumber, Scope, Status};
use helix_engine::recall::{Mode, Retriever, Search};
use helix_engine::store::DirectoryStorage;
use helix_engine::strand::{Outcome, RESOLVE_CANDIDATES_MAX, Request, Resolution, Strand, StrandWriter};
use proptest::prelude::*;
use tempfile::TempDir;

use common::{at, forget, store};

/// Topics that the steps use; few, so that they meet.
const TOPICS: [&str; 3] = ["alpha", "beta", "beta-two"];

/// Words that each belong to one text.
const WORDS: [&str; 6] = ["walrus", "kestrel", "tamarin", "ocelot", "pangolin", "axolotl"];

/// More than any model of these sizes has.
const SEARCH_LIMIT: usize = 100;

/// One write.
#[derive(Clone, Copy, Debug)]
enum Change {
    Store {
        topic: usize,
        word: usize,
        force: bool,
    },
    /// Forgets the memory at this place, counted around.
    Forget {
        place: usize,
    },
}

#[derive(Clone, Debug)]
enum Step {
    /// Commits these as one group.
    Commit(Vec<Change>),
    /// Counts an access of the memory at this place, as a recall does.
    Touch {
        place: usize,
    },
    /// Makes the counted accesses durable.
    SaveAccesses,
    FlushWords,
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    let place = 0..64_usize;
    prop_oneof![
        5 => (0..TOPICS.len(), 0..WORDS.len(), prop::bool::weighted(0.3))
            .prop_map(|(topic, word, force)| Change::Store { topic, word, force }),
        2 => place.prop_map(|place| Change::Forget { place }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => change().prop_map(|change| Step::Commit(vec![change])),
        4 => prop::collection::vec(change(), 2..7).prop_map(Step::Commit),
        3 => (0..64_usize).prop_map(|place| Step::Touch { place }),
        1 => Just(Step::SaveAccesses),
        1 => Just(Step::FlushWords),
        2 => Just(Step::Reopen),
    ]
}

/// What the model knows of a memory.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    topic: usize,
    word: usize,
    status: Status,
    access_count: u64,
    /// What a reopened strand will know of `access_count`.
    saved_count: u64,
    handle: String,
}

#[derive(Debug, Default)]
struct Model {
    memories: BTreeMap<u32, Known>,
    tick: u64,
}

/// What the model expects of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Stored(u32),
    Reinforced(u32),
    Forgotten(u32),
    Done,
}

impl Model {
    fn active(&self) -> impl Iterator<Item = (u32, &Known)> {
        self.memories.iter().filter(|(_, known)| known.status == Status::Active).map(|(number, known)| (*number, known))
    }

    fn with_word(&self, word: usize) -> Option<u32> {
        self.active().find(|(_, known)| known.word == word).map(|(number, _)| number)
    }

    fn at_place(&self, place: usize) -> Option<u32> {
        self.memories.keys().nth(place.checked_rem(self.memories.len())?).copied()
    }

    fn apply(&mut self, change: Change) -> Expected {
        match change {
            Change::Store { topic, word, force } => match self.with_word(word) {
                Some(number) if !force => {
                    let known = self.memories.get_mut(&number).unwrap();
                    known.access_count += 1;
                    known.saved_count = known.access_count;
                    Expected::Reinforced(number)
                }
                _ => {
                    let number = u32::try_from(self.memories.len()).unwrap();
                    let known = Known {
                        topic,
                        word,
                        status: Status::Active,
                        access_count: 0,
                        saved_count: 0,
                        handle: String::new(),
                    };
                    self.memories.insert(number, known);
                    Expected::Stored(number)
                }
            },
            Change::Forget { place } => match self.at_place(place) {
                Some(number) => {
                    self.memories.get_mut(&number).unwrap().status = Status::Forgotten;
                    Expected::Forgotten(number)
                }
                None => Expected::Done,
            },
        }
    }
}

fn text(word: usize) -> String {
    format!("the {} keeps its own place among all these shared words", WORDS[word])
}

/// The strand under test, and where it lives.
struct Real {
    directory: TempDir,
    open: Option<(Arc<Strand>, StrandWriter)>,
}

impl Real {
    fn new() -> Self {
        let mut real = Self { directory: tempfile::tempdir().unwrap(), open: None };
        std::fs::create_dir(real.words()).unwrap();
        real.reopen();
        real
    }

    fn words(&self) -> PathBuf {
        self.directory.path().join("lexical")
    }

    fn reopen(&mut self) {
        drop(self.open.take());
        let storage = DirectoryStorage::new(self.directory.path().to_owned());
        let (strand, writer, _) = Strand::open(&storage, Some(&self.words()), Kinds::default()).unwrap();
        self.open = Some((strand, writer));
    }

    fn strand(&self) -> &Strand {
        &self.open.as_ref().unwrap().0
    }

    fn commit(&mut self, requests: Vec<Request>) -> Vec<Outcome> {
        let (_, writer) = self.open.as_mut().unwrap();
        writer.commit(requests).unwrap().into_iter().map(Result::unwrap).collect()
    }
}

/// Does a step to both and compares what it says.
fn take(step: &Step, model: &mut Model, real: &mut Real) -> Result<(), TestCaseError> {
    model.tick += 1;
    let now = at(model.tick);
    match step {
        Step::Commit(changes) => commit(changes, model, real)?,
        Step::Touch { place } => {
            if let Some(number) = model.at_place(*place) {
                model.memories.get_mut(&number).unwrap().access_count += 1;
                real.strand().catalog_touch(&[MemoryNumber(number)], now);
            }
        }
        Step::SaveAccesses => {
            real.commit(vec![Request::Accesses]);
            model.memories.values_mut().for_each(|known| known.saved_count = known.access_count);
        }
        Step::FlushWords => {
            real.strand().lexical().flush().unwrap();
        }
        Step::Reopen => {
            real.reopen();
            model.memories.values_mut().for_each(|known| known.access_count = known.saved_count);
        }
    }
    Ok(())
}

fn commit(changes: &[Change], model: &mut Model, real: &mut Real) -> Result<(), TestCaseError> {
    let (mut requests, mut expected) = (Vec::new(), Vec::new());
    // A caller names only memories that it has seen, so a group forgets none of its own.
    let seen = model.memories.len();
    for &change in changes {
        model.tick += 1;
        let mut entropy = [0; 10];
        entropy[..8].copy_from_slice(&model.tick.to_le_bytes());
        requests.push(match change {
            Change::Store { topic, word, force } => store(TOPICS[topic], &text(word), force, entropy, at(model.tick)),
            Change::Forget { place } if seen > 0 => forget(u32::try_from(place % seen).unwrap(), at(model.tick)),
            Change::Forget { .. } => Request::Accesses,
        });
        expected.push(match change {
            Change::Forget { place } if seen > 0 => model.apply(Change::Forget { place: place % seen }),
            Change::Forget { .. } => Expected::Done,
            Change::Store { .. } => model.apply(change),
        });
    }
    for (outcome, expected) in real.commit(requests).into_iter().zip(expected) {
        let found = match &outcome {
            Outcome::Stored(memory) => Expected::Stored(memory.number.0),
            Outcome::Reinforced(memory) => Expected::Reinforced(memory.number.0),
            Outcome::Forgotten(memory) => Expected::Forgotten(memory.number.0),
            Outcome::Done => Expected::Done,
        };
        prop_assert_eq!(found, expected, "{:?}", changes);
        if let Outcome::Stored(memory) = outcome {
            memory.handle.as_str().clone_into(&mut model.memories.get_mut(&memory.number.0).unwrap().handle);
        }
    }
    Ok(())
}

/// Everything that a reader can see.
fn compare(model: &Model, real: &Real) -> Result<(), TestCaseError> {
    let strand = real.strand();
    compare_memories(model, strand)?;
    compare_topics(model, strand)?;
    compare_searches(model, strand)?;
    compare_references(model, strand)?;
    let disagreements = strand.verify_indexes().unwrap();
    prop_assert!(disagreements.is_empty(), "{:?}", disagreements);
    strand.snapshot().unwrap().verify_history().unwrap().unwrap();
    Ok(())
}

fn compare_memories(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    let numbers: Vec<MemoryNumber> =
        (0..=model.memories.len()).map(|n| MemoryNumber(u32::try_from(n).unwrap())).collect();
    let found = strand.memories(&numbers).unwrap();
    prop_assert_eq!(found.len(), model.memories.len());
    let mut handles = BTreeSet::new();
    for memory in &found {
        let known = &model.memories[&memory.number.0];
        prop_assert_eq!(&memory.text, &text(known.word));
        prop_assert_eq!(memory.topic.as_str(), TOPICS[known.topic]);
        prop_assert_eq!(memory.status, known.status);
        prop_assert_eq!(memory.access_count, known.saved_count, "{}", &memory.handle);
        prop_assert!(memory.handle.as_str().starts_with(TOPICS[known.topic]));
        prop_assert!(handles.insert(memory.handle.clone()), "{} is used twice", &memory.handle);
        let counted = strand.catalog().row(memory.number).map(|row| row.access_count);
        prop_assert_eq!(counted, Some(known.access_count), "{}", &memory.handle);
    }
    Ok(())
}

fn compare_topics(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    for (topic, name) in TOPICS.into_iter().enumerate() {
        let expected: Vec<u32> =
            model.active().filter(|(_, known)| known.topic == topic).map(|(number, _)| number).collect();
        let members: Vec<u32> =
            strand.topic_members(name, &[Scope::Global]).into_iter().map(|number| number.0).collect();
        prop_assert_eq!(&members, &expected, "{}", name);
        for (index, number) in expected.iter().enumerate() {
            let resolved = strand.resolve(&format!("{name}:{index}"), &[Scope::Global]).unwrap();
            prop_assert_eq!(resolved, Resolution::One(MemoryNumber(*number)));
        }
        let beyond = strand.resolve(&format!("{name}:{}", expected.len()), &[Scope::Global]).unwrap();
        prop_assert_eq!(beyond, Resolution::None);
    }
    Ok(())
}

fn compare_searches(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    for (word, name) in WORDS.into_iter().enumerate() {
        for (topic, topic_name) in TOPICS.into_iter().enumerate() {
            let search = Search {
                words: name.to_owned(),
                vector: None,
                filter: Filter { topics: vec![topic_name.to_owned()], ..Filter::default() },
                limit: SEARCH_LIMIT,
                mode: Mode::All,
                retriever: Retriever::Words,
                now: at(model.tick),
            };
            let hits = strand.search(&search).unwrap().hits;
            let found: BTreeSet<u32> = hits.iter().map(|hit| hit.memory.number.0).collect();
            let is_expected = |known: &Known| known.word == word && known.topic == topic;
            let expected: BTreeSet<u32> =
                model.active().filter(|(_, known)| is_expected(known)).map(|(number, _)| number).collect();
            prop_assert_eq!(found, expected, "{} in {}", name, topic_name);
        }
    }
    Ok(())
}

fn compare_references(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    for (&number, known) in &model.memories {
        let one = Resolution::One(MemoryNumber(number));
        prop_assert_eq!(&strand.resolve(&known.handle, &[Scope::Global]).unwrap(), &one);
        let memory: Memory = strand.memories(&[MemoryNumber(number)]).unwrap().remove(0);
        prop_assert_eq!(&strand.resolve(&memory.id.to_string(), &[]).unwrap(), &one);
        // All but its last letter.
        let mut prefix = known.handle.clone();
        prefix.pop();
        prop_assert_eq!(strand.resolve(&prefix, &[]).unwrap(), expected_of_prefix(model, &prefix), "{}", prefix);
    }
    Ok(())
}

fn expected_of_prefix(model: &Model, prefix: &str) -> Resolution {
    let named = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<MemoryNumber> {
        let mut named: Vec<(&str, u32)> = model
            .memories
            .iter()
            .filter(|(_, known)| is_wanted(&known.handle))
            .map(|(number, known)| (known.handle.as_str(), *number))
            .collect();
        named.sort_unstable();
        named.into_iter().take(RESOLVE_CANDIDATES_MAX).map(|(_, number)| MemoryNumber(number)).collect()
    };
    let exact = named(&|handle| handle == prefix);
    let fitting = if exact.is_empty() { named(&|handle| handle.starts_with(prefix)) } else { exact };
    match fitting.as_slice() {
        [] => Resolution::None,
        [one] => Resolution::One(*one),
        _ => Resolution::Several(fitting),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_strand_and_the_model_agree(steps in prop::collection::vec(step(), 1..40)) {
        let mut model = Model::default();
        let mut real = Real::new();
        for step in &steps {
            take(step, &mut model, &mut real)?;
            compare(&model, &real)?;
        }
        real.reopen();
        model.memories.values_mut().for_each(|known| known.access_count = known.saved_count);
        compare(&model, &real)?;
    }
}
