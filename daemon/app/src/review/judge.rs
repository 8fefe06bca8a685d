//! Approving and rejecting what waits.

use std::cmp::Reverse;
use std::sync::Arc;

use helix_engine::{Edited, Fate, Outcome, Request, Resolution, Snapshot, Step, StepChange};
use helix_memory::{
    Edge, EdgeKey, EdgeStatus, Edit, LifeStep as Due, Memory, MemoryNumber, Origin, Status,
};
use helix_neutral::quoted;

use super::{Kind, REVISES, Waiting, topic, waiting};
use crate::conflicts::{self, Settlement};
use crate::threads::off_thread;
use crate::told::Told;
use crate::{App, Asker, Refusal, consolidate, find, lifecycle};

/// Items that one call settles.
const SETTLED_MAX: usize = 10_000;

/// What is to be settled.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Whether it is approved; else it is rejected.
    pub approves: bool,
    /// Memories that wait, or are an end of what waits.
    pub references: Vec<String>,
    /// Everything that waits, in their place.
    pub all: bool,
    /// With `all`, only what is of this topic; empty for all.
    pub topic: String,
    /// With one reference, only the suggested edge to this memory; empty for all.
    pub other: String,
    /// Suggested relations of what is named as well; else only where nothing else of it waits.
    pub relations: bool,
}

/// What settling came to.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// The memories that changed, as they are now; some of them when there are many.
    pub memories: Vec<Told>,
    /// Items that were settled.
    pub settled: usize,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// Settles what is named. `who` says who asks, and may look at the disk for it.
///
/// # Errors
/// When nothing of it waits, the asker is no person, or it is not written.
pub async fn judge(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Wanted,
) -> Result<Settled, Refusal> {
    let planned = off_thread(app, move |app| plan(app, who(), &wanted));
    let Plan {
        asker,
        requests,
        mut conflicts,
        mut notes,
    } = planned.await?;
    // The writer answers nobody who asks for nothing.
    let outcomes = if requests.is_empty() {
        Vec::new()
    } else {
        app.writer.submit(requests)?.await?
    };
    let mut numbers = Vec::new();
    let mut settled = 0;
    // The newest first: it settles all of its dispute.
    conflicts.sort_by_key(|conflict| Reverse(conflict.key.from));
    for Conflict {
        key,
        kept,
        other,
        settlement,
    } in conflicts
    {
        if !conflicts::is_open(app, &key) {
            settled += 1;
            continue;
        }
        let told = conflicts::settle(app, &asker, &kept, &other, settlement).await?;
        settled += 1;
        numbers.extend(told.iter().map(|told| told.memory.number));
    }
    for outcome in outcomes {
        match outcome {
            Ok(Outcome::Edited(edited)) => {
                settled += 1;
                numbers.extend(edited.memories.iter().map(|memory| memory.number));
            }
            Ok(_) => settled += 1,
            Err(error) => notes.push(error.to_string()),
        }
    }
    numbers.truncate(Edited::SHOWN_MAX);
    off_thread(app, move |app| {
        Ok(Settled {
            memories: Told::all(app, &numbers)?,
            settled,
            notes,
        })
    })
    .await
}

/// What settling takes.
struct Plan {
    asker: Asker,
    requests: Vec<Request>,
    conflicts: Vec<Conflict>,
    notes: Vec<String>,
}

/// A conflict and how it is settled.
struct Conflict {
    key: EdgeKey,
    /// The id of the end that is kept.
    kept: String,
    /// The id of the other.
    other: String,
    settlement: Settlement,
}

fn plan(app: &App, asker: Asker, wanted: &Wanted) -> Result<Plan, Refusal> {
    if asker.actor.origin != Origin::User {
        return Err(Refusal::denied(
            "only a person can settle what waits in the review; use helixctl review",
        ));
    }
    let items = chosen(app, &asker, wanted)?;
    if items.len() > SETTLED_MAX {
        let count = items.len();
        return Err(Refusal::exhausted(format!(
            "{count} items wait, the limit for settling at once is {SETTLED_MAX}; name a topic"
        )));
    }
    let snapshot = app.memory.strand.snapshot()?;
    let mut plan = Plan {
        asker,
        requests: Vec::new(),
        conflicts: Vec::new(),
        notes: Vec::new(),
    };
    let named: Vec<MemoryNumber> = wanted
        .references
        .iter()
        .filter_map(|reference| meant(app, &plan.asker, reference).ok())
        .collect();
    for item in items {
        if !named.is_empty() {
            let outcome = outcome(&snapshot, &item, wanted.approves)?;
            plan.notes.extend(outcome);
        }
        if item.kind() == Kind::Conflict {
            plan.conflicts
                .extend(conflict(&snapshot, &item, wanted.approves, &named)?);
            continue;
        }
        match request(app, &plan.asker, &snapshot, &item, wanted.approves)? {
            Some(request) => plan.requests.push(request),
            None => plan
                .notes
                .push("something that waited is gone by now".to_owned()),
        }
    }
    Ok(plan)
}

/// How a conflict is settled: the end that is named is kept, else the newer one, or both; `None`
/// when an end is gone.
fn conflict(
    snapshot: &Snapshot,
    item: &Waiting,
    approves: bool,
    named: &[MemoryNumber],
) -> Result<Option<Conflict>, Refusal> {
    let Waiting::Edge(key) = item else {
        return Ok(None);
    };
    let ends = (snapshot.memory(key.from)?, snapshot.memory(key.to)?);
    let (Some(newer), Some(older)) = ends else {
        return Ok(None);
    };
    let keeps_older = named.contains(&key.to) && !named.contains(&key.from);
    let (kept, other) = if keeps_older {
        (older, newer)
    } else {
        (newer, older)
    };
    Ok(Some(Conflict {
        key: *key,
        kept: kept.id.to_string(),
        other: other.id.to_string(),
        settlement: if approves {
            Settlement::KeepFirst
        } else {
            Settlement::Both
        },
    }))
}

/// Returns what waits of that which is named.
fn chosen(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Vec<Waiting>, Refusal> {
    let topic = topic(&wanted.topic)?;
    let scopes = if wanted.references.is_empty() {
        asker.scopes()
    } else {
        // A person names what is listed of any project.
        app.memory.strand.catalog().all_scopes()
    };
    let mut all = waiting(app, &scopes, topic.as_ref())?;
    if wanted.all || topic.is_some() {
        all.retain(|item| item.kind() != Kind::Relation);
        return Ok(all);
    }
    if wanted.references.is_empty() {
        return Err(Refusal::invalid(
            "nothing is named; give handles, a topic or all",
        ));
    }
    let other = match wanted.other.as_str() {
        "" => None,
        other => Some(meant(app, asker, other)?),
    };
    let mut chosen: Vec<Waiting> = Vec::new();
    for reference in &wanted.references {
        let number = meant(app, asker, reference)?;
        let before = chosen.len();
        let is_other = |item: &Waiting| other.is_none_or(|other| item.concerns(other));
        let mut named: Vec<&Waiting> = all.iter().filter(|item| item.concerns(number)).collect();
        named.retain(|item| is_other(item) && !chosen.contains(item));
        let is_suspect = other.is_none() && is_held_back(app, number);
        leave_unlisted(&mut named, wanted.relations, is_suspect);
        chosen.extend(named.into_iter().cloned());
        if chosen.len() == before && is_suspect {
            chosen.push(Waiting::Suspect(number));
        } else if chosen.len() == before {
            return Err(Refusal::not_found(format!(
                "{} does not wait in the review; list what does",
                quoted(reference)
            )));
        }
    }
    Ok(chosen)
}

/// Leaves out what nobody means who names a memory: its suggested relations, which are listed only
/// where they are asked for, unless nothing else waits; and its conflicts, while it waits itself.
/// Letting a memory in is no word yet that it is the one to keep.
fn leave_unlisted(named: &mut Vec<&Waiting>, relations: bool, is_suspect: bool) {
    let is_relation = |item: &Waiting| item.kind() == Kind::Relation;
    let has_more = is_suspect || !named.iter().all(|item| is_relation(item));
    if !relations && has_more {
        named.retain(|item| !is_relation(item));
    }
    let is_conflict = |item: &Waiting| item.kind() == Kind::Conflict;
    let mut others = named.iter().filter(|item| !is_relation(item));
    if others.any(|item| !is_conflict(item)) {
        named.retain(|item| !is_conflict(item));
    }
}

/// The outcome of settling an edge, where no memory that changed tells it.
fn outcome(snapshot: &Snapshot, item: &Waiting, approves: bool) -> Result<Option<String>, Refusal> {
    let Waiting::Edge(key) = item else {
        return Ok(None);
    };
    let (Some(from), Some(to)) = (snapshot.memory(key.from)?, snapshot.memory(key.to)?) else {
        return Ok(None);
    };
    let (from, to, relation) = (from.handle, to.handle, key.relation);
    Ok(match (item.kind(), approves) {
        (Kind::Relation, true) => Some(format!("{from} {relation} {to} holds")),
        (Kind::Relation, false) => Some(format!("{from} {relation} {to} does not hold")),
        (_, true) => None,
        (_, false) => Some(format!("{from} and {to} both hold")),
    })
}

/// Whether a memory is in use and nobody is shown it unasked, such as what a tool said: searches find
/// it, so it is not listed, and a person may vouch for it all the same.
fn is_held_back(app: &App, number: MemoryNumber) -> bool {
    let catalog = app.memory.strand.catalog();
    let row = catalog.row(number);
    row.is_some_and(|row| row.status == Status::Active && !catalog.is_shown_unasked(number, row))
}

/// The one memory that a reference means.
pub(crate) fn meant(app: &App, asker: &Asker, reference: &str) -> Result<MemoryNumber, Refusal> {
    match find::resolve(app, reference.trim(), asker)? {
        Resolution::One(number) => Ok(number),
        Resolution::Several(_) => Err(Refusal::invalid(format!(
            "{} means several memories; give a whole handle or an id",
            quoted(reference)
        ))),
        Resolution::None => Err(Refusal::not_found(format!(
            "nothing is called {} here; give a handle or an id",
            quoted(reference)
        ))),
    }
}

/// The write that settles an item; `None` when it is gone.
fn request(
    app: &App,
    asker: &Asker,
    snapshot: &Snapshot,
    item: &Waiting,
    approves: bool,
) -> Result<Option<Request>, Refusal> {
    let (actor, at) = (asker.actor.clone(), app.memory.now());
    let edge = match item {
        Waiting::Repeated(number) if approves => {
            let Some(memory) = snapshot.memory(*number)? else {
                return Ok(None);
            };
            let steps = consolidate::keep(app, &memory, actor.origin)?;
            return Ok(Some(Request::Together { steps, actor, at }));
        }
        Waiting::Memory(number) if approves && let Some(steps) = revision(app, asker, *number)? => {
            return Ok(Some(Request::Together { steps, actor, at }));
        }
        Waiting::Memory(number) | Waiting::Suspect(number) | Waiting::Repeated(number) => {
            let edit = match (item.kind(), approves) {
                (_, true) => Edit::Approve { by: actor.origin },
                (Kind::Suspect, false) => Edit::Forget,
                (_, false) => Edit::Reject,
            };
            return Ok(Some(Request::Edit {
                number: *number,
                edit,
                expected: None,
                actor,
                at,
            }));
        }
        Waiting::Fate(fate) => {
            let steps = vec![fated(fate, actor.origin, approves)];
            return Ok(Some(Request::Together { steps, actor, at }));
        }
        Waiting::Edge(key) => snapshot.edge(key)?,
    };
    let Some(edge) = edge else { return Ok(None) };
    let steps = match (item.kind(), approves) {
        (Kind::Supersession, true) => replacing(snapshot, edge)?,
        (_, true) => {
            vec![with_status(edge, EdgeStatus::Active, "it was approved")]
        }
        (_, false) => vec![with_status(edge, EdgeStatus::Rejected, "it was rejected")],
    };
    Ok(Some(Request::Together { steps, actor, at }))
}

/// The memory that one which waits is to replace, if it is in use.
///
/// # Errors
/// When the disk fails.
pub(super) fn revised(app: &App, waiting: &Memory) -> Result<Option<Memory>, Refusal> {
    let Some(id) = waiting.attributes.get(REVISES) else {
        return Ok(None);
    };
    let strand = &app.memory.strand;
    let Resolution::One(number) = strand.resolve(id, std::slice::from_ref(&waiting.scope))? else {
        return Ok(None);
    };
    let known = strand.snapshot()?.memory(number)?;
    Ok(known.filter(|known| known.status == Status::Active && known.scope == waiting.scope))
}

/// The steps by which a memory is approved that is to replace another one; `None` where it is not.
fn revision(app: &App, asker: &Asker, number: MemoryNumber) -> Result<Option<Vec<Step>>, Refusal> {
    let Some(waiting) = app.memory.strand.snapshot()?.memory(number)? else {
        return Ok(None);
    };
    let Some(known) = revised(app, &waiting)? else {
        return Ok(None);
    };
    let step = |number, edit, reason: &str| {
        let change = StepChange::Edit {
            number,
            edit,
            expected: None,
        };
        Step::new(change, reason)
    };
    let by = asker.actor.origin;
    Ok(Some(vec![
        step(number, Edit::Approve { by }, "it was approved"),
        step(
            known.number,
            Edit::Supersede { by: waiting.id },
            "an edited file's text was approved in its place",
        ),
    ]))
}

/// The step of a faded memory, or what keeps it in use.
fn fated(fate: &Fate, by: Origin, approves: bool) -> Step {
    if approves {
        return lifecycle::step(fate);
    }
    let edit = match fate.due.step {
        Due::Prune => Edit::Restore,
        Due::Archive | Due::Expire => Edit::Approve { by },
    };
    let change = StepChange::Edit {
        number: fate.number,
        edit,
        expected: Some(fate.sequence),
    };
    Step::new(change, "kept in the review")
}

/// The steps by which the memory that an edge comes from takes the place of the other.
fn replacing(snapshot: &Snapshot, edge: Edge) -> Result<Vec<Step>, Refusal> {
    let EdgeKey { from, to, .. } = edge.key;
    let kept = snapshot.memory(from)?;
    let kept = kept.ok_or_else(|| Refusal::not_found("the memory that replaces it is gone"))?;
    let supersede = StepChange::Edit {
        number: to,
        edit: Edit::Supersede { by: kept.id },
        expected: None,
    };
    let reason = format!("#{} was approved in its place", from.0);
    Ok(vec![
        with_status(edge, EdgeStatus::Active, "it was approved"),
        Step::new(supersede, reason),
    ])
}

fn with_status(edge: Edge, status: EdgeStatus, reason: &str) -> Step {
    let edge = Edge { status, ..edge };
    Step::new(StepChange::Relate(Box::new(edge)), reason)
}
