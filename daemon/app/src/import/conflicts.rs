//! Which of the imported memories contradict one that was there or an earlier one of the import: noted
//! as the store does, in one pass at the import's end. What Helix exported was decided when it was
//! stored and is left as it is.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::Arc;
use std::{mem, thread};

use helix_engine::{
    Actor, Correction, Edit, Memory, MemoryNumber, Request, Statement, Status, Step, StepChange,
    Strand, TextStanding as Standing, Verdict, VerdictReason as Why, WordSet, conflict,
};

use super::problems::Problems;
use crate::disputes::Disputes;
use crate::threads::wait;
use crate::{App, Refusal};

/// Memories that are compared: an import of any size waits no longer for it than for the storing of
/// some thousand.
const COMPARED_MAX: usize = 10_000;

/// Fewest memories that are worth a thread of their own.
const SHARE_MIN: usize = 64;

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

/// Decides each of them against what came before it.
///
/// # Errors
/// When the disk or an index fails, or nothing is written.
pub(super) fn decide(
    app: &App,
    actor: &Actor,
    undecided: &Undecided,
    problems: &mut Problems,
) -> Result<(), Refusal> {
    let mut conflicts = Vec::new();
    let mut disputes = Disputes::default();
    let mut gone: HashSet<MemoryNumber> = HashSet::new();
    for (memory, corrections) in compared(app, undecided)? {
        let corrections = corrections
            .into_iter()
            .filter(|correction| !gone.contains(&correction.memory.number))
            .filter(|correction| !matches!(correction.verdict, Verdict::Extends))
            .map(|correction| only_active_replaced(&memory, correction))
            .collect();
        let corrections = disputes.one_of_each(&app.memory.strand, corrections);
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
                gone.insert(known.number);
            } else {
                let at = app.memory.now();
                let edge = conflict(memory.number, known.number, why, actor, at);
                conflicts.push(Step::new(StepChange::Relate(Box::new(edge)), ""));
            }
        }
        if conflicts.len() >= NOTED_MAX {
            write(app, actor, std::mem::take(&mut conflicts))?;
        }
    }
    write(app, actor, conflicts)
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

/// A memory as a statement. Reading one costs more than all else of a comparison.
struct Read {
    memory: Memory,
    statement: Arc<Statement>,
}

/// The undecided memories that correct others, in order, each with these. Nothing is written
/// meanwhile, so they are compared on every core.
fn compared(app: &App, undecided: &Undecided) -> Result<Vec<(Memory, Vec<Correction>)>, Refusal> {
    let strand = &app.memory.strand;
    let mut memories = strand.memories(&undecided.0)?;
    memories.retain(|memory| matches!(memory.status, Status::Active | Status::Quarantined));
    let read = |memory: Memory| {
        let statement = Arc::new(Statement::of(&memory.text));
        Ok(Read { memory, statement })
    };
    let read: Vec<Read> = on_every_core(memories, read)?;
    let statements: HashMap<MemoryNumber, Arc<Statement>> = read
        .iter()
        .map(|read| (read.memory.number, Arc::clone(&read.statement)))
        .collect();
    let compare = |read: Read| {
        let corrections = corrections(strand, &read, &statements)?;
        Ok((read.memory, corrections))
    };
    let mut compared = on_every_core(read, compare)?;
    compared.retain(|(_, corrections)| !corrections.is_empty());
    Ok(compared)
}

/// What a memory means to those that were there before it, and are in use or wait as it does.
fn corrections(
    strand: &Strand,
    new: &Read,
    statements: &HashMap<MemoryNumber, Arc<Statement>>,
) -> Result<Vec<Correction>, Refusal> {
    let memory = &new.memory;
    let statuses = [Status::Active, Status::Quarantined];
    let before = MemoryNumber(0)..memory.number;
    let neighbours = strand.neighbours_between(before, memory, &statuses)?;
    if neighbours.is_empty() {
        return Ok(Vec::new());
    }
    let standing = Standing {
        by: memory.origin,
        confidence: memory.confidence,
    };
    let words = WordSet::of(&memory.text);
    let read = |known: &Memory| match statements.get(&known.number) {
        Some(statement) => Arc::clone(statement),
        None => Arc::new(Statement::of(&known.text)),
    };
    Ok(Strand::corrections_read(
        &new.statement,
        standing,
        &words,
        &neighbours,
        read,
    ))
}

/// Does the same with each of many, in order, on every core.
fn on_every_core<T: Send, R: Send>(
    mut items: Vec<T>,
    work: impl Fn(T) -> Result<R, Refusal> + Sync,
) -> Result<Vec<R>, Refusal> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(threads).max(SHARE_MIN);
    let work = &work;
    thread::scope(|scope| {
        let mut shares = Vec::new();
        while !items.is_empty() {
            let rest = items.split_off(items.len().min(share));
            let own = mem::replace(&mut items, rest);
            shares.push(scope.spawn(move || own.into_iter().map(work).collect::<Vec<_>>()));
        }
        let mut done = Vec::new();
        for share in shares {
            let results = share.join();
            let results = results.map_err(|_| Refusal::internal("a comparison broke off"))?;
            done.extend(results);
        }
        done.into_iter().collect()
    })
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
    let new_waits = [new, known]
        .iter()
        .any(|memory| memory.status == Status::Quarantined);
    let (new, known, why) = (&new.handle, &known.handle, why.sentence());
    if is_replaced {
        format!("{new} replaces {known}: it {why}")
    } else {
        let shown = if new_waits {
            "helixctl review"
        } else {
            "helixctl conflicts"
        };
        format!("{new} contradicts {known}: it {why}; both are kept, see {shown}")
    }
}
