//! Which of the imported memories contradict one that was there or an earlier one of the import: noted
//! as the store does, in one pass at the import's end. What Helix exported was decided when it was
//! stored and is left as it is.

mod compared;

use helix_engine::{Correction, Request, Step, StepChange};
use helix_memory::{
    Actor, Edit, Memory, MemoryNumber, Status, Verdict, VerdictReason as Why, conflict,
};

use self::compared::Compared;
use super::problems::Problems;
use crate::disputes::Disputes;
use crate::threads::wait;
use crate::{App, Refusal};

/// Memories that are compared: an import of any size waits no longer for it than for the storing of
/// some thousand.
const COMPARED_MAX: usize = 10_000;

/// Conflicts that are noted in one commit.
const NOTED_MAX: usize = 500;

/// The imported memories that nobody has decided, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Undecided(Vec<MemoryNumber>);

impl Undecided {
    /// Notes one.
    pub(super) fn add(&mut self, memory: &Memory) {
        if self.0.len() < COMPARED_MAX {
            self.0.push(memory.number);
        }
    }
}

/// Decides each of them against what came before it; returns how many contradictions it noted.
///
/// # Errors
/// When the disk or an index fails, or nothing is written.
pub(super) fn decide(
    app: &App,
    actor: &Actor,
    undecided: &Undecided,
    problems: &mut Problems,
) -> Result<u64, Refusal> {
    let strand = &app.memory.strand;
    let mut noted = 0;
    let mut compared = Compared::read(strand, &undecided.0)?;
    let mut conflicts = Vec::new();
    let mut disputes = Disputes::default();
    while let Some(corrections) = compared.next_corrections()? {
        if corrections.is_empty() {
            continue;
        }
        let Some(memory) = compared.latest()? else {
            continue;
        };
        let corrections = corrections
            .into_iter()
            .filter(|correction| !matches!(correction.verdict, Verdict::Extends))
            .map(|correction| only_active_replaced(&memory, correction))
            .collect();
        let corrections = disputes.one_of_each(strand, corrections);
        disputes.note(memory.id, &corrections);
        for correction in corrections {
            let known = &correction.memory;
            let (is_replaced, why) = match correction.verdict {
                Verdict::Supersedes(why) => (true, why),
                Verdict::Contradicts(why) => (false, why),
                Verdict::Apart | Verdict::Extends => continue,
            };
            problems.notice(|| said(&memory, known, is_replaced, why));
            if is_replaced {
                write(app, actor, vec![replacing(&memory, known, why)])?;
                compared.take_out(known.number);
            } else {
                noted += 1;
                let at = app.memory.now();
                let edge = conflict(memory.number, known.number, why, actor, at);
                conflicts.push(Step::new(StepChange::Relate(Box::new(edge)), ""));
            }
        }
        if conflicts.len() >= NOTED_MAX {
            write(app, actor, std::mem::take(&mut conflicts))?;
        }
    }
    write(app, actor, conflicts)?;
    Ok(noted)
}

/// The same correction, which replaces nothing where either memory waits for a person.
fn only_active_replaced(new: &Memory, correction: Correction) -> Correction {
    match correction.verdict {
        Verdict::Supersedes(why) if !are_active(new, &correction.memory) => Correction {
            verdict: Verdict::Contradicts(why),
            ..correction
        },
        _ => correction,
    }
}

/// What waits for a person takes nobody's place, and nothing takes its.
fn are_active(new: &Memory, known: &Memory) -> bool {
    [new, known]
        .iter()
        .all(|memory| memory.status == Status::Active)
}

fn replacing(new: &Memory, known: &Memory, why: Why) -> Step {
    let change = StepChange::Edit {
        number: known.number,
        edit: Edit::Supersede { by: new.id },
        expected: Some(known.sequence),
    };
    Step::new(change, format!("the new memory {}", why.sentence()))
}

fn write(app: &App, actor: &Actor, steps: Vec<Step>) -> Result<(), Refusal> {
    if steps.is_empty() {
        return Ok(());
    }
    let request = Request::Together {
        steps,
        actor: actor.clone(),
        at: app.memory.now(),
    };
    for outcome in wait(app.writer.submit_when_free(vec![request])?)? {
        // Whoever changed one of them meanwhile decided otherwise.
        if let Err(error) = outcome {
            tracing::debug!(%error, "a correction by an import was not written");
        }
    }
    Ok(())
}

fn said(new: &Memory, known: &Memory, is_replaced: bool, why: Why) -> String {
    let (new, known, why) = (&new.handle, &known.handle, why.sentence());
    if is_replaced {
        format!("{new} replaces {known}: it {why}")
    } else {
        format!(
            "{new} contradicts {known}: it {why}; both are kept; \
             `helixctl settle {new} {known}` keeps the new one alone, --both keeps both"
        )
    }
}
