//! A command that was run, and how it went.

use helix_terminal::command::{Purpose, Run, run_of};
use helix_terminal::fault::{Fault, faults};
use helix_terminal::verdict::Verdict;

use super::are_related;
use crate::{Deed, Slice};

/// How an attempt went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Succeeded,
    Failed,
    Unknown,
}

/// A command that was run.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) at: usize,
    pub(super) line: String,
    pub(super) directory: Option<String>,
    /// What it builds, tests or checks.
    pub(super) run: Option<Run>,
    pub(super) outcome: Outcome,
    /// Mistakes that a failed one tells of.
    pub(super) faults: Vec<Fault>,
    /// What a failed one says, in one line; may be empty.
    pub(super) complaint: String,
    /// A failed one says that it was called in a wrong way.
    is_misused: bool,
}

/// Characters of a complaint that are told.
const COMPLAINT_MAX_CHARS: usize = 120;

impl Attempt {
    /// Reads the command of a slice; `None` for one that teaches nothing.
    pub(super) fn read(at: usize, slice: &Slice) -> Option<Self> {
        let Some(Deed::Command {
            line,
            directory,
            output,
            exit,
            is_failed,
        }) = &slice.deed
        else {
            return None;
        };
        let run = run_of(line);
        let outcome = outcome(run.as_ref(), output, *exit, *is_failed);
        let is_failed = outcome == Outcome::Failed;
        let directory = directory.clone().or_else(|| slice.directory.clone());
        let place = run.as_ref().and_then(|run| run.directory.clone());
        let complaint = if is_failed {
            complaint(output)
        } else {
            String::new()
        };
        Some(Self {
            at,
            line: line.clone(),
            directory: place.or(directory),
            outcome,
            faults: if is_failed {
                mistakes(line, run.as_ref(), output)
            } else {
                Vec::new()
            },
            complaint,
            is_misused: is_failed && says_any(&super::LISTS.usage, output),
            run,
        })
    }

    /// Returns whether this does at least what a failed one was to do, so that its success says
    /// that what failed is mended.
    pub(super) fn repeats(&self, failed: &Self) -> bool {
        let (Some(own), Some(other)) = (&self.run, &failed.run) else {
            return self.line == failed.line
                && self.directory == failed.directory
                && !super::is_dull(&self.line);
        };
        self.directory == failed.directory
            && own.environment == other.environment
            && own.covers(&other.words)
    }

    /// Returns whether this is another way to do what a failed one was to do, which failed of how
    /// it was called rather than of a mistake in the code.
    pub(super) fn is_variant_of(&self, failed: &Self) -> bool {
        if self.directory != failed.directory || self.line == failed.line {
            return false;
        }
        let (Some(own), Some(other)) = (program(&self.line), program(&failed.line)) else {
            return false;
        };
        match (&self.run, &failed.run) {
            (Some(run), Some(failed_run)) => {
                run.purpose == failed_run.purpose
                    && are_related(own, other)
                    && !failed.blames_code(run.purpose)
                    && !self.repeats(failed)
            }
            (None, None) => {
                own == other && !super::is_dull(&self.line) && is_alike(&self.line, &failed.line)
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Returns whether it failed of how it was called.
    pub(super) fn blames_use(&self) -> bool {
        self.is_misused
    }

    fn blames_code(&self, purpose: Purpose) -> bool {
        let is_of_code = |fault: &Fault| {
            !fault.file.is_empty() || (purpose == Purpose::Test && !fault.symbol.is_empty())
        };
        self.faults.iter().any(is_of_code)
    }
}

/// The mistakes that an output tells of. A project's own script says in its own words why it failed.
fn mistakes(line: &str, run: Option<&Run>, output: &str) -> Vec<Fault> {
    let found = faults(output);
    let is_own_script = program(line).is_some_and(|program| program.contains('/'));
    if !found.is_empty() || (run.is_some() && !is_own_script) {
        return found;
    }
    let said = accusing_line(output).map(|line| Fault {
        message: bounded(line),
        ..Fault::default()
    });
    said.into_iter().collect()
}

fn outcome(run: Option<&Run>, output: &str, exit: Option<i32>, is_failed: bool) -> Outcome {
    let Some(run) = run else {
        return match exit {
            Some(0) => Outcome::Succeeded,
            Some(_) => Outcome::Failed,
            None if is_failed => Outcome::Failed,
            None => Outcome::Unknown,
        };
    };
    if is_failed || exit.is_some_and(|exit| exit != 0) {
        return if run.vouched.failure {
            Outcome::Failed
        } else {
            by_output(run, output)
        };
    }
    if exit == Some(0) && run.vouched.success && !run.is_filtered {
        return Outcome::Succeeded;
    }
    by_output(run, output)
}

fn by_output(run: &Run, output: &str) -> Outcome {
    match Verdict::of(run, output) {
        Verdict::Succeeded => Outcome::Succeeded,
        Verdict::Failed => Outcome::Failed,
        Verdict::Unknown => Outcome::Unknown,
    }
}

/// The program of a line: its first word behind changes of directory and variables.
pub(super) fn program(line: &str) -> Option<&str> {
    let last = line.rsplit("&&").next()?;
    let is_set =
        |word: &&str| word.contains('=') || matches!(*word, "sudo" | "time" | "exec" | "env");
    last.split_whitespace().find(|word| !is_set(word))
}

/// Returns whether two lines of one program have the same subcommand, or share half of the words of
/// the shorter one behind the program.
fn is_alike(one: &str, other: &str) -> bool {
    let (own, others) = (arguments(one), arguments(other));
    let subcommand = own.first().filter(|word| is_subcommand(word));
    if subcommand.is_some() && subcommand == others.first() {
        return true;
    }
    let shared = own.iter().filter(|word| others.contains(word)).count();
    shared > 0 && shared * 2 >= own.len().min(others.len())
}

/// The words behind the program of a line.
fn arguments(line: &str) -> Vec<&str> {
    let last = line.rsplit("&&").next().unwrap_or_default();
    let mut words = last.split_whitespace();
    let program = program(line);
    words.by_ref().find(|word| Some(*word) == program);
    words.collect()
}

/// Returns whether a word names what a program is to do: no option, path, number or address.
fn is_subcommand(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '-';
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_letter)
}

/// What an output says in one line of what went wrong; its first line where none says so.
fn complaint(output: &str) -> String {
    let first = output.lines().map(str::trim).find(|line| !line.is_empty());
    bounded(accusing_line(output).or(first).unwrap_or_default())
}

/// The line of an output that says that something went wrong.
fn accusing_line(output: &str) -> Option<&str> {
    output.lines().map(str::trim).find(|line| says_error(line))
}

fn says_error(line: &str) -> bool {
    says_any(&super::LISTS.complaints, line)
}

fn says_any(words: &[String], text: &str) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word.as_str()))
}

fn bounded(line: &str) -> String {
    line.chars().take(COMPLAINT_MAX_CHARS).collect()
}
