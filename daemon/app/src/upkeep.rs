//! Upkeep that would pay: merging what repeats, looking at topics that nobody touches, making
//! indexes anew.

use std::collections::HashMap;

use helix_engine::{Row, SpaceRole};
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
    let counted = count(app, scopes);
    let mut advice = of_memories(&counted);
    advice.extend(of_files(app, store_bytes, sequence));
    advice.extend(of_gaps(app, counted.indexed, sequence));
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

fn of_files(app: &App, store_bytes: u64, sequence: Sequence) -> Vec<String> {
    let mut advice = Vec::new();
    let segments = app.memory.strand.lexical().segment_count();
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

/// Of so many memories that the indexes should hold, says how many they lack.
fn of_gaps(app: &App, indexed: usize, sequence: Sequence) -> Vec<String> {
    let mut advice = Vec::new();
    let documents = app.memory.strand.lexical().document_count().ok();
    if let Some(documents) = documents.and_then(|documents| usize::try_from(documents).ok())
        && documents.abs_diff(indexed) >= GAP_MIN
    {
        advice.push(format!(
            "the word index holds {documents} of {indexed} memories: reindex makes it anew"
        ));
    }
    if matches!(app.memory.embedder.state(), EmbedderState::Ready(_)) {
        let meaning = app
            .memory
            .strand
            .meaning_status(SpaceRole::Answering, sequence);
        let missing = indexed.saturating_sub(meaning.vectors + meaning.pending);
        if missing > 0 {
            advice.push(format!(
                "{missing} memories have no vector: reindex tries them again"
            ));
        }
    }
    advice
}

fn count(app: &App, scopes: &[Scope]) -> Counted {
    let idle_before = Timestamp::from_micros(
        app.memory
            .now()
            .as_micros()
            .saturating_sub(IDLE_DAYS * DAY_MICROS),
    );
    let catalog = app.memory.strand.catalog();
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
