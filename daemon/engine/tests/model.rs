//! A model beside the strand: whatever is done to both, they agree on what exists, what it is
//! called and what is found.

#![allow(clippy::unwrap_used)]

mod common;
mod expected;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use common::{actor, at, edit, store};
use expected::{Change, Expected, Known, Model, TAG, TOPICS, WORDS, change, number, placed, text};
use helix_engine::{
    DirectoryStorage, Filter, MergePair, Mode, Outcome, Request, Resolution, Retriever, Search,
    SpaceRole, StoreError, Strand, StrandWriter, TopicEdit, Vantage,
};
use helix_memory::{
    Edit, EditedFields as Fields, Kinds, Memory, MemoryNumber, Scope, Sequence, Topic,
};
use helix_redact::Secrets;
use proptest::prelude::*;
use tempfile::TempDir;

/// Dimensions of the vectors that stand in for a model's.
const DIMENSIONS: usize = 4;

/// More than any model of these sizes has.
const SEARCH_LIMIT: usize = 100;

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
    CompactFiles,
    /// Makes the vectors that are missing.
    Embed,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => change().prop_map(|change| Step::Commit(vec![change])),
        6 => prop::collection::vec(change(), 2..7).prop_map(Step::Commit),
        3 => (0..64_usize).prop_map(|place| Step::Touch { place }),
        1 => Just(Step::SaveAccesses),
        1 => Just(Step::FlushWords),
        1 => Just(Step::CompactFiles),
        2 => Just(Step::Embed),
        2 => Just(Step::Reopen),
    ]
}

/// The strand under test, and where it lives.
struct Real {
    directory: TempDir,
    open: Option<(Arc<Strand>, StrandWriter)>,
}

impl Real {
    fn new() -> Self {
        let mut real = Self {
            directory: tempfile::tempdir().unwrap(),
            open: None,
        };
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
        let (strand, writer, _) =
            Strand::open(&storage, Some(&self.words()), Kinds::default()).unwrap();
        strand
            .open_space(&storage, SpaceRole::Answering, "model", DIMENSIONS)
            .unwrap();
        self.open = Some((strand, writer));
    }

    fn strand(&self) -> &Strand {
        &self.open.as_ref().unwrap().0
    }

    fn commit(&mut self, requests: Vec<Request>) -> Vec<Option<Outcome>> {
        let (_, writer) = self.open.as_mut().unwrap();
        writer
            .commit(requests)
            .unwrap()
            .into_iter()
            .map(Result::ok)
            .collect()
    }

    fn embed(&self) {
        let pending = self
            .strand()
            .pending_vectors(SpaceRole::Answering, SEARCH_LIMIT)
            .unwrap();
        let vectors: Vec<_> = pending
            .iter()
            .map(|waiting| {
                (
                    waiting.number,
                    waiting.text_hash,
                    vec![0.5; DIMENSIONS].into(),
                )
            })
            .collect();
        self.strand()
            .put_vectors(SpaceRole::Answering, &vectors)
            .unwrap();
    }
}

/// Does a step to both and compares what it says.
fn take(step: &Step, model: &mut Model, real: &mut Real) -> Result<(), TestCaseError> {
    model.tick += 1;
    let now = at(model.tick);
    match step {
        Step::Commit(changes) => commit(changes, model, real)?,
        Step::Touch { place } => {
            if let Some(place) = place.checked_rem(model.memories.len()) {
                let number = number(place);
                model.memories.get_mut(&number).unwrap().access_count += 1;
                real.strand().catalog_touch(&[MemoryNumber(number)], now);
            }
        }
        Step::SaveAccesses => {
            real.commit(vec![Request::Accesses]);
            model
                .memories
                .values_mut()
                .for_each(|known| known.saved_count = known.access_count);
        }
        Step::FlushWords => {
            real.strand().lexical().flush().unwrap();
        }
        Step::CompactFiles => {
            real.strand().compact_words().unwrap();
            real.strand().compact_vectors().unwrap();
            // What was dropped with a forgotten memory is made again when it comes back.
            for known in model.memories.values_mut() {
                let is_wanted = known.is_in_use() && known.embedded.as_ref() == Some(&known.text);
                known.embedded = known.embedded.take().filter(|_| is_wanted);
            }
        }
        Step::Embed => {
            real.embed();
            for known in model
                .memories
                .values_mut()
                .filter(|known| known.is_in_use() && !known.has_vector)
            {
                (known.has_vector, known.embedded) = (true, Some(known.text.clone()));
            }
        }
        Step::Reopen => {
            real.reopen();
            model.reopen();
        }
    }
    Ok(())
}

fn request(change: Change, tick: u64, real: &Real) -> Request {
    let now = at(tick);
    let mut entropy = [0; 10];
    entropy[..8].copy_from_slice(&tick.to_le_bytes());
    let topic = |topic: usize| Topic::parse(TOPICS[topic]).unwrap();
    let new = |topic: usize| Topic::kept(TOPICS[topic], &mut Secrets::default()).unwrap();
    let one = |place: usize, how: Edit| edit(number(place), how, now);
    let of_topic = |topic: Topic, edit: TopicEdit| Request::EditTopic {
        topic,
        scopes: vec![Scope::Global],
        edit,
        actor: actor(),
        at: now,
    };
    match change {
        Change::Store { topic, word, force } => {
            store(TOPICS[topic], &text(word), force, entropy, now)
        }
        Change::Forget { place } => one(place, Edit::Forget),
        Change::Append { place, word } => one(
            place,
            Edit::Append {
                text: format!("and {}", WORDS[word]),
            },
        ),
        Change::Revise { place, word } => one(
            place,
            Edit::Revise {
                text: text(word),
                seen: None,
            },
        ),
        Change::Tag {
            place,
            removes: true,
        } => one(
            place,
            Edit::Tag {
                add: Vec::new(),
                remove: vec![TAG.into()],
            },
        ),
        Change::Tag {
            place,
            removes: false,
        } => one(
            place,
            Edit::Tag {
                add: vec![TAG.into()],
                remove: Vec::new(),
            },
        ),
        Change::Move { place, topic: to } => one(place, Edit::Move { topic: new(to) }),
        Change::Pin { place, pinned } => one(
            place,
            Edit::Set(Box::new(Fields {
                pinned: Some(pinned),
                ..Fields::default()
            })),
        ),
        Change::Restore { place } => one(place, Edit::Restore),
        Change::Supersede { place, by } => {
            let by = real
                .strand()
                .memories(&[MemoryNumber(number(by))])
                .unwrap()
                .remove(0)
                .id;
            one(place, Edit::Supersede { by })
        }
        Change::Rename { topic: from, to } => of_topic(topic(from), TopicEdit::Rename(new(to))),
        Change::MergeTopics { topic: from, into } => {
            of_topic(topic(from), TopicEdit::Merge(new(into)))
        }
        Change::ForgetTopic { topic: which } => of_topic(topic(which), TopicEdit::Forget),
        Change::MergeDuplicates { kept, duplicate } => {
            let sequence = |place| {
                real.strand()
                    .catalog()
                    .row(MemoryNumber(number(place)))
                    .unwrap()
                    .sequence
            };
            let pair = MergePair {
                kept: MemoryNumber(number(kept)),
                kept_sequence: sequence(kept),
                duplicate: MemoryNumber(number(duplicate)),
                duplicate_sequence: sequence(duplicate),
            };
            Request::MergeDuplicates {
                pairs: vec![pair],
                actor: actor(),
                at: now,
            }
        }
    }
}

fn commit(changes: &[Change], model: &mut Model, real: &mut Real) -> Result<(), TestCaseError> {
    let (mut requests, mut expected) = (Vec::new(), Vec::new());
    // A caller names only memories that it has seen, so a group changes none of its own.
    let seen = model.memories.len();
    let versions: Vec<u64> = model.memories.values().map(|known| known.version).collect();
    for &change in changes {
        model.tick += 1;
        let Some(change) = placed(change, seen) else {
            requests.push(Request::Accesses);
            model
                .memories
                .values_mut()
                .for_each(|known| known.saved_count = known.access_count);
            expected.push(Expected::Done);
            continue;
        };
        requests.push(request(change, model.tick, real));
        let is_outdated = |place: usize| model.memories[&number(place)].version != versions[place];
        expected.push(match change {
            // The pair was found before the group changed it.
            Change::MergeDuplicates { kept, duplicate }
                if is_outdated(kept) || is_outdated(duplicate) =>
            {
                Expected::Edited(Vec::new(), 0)
            }
            change => model.apply(change),
        });
    }
    for (outcome, expected) in real.commit(requests).into_iter().zip(expected) {
        let found = match &outcome {
            Some(Outcome::Stored(memory)) => Expected::Stored(memory.number.0),
            Some(Outcome::Reinforced(memory)) => Expected::Reinforced(memory.number.0),
            Some(Outcome::Edited(edited)) => Expected::Edited(
                edited
                    .memories
                    .iter()
                    .map(|memory| memory.number.0)
                    .collect(),
                edited.changed,
            ),
            Some(Outcome::Done) => Expected::Done,
            None => Expected::Refused,
        };
        prop_assert_eq!(found, expected, "{:?}", changes);
    }
    note_names(model, real.strand())
}

/// Only the strand knows which handles it found free; the model knows that none is ever lost.
fn note_names(model: &mut Model, strand: &Strand) -> Result<(), TestCaseError> {
    let mut names: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let snapshot = strand.snapshot().unwrap();
    let noted = snapshot.for_each_handle(|handle, number| {
        names.entry(number.0).or_default().insert(handle.to_owned());
        Ok::<_, StoreError>(())
    });
    noted.unwrap();
    for (&number, known) in &mut model.memories {
        let names = names.remove(&number).unwrap_or_default();
        prop_assert!(
            names.is_superset(&known.names),
            "{:?} lost one of {:?}",
            names,
            known.names
        );
        known.names = names;
        let memory = snapshot.memory(MemoryNumber(number)).unwrap().unwrap();
        memory.handle.as_str().clone_into(&mut known.handle);
        prop_assert!(
            known.names.contains(&known.handle),
            "{} is not among its names",
            known.handle
        );
    }
    prop_assert!(names.is_empty(), "{:?} name nothing", names);
    Ok(())
}

/// Everything that a reader can see.
fn compare(model: &Model, real: &Real) -> Result<(), TestCaseError> {
    let strand = real.strand();
    compare_memories(model, strand)?;
    compare_topics(model, strand)?;
    compare_searches(model, strand)?;
    compare_references(model, strand)?;
    compare_vectors(model, strand)?;
    let disagreements = strand.verify_indexes().unwrap();
    prop_assert!(disagreements.is_empty(), "{:?}", disagreements);
    strand
        .snapshot()
        .unwrap()
        .verify_history()
        .unwrap()
        .unwrap();
    Ok(())
}

fn compare_memories(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    let numbers: Vec<MemoryNumber> = (0..=model.memories.len())
        .map(|n| MemoryNumber(u32::try_from(n).unwrap()))
        .collect();
    let found = strand.memories(&numbers).unwrap();
    prop_assert_eq!(found.len(), model.memories.len());
    let mut handles = BTreeSet::new();
    for memory in &found {
        let known = &model.memories[&memory.number.0];
        prop_assert_eq!(&memory.text, &known.text);
        prop_assert_eq!(memory.handle.as_str(), &known.handle);
        prop_assert_eq!(memory.tags.contains(&TAG.to_owned()), known.tagged);
        prop_assert_eq!(memory.pinned, known.pinned);
        prop_assert_eq!(memory.topic.as_str(), TOPICS[known.topic]);
        prop_assert_eq!(memory.status, known.status);
        prop_assert_eq!(memory.access_count, known.saved_count, "{}", &memory.handle);
        prop_assert!(memory.handle.as_str().starts_with(TOPICS[known.topic]));
        prop_assert!(
            handles.insert(memory.handle.clone()),
            "{} is used twice",
            &memory.handle
        );
        let counted = strand
            .catalog()
            .row(memory.number)
            .map(|row| row.access_count);
        prop_assert_eq!(counted, Some(known.access_count), "{}", &memory.handle);
    }
    Ok(())
}

fn compare_topics(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    for (topic, name) in TOPICS.into_iter().enumerate() {
        let expected: Vec<u32> = model
            .active()
            .filter(|(_, known)| known.topic == topic)
            .map(|(number, _)| number)
            .collect();
        let members: Vec<u32> = strand
            .topic_members(name, &[Scope::Global])
            .into_iter()
            .map(|number| number.0)
            .collect();
        prop_assert_eq!(&members, &expected, "{}", name);
        for (index, number) in expected.iter().enumerate() {
            let resolved = strand
                .resolve(&format!("{name}:{index}"), &[Scope::Global])
                .unwrap();
            prop_assert_eq!(resolved, Resolution::One(MemoryNumber(*number)));
        }
        let beyond = strand
            .resolve(&format!("{name}:{}", expected.len()), &[Scope::Global])
            .unwrap();
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
                filter: Filter {
                    topics: vec![topic_name.to_owned()],
                    ..Filter::default()
                },
                limit: SEARCH_LIMIT,
                mode: Mode::All,
                retriever: Retriever::Words,
                now: at(model.tick),
                vantage: Vantage::default(),
            };
            let hits = strand.search(&search).unwrap().hits;
            let numbers = hits.iter().flat_map(|hit| {
                std::iter::once(hit.memory.number).chain(hit.copies.iter().copied())
            });
            let found: BTreeSet<u32> = numbers.map(|number| number.0).collect();
            let is_expected =
                |known: &Known| known.text.contains(WORDS[word]) && known.topic == topic;
            let expected: BTreeSet<u32> = model
                .active()
                .filter(|(_, known)| is_expected(known))
                .map(|(number, _)| number)
                .collect();
            prop_assert_eq!(found, expected, "{} in {}", name, topic_name);
        }
    }
    Ok(())
}

fn compare_vectors(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    let waiting: BTreeMap<u32, String> = strand
        .pending_vectors(SpaceRole::Answering, SEARCH_LIMIT)
        .unwrap()
        .into_iter()
        .map(|waiting| (waiting.number.0, waiting.text))
        .collect();
    let lacking = model
        .memories
        .iter()
        .filter(|(_, known)| known.is_in_use() && !known.has_vector);
    let expected: BTreeMap<u32, String> = lacking
        .map(|(number, known)| (*number, known.text.clone()))
        .collect();
    prop_assert_eq!(waiting, expected);
    let held = model
        .memories
        .values()
        .filter(|known| known.has_vector)
        .count();
    prop_assert_eq!(
        strand
            .meaning_status(SpaceRole::Answering, Sequence::default())
            .vectors,
        held
    );
    Ok(())
}

fn compare_references(model: &Model, strand: &Strand) -> Result<(), TestCaseError> {
    for (&number, known) in &model.memories {
        let one = Resolution::One(MemoryNumber(number));
        for handle in &known.names {
            prop_assert_eq!(&strand.resolve(handle, &[Scope::Global]).unwrap(), &one);
        }
        let memory: Memory = strand.memories(&[MemoryNumber(number)]).unwrap().remove(0);
        prop_assert_eq!(&strand.resolve(&memory.id.to_string(), &[]).unwrap(), &one);
        // All but its last letter.
        let mut prefix = known.handle.clone();
        prefix.pop();
        prop_assert_eq!(
            strand.resolve(&prefix, &[Scope::Global]).unwrap(),
            expected_of_prefix(model, &prefix),
            "{}",
            prefix
        );
    }
    Ok(())
}

fn expected_of_prefix(model: &Model, prefix: &str) -> Resolution {
    let named = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<MemoryNumber> {
        let all = model.memories.iter().flat_map(|(number, known)| {
            known.names.iter().map(|handle| (handle.as_str(), *number))
        });
        let mut named: Vec<(&str, u32)> = all.filter(|(handle, _)| is_wanted(handle)).collect();
        named.sort_unstable();
        // A memory of several fitting names is one candidate.
        let mut seen = BTreeSet::new();
        named.retain(|(_, number)| seen.insert(*number));
        // What is forgotten is meant only when nothing else can be.
        let is_living = |number: &u32| {
            model
                .memories
                .get(number)
                .is_some_and(|known| known.status.is_indexed())
        };
        if named.iter().any(|(_, number)| is_living(number)) {
            named.retain(|(_, number)| is_living(number));
        }
        named
            .into_iter()
            .take(Resolution::CANDIDATES_MAX)
            .map(|(_, number)| MemoryNumber(number))
            .collect()
    };
    let exact = named(&|handle| handle == prefix);
    let fitting = if exact.is_empty() {
        named(&|handle| handle.starts_with(prefix))
    } else {
        exact
    };
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
        model.reopen();
        compare(&model, &real)?;
    }
}
