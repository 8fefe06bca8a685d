//! What an agent did as evidence: a failing command and the change after which it passed is a fix; a
//! command that worked after variants failed is a procedure.
//!
//! Careful: agents break and mend their own work all day. A mistake in a file that the agent had
//! changed before the command failed teaches nothing.

mod attempt;
mod text;

use std::sync::LazyLock;

use helix_terminal::command::{menders, run_of};
use serde::Deserialize;

use self::attempt::{Attempt, Outcome};
use crate::wording::has;
use crate::{Deed, Slice};

/// Failed attempts that are remembered: a session that fails more often is about something else.
const FAILED_MAX: usize = 24;

/// Files of a change that still says what it was about.
const FILES_MAX: usize = 3;

/// Deeds back to which a variant of a command is looked for.
const VARIANT_REACH: usize = 12;

/// Failed variants from which a command that builds nothing is a procedure; one is enough where it
/// failed of how it was called.
const VARIANTS_MIN: usize = 2;

/// What deeds teach.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lesson {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) confidence: f64,
    /// Places of the slices it stands on, in their order.
    pub(crate) evidence: Vec<usize>,
    pub(crate) reason: String,
}

/// Confidence in a fix, and in a procedure.
const FIX_CONFIDENCE: f64 = 0.7;
const PROCEDURE_CONFIDENCE: f64 = 0.65;

#[derive(Debug, Deserialize)]
struct Family {
    programs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Lists {
    dull: String,
    complaints: Vec<String>,
    usage: Vec<String>,
    family: Vec<Family>,
}

static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("deeds.toml")).unwrap_or_default());

/// Returns whether something may be learnt from a deed.
pub(crate) fn is_telling(deed: &Deed) -> bool {
    match deed {
        Deed::Edit { is_failed, .. } => !is_failed,
        Deed::Command { line, .. } => run_of(line).is_some() || !is_dull(line),
    }
}

fn is_dull(line: &str) -> bool {
    attempt::program(line).is_none_or(|program| has(&LISTS.dull, program))
}

/// Returns whether one program does the work of the other.
fn are_related(one: &str, other: &str) -> bool {
    let is_in =
        |family: &&Family, program: &str| family.programs.iter().any(|known| known == program);
    one == other
        || LISTS
            .family
            .iter()
            .any(|family| is_in(&family, one) && is_in(&family, other))
}

/// A change between attempts.
#[derive(Clone, Debug)]
struct Change {
    at: usize,
    files: Vec<String>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Lines that an edit took away and put in.
    Edit(String),
    /// A command that changes what a build stands on.
    Command(String),
}

/// What was tried and changed so far.
#[derive(Debug, Default)]
struct Past {
    failed: Vec<Attempt>,
    changes: Vec<Change>,
}

/// Finds what the deeds among slices teach.
pub(crate) fn lessons(slices: &[Slice]) -> Vec<Lesson> {
    let mut past = Past::default();
    let mut lessons = Vec::new();
    for (at, slice) in slices.iter().enumerate() {
        match &slice.deed {
            Some(Deed::Edit {
                files,
                change,
                is_failed: false,
            }) => past.changes.push(Change {
                at,
                files: files.clone(),
                what: What::Edit(change.clone()),
            }),
            Some(Deed::Command { .. }) => lessons.extend(past.try_command(at, slice)),
            Some(Deed::Edit { .. }) | None => {}
        }
    }
    lessons
}

impl Past {
    /// Takes a command, and says what it teaches.
    fn try_command(&mut self, at: usize, slice: &Slice) -> Option<Lesson> {
        let attempt = Attempt::read(at, slice)?;
        match attempt.outcome {
            Outcome::Failed => {
                self.failed.push(attempt);
                if self.failed.len() > FAILED_MAX {
                    self.failed.remove(0);
                }
                None
            }
            Outcome::Succeeded => {
                let lesson = self.fix(&attempt).or_else(|| self.procedure(&attempt));
                self.failed
                    .retain(|failed| !attempt.repeats(failed) && !attempt.is_variant_of(failed));
                self.note_mender(&attempt);
                lesson
            }
            Outcome::Unknown => {
                self.note_mender(&attempt);
                None
            }
        }
    }

    fn note_mender(&mut self, attempt: &Attempt) {
        let commands = menders(&attempt.line).into_iter();
        self.changes.extend(commands.map(|command| Change {
            at: attempt.at,
            files: Vec::new(),
            what: What::Command(command),
        }));
    }

    /// The same command failed before, and passes since something was changed.
    fn fix(&self, passed: &Attempt) -> Option<Lesson> {
        let last = self
            .failed
            .iter()
            .rev()
            .find(|failed| passed.repeats(failed))?;
        let fault = last.faults.first()?;
        let is_same = |failed: &&Attempt| {
            passed.repeats(failed)
                && failed
                    .faults
                    .iter()
                    .any(|other| other.fingerprint() == fault.fingerprint())
        };
        let first = self.failed.iter().find(is_same)?;
        if self.is_own_mistake(first, &fault.file) {
            return None;
        }
        let changes: Vec<&Change> = self
            .changes
            .iter()
            .filter(|change| change.at > first.at && change.at < passed.at)
            .collect();
        let mut files: Vec<&str> = changes
            .iter()
            .flat_map(|change| change.files.iter().map(String::as_str))
            .collect();
        files.sort_unstable();
        files.dedup();
        if changes.is_empty() || files.len() > FILES_MAX {
            return None;
        }
        let mut evidence = vec![first.at];
        evidence.extend(changes.iter().map(|change| change.at));
        evidence.push(passed.at);
        evidence.dedup();
        Some(Lesson {
            kind: "bug_fix",
            text: text::fix(first, fault, &changes),
            attributes: text::fix_attributes(first, fault, &files),
            confidence: FIX_CONFIDENCE,
            evidence,
            reason: "a command failed, and passed after this change".to_owned(),
        })
    }

    /// Returns whether the agent had changed the file of a mistake before the command failed of it.
    fn is_own_mistake(&self, failed: &Attempt, file: &str) -> bool {
        let is_it = |changed: &String| {
            !file.is_empty() && (changed.ends_with(file) || file.ends_with(changed.as_str()))
        };
        self.changes
            .iter()
            .any(|change| change.at < failed.at && change.files.iter().any(is_it))
    }

    /// Other ways to do the same failed shortly before, and nothing was changed since.
    fn procedure(&self, passed: &Attempt) -> Option<Lesson> {
        let last_change = self
            .changes
            .iter()
            .map(|change| change.at)
            .max()
            .unwrap_or_default();
        let since = passed.at.saturating_sub(VARIANT_REACH);
        let is_near = |failed: &&Attempt| {
            failed.at >= since && (failed.at > last_change || self.changes.is_empty())
        };
        let failed: Vec<&Attempt> = self
            .failed
            .iter()
            .filter(is_near)
            .filter(|failed| passed.is_variant_of(failed))
            .collect();
        let is_about_use = failed.last().is_some_and(|last| last.blames_use());
        let enough = if passed.run.is_some() || is_about_use {
            1
        } else {
            VARIANTS_MIN
        };
        if failed.len() < enough {
            return None;
        }
        let mut evidence: Vec<usize> = failed.iter().map(|failed| failed.at).collect();
        evidence.push(passed.at);
        Some(Lesson {
            kind: "procedure",
            text: text::procedure(passed, &failed),
            attributes: vec![("command".to_owned(), text::command(&passed.line))],
            confidence: PROCEDURE_CONFIDENCE,
            evidence,
            reason: "the command worked after variants of it had failed".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
