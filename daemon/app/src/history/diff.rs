//! `Diff`: what was stored at two places in the history, beside each other. What came and went in
//! between is no difference.

use std::collections::HashSet;
use std::ops::ControlFlow;

use helix_engine::{Between, EdgeVersions, Snapshot, StoreError, Versions};
use helix_memory::{EdgeKey, EdgeStatus, Memory, MemoryNumber, Sequence, Status};

use super::point::Point;
use super::{ChangedEdge, ChangedMemory, SHOWN_MAX, Sight, are_alike, differ};
use crate::session_id::LOOKED_AT_MAX;
use crate::{App, Asker, Refusal};

/// A comparison that somebody wants.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Its beginning; `None` for the last session of the asker's project.
    pub from: Option<Point>,
    /// Its end.
    pub to: Point,
}

/// A difference.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// The operation at its beginning.
    pub from: Sequence,
    /// The operation at its end.
    pub to: Sequence,
    /// Memories, in the order in which they were changed last; some of them.
    pub memories: Vec<ChangedMemory>,
    /// Edges; some of them.
    pub edges: Vec<ChangedEdge>,
    /// How many memories there are.
    pub memories_total: usize,
    /// How many edges there are.
    pub edges_total: usize,
    /// Notes for whoever asks.
    pub notes: Vec<String>,
}

/// Compares.
///
/// # Errors
/// When the beginning comes after the end, a place is not there, or the disk fails.
pub fn diff(app: &App, asker: &Asker, wanted: Wanted) -> Result<Difference, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let to = wanted.to.sequence(&snapshot)?;
    let mut difference = Difference {
        to,
        ..Difference::default()
    };
    difference.from = match wanted.from {
        Some(from) => from.sequence(&snapshot)?,
        None => before_last_session(&snapshot, asker, &mut difference.notes)?,
    };
    if difference.from > to {
        return Err(Refusal::invalid(format!(
            "{} comes after {}; name the earlier one first",
            difference.from.0, to.0
        )));
    }
    let between = Between::read(&snapshot, difference.from, to)?;
    let sight = Sight::of(asker);
    let mut changed: Vec<(MemoryNumber, Versions)> = between.memories().collect();
    changed.sort_by_key(|(_, versions)| versions.after);
    let mut gone = HashSet::new();
    for (number, versions) in changed {
        let after = version(&snapshot, versions.after)?;
        if after.as_ref().is_none_or(is_out_of_use) {
            gone.insert(number);
        }
        add_memory(
            app,
            &snapshot,
            &sight,
            versions,
            after.as_ref(),
            &mut difference,
        )?;
    }
    let mut edges: Vec<(&EdgeKey, &EdgeVersions)> = between.edges().collect();
    edges.retain(|(key, versions)| !is_passing(key, versions, &gone) && sight.has_edge(app, key));
    difference.edges_total = edges.len();
    // Suggestions are many, and are not to take the place of what somebody did.
    edges.sort_by_key(|(_, versions)| is_suggestion(versions));
    for (key, versions) in edges.into_iter().take(SHOWN_MAX) {
        let edge = ChangedEdge::of(&snapshot, key, versions)?;
        difference.edges.push(edge);
    }
    Ok(difference)
}

/// Returns whether a machine suggests an edge and nobody has looked at it.
fn is_suggestion(versions: &EdgeVersions) -> bool {
    let states = [&versions.before, &versions.after];
    let mut states = states.into_iter().flatten();
    states.all(|edge| edge.status == EdgeStatus::Suggested)
}

fn add_memory(
    app: &App,
    snapshot: &Snapshot,
    sight: &Sight,
    versions: Versions,
    after: Option<&Memory>,
    difference: &mut Difference,
) -> Result<(), StoreError> {
    let before = version(snapshot, versions.before)?;
    let before = before.as_ref();
    let came_and_went = before.is_none() && after.is_some_and(is_out_of_use);
    if came_and_went {
        return Ok(());
    }
    let is_seen = [before, after]
        .into_iter()
        .flatten()
        .any(|memory| sight.has(memory));
    if !is_seen || !differ(before, after) {
        return Ok(());
    }
    difference.memories_total += 1;
    if difference.memories.len() < SHOWN_MAX {
        let changed = ChangedMemory::of(app, before, after);
        difference.memories.push(changed);
    }
    Ok(())
}

fn version(snapshot: &Snapshot, sequence: Option<Sequence>) -> Result<Option<Memory>, StoreError> {
    match sequence {
        Some(sequence) => snapshot.version(sequence),
        None => Ok(None),
    }
}

fn is_out_of_use(memory: &Memory) -> bool {
    matches!(memory.status, Status::Forgotten | Status::Pruned)
}

/// Returns whether an edge is at the end what it was at the beginning: also one that was only
/// suggested and refused in between, and one of a memory that came and went.
fn is_passing(key: &EdgeKey, versions: &EdgeVersions, gone: &HashSet<MemoryNumber>) -> bool {
    if versions.before.is_some() {
        return are_alike(versions.before.as_ref(), versions.after.as_ref());
    }
    let is_refused = |status: EdgeStatus| status == EdgeStatus::Rejected;
    let is_there = versions
        .after
        .as_ref()
        .is_some_and(|edge| !is_refused(edge.status));
    !is_there || gone.contains(&key.from) || gone.contains(&key.to)
}

/// The operation before the first one of the last session that changed something here, but for the
/// asker's own.
fn before_last_session(
    snapshot: &Snapshot,
    asker: &Asker,
    notes: &mut Vec<String>,
) -> Result<Sequence, Refusal> {
    let sight = Sight::of(asker);
    let mut last: Option<(String, Sequence)> = None;
    let mut looked_at = 0;
    snapshot.for_each_operation_back(snapshot.sequence()?, |operation| {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX {
            return Ok(ControlFlow::Break(()));
        }
        let session = &operation.actor.session;
        if let Some((known, first)) = &mut last {
            if known == session {
                *first = operation.sequence;
            }
            return Ok(ControlFlow::Continue(()));
        }
        let is_anothers = !session.is_empty() && *session != asker.actor.session;
        if is_anothers && operation.memory()?.is_some_and(|memory| sight.has(&memory)) {
            last = Some((session.clone(), operation.sequence));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let Some((session, first)) = last else {
        return Err(Refusal::not_found(
            "no session changed anything here; name the beginning: a sequence or a time",
        ));
    };
    notes.push(format!("since session {session} began"));
    Ok(Sequence(first.0.saturating_sub(1)))
}
