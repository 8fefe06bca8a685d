//! Upkeep that would pay: merging what repeats, looking at topics that nobody touches, making
//! indexes anew.

use std::collections::HashMap;

use helix_engine::{MeaningStatus, Row, SpaceRole, Strand};
use helix_memory::{Scope, Sequence, Status as Life, Timestamp};

use crate::App;
use crate::ports::EmbedderState;

/// Memories with another one's text that are worth a merge.
const REPEATS_MIN: usize = 3;

/// Days after which a topic that nobody stored in or recalled from is idle.
const IDLE_DAYS: i64 = 90;

/// Idle topics that are worth a look, and which share of all they must be, one in so many.
const IDLE_TOPICS_MIN: usize = 10;
const IDLE_SHARE: usize = 4;

/// Memories by which the word index and the catalog may differ while writes go on: they follow a
/// commit one after the other.
const GAP_MIN: usize = 1_000;

/// Segments of the word index beyond which each search pays for them: merging keeps them below.
const SEGMENTS_MAX: usize = 12;

/// Bytes of the store below which its room is nobody's concern, and how many it may have for each
/// operation.
const STORE_BYTES_MIN: u64 = 64 * 1024 * 1024;
const OPERATION_BYTES_MAX: u64 = 16 * 1024;

/// Microseconds of a day.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Counts out of the catalog's rows.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counted {
    repeats: usize,
    topics: usize,
    idle: usize,
    /// Memories that indexes should hold.
    indexed: usize,
}

/// Says what whoever cares for the memories in some scopes might do. Empty when nothing pays.
pub(crate) fn advice(
    app: &App,
    scopes: &[Scope],
    store_bytes: u64,
    sequence: Sequence,
) -> Vec<String> {
    let strand = &app.memory.strand;
    let counted = count(strand, scopes, app.memory.now());
    let mut advice = of_memories(&counted);
    advice.extend(of_files(
        strand.lexical().segment_count(),
        store_bytes,
        sequence,
    ));
    // An index that cannot be counted says so elsewhere.
    let documents = strand.lexical().document_count();
    advice.extend(
        documents
            .ok()
            .and_then(|documents| lacks_words(documents, counted.indexed)),
    );
    if matches!(app.memory.embedder.state(), EmbedderState::Ready(_)) {
        let meaning = strand.meaning_status(SpaceRole::Answering, sequence);
        advice.extend(lacks_vectors(&meaning, counted.indexed));
    }
    advice
}

fn of_memories(counted: &Counted) -> Vec<String> {
    let mut advice = Vec::new();
    if counted.repeats >= REPEATS_MIN {
        advice.push(format!(
            "{} memories repeat another's text: compact lists and merges them",
            counted.repeats
        ));
    }
    if counted.idle >= IDLE_TOPICS_MIN && counted.idle * IDLE_SHARE >= counted.topics {
        advice.push(format!(
            "{} of {} topics were not touched for {IDLE_DAYS} days: prune lists them",
            counted.idle, counted.topics
        ));
    }
    advice
}

fn of_files(segments: usize, store_bytes: u64, sequence: Sequence) -> Vec<String> {
    let mut advice = Vec::new();
    if segments > SEGMENTS_MAX {
        advice.push(format!(
            "the word index has {segments} segments: compact with `log` merges them"
        ));
    }
    if store_bytes > STORE_BYTES_MIN && store_bytes / OPERATION_BYTES_MAX > sequence.0 {
        advice.push(
            "the store's file holds much free room: compact with `log` gives it back".to_owned(),
        );
    }
    advice
}

/// Of so many memories that the word index should hold, says how many it does where those differ.
fn lacks_words(documents: u64, indexed: usize) -> Option<String> {
    let documents = usize::try_from(documents).unwrap_or(usize::MAX);
    (documents.abs_diff(indexed) >= GAP_MIN).then(|| {
        format!("the word index holds {documents} of {indexed} memories: reindex makes it anew")
    })
}

/// Of so many memories that should have a vector, says how many have none and wait for none.
fn lacks_vectors(meaning: &MeaningStatus, indexed: usize) -> Option<String> {
    let missing = indexed.saturating_sub(meaning.vectors + meaning.pending);
    (missing > 0).then(|| format!("{missing} memories have no vector: reindex tries them again"))
}

fn count(strand: &Strand, scopes: &[Scope], now: Timestamp) -> Counted {
    let idle_before =
        Timestamp::from_micros(now.as_micros().saturating_sub(IDLE_DAYS * DAY_MICROS));
    let catalog = strand.catalog();
    let numbers = catalog.scope_numbers(scopes);
    let is_seen = |row: &Row| scopes.is_empty() || row.is_in(&numbers);
    let mut texts: HashMap<(u32, u64), usize> = HashMap::new();
    let mut touched: HashMap<u32, Timestamp> = HashMap::new();
    let mut counted = Counted::default();
    for (number, row) in catalog.rows() {
        counted.indexed += usize::from(row.status.is_indexed());
        if row.status != Life::Active || !is_seen(row) || catalog.is_scratch(number) {
            continue;
        }
        *texts
            .entry((row.scope_number(), row.text_hash))
            .or_default() += 1;
        let last = touched.entry(row.topic_number()).or_insert(row.recorded_at);
        *last = (*last).max(row.recorded_at).max(row.last_seen_at);
    }
    counted.repeats = texts.values().map(|count| count - 1).sum();
    counted.topics = touched.len();
    counted.idle = touched.values().filter(|last| **last < idle_before).count();
    counted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use helix_engine::{MemoryStorage, Request, StrandWriter};
    use helix_memory::{Actor, Admitted, Draft, Kinds, MemoryNumber, Origin};

    use super::*;

    /// Components of a vector.
    const DIMENSIONS: usize = 4;

    /// A strand with memories that were stored on a day: topic, text and the day of each.
    fn strand(
        memories: impl Iterator<Item = (String, String, i64)>,
    ) -> (Arc<Strand>, StrandWriter) {
        let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
        let store = |(topic, text, day): (String, String, i64)| {
            let draft = Draft {
                topic,
                text,
                ..Draft::default()
            };
            let admitted = Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap();
            Request::Store {
                words: Box::new(Strand::read_words(&admitted)),
                admitted: Box::new(admitted),
                links: Vec::new(),
                stamps: None,
                force: true,
                corrects: Vec::new(),
                entropy: [7; 10],
                actor: Actor {
                    origin: Origin::Agent,
                    agent: "tests".into(),
                    session: String::new(),
                    ..Actor::default()
                },
                at: Timestamp::from_micros(day * DAY_MICROS),
            }
        };
        let outcomes = writer.commit(memories.map(store).collect()).unwrap();
        assert!(outcomes.iter().all(Result::is_ok));
        (strand, writer)
    }

    /// Memories with texts of their own, one in each of so many topics.
    fn alone(count: usize, day: i64) -> impl Iterator<Item = (String, String, i64)> {
        (0..count).map(move |n| (format!("topic-{day}-{n}"), format!("text {day} {n}"), day))
    }

    fn advised(strand: &Strand, day: i64) -> Vec<String> {
        of_memories(&count(
            strand,
            &[Scope::Global],
            Timestamp::from_micros(day * DAY_MICROS),
        ))
    }

    #[test]
    fn pruning_is_advised_once_enough_topics_are_idle() {
        let idle = IDLE_TOPICS_MIN;
        let (few, _writer) = strand(alone(idle - 1, 0));
        let (enough, _writer) = strand(alone(idle, 0));
        // A quarter of the topics, and one less than that.
        let (part, _writer) = strand(alone(idle, 0).chain(alone(idle * 3, IDLE_DAYS)));
        let (less, _writer) = strand(alone(idle, 0).chain(alone(idle * 3 + 1, IDLE_DAYS)));
        let later = IDLE_DAYS + 1;
        let none: [String; 0] = [];
        assert_eq!(advised(&few, later), none);
        assert_eq!(advised(&enough, IDLE_DAYS), none, "touched 90 days ago");
        assert_eq!(
            advised(&enough, later),
            ["10 of 10 topics were not touched for 90 days: prune lists them"]
        );
        assert_eq!(
            advised(&part, later),
            ["10 of 40 topics were not touched for 90 days: prune lists them"]
        );
        assert_eq!(advised(&less, later), none);
    }

    #[test]
    fn merging_is_advised_once_enough_texts_repeat() {
        let same = |count| (0..count).map(|n| (format!("topic-{n}"), "the same".to_owned(), 0));
        let (few, _writer) = strand(same(REPEATS_MIN));
        let (enough, _writer) = strand(same(REPEATS_MIN + 1));
        let none: [String; 0] = [];
        assert_eq!(advised(&few, 0), none);
        assert_eq!(
            advised(&enough, 0),
            ["3 memories repeat another's text: compact lists and merges them"]
        );
    }

    #[test]
    fn giving_room_back_is_advised_once_it_is_much() {
        let none: [String; 0] = [];
        let operations = Sequence(2 * STORE_BYTES_MIN / OPERATION_BYTES_MAX);
        assert_eq!(of_files(SEGMENTS_MAX, STORE_BYTES_MIN, Sequence(0)), none);
        assert_eq!(
            of_files(SEGMENTS_MAX, 2 * STORE_BYTES_MIN, operations),
            none
        );
        let few = Sequence(operations.0 - 1);
        let advice = of_files(SEGMENTS_MAX + 1, 2 * STORE_BYTES_MIN, few);
        assert_eq!(
            advice,
            [
                "the word index has 13 segments: compact with `log` merges them",
                "the store's file holds much free room: compact with `log` gives it back"
            ]
        );
    }

    #[test]
    fn a_word_index_that_lacks_many_is_to_be_made_anew() {
        assert_eq!(
            lacks_words(0, GAP_MIN).unwrap(),
            "the word index holds 0 of 1000 memories: reindex makes it anew"
        );
        assert_eq!(
            lacks_words(1, GAP_MIN),
            None,
            "it follows behind the catalog"
        );
    }

    #[test]
    fn memories_that_were_given_up_on_are_to_be_tried_again() {
        let (strand, writer) = strand(alone(3, 0));
        strand
            .open_space(&MemoryStorage, SpaceRole::Answering, "model", DIMENSIONS)
            .unwrap();
        let advised = || {
            let meaning = strand.meaning_status(SpaceRole::Answering, writer.sequence());
            lacks_vectors(
                &meaning,
                count(&strand, &[], Timestamp::from_micros(0)).indexed,
            )
        };
        assert_eq!(advised(), None, "all of them wait");
        let waiting = strand.pending_vectors(SpaceRole::Answering, 1).unwrap();
        let made = waiting.iter().map(|one| {
            let vector = vec![0.5; DIMENSIONS].into();
            (one.number, one.text_hash, vector)
        });
        let made: Vec<_> = made.collect();
        strand.put_vectors(SpaceRole::Answering, &made).unwrap();
        assert_eq!(advised(), None);
        strand.skip_vector(SpaceRole::Answering, MemoryNumber(0));
        assert_eq!(
            advised().unwrap(),
            "1 memories have no vector: reindex tries them again"
        );
        strand.reindex(|| true).unwrap().unwrap();
        assert_eq!(advised(), None);
    }
}
