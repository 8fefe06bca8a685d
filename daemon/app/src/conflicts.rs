//! Memories that contradict each other, and what somebody decides of them.

use std::collections::BTreeMap;

use helix_engine::{
    Absorbed, Edge, EdgeKey, EdgeStatus, Edit, GraphArc as Arc, Memory, MemoryNumber, Provenance,
    Relation, Request, Resolution, Sequence, Sourced, Status, Step, StepChange, quoted,
};

use crate::edit::write;
use crate::find;
use crate::told::Told;
use crate::{App, Asker, Refusal, veil};

/// Conflicts that one answer lists, at most.
pub const CONFLICTS_MAX: usize = 100;

/// Two memories that cannot both hold.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The one that came later.
    pub newer: Told,
    /// The one that was known.
    pub older: Told,
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
    /// The first holds, and takes the place of the second.
    KeepFirst,
    /// Both hold, and are not found contradictory again.
    Both,
    /// The first takes over what the second says and has.
    Merge,
}

/// Lists the contradictions among what an asker sees that nobody has settled.
///
/// # Errors
/// When the disk fails.
pub fn list(app: &App, asker: &Asker) -> Result<Conflicts, Refusal> {
    let open = open_conflicts(app, asker);
    let total = open.len();
    let snapshot = app.memory.strand.snapshot()?;
    let mut conflicts = Vec::new();
    for key in open.into_iter().rev().take(CONFLICTS_MAX) {
        let ends = app.memory.strand.memories(&[key.from, key.to])?;
        let [newer, older] = ends.as_slice() else {
            continue;
        };
        let reason = snapshot.edge(&key)?.map(|edge| edge.reason);
        conflicts.push(Conflict {
            why: without_number(&reason.unwrap_or_default()),
            newer: Told::of(app, newer),
            older: Told::of(app, older),
        });
    }
    Ok(Conflicts { conflicts, total })
}

/// The suggested contradictions between active memories of the asker's scopes, oldest first.
fn open_conflicts(app: &App, asker: &Asker) -> Vec<EdgeKey> {
    let catalog = app.memory.strand.catalog();
    let scopes = catalog.scope_numbers(&asker.scopes());
    let is_open_end = |number: MemoryNumber| {
        catalog
            .row(number)
            .is_some_and(|row| row.status == Status::Active && row.is_in(&scopes))
    };
    let is_open = |arc: &&Arc| {
        arc.key.relation == Relation::Contradicts
            && arc.status != EdgeStatus::Rejected
            && is_open_end(arc.key.from)
            && is_open_end(arc.key.to)
    };
    let mut open: Vec<EdgeKey> = catalog
        .graph()
        .stored()
        .filter(is_open)
        .map(|arc| arc.key)
        .collect();
    open.sort_unstable_by_key(|key| (key.from, key.to));
    open
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
        veil::refuse_waiting(asker, end)?;
    }
    let mut steps = match settlement {
        Settlement::KeepFirst => keep(asker, &first, &second),
        Settlement::Both => approved(asker, &[&first, &second]),
        Settlement::Merge => merge(asker, &first, &second),
    };
    steps.extend(close(app, asker, &first, &second, settlement));
    let request = Request::Together {
        steps,
        actor: asker.actor.clone(),
        at: app.memory.now(),
    };
    let edited = write(app, request).await?;
    let mut last: BTreeMap<MemoryNumber, Memory> = BTreeMap::new();
    for memory in edited.memories {
        last.insert(memory.number, memory);
    }
    Ok(last.values().map(|memory| Told::of(app, memory)).collect())
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

fn edit_step(memory: &Memory, edit: Edit, reason: String) -> Step {
    let change = StepChange::Edit {
        number: memory.number,
        edit,
        expected: None,
    };
    Step::new(change, reason)
}

/// The first holds. Where it was out of use, because the second won before, it is active again.
fn keep(asker: &Asker, first: &Memory, second: &Memory) -> Vec<Step> {
    let mut steps = approved(asker, &[first]);
    if !matches!(first.status, Status::Active | Status::Quarantined) {
        steps.push(edit_step(
            first,
            Edit::Restore,
            format!("kept over #{}", second.number.0),
        ));
    }
    let supersede = Edit::Supersede { by: first.id };
    steps.push(edit_step(
        second,
        supersede,
        format!("#{} was kept instead", first.number.0),
    ));
    steps
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
    steps.extend(keep(asker, first, second));
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
