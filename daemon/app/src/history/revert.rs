//! `Revert`: one request taken back, or everything since a place in the history.
//!
//! What is to be changed is read from a snapshot; each step says which version it found, so that
//! what is changed meanwhile refuses all of it.

use std::sync::Arc;

use helix_engine::{
    Between, EdgeVersions, Request, Snapshot, Step, StepChange, StoreError, Versions,
};
use helix_memory::{Edge, Edit, Memory, MemoryNumber, Scope, Sequence, Status};

use super::line::Line;
use super::point::Point;
use super::undo::{self, Target};
use super::{ChangedEdge, ChangedMemory, SHOWN_MAX, Sight, are_alike, differ};
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, edit};

/// Memories and edges that go back in one request: all of them are in RAM until it is durable.
const STEPS_MAX: usize = 20_000;

/// Changes to take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The last request made from the asker's project.
    Last,
    /// The request that this operation belongs to.
    RequestOf(Sequence),
    /// Everything that the asker sees since then.
    Since(Point),
}

/// A request to take changes back.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Which changes.
    pub what: What,
    /// True if it is only asked what would change.
    pub is_preview: bool,
    /// True if later changes of the same memories are taken back with them.
    pub force: bool,
}

/// Changes that were made, or would be.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Of an undo: what is taken back, in order; some of it.
    pub reverted: Vec<Line>,
    /// Memories as they are and as they will be; some of them.
    pub memories: Vec<ChangedMemory>,
    /// Edges as they are and as they will be; some of them.
    pub edges: Vec<ChangedEdge>,
    /// How many memories there are.
    pub memories_total: usize,
    /// How many edges there are.
    pub edges_total: usize,
    /// The operation that did it; `None` when nothing was changed.
    pub sequence: Option<Sequence>,
    /// Of a rollback: where it goes back to.
    pub to: Option<Sequence>,
    /// Notes for the caller.
    pub notes: Vec<String>,
}

/// A request that takes something back, and what it will change.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    /// Memories whose text will be another.
    reworded: Vec<MemoryNumber>,
    global: usize,
    answer: Answer,
}

/// Takes changes back, or says what that would change. `who` says who asks, and may look at the
/// disk for it.
///
/// # Errors
/// When nothing is there to take back, something stands in the way, the asker may not, or it is not
/// written.
pub async fn revert(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Wanted,
) -> Result<Answer, Refusal> {
    let (asker, mut plan) = off_thread(app, move |app| {
        let asker = who();
        let plan = plan(app, &asker, wanted)?;
        Ok((asker, plan))
    })
    .await?;
    if plan.global > 0 && asker.project.scope != Scope::Global {
        plan.answer.notes.push(format!(
            "{} of these memories belong to everybody, not to this project",
            plan.global
        ));
    }
    if wanted.is_preview || plan.steps.is_empty() {
        return Ok(plan.answer);
    }
    let session = asker.actor.session.clone();
    let request = Request::Together {
        steps: plan.steps,
        actor: asker.actor,
        at: app.memory.now(),
    };
    let edited = edit::write(app, request).await?;
    for number in plan.reworded {
        app.hooks.sessions.reworded(number, &session);
    }
    plan.answer.sequence = edited.first;
    Ok(plan.answer)
}

fn plan(app: &App, asker: &Asker, wanted: Wanted) -> Result<Plan, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let newest = snapshot.sequence()?;
    let target = match wanted.what {
        What::Last => undo::last(app, asker, &snapshot)?,
        What::RequestOf(sequence) => undo::request_of(&snapshot, sequence)?,
        What::Since(point) => {
            let sequence = point.sequence(&snapshot)?;
            let between = Between::read(&snapshot, sequence, newest)?;
            return roll_back(app, asker, &snapshot, sequence, &between);
        }
    };
    take_back(app, asker, &snapshot, &target, wanted.force)
}

/// Plans a rollback.
fn roll_back(
    app: &App,
    asker: &Asker,
    snapshot: &Snapshot,
    sequence: Sequence,
    between: &Between,
) -> Result<Plan, Refusal> {
    let sight = Sight::of(asker);
    let reason = format!("rollback to {}", sequence.0);
    let mut plan = Plan::default();
    plan.answer.to = Some(sequence);
    for (number, versions) in between.memories() {
        let Some(now) = snapshot.memory(number)?.filter(|now| sight.has(now)) else {
            continue;
        };
        let then = version(snapshot, versions.before)?;
        plan.put_back(app, now, then, &reason, None)?;
    }
    for (key, versions) in between.edges().filter(|(key, _)| sight.has_edge(app, key)) {
        let now = snapshot.edge(key)?;
        plan.put_edge_back(snapshot, now, versions.before.clone(), &reason, None)?;
    }
    Ok(plan)
}

/// Plans an undo.
fn take_back(
    app: &App,
    asker: &Asker,
    snapshot: &Snapshot,
    target: &Target,
    force: bool,
) -> Result<Plan, Refusal> {
    let sight = Sight::of(asker);
    let reason = format!("undoes {}", target.first.0);
    let mut plan = Plan::default();
    let between = Between::read(snapshot, Sequence(target.first.0 - 1), target.last)?;
    for (number, versions) in between.memories() {
        let now = undo::present(snapshot, number, target)?;
        crate::scopes::check_seen(&now, asker)?;
        check_unchanged(snapshot, &now, versions, force)?;
        let then = version(snapshot, versions.before)?;
        let reverts = target.first_on(number);
        plan.put_back(app, now, then, &reason, reverts)?;
    }
    for (key, versions) in between.edges() {
        if !sight.has_edge(app, key) {
            return Err(Refusal::denied(format!(
                "operation {} also changed an edge that is not seen from here",
                target.first.0
            )));
        }
        let now = snapshot.edge(key)?;
        check_edge(now.as_ref(), versions, target.first, force)?;
        let then = versions.before.clone();
        let reverts = target.first_on_edge(key)?;
        plan.put_edge_back(snapshot, now, then, &reason, reverts)?;
    }
    plan.answer.reverted = undo::lines(app, snapshot, &sight, target)?;
    if plan.steps.is_empty() {
        return Err(Refusal::conflict(format!(
            "everything is as it was before operation {}; there is nothing to undo",
            target.first.0
        )));
    }
    Ok(plan)
}

/// Refuses where a later change of a memory stands in the way.
fn check_unchanged(
    snapshot: &Snapshot,
    now: &Memory,
    versions: Versions,
    force: bool,
) -> Result<(), Refusal> {
    let standing = undo::standing(snapshot, now.sequence)?;
    let is_standing = versions
        .after
        .is_some_and(|after| standing.contains(&after));
    if force || is_standing {
        return Ok(());
    }
    let later = standing
        .iter()
        .rfind(|later| Some(**later) > versions.after);
    Err(Refusal::conflict(format!(
        "{} was changed again by operation {}; undo that first, or take both \
         back by force (--force, force=true)",
        now.handle,
        later.unwrap_or(&now.sequence).0
    )))
}

fn check_edge(
    now: Option<&Edge>,
    versions: &EdgeVersions,
    first: Sequence,
    force: bool,
) -> Result<(), Refusal> {
    if force || are_alike(now, versions.after.as_ref()) {
        return Ok(());
    }
    Err(Refusal::conflict(format!(
        "an edge that operation {} changed was changed again; undo that first, or take both \
         back by force (--force, force=true)",
        first.0
    )))
}

fn version(snapshot: &Snapshot, sequence: Option<Sequence>) -> Result<Option<Memory>, StoreError> {
    match sequence {
        Some(sequence) => snapshot.version(sequence),
        None => Ok(None),
    }
}

impl Plan {
    #[expect(clippy::needless_pass_by_value, reason = "it is used up here")]
    fn put_back(
        &mut self,
        app: &App,
        now: Memory,
        then: Option<Memory>,
        reason: &str,
        reverts: Option<Sequence>,
    ) -> Result<(), Refusal> {
        let will_be = then.clone().unwrap_or_else(|| Memory {
            status: Status::Forgotten,
            valid_to: now.valid_to.or(Some(app.memory.now())),
            ..now.clone()
        });
        let is_out_of_use = matches!(now.status, Status::Forgotten | Status::Pruned);
        if !differ(Some(&now), Some(&will_be)) || (then.is_none() && is_out_of_use) {
            return Ok(());
        }
        self.global += usize::from(now.scope == Scope::Global);
        if now.text != will_be.text {
            self.reworded.push(now.number);
        }
        self.answer.memories_total += 1;
        if self.answer.memories.len() < SHOWN_MAX {
            let changed = ChangedMemory::of(app, Some(&now), Some(&will_be));
            self.answer.memories.push(changed);
        }
        let edit = match then {
            Some(then) => Edit::Revert { to: Box::new(then) },
            None => Edit::Forget,
        };
        let change = StepChange::Edit {
            number: now.number,
            edit,
            expected: Some(now.sequence),
        };
        self.add(change, reason, reverts)
    }

    fn put_edge_back(
        &mut self,
        snapshot: &Snapshot,
        now: Option<Edge>,
        then: Option<Edge>,
        reason: &str,
        reverts: Option<Sequence>,
    ) -> Result<(), Refusal> {
        if are_alike(now.as_ref(), then.as_ref()) {
            return Ok(());
        }
        let versions = EdgeVersions {
            before: now,
            after: then,
        };
        let key = match (&versions.before, &versions.after) {
            (Some(edge), _) | (None, Some(edge)) => edge.key,
            (None, None) => return Ok(()),
        };
        self.answer.edges_total += 1;
        if self.answer.edges.len() < SHOWN_MAX {
            let changed = ChangedEdge::of(snapshot, &key, &versions)?;
            self.answer.edges.push(changed);
        }
        let change = match versions.after {
            Some(edge) => StepChange::Relate(Box::new(edge)),
            None => StepChange::Unrelate(key),
        };
        self.add(change, reason, reverts)
    }

    fn add(
        &mut self,
        change: StepChange,
        reason: &str,
        reverts: Option<Sequence>,
    ) -> Result<(), Refusal> {
        if self.steps.len() == STEPS_MAX {
            return Err(Refusal::exhausted(format!(
                "more than {STEPS_MAX} memories and edges would change at once; go back to a later place first"
            )));
        }
        self.steps.push(Step {
            reverts,
            ..Step::new(change, reason)
        });
        Ok(())
    }
}
