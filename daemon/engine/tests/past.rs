//! The strand as it was equals a replay of its history, whatever was done to it.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{actor, at, edit, store};
use helix_engine::{
    Between, DirectoryStorage, Filter, Mode, Request, Retriever, Search, Snapshot, Step,
    StepChange, Strand, StrandWriter, Vantage,
};
use helix_memory::{
    Edge, EdgeKey, EdgeStatus, Edit, EditedFields as Fields, Kinds, Memory, MemoryNumber, Moment,
    Provenance, Relation, Scope, Sequence, Status, Timestamp, Topic,
};
use helix_redact::Secrets;
use proptest::prelude::*;
use tempfile::TempDir;

/// Something that is done to the strand; places count its memories round and round.
#[derive(Clone, Debug)]
enum Deed {
    Store,
    Revise(u32),
    Forget(u32),
    Restore(u32),
    /// The first is replaced by the second.
    Supersede(u32, u32),
    Archive(u32),
    Move(u32),
    /// Says from when until when a memory held, in ticks.
    Hold(u32, u64, Option<u64>),
    Relate(u32, u32, u8),
    Unrelate(u32, u32),
    /// Puts a memory back to what it was at an earlier moment, with an edge in the same request.
    Revert(u32, usize),
    Reopen,
}

fn deed() -> impl Strategy<Value = Deed> {
    let place = 0..8_u32;
    prop_oneof![
        4 => Just(Deed::Store),
        3 => place.clone().prop_map(Deed::Revise),
        2 => place.clone().prop_map(Deed::Forget),
        2 => place.clone().prop_map(Deed::Restore),
        2 => (place.clone(), place.clone()).prop_map(|(a, b)| Deed::Supersede(a, b)),
        1 => place.clone().prop_map(Deed::Archive),
        1 => place.clone().prop_map(Deed::Move),
        2 => (place.clone(), 0..20_u64, prop::option::of(20..40_u64))
            .prop_map(|(a, from, to)| Deed::Hold(a, from, to)),
        3 => (place.clone(), place.clone(), 1..9_u8).prop_map(|(a, b, s)| Deed::Relate(a, b, s)),
        2 => (place.clone(), place.clone()).prop_map(|(a, b)| Deed::Unrelate(a, b)),
        2 => (place, 0..16_usize).prop_map(|(a, moment)| Deed::Revert(a, moment)),
        1 => Just(Deed::Reopen),
    ]
}

/// All of the strand, as a copy that is kept aside.
#[derive(Clone, Debug, Default, PartialEq)]
struct Copy {
    memories: BTreeMap<MemoryNumber, Memory>,
    edges: BTreeMap<EdgeKey, Edge>,
    /// Of each memory.
    centralities: Vec<f32>,
}

impl Copy {
    fn of(strand: &Strand) -> Self {
        let snapshot = strand.snapshot().unwrap();
        let mut copy = Self::default();
        snapshot
            .for_each_memory(|memory| {
                copy.memories.insert(memory.number, plain(memory));
                Ok::<_, helix_engine::StoreError>(())
            })
            .unwrap();
        for edge in snapshot.edges().unwrap() {
            copy.edges.insert(edge.key, edge);
        }
        copy.centralities = strand.centralities(copy.memories.keys().copied());
        copy
    }

    /// The memories that a reader finds by default.
    fn active(&self) -> Vec<&Memory> {
        let memories = self.memories.values();
        memories
            .filter(|memory| memory.status == Status::Active)
            .collect()
    }

    /// The memories that held at a time, whatever took their places since.
    fn held_at(&self, at: Timestamp) -> Vec<&Memory> {
        let held = |memory: &&Memory| {
            matches!(memory.status, Status::Active | Status::Superseded)
                && memory.valid_from <= at
                && memory.valid_to.is_none_or(|until| at < until)
        };
        self.memories.values().filter(held).collect()
    }
}

fn numbers_of(memories: &[&Memory]) -> Vec<MemoryNumber> {
    memories.iter().map(|memory| memory.number).collect()
}

/// The memories with a word, one after the other.
fn having(memories: &[&Memory], word: &str) -> Vec<MemoryNumber> {
    let mut memories = memories.to_vec();
    memories.retain(|memory| memory.text.split_whitespace().any(|own| own == word));
    numbers_of(&memories)
}

/// The memories that a reader of a strand finds by default.
fn rows_of(strand: &Strand) -> Vec<MemoryNumber> {
    let catalog = strand.catalog();
    let rows = catalog.rows();
    rows.filter(|(_, row)| row.status == Status::Active)
        .map(|(number, _)| number)
        .collect()
}

/// The memories that a search for a word finds.
fn found(strand: &Strand, word: &str) -> Vec<MemoryNumber> {
    let search = Search {
        words: word.to_owned(),
        vector: None,
        filter: Filter {
            // Of named topics every memory may be found.
            topics: vec!["past".to_owned(), "elsewhere".to_owned()],
            ..Filter::default()
        },
        limit: 100,
        mode: Mode::Any,
        retriever: Retriever::Words,
        now: at(1_000),
        vantage: Vantage::default(),
    };
    let recalled = strand.search(&search).unwrap();
    let mut numbers: Vec<MemoryNumber> = recalled
        .hits
        .iter()
        .map(|hit| {
            assert!(hit.memory.text.contains(word), "{}", hit.memory.text);
            hit.memory.number
        })
        .collect();
    numbers.sort();
    let mut counted = strand.all_with_words(&search).unwrap().0;
    counted.sort();
    assert_eq!(numbers, counted);
    numbers
}

/// The members of both topics.
fn members_of(strand: &Strand) -> Vec<MemoryNumber> {
    let members = |topic| strand.topic_members(topic, &[Scope::Global]);
    let mut members = [members("past"), members("elsewhere")].concat();
    members.sort();
    members
}

/// Versions in the history are without accesses.
fn plain(memory: Memory) -> Memory {
    Memory {
        access_count: 0,
        last_seen_at: Timestamp::from_micros(0),
        ..memory
    }
}

struct World {
    directory: TempDir,
    open: Option<(Arc<Strand>, StrandWriter)>,
    memories: u32,
    tick: u64,
    /// What there was after each operation that ended a request.
    moments: Vec<(Sequence, Timestamp, Copy)>,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            directory: tempfile::tempdir().unwrap(),
            open: None,
            memories: 0,
            tick: 0,
            moments: Vec::new(),
        };
        world.reopen();
        world.keep();
        world
    }

    fn reopen(&mut self) {
        drop(self.open.take());
        let storage = DirectoryStorage::new(self.directory.path().to_owned());
        let (strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
        self.open = Some((strand, writer));
    }

    fn snapshot(&self) -> Snapshot {
        self.open.as_ref().unwrap().0.snapshot().unwrap()
    }

    fn keep(&mut self) {
        let sequence = self.snapshot().sequence().unwrap();
        let copy = Copy::of(&self.open.as_ref().unwrap().0);
        self.moments.push((sequence, at(self.tick), copy));
    }

    fn place(&self, place: u32) -> MemoryNumber {
        MemoryNumber(place % self.memories.max(1))
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is used up here")]
    fn request(&self, deed: Deed) -> Option<Request> {
        let now = at(self.tick);
        Some(match deed {
            Deed::Store => store(
                "past",
                &format!("statement {} is about something", self.tick),
                true,
                [u8::try_from(self.tick % 250).unwrap(); 10],
                now,
            ),
            Deed::Revise(place) => {
                let text = format!("revision {} says another thing", self.tick);
                edit(self.place(place).0, Edit::Revise { text, seen: None }, now)
            }
            Deed::Forget(place) => edit(self.place(place).0, Edit::Forget, now),
            Deed::Restore(place) => edit(self.place(place).0, Edit::Restore, now),
            Deed::Supersede(place, by) => {
                let by = self.snapshot().memory(self.place(by)).unwrap()?.id;
                edit(self.place(place).0, Edit::Supersede { by }, now)
            }
            Deed::Archive(place) => edit(self.place(place).0, Edit::Archive, now),
            Deed::Move(place) => {
                let topic = Topic::kept("elsewhere", &mut Secrets::default()).unwrap();
                edit(self.place(place).0, Edit::Move { topic }, now)
            }
            Deed::Hold(place, from, to) => {
                let fields = Fields {
                    valid_from: Some(at(from)),
                    valid_to: Some(to.map(at)),
                    ..Fields::default()
                };
                edit(self.place(place).0, Edit::Set(Box::new(fields)), now)
            }
            // Nobody relates a memory to itself.
            Deed::Relate(from, to, _) if self.place(from) == self.place(to) => return None,
            Deed::Relate(from, to, strength) => {
                let edge = self.edge(from, to, f32::from(strength) / 10.0);
                self.together(vec![StepChange::Relate(Box::new(edge))])
            }
            Deed::Unrelate(from, to) => {
                self.together(vec![StepChange::Unrelate(self.key(from, to))])
            }
            Deed::Revert(place, moment) => {
                let number = self.place(place);
                let (_, _, then) = &self.moments[moment % self.moments.len()];
                let to = Box::new(then.memories.get(&number)?.clone());
                let put_back = StepChange::Edit {
                    number,
                    edit: Edit::Revert { to },
                    expected: None,
                };
                let mut changes = vec![put_back];
                if self.memories > 1 {
                    let edge = self.edge(place, place + 1, 0.5);
                    changes.push(StepChange::Relate(Box::new(edge)));
                }
                self.together(changes)
            }
            Deed::Reopen => return None,
        })
    }

    fn key(&self, from: u32, to: u32) -> EdgeKey {
        EdgeKey {
            from: self.place(from),
            relation: Relation::DependsOn,
            to: self.place(to),
        }
    }

    fn edge(&self, from: u32, to: u32, strength: f32) -> Edge {
        let now = at(self.tick);
        Edge {
            key: self.key(from, to),
            strength,
            is_bidirectional: false,
            status: EdgeStatus::Active,
            provenance: Provenance::stated(&actor(), now),
            reason: String::new(),
            valid_from: now,
            valid_to: None,
            sequence: Sequence(0),
        }
    }

    fn together(&self, changes: Vec<StepChange>) -> Request {
        Request::Together {
            steps: changes
                .into_iter()
                .map(|change| Step::new(change, "a test"))
                .collect(),
            actor: actor(),
            at: at(self.tick),
        }
    }

    fn do_it(&mut self, deed: Deed) {
        self.tick += 1;
        if matches!(deed, Deed::Reopen) {
            self.reopen();
        }
        let is_store = matches!(deed, Deed::Store);
        let Some(request) = self.request(deed) else {
            return;
        };
        let (_, writer) = self.open.as_mut().unwrap();
        let outcome = writer.commit(vec![request]).unwrap().remove(0);
        // What is refused, as an edge that is not there, changes nothing.
        self.memories += u32::from(is_store && outcome.is_ok());
        self.keep();
    }
}

/// The keys of what is different in two maps.
fn different<K: Ord + Clone, V: PartialEq>(one: &BTreeMap<K, V>, other: &BTreeMap<K, V>) -> Vec<K> {
    let mut keys: Vec<K> = one.keys().chain(other.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| one.get(key) != other.get(key));
    keys
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_past_equals_a_replay(deeds in prop::collection::vec(deed(), 1..30)) {
        let mut world = World::new();
        for deed in deeds {
            world.do_it(deed);
        }
        let snapshot = world.snapshot();
        for (sequence, time, then) in &world.moments {
            prop_assert_eq!(snapshot.sequence_at(*time).unwrap(), *sequence);
            let past = snapshot.past(*sequence).unwrap();
            for number in (0..world.memories).map(MemoryNumber) {
                let found = past.memory(number).unwrap().map(plain);
                prop_assert_eq!(found.as_ref(), then.memories.get(&number));
            }
            let edges: Vec<Edge> = then.edges.values().cloned().collect();
            prop_assert_eq!(past.edges().unwrap(), edges);
        }
        for pair in world.moments.windows(4) {
            let ((from, _, before), (to, _, after)) = (&pair[0], &pair[3]);
            let between = Between::read(&snapshot, *from, *to).unwrap();
            for number in different(&before.memories, &after.memories) {
                prop_assert!(between.memories().any(|(changed, _)| changed == number));
            }
            for (number, versions) in between.memories() {
                let version = |sequence: Option<Sequence>| {
                    sequence.and_then(|sequence| snapshot.version(sequence).unwrap()).map(plain)
                };
                let (old, new) = (version(versions.before), version(versions.after));
                prop_assert_eq!(old.as_ref(), before.memories.get(&number));
                prop_assert_eq!(new.as_ref(), after.memories.get(&number));
            }
            for key in different(&before.edges, &after.edges) {
                prop_assert!(between.edges().any(|(changed, _)| *changed == key));
            }
            for (key, versions) in between.edges() {
                prop_assert_eq!(versions.before.as_ref(), before.edges.get(key));
                prop_assert_eq!(versions.after.as_ref(), after.edges.get(key));
            }
        }
        prop_assert!(snapshot.verify_history().unwrap().is_ok());
    }
    #[test]
    fn a_view_of_the_past_equals_a_replay(deeds in prop::collection::vec(deed(), 1..30)) {
        let mut world = World::new();
        for deed in deeds {
            world.do_it(deed);
        }
        let strand = &world.open.as_ref().unwrap().0;
        for (sequence, _, then) in &world.moments {
            let moment = Moment { as_of: Some(*sequence), valid_at: None };
            let view = strand.seen_at(moment).unwrap();
            prop_assert_eq!(&Copy::of(&view).memories, &then.memories);
            prop_assert_eq!(&Copy::of(&view).centralities, &then.centralities);
            let active = then.active();
            prop_assert_eq!(rows_of(&view), numbers_of(&active));
            prop_assert_eq!(members_of(&view), numbers_of(&active));
            for word in ["statement", "revision", "3", "7"] {
                prop_assert_eq!(found(&view, word), having(&active, word));
            }
            let catalog = view.catalog();
            let stored: Vec<EdgeKey> = catalog.graph().stored().map(|arc| arc.key).collect();
            prop_assert_eq!(stored, then.edges.keys().copied().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_view_of_what_held_equals_a_replay(
        deeds in prop::collection::vec(deed(), 1..30),
        ticks in prop::collection::vec(0..45_u64, 4),
    ) {
        let mut world = World::new();
        for deed in deeds {
            world.do_it(deed);
        }
        let strand = &world.open.as_ref().unwrap().0;
        let newest = world.moments.last().unwrap();
        let past = world.moments.get(world.moments.len() / 2).unwrap();
        for tick in ticks {
            for ((_, _, then), as_of) in [(newest, None), (past, Some(past.0))] {
                let moment = Moment { as_of, valid_at: Some(at(tick)) };
                let view = strand.seen_at(moment).unwrap();
                let held = then.held_at(at(tick));
                prop_assert_eq!(rows_of(&view), numbers_of(&held));
                prop_assert_eq!(members_of(&view), numbers_of(&held));
                for word in ["statement", "revision", "3", "7"] {
                    prop_assert_eq!(found(&view, word), having(&held, word));
                }
            }
        }
    }

    #[test]
    fn a_view_stays_as_it_is_while_others_write(deeds in prop::collection::vec(deed(), 2..30)) {
        let mut world = World::new();
        let half = deeds.len() / 2;
        for deed in &deeds[..half] {
            world.do_it(deed.clone());
        }
        let (sequence, _, then) = world.moments[world.moments.len() / 2].clone();
        let moment = Moment { as_of: Some(sequence), valid_at: None };
        let view = world.open.as_ref().unwrap().0.seen_at(moment).unwrap();
        for deed in deeds.into_iter().skip(half).filter(|deed| !matches!(deed, Deed::Reopen)) {
            world.do_it(deed);
        }
        prop_assert_eq!(&Copy::of(&view).memories, &then.memories);
        prop_assert_eq!(rows_of(&view), numbers_of(&then.active()));
    }
}
