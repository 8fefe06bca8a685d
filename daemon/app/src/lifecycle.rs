//! The life of memories that nobody needs: what would be archived, expire or be pruned, doing it,
//! and bringing back what is recalled.

use helix_engine::{Fate, Outcome, Request, StepChange, WriteError};
use helix_memory::{Actor, Edit, LifeStep as Step, MemoryNumber, Status, Timestamp};

use crate::threads::wait;
use crate::{App, Refusal};

/// The name of the job.
pub const JOB: &str = "lifecycle";

/// Memories of one transaction: the writer is free for others in between.
const GROUP_MAX: usize = 200;

/// Days after a strand's beginning in which nothing is archived without being asked for.
const PROPOSE_DAYS: i64 = 30;

/// Microseconds of a day.
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Said in the history of what was archived and is needed again.
const RECALLED: &str = "recalled";

/// Who changes memories when nobody asked for it.
const AGENT: &str = "helix-lifecycle";

/// The treatment of memories that faded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are archived and pruned.
    Auto,
    /// They are listed; scratch expires.
    Propose,
    /// Nothing.
    Off,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Propose, Self::Off];

    /// Returns the name used in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Propose => "propose",
            Self::Off => "off",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns whether a step is taken without being asked for.
    #[must_use]
    pub const fn takes(self, step: Step) -> bool {
        match (self, step) {
            (Self::Auto, _) | (Self::Propose, Step::Expire) => true,
            (Self::Propose, Step::Archive | Step::Prune) | (Self::Off, _) => false,
        }
    }
}

/// The mode that holds now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// Which.
    pub mode: Mode,
    /// When it becomes `auto` by itself; `None` where it stays as it is.
    pub auto_from: Option<Timestamp>,
}

/// The mode that holds now: the configured one, else `propose` for the first days of a strand.
///
/// # Errors
/// When the disk fails.
pub fn mode(app: &App) -> Result<Holds, Refusal> {
    if let Some(mode) = app.settings.lifecycle {
        return Ok(Holds {
            mode,
            auto_from: None,
        });
    }
    let now = app.memory.now();
    let began_at = app.memory.strand.snapshot()?.began_at()?.unwrap_or(now);
    Ok(by_age(began_at, now))
}

fn by_age(began_at: Timestamp, now: Timestamp) -> Holds {
    let auto_from = began_at.as_micros().saturating_add(PROPOSE_DAYS * DAY_US);
    if now.as_micros() < auto_from {
        Holds {
            mode: Mode::Propose,
            auto_from: Some(Timestamp::from_micros(auto_from)),
        }
    } else {
        Holds {
            mode: Mode::Auto,
            auto_from: None,
        }
    }
}

/// A memory whose next step is due, as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldFate {
    /// Its handle.
    pub handle: String,
    /// Its kind.
    pub kind: String,
    /// Its scope.
    pub scope: String,
    /// The step and its times.
    pub fate: Fate,
    /// Why, in a few words.
    pub reason: String,
}

/// How many memories a step is due for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// To be archived.
    pub archive: usize,
    /// Scratch that expires.
    pub expire: usize,
    /// To be pruned.
    pub prune: usize,
}

impl Counts {
    fn of<'f>(fates: impl IntoIterator<Item = &'f Fate>) -> Self {
        let mut counts = Self::default();
        for fate in fates {
            match fate.due.step {
                Step::Archive => counts.archive += 1,
                Step::Expire => counts.expire += 1,
                Step::Prune => counts.prune += 1,
            }
        }
        counts
    }

    /// All of them.
    #[must_use]
    pub const fn total(self) -> usize {
        self.archive + self.expire + self.prune
    }
}

/// The steps that are due.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The mode that holds.
    pub holds: Holds,
    /// Those that waited longest.
    pub fates: Vec<ToldFate>,
    /// How many there are.
    pub counts: Counts,
}

/// Lists what is due, the first `limit` of it with names and reasons.
///
/// # Errors
/// When the disk fails.
pub fn plan(app: &App, limit: usize) -> Result<Plan, Refusal> {
    let fates = app.memory.strand.fates(app.memory.now())?;
    let counts = Counts::of(&fates);
    let snapshot = app.memory.strand.snapshot()?;
    let mut told = Vec::new();
    for fate in fates.into_iter().take(limit) {
        let Some(memory) = snapshot.memory(fate.number)? else {
            continue;
        };
        told.push(ToldFate {
            handle: memory.handle.as_str().to_owned(),
            kind: memory.kind.as_str().to_owned(),
            scope: memory.scope.to_string(),
            reason: reason(&fate),
            fate,
        });
    }
    Ok(Plan {
        holds: mode(app)?,
        fates: told,
        counts,
    })
}

/// The steps that were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Steps that were taken.
    pub taken: Counts,
    /// Memories that were changed or read meanwhile, which stay as they are.
    pub left: usize,
}

impl Done {
    /// Says it in a few words.
    #[must_use]
    pub fn words(&self) -> String {
        let Counts {
            archive,
            expire,
            prune,
        } = self.taken;
        let left = match self.left {
            0 => String::new(),
            left => format!("; {left} changed meanwhile"),
        };
        format!("archived {archive}, expired {expire}, pruned {prune}{left}")
    }
}

/// Which steps are taken, in whose name, and for how long.
pub struct Run<'r> {
    /// The steps.
    pub takes: &'r dyn Fn(Step) -> bool,
    /// In whose name.
    pub actor: Actor,
    /// Called before each group; says whether to go on.
    pub goes_on: &'r dyn Fn() -> bool,
}

impl<'r> Run<'r> {
    /// A run that nobody asked for.
    #[must_use]
    pub fn unasked(takes: &'r dyn Fn(Step) -> bool, goes_on: &'r dyn Fn() -> bool) -> Self {
        Self {
            takes,
            actor: Actor::of_daemon(AGENT),
            goes_on,
        }
    }
}

/// Takes the steps that are due, in bounded groups.
///
/// # Errors
/// When the disk fails or the daemon ends. What was written stays.
pub fn take(app: &App, run: &Run<'_>) -> Result<Done, Refusal> {
    let now = app.memory.now();
    let fates = app.memory.strand.fates(now)?;
    let wanted: Vec<Fate> = fates
        .into_iter()
        .filter(|fate| (run.takes)(fate.due.step))
        .collect();
    let mut taken: Vec<Fate> = Vec::new();
    for group in wanted.chunks(GROUP_MAX) {
        if !(run.goes_on)() {
            break;
        }
        taken.extend(written(app, group, &run.actor, now)?);
    }
    Ok(Done {
        taken: Counts::of(&taken),
        left: wanted.len() - taken.len(),
    })
}

/// Writes a group; where one of it changed meanwhile, each by itself. Returns those that were
/// written.
fn written(app: &App, group: &[Fate], actor: &Actor, now: Timestamp) -> Result<Vec<Fate>, Refusal> {
    if write(app, group, actor, now)?.is_ok() {
        return Ok(group.to_vec());
    }
    let mut taken = Vec::new();
    for fate in group {
        if write(app, std::slice::from_ref(fate), actor, now)?.is_ok() {
            taken.push(*fate);
        }
    }
    Ok(taken)
}

/// The outer error ends the run; the inner one says that a memory is not what it was.
fn write(
    app: &App,
    group: &[Fate],
    actor: &Actor,
    now: Timestamp,
) -> Result<Result<Outcome, WriteError>, Refusal> {
    let request = Request::Together {
        steps: group.iter().map(step).collect(),
        actor: actor.clone(),
        at: now,
    };
    let written = wait(app.writer.submit_when_free(vec![request])?)?;
    let outcome = written.into_iter().next();
    outcome.ok_or_else(|| Refusal::internal("the writer gave no answer"))
}

pub(crate) fn step(fate: &Fate) -> helix_engine::Step {
    let edit = match fate.due.step {
        Step::Archive | Step::Expire => Edit::Archive,
        Step::Prune => Edit::Prune,
    };
    let change = StepChange::Edit {
        number: fate.number,
        edit,
        expected: Some(fate.sequence),
    };
    helix_engine::Step::new(change, reason(fate))
}

/// Why a step is due.
pub(crate) fn reason(fate: &Fate) -> String {
    match fate.due.step {
        Step::Archive => format!(
            "confidence {:.2}, below {faded_below} for more than {faded_days} days",
            fate.confidence,
            faded_below = Step::FADED_BELOW,
            faded_days = Step::FADED_DAYS
        ),
        Step::Expire => format!(
            "scratch, not seen for more than {scratch_hours} h",
            scratch_hours = Step::SCRATCH_HOURS
        ),
        Step::Prune => format!(
            "archived and unread for more than {unread_days} days",
            unread_days = Step::UNREAD_DAYS
        ),
    }
}

/// Makes archived memories active again, because somebody recalled them. Returns those that are.
///
/// # Errors
/// When they cannot be written.
pub fn recall(
    app: &App,
    actor: &Actor,
    numbers: &[MemoryNumber],
) -> Result<Vec<MemoryNumber>, Refusal> {
    let archived = archived(app, numbers);
    if archived.is_empty() {
        return Ok(archived);
    }
    let restore = |number: &MemoryNumber| {
        let change = StepChange::Edit {
            number: *number,
            edit: Edit::Restore,
            expected: None,
        };
        helix_engine::Step::new(change, RECALLED)
    };
    let request = Request::Together {
        steps: archived.iter().map(restore).collect(),
        actor: actor.clone(),
        at: app.memory.now(),
    };
    let written = wait(app.writer.submit(vec![request])?)?;
    written.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(archived)
}

fn archived(app: &App, numbers: &[MemoryNumber]) -> Vec<MemoryNumber> {
    let catalog = app.memory.strand.catalog();
    let is_archived = |number: &&MemoryNumber| {
        let row = catalog.row(**number);
        row.is_some_and(|row| row.status == Status::Archived)
    };
    numbers.iter().filter(is_archived).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_strand_only_proposes() {
        let day = |day: i64| Timestamp::from_micros(day * DAY_US);
        let young = by_age(day(10), day(39));
        assert_eq!(young.mode, Mode::Propose);
        assert_eq!(young.auto_from, Some(day(40)));
        assert_eq!(by_age(day(10), day(40)).mode, Mode::Auto);
    }

    #[test]
    fn only_scratch_expires_while_the_rest_is_proposed() {
        let taken = |mode: Mode| Step::ALL.map(|step| mode.takes(step));
        assert_eq!(taken(Mode::Auto), [true, true, true]);
        assert_eq!(taken(Mode::Propose), [false, true, false]);
        assert_eq!(taken(Mode::Off), [false, false, false]);
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.name()), Some(mode));
        }
    }
}
