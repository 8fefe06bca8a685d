//! `Why`: where a memory comes from, what became of it, and who was told it.

use std::collections::HashSet;

use helix_engine::{GraphArc as Arc, Resolution, Snapshot, StoreError};
use helix_memory::{Memory, MemoryNumber, Relation, Timestamp};
use helix_neutral::quoted;

use super::line::{Line, handle_of};
use super::{Sight, log};
use crate::hook::Receipt;
use crate::told::{self, Told};
use crate::work::attention::Heed;
use crate::{App, Asker, Refusal, find, receipts, scopes};

/// Receipts shown.
const TOLD_MAX: usize = 20;

/// Edges shown.
const EDGES_MAX: usize = 50;

/// Facts about a memory's life.
#[derive(Clone, Debug)]
pub struct Life {
    /// The memory as it is now.
    pub memory: Told,
    /// Every operation on it, oldest first.
    pub operations: Vec<Line>,
    /// Handles of the memories that it replaced.
    pub replaces: Vec<String>,
    /// Its edges, as this memory tells them.
    pub edges: Vec<String>,
    /// Hooks that told it, newest first; some of them.
    pub told: Vec<(Timestamp, Receipt)>,
    /// How often hooks told it, as far as receipts are kept.
    pub told_total: usize,
    /// How sessions heeded it lately.
    pub heed: Heed,
}

/// Tells where a memory comes from and what became of it.
///
/// # Errors
/// When not one memory is meant, it belongs to another project, or the disk fails.
pub fn why(app: &App, asker: &Asker, reference: &str) -> Result<Life, Refusal> {
    let reference = reference.trim();
    let number = match find::resolve(app, reference, asker)? {
        Resolution::One(number) => number,
        Resolution::Several(numbers) => return Err(find::ambiguous(app, reference, &numbers)?),
        Resolution::None => {
            return Err(Refusal::not_found(format!(
                "no memory is called {} here; give a handle, an id or `topic:index`",
                quoted(reference)
            )));
        }
    };
    let snapshot = app.memory.strand.snapshot()?;
    let Some(memory) = snapshot.memory(number)? else {
        return Err(Refusal::not_found("that memory was purged just now"));
    };
    scopes::check_seen(&memory, asker)?;
    let operations = log::of_memory(app, &snapshot, &Sight::of(asker), number)?;
    let (replaces, edges) = relations(app, &snapshot, number)?;
    let (told, told_total) = receipts_of(app, &memory, &operations)?;
    let mut memory = Told::of(app, &memory);
    told::mark(app, asker, [&mut memory]);
    Ok(Life {
        memory,
        operations,
        replaces,
        edges,
        told,
        told_total,
        heed: app.hooks.attention.heed_of(number),
    })
}

/// Lists the memories that a memory replaced, and its other edges.
fn relations(
    app: &App,
    snapshot: &Snapshot,
    number: MemoryNumber,
) -> Result<(Vec<String>, Vec<String>), StoreError> {
    let arcs: Vec<Arc> = {
        let catalog = app.memory.strand.catalog();
        catalog.graph().edges_of(number).collect()
    };
    let (mut replaces, mut edges) = (Vec::new(), Vec::new());
    for arc in arcs.into_iter().take(EDGES_MAX) {
        let is_ours = arc.key.from == number;
        let other = handle_of(snapshot, arc.beyond(number))?;
        if arc.key.relation == Relation::Supersedes {
            // What took its place is told with the memory itself.
            replaces.extend(is_ours.then_some(other));
            continue;
        }
        let relation = if is_ours {
            arc.key.relation.name()
        } else {
            arc.key.relation.inverse()
        };
        edges.push(format!("{relation} {other} ({})", arc.status.name()));
    }
    Ok((replaces, edges))
}

/// Receipts that name a memory by any handle that it had.
fn receipts_of(
    app: &App,
    memory: &Memory,
    operations: &[Line],
) -> Result<(Vec<(Timestamp, Receipt)>, usize), Refusal> {
    let earlier = operations.iter().map(|line| line.handle.as_str());
    let names: HashSet<&str> = earlier.chain([memory.handle.as_str()]).collect();
    let (mut told, mut total) = (Vec::new(), 0);
    for (at_us, state) in receipts::kept(app)? {
        let Some(receipt) = Receipt::read(&state) else {
            continue;
        };
        if !receipt
            .handles
            .iter()
            .any(|handle| names.contains(handle.as_str()))
        {
            continue;
        }
        total += 1;
        if told.len() < TOLD_MAX {
            told.push((Timestamp::from_micros(at_us), receipt));
        }
    }
    Ok((told, total))
}
