//! Many memories at once, and single changes.

use helix_client::v1::{self, batch_item};
use serde::Serialize;

use super::memory::{CorrectionDocument, MemoryDocument, corrections, outcome};

/// A change made, or what could be meant.
#[derive(Debug, Serialize)]
pub(crate) struct EditDocument<'a> {
    changed: u32,
    topic: Option<&'a str>,
    memories: Vec<MemoryDocument<'a>>,
    warnings: &'a [String],
    candidates: Vec<MemoryDocument<'a>>,
}

/// Outcome of one memory of a batch; a line of its own.
#[derive(Debug, Serialize)]
pub(crate) struct BatchLine<'a> {
    /// 0-based position in the input.
    index: usize,
    outcome: &'static str,
    handle: Option<&'a str>,
    similarity: Option<f32>,
    refused: Option<&'a str>,
    warnings: &'a [String],
    corrections: Vec<CorrectionDocument<'a>>,
}

/// Counts of an export.
#[derive(Debug, Serialize)]
pub(crate) struct ExportDocument<'a> {
    /// The format's name.
    pub(crate) format: &'static str,
    /// Where it is.
    pub(crate) target: &'a str,
    /// How many memories it holds.
    pub(crate) memories: u64,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// How many files it is.
    pub(crate) files: usize,
    /// Fields that the format could not hold.
    pub(crate) notes: &'a [String],
}

/// Outcome of an import.
#[derive(Debug, Serialize)]
pub(crate) struct ImportDocument<'a> {
    dry_run: bool,
    read: u64,
    stored: u64,
    known: u64,
    revised: u64,
    refused: u64,
    conflicts: u64,
    problems: &'a [String],
    /// How many there are beyond those listed.
    problems_more: u64,
    repeats: u64,
    repeated: Vec<RepeatDocument<'a>>,
    all_compared: bool,
    /// Of those known before, how many are forgotten here.
    forgotten: u64,
    forgotten_handles: &'a [String],
    /// Of those stored, how many wait in the review.
    quarantined: u64,
}

/// An imported memory and the one that it nearly repeats.
#[derive(Debug, Serialize)]
struct RepeatDocument<'a> {
    handle: &'a str,
    of: &'a str,
    similarity: f32,
}

impl<'a> From<&'a v1::EditReply> for EditDocument<'a> {
    fn from(reply: &'a v1::EditReply) -> Self {
        Self {
            changed: reply.changed,
            topic: Some(reply.topic.as_str()).filter(|topic| !topic.is_empty()),
            memories: reply.memories.iter().map(MemoryDocument::from).collect(),
            warnings: &reply.warnings,
            candidates: reply.candidates.iter().map(MemoryDocument::from).collect(),
        }
    }
}

impl<'a> BatchLine<'a> {
    /// Describes the item at a position of the input.
    pub(crate) fn new(index: usize, item: &'a v1::BatchItem) -> Self {
        let refused = |why| Self {
            index,
            outcome: "refused",
            handle: None,
            similarity: None,
            refused: Some(why),
            warnings: &[],
            corrections: Vec::new(),
        };
        match &item.item {
            Some(batch_item::Item::Stored(reply)) => Self {
                index,
                outcome: outcome(reply),
                handle: reply.memory.as_ref().map(|memory| memory.handle.as_str()),
                similarity: (reply.outcome() == v1::StoreOutcome::Duplicate)
                    .then_some(reply.similarity),
                refused: None,
                warnings: &reply.warnings,
                corrections: corrections(reply),
            },
            Some(batch_item::Item::Refused(why)) => refused(why),
            None => refused("the daemon did not say what became of it"),
        }
    }
}

impl<'a> From<&'a v1::Repeat> for RepeatDocument<'a> {
    fn from(repeat: &'a v1::Repeat) -> Self {
        Self {
            handle: &repeat.handle,
            of: &repeat.of,
            similarity: repeat.similarity,
        }
    }
}

impl<'a> ImportDocument<'a> {
    /// Describes an import's end.
    pub(crate) fn new(progress: &'a v1::ImportProgress, dry_run: bool) -> Self {
        Self {
            dry_run,
            read: progress.read,
            stored: progress.stored,
            known: progress.known,
            revised: progress.revised,
            refused: progress.refused,
            conflicts: progress.conflicts,
            problems: &progress.problems,
            problems_more: progress.problems_untold,
            repeats: progress.repeats,
            repeated: progress.repeated.iter().map(RepeatDocument::from).collect(),
            all_compared: !progress.is_repeats_cut,
            forgotten: progress.forgotten,
            forgotten_handles: &progress.forgotten_handles,
            quarantined: progress.quarantined,
        }
    }
}
