//! Memories that contradict each other, and what somebody decides of them.

use std::collections::BTreeSet;

use helix_engine::{GraphArc as Arc, Request, Resolution, Step, StepChange, Strand};
use helix_memory::{
    Absorbed, Edge, EdgeKey, EdgeStatus, Edit, Memory, MemoryNumber, Provenance, Relation, Scope,
    Sequence, Sourced, Status,
};
use helix_neutral::quoted;

use crate::disputes::{disagree, edges_between};
use crate::edit::write;
use crate::find;
use crate::told::Told;
use crate::{App, Asker, Refusal, scopes, veil};

/// Conflicts that one answer lists, at most.
pub const CONFLICTS_MAX: usize = 100;

/// Others of a dispute that one call settles, at most.
const SETTLED_MAX: usize = 200;

/// Memories that cannot all hold: two, or more of one dispute.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The newest of them.
    pub newer: Told,
    /// One that it was noted with.
    pub older: Told,
    /// All others of the dispute, the newest first.
    pub others: Vec<Told>,
    /// Why, in words.
    pub why: String,
}

/// A list of conflicts.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// Newest first.
    pub conflicts: Vec<Conflict>,
    /// Of all that there are.
    pub total: usize,
}

/// How two memories are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The first holds, and takes the place of the second and of all others of their dispute that
    /// contradict it.
    KeepFirst,
    /// Both hold, also one that was out of use, and are not found contradictory again.
    Both,
    /// The first takes over what the second says and has.
    Merge,
}

/// Lists the contradictions among what an asker sees that nobody has settled, those of one dispute
/// as one.
///
/// # Errors
/// When the disk fails.
pub fn list(app: &App, asker: &Asker) -> Result<Conflicts, Refusal> {
    let disputes = open_disputes(app, &asker.scopes());
    let total = disputes.len();
    let snapshot = app.memory.strand.snapshot()?;
    let mut conflicts = Vec::new();
    for dispute in disputes.into_iter().take(CONFLICTS_MAX) {
        let key = dispute.key;
        let ends = app.memory.strand.memories(&[key.from, key.to])?;
        let [newer, older] = ends.as_slice() else {
            continue;
        };
        let reason = snapshot.edge(&key)?.map(|edge| edge.reason);
        conflicts.push(Conflict {
            why: why(&reason.unwrap_or_default()),
            newer: Told::of(app, newer),
            older: Told::of(app, older),
            others: Told::all(app, &dispute.others)?,
        });
    }
    Ok(Conflicts { conflicts, total })
}

/// Memories that contradict each other, each at least one of the others.
struct Dispute {
    /// The newest contradiction among them.
    key: EdgeKey,
    /// Those that are not its ends, the newest first.
    others: Vec<MemoryNumber>,
}

/// Counts the disputes that nobody has settled, in all projects.
pub(crate) fn count_open(app: &App) -> usize {
    let everywhere = app.memory.strand.catalog().all_scopes();
    open_disputes(app, &everywhere).len()
}

/// The disputes among active memories of scopes, the newest first.
fn open_disputes(app: &App, scopes: &[Scope]) -> Vec<Dispute> {
    let mut open = open_conflicts(app, scopes);
    let catalog = app.memory.strand.catalog();
    let mut disputes = Vec::new();
    while let Some(key) = open.pop() {
        let members = catalog.graph().disputed(key.from);
        let (own, apart): (Vec<EdgeKey>, Vec<EdgeKey>) = open
            .into_iter()
            .partition(|other| members.contains(&other.from));
        open = apart;
        let ends = own.iter().flat_map(|other| [other.from, other.to]);
        let others: BTreeSet<MemoryNumber> = ends
            .filter(|end| *end != key.from && *end != key.to)
            .collect();
        disputes.push(Dispute {
            key,
            others: others.into_iter().rev().collect(),
        });
    }
    disputes
}

/// The contradictions between active memories of scopes that nobody has settled, oldest first.
fn open_conflicts(app: &App, scopes: &[Scope]) -> Vec<EdgeKey> {
    let catalog = app.memory.strand.catalog();
    let scopes = catalog.scope_numbers(scopes);
    let is_open_end = |number: MemoryNumber| {
        catalog
            .row(number)
            .is_some_and(|row| row.status == Status::Active && row.is_in(&scopes))
    };
    let is_open =
        |arc: &&Arc| arc.is_open_conflict() && is_open_end(arc.key.from) && is_open_end(arc.key.to);
    let mut open: Vec<EdgeKey> = catalog
        .graph()
        .stored()
        .filter(is_open)
        .map(|arc| arc.key)
        .collect();
    open.sort_unstable_by_key(|key| (key.from, key.to));
    open
}

/// Returns whether a contradiction is there and nobody has settled it.
pub(crate) fn is_open(app: &App, key: &EdgeKey) -> bool {
    let catalog = app.memory.strand.catalog();
    catalog.graph().edge(key).is_some_and(Arc::is_open_conflict)
}

/// The others of a dispute that contradict the memory which is kept; none where the two are not of
/// one dispute. It may have been noted with one of the others alone, so their texts decide.
fn others_that_lose(
    app: &App,
    asker: &Asker,
    kept: &Memory,
    second: &Memory,
) -> Result<Vec<Memory>, Refusal> {
    let strand = &app.memory.strand;
    let numbers: Vec<MemoryNumber> = {
        let catalog = strand.catalog();
        let scopes = catalog.scope_numbers(&asker.scopes());
        let disputed = catalog.graph().disputed(kept.number);
        if !disputed.contains(&second.number) {
            return Ok(Vec::new());
        }
        let is_in_use = |number: &MemoryNumber| {
            let row = catalog.row(*number);
            row.is_some_and(|row| row.status == Status::Active && row.is_in(&scopes))
        };
        let others = disputed.into_iter().filter(is_in_use);
        others
            .filter(|number| ![kept.number, second.number].contains(number))
            .take(SETTLED_MAX)
            .collect()
    };
    let mut others = strand.memories(&numbers)?;
    others.retain(|other| disagree(app, kept, other));
    Ok(others)
}

/// The steps by which the others of a dispute lose, and by which its contradictions are closed.
fn close_dispute(app: &App, kept: &Memory, second: &Memory, others: &[Memory]) -> Vec<Step> {
    let mut steps = Vec::new();
    for other in others {
        let reason = format!("#{} was kept instead", kept.number.0);
        steps.push(edit_step(other, Edit::Supersede { by: kept.id }, reason));
    }
    let settled: Vec<MemoryNumber> = [kept, second]
        .into_iter()
        .chain(others)
        .map(|memory| memory.number)
        .collect();
    for (place, one) in settled.iter().enumerate() {
        for other in settled.iter().skip(place + 1) {
            // The two that were named are closed by themselves.
            if place == 0 && *other == second.number {
                continue;
            }
            let keys = edges_between(app, *one, *other);
            let unrelate = |key| Step::new(StepChange::Unrelate(key), "settled");
            steps.extend(keys.into_iter().map(unrelate));
        }
    }
    steps
}

/// Why two memories cannot both hold, with the newer one for its subject: "gives another number of
/// the same". Whoever relates them by hand gives a reason in words of their own, or none.
fn why(reason: &str) -> String {
    let said = without_number(reason);
    if said != reason {
        return said;
    }
    match said.as_str() {
        "" => "is said to contradict".to_owned(),
        said => format!("is said to contradict ({said})"),
    }
}

/// A reason that begins with the number of the newer memory, without it.
pub(crate) fn without_number(reason: &str) -> String {
    match reason.split_once(' ') {
        Some((number, rest)) if number.starts_with('#') => rest.to_owned(),
        _ => reason.to_owned(),
    }
}

/// Settles two memories, whether or not they were found contradictory. What lost earlier and wins
/// now is active again.
///
/// # Errors
/// When either is not one memory, or nothing is written.
pub async fn settle(
    app: &App,
    asker: &Asker,
    first: &str,
    second: &str,
    settlement: Settlement,
) -> Result<Vec<Told>, Refusal> {
    let (first, second) = (one(app, asker, first)?, one(app, asker, second)?);
    if first.number == second.number {
        return Err(Refusal::invalid(format!(
            "both names mean {}; name the two memories",
            first.handle
        )));
    }
    for end in [&first, &second] {
        scopes::check_seen(end, asker)?;
        veil::refuse_waiting(asker, end)?;
    }
    let held: &[(&Memory, &Memory)] = match settlement {
        Settlement::KeepFirst => &[(&first, &second)],
        Settlement::Both | Settlement::Merge => &[(&first, &second), (&second, &first)],
    };
    for (end, other) in held {
        check_not_replaced(app, end, other)?;
    }
    let mut steps = match settlement {
        Settlement::KeepFirst => {
            let lost = match second.status {
                // Nobody ever vouched for it: out of use it could be restored as what was trusted.
                Status::Quarantined => Edit::Reject,
                _ => Edit::Supersede { by: first.id },
            };
            keep(asker, &first, &second, lost)
        }
        Settlement::Both => both(asker, &first, &second),
        Settlement::Merge => merge(asker, &first, &second),
    };
    if settlement == Settlement::KeepFirst {
        let others = others_that_lose(app, asker, &first, &second)?;
        steps.extend(close_dispute(app, &first, &second, &others));
    }
    steps.extend(close(app, asker, &first, &second, settlement));
    let request = Request::Together {
        steps,
        actor: asker.actor.clone(),
        at: app.memory.now(),
    };
    let edited = write(app, request).await?;
    let memories = edited.memories.iter();
    Ok(memories.map(|memory| Told::of(app, memory)).collect())
}

fn one(app: &App, asker: &Asker, reference: &str) -> Result<Memory, Refusal> {
    match find::resolve(app, reference, asker)? {
        Resolution::One(number) => {
            let found = app.memory.strand.memories(&[number])?;
            let found = found.into_iter().next();
            found.ok_or_else(|| Refusal::not_found(format!("{} is gone", quoted(reference))))
        }
        Resolution::Several(_) => Err(Refusal::invalid(format!(
            "{} fits several memories; give a whole handle",
            quoted(reference)
        ))),
        Resolution::None => Err(Refusal::not_found(format!(
            "no memory here is called {}; search for it first",
            quoted(reference)
        ))),
    }
}

/// Refuses to let a memory hold that a third one took the place of.
fn check_not_replaced(app: &App, end: &Memory, other: &Memory) -> Result<(), Refusal> {
    let living = Strand::living(&app.memory.strand.snapshot()?, &end.id)?;
    match living {
        Some(living) if ![end.number, other.number].contains(&living.number) => {
            Err(Refusal::conflict(format!(
                "{} was replaced by {}; settle it with that, or restore it first",
                end.handle, living.handle
            )))
        }
        Some(_) | None => Ok(()),
    }
}

fn edit_step(memory: &Memory, edit: Edit, reason: String) -> Step {
    let change = StepChange::Edit {
        number: memory.number,
        edit,
        expected: None,
    };
    Step::new(change, reason)
}

/// The first holds. Where it was out of use, because the second won before, it is active again.
fn keep(asker: &Asker, first: &Memory, second: &Memory, lost: Edit) -> Vec<Step> {
    let mut steps = approved(asker, &[first]);
    steps.extend(restored(first, format!("kept over #{}", second.number.0)));
    let reason = format!("#{} was kept instead", first.number.0);
    steps.push(edit_step(second, lost, reason));
    steps
}

/// Both hold. The one that was out of use, because the other had won, is active again.
fn both(asker: &Asker, first: &Memory, second: &Memory) -> Vec<Step> {
    let mut steps = approved(asker, &[first, second]);
    for (memory, beside) in [(first, second), (second, first)] {
        let reason = format!("kept beside #{}", beside.number.0);
        steps.extend(restored(memory, reason));
    }
    steps
}

/// The step that brings a memory back; `None` of one that is in use, or waits in the review.
fn restored(memory: &Memory, reason: String) -> Option<Step> {
    let is_there = matches!(memory.status, Status::Active | Status::Quarantined);
    (!is_there).then(|| edit_step(memory, Edit::Restore, reason))
}

/// What waits in the review and holds by a person's word is trusted.
fn approved(asker: &Asker, held: &[&Memory]) -> Vec<Step> {
    let by = asker.actor.origin;
    let waiting = held
        .iter()
        .filter(|memory| memory.status == Status::Quarantined);
    waiting
        .map(|memory| edit_step(memory, Edit::Approve { by }, "it was kept".to_owned()))
        .collect()
}

/// The first says both.
pub(crate) fn merge(asker: &Asker, first: &Memory, second: &Memory) -> Vec<Step> {
    let absorbed = Absorbed {
        id: second.id,
        kind: second.kind.clone(),
        tags: second.tags.clone(),
        links: second.links.clone(),
        source: Sourced::of(second),
        importance: second.importance,
        confidence: 1.0,
        pinned: second.pinned,
        access_count: second.access_count,
        known_count: first.access_count,
    };
    let reason = || format!("merged with #{}", second.number.0);
    let append = Edit::Append {
        text: second.text.clone(),
    };
    let mut steps = vec![edit_step(first, append, reason())];
    steps.push(edit_step(first, Edit::Absorb(Box::new(absorbed)), reason()));
    let supersede = Edit::Supersede { by: first.id };
    steps.extend(keep(asker, first, second, supersede));
    steps
}

/// Closes the contradictions between the two.
pub(crate) fn close(
    app: &App,
    asker: &Asker,
    first: &Memory,
    second: &Memory,
    settlement: Settlement,
) -> Vec<Step> {
    let there = EdgeKey {
        from: first.number,
        relation: Relation::Contradicts,
        to: second.number,
    };
    let catalog = app.memory.strand.catalog();
    let known = [there, there.reversed()].map(|key| catalog.graph().edge(&key).copied());
    let known: Vec<EdgeKey> = known.into_iter().flatten().map(|arc| arc.key).collect();
    if settlement != Settlement::Both {
        let unrelate = |key| Step::new(StepChange::Unrelate(key), "settled");
        return known.into_iter().map(unrelate).collect();
    }
    let at = app.memory.now();
    let edge = Edge {
        key: known.first().copied().unwrap_or(there),
        strength: 0.0,
        is_bidirectional: true,
        status: EdgeStatus::Rejected,
        provenance: Provenance::stated(&asker.actor, at),
        reason: "both hold".to_owned(),
        valid_from: at,
        valid_to: None,
        sequence: Sequence(0),
    };
    vec![Step::new(StepChange::Relate(Box::new(edge)), "both hold")]
}
