//! An operation in one line.

use helix_engine::{Operation, OperationKind, Payload, Snapshot, StoreError};
use helix_memory::{Actor, Edge, Memory, MemoryNumber, Sequence, Timestamp};
use helix_neutral::one_line;

use super::Sight;
use super::undone::Undone;
use crate::{App, veil};

/// Characters of a text's first line.
const SUMMARY_MAX_CHARS: usize = 120;

/// An operation as it is listed.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its place in the history.
    pub sequence: Sequence,
    /// When it was committed.
    pub at: Timestamp,
    /// Who asked for it, and from where.
    pub actor: Actor,
    /// Its effect.
    pub kind: OperationKind,
    /// The handle of the memory as it left it; empty where that was purged.
    pub handle: String,
    /// The first line of its text, or the edge with both its ends.
    pub summary: String,
    /// Why it was done.
    pub reason: String,
    /// The first operation of its request.
    pub group: Sequence,
    /// The operation that it takes back.
    pub reverts: Option<Sequence>,
    /// True if its request was undone.
    pub is_undone: bool,
}

impl Line {
    /// The line of an operation on a memory that is seen; `None` for one that is not.
    pub(super) fn of(
        app: &App,
        snapshot: &Snapshot,
        sight: &Sight,
        undone: &Undone,
        operation: Operation,
    ) -> Result<Option<Self>, StoreError> {
        let (handle, summary) = match operation.kind.payload() {
            Payload::Memory => match operation.memory()? {
                Some(memory) if sight.has(&memory) => {
                    (memory.handle.as_str().to_owned(), seen_line(app, &memory))
                }
                _ => return Ok(None),
            },
            Payload::Edge => match operation.edge()? {
                Some(edge) if sight.has_edge(app, &edge.key) => (
                    handle_of(snapshot, edge.key.from)?,
                    edge_line(snapshot, &edge)?,
                ),
                _ => return Ok(None),
            },
            // Nothing is left that says whose it was.
            Payload::Nothing => (String::new(), String::new()),
        };
        Ok(Some(Self {
            sequence: operation.sequence,
            at: operation.at,
            kind: operation.kind,
            handle,
            summary,
            reason: rendered(snapshot, &operation.reason)?,
            group: operation.first_of_group(),
            reverts: operation.reverts,
            is_undone: undone.has(&operation),
            actor: operation.actor,
        }))
    }
}

/// The first line of a memory, unless only the review shows it.
pub(crate) fn seen_line(app: &App, memory: &Memory) -> String {
    if veil::is_veiled(app, memory) {
        return veil::WAITS.to_owned();
    }
    first_line(memory)
}

fn first_line(memory: &Memory) -> String {
    let mut lines = memory.text.lines();
    let line = lines.find(|line| !line.trim().is_empty());
    one_line(line.unwrap_or_default(), SUMMARY_MAX_CHARS)
}

fn edge_line(snapshot: &Snapshot, edge: &Edge) -> Result<String, StoreError> {
    let to = handle_of(snapshot, edge.key.to)?;
    let status = edge.status.name();
    Ok(format!("{} {to} ({status})", edge.key.relation))
}

/// The handle that a memory has now; its number where it is gone.
pub(super) fn handle_of(snapshot: &Snapshot, number: MemoryNumber) -> Result<String, StoreError> {
    let memory = snapshot.memory(number)?;
    Ok(memory.map_or_else(
        || format!("#{}", number.0),
        |memory| memory.handle.as_str().to_owned(),
    ))
}

/// A reason with the handles of the memories that it names by number, as `#7`.
pub(super) fn rendered(snapshot: &Snapshot, reason: &str) -> Result<String, StoreError> {
    let mut pieces = reason.split('#');
    let mut rendered = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = piece.split_at(digits);
        match number.parse().map(MemoryNumber) {
            Ok(number) => rendered.push_str(&handle_of(snapshot, number)?),
            Err(_) => rendered = rendered + "#" + number,
        }
        rendered.push_str(rest);
    }
    Ok(rendered)
}
