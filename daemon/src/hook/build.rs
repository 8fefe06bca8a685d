//! The `post-build` and `error-context` events: what a command's failure reminds of, and what mended it.

use std::sync::LazyLock;

use helix_engine::policy::work::activity::{Activity, Failing};
use helix_engine::policy::work::command::{Run, menders, run_of};
use helix_engine::policy::work::fault::{Fault, faults};
use helix_engine::policy::work::incident::{Incident, Remedy};
use helix_engine::recall::relevance::Occasion;
use helix_engine::strand::ReadError;
use helix_engine::surface::neutral::one_line;
use jiff::tz::TimeZone;
use regex::Regex;
use serde_json::Value;

use super::relevant::{self, Reader};
use super::{ClientEvent, Context, Given};

/// Memories that one failure gets.
const MEMORIES_MAX: usize = 3;

/// Faults by whose words memories are looked for.
const SEARCHED_MAX: usize = 2;

/// Characters of a fault's line and of a command.
const LINE_MAX_CHARS: usize = 200;

/// Lines by which memories are looked for where no form of a mistake fits.
const LAST_LINES_MAX: usize = 3;

/// Bytes of an output that are looked at, from its start and from its end.
const OUTPUT_MAX_BYTES: usize = 256 * 1024;

/// What a command prints that failed although the shell says that it did not, as behind a pipe.
static FAILED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?m)^[ \t]*(?:error: could not compile|error: test failed|test result: FAILED|npm (?:ERR!|error) |make(?:\[\d+\])?: \*\*\*|",
        r"BUILD FAILED|FAILED \(|FAIL\t|ERROR: Build did NOT complete|Found \d+ errors?\b|(?:=+ .*\b)?[1-9]\d* failed\b|",
        r"Summary \[.*\b[1-9]\d* failed|Tests: +[1-9]\d* failed|✖ \d+ problems? \([1-9]|[Ee]xit [Cc]ode:? [1-9])"
    ))
    .ok()
});

/// What successful builds and tests say at the start of a line; mistakes in such an output are somebody's words.
static SUCCEEDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^[ \t]*(?:test result: ok|Finished |BUILD SUCCESS|ok  ?\t|(?:=+ .*\b)?\d+ passed\b|Summary \[.*\b\d+ passed|Tests: +\d+ passed)",
    )
    .ok()
});

/// Compiles everything, so that the first failure is not answered late.
pub(super) fn warm_up() {
    helix_engine::policy::work::fault::warm_up();
    LazyLock::force(&FAILED);
    LazyLock::force(&SUCCEEDED);
}

/// How a command went.
struct Outcome {
    output: String,
    has_failed: bool,
}

/// Gives what is known of the failure; `None` when nothing is, and after a success.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let input = context.input;
    if input.is_interrupt {
        return Ok(None);
    }
    let run = if input.tool_name == "Bash" { input.tool_text("command").and_then(run_of) } else { None };
    let Some(outcome) = Outcome::of(context, run.as_ref()) else { return Ok(None) };
    if !outcome.has_failed && input.tool_name == "Bash" {
        note_menders(context);
    }
    let found = if outcome.has_failed { faults(&outcome.output) } else { Vec::new() };
    let notes = match (&run, outcome.has_failed) {
        (Some(run), true) => failed(context, run, &found)?,
        (Some(run), false) => {
            succeeded(context, run)?;
            return Ok(None);
        }
        (None, _) => {
            if input.tool_name == "Bash" {
                context.work(Activity::command);
            }
            Vec::new()
        }
    };
    if !outcome.has_failed {
        return Ok(None);
    }
    let mut words: Vec<String> = found.iter().take(SEARCHED_MAX).map(Fault::words).collect();
    if words.is_empty() {
        // What no form fits says it most often at its end.
        words.extend(last_lines(&outcome.output));
        words.extend(input.tool_text("command").map(|command| one_line(command, LINE_MAX_CHARS)));
    }
    let memories = if words.is_empty() {
        Vec::new()
    } else {
        relevant::find(context, &words.join("\n"), Occasion::Failure, MEMORIES_MAX, Reader::Session)?
    };
    let what =
        run.map_or_else(|| "this failure".to_owned(), |run| format!("the failure of `{}`", one_line(&run.tool, 80)));
    let injection = context.frame(&format!("On {what}:"), &notes, &memories);
    Ok(Given::of(injection, &memories).if_any())
}

impl Outcome {
    /// `None` when the tool does not say.
    fn of(context: &Context<'_>, run: Option<&Run>) -> Option<Self> {
        let input = context.input;
        if context.client == ClientEvent::PostToolUseFailure {
            return Some(Self { output: bounded(&input.error), has_failed: true });
        }
        let text = |name: &str| input.tool_response.get(name).and_then(Value::as_str).unwrap_or_default();
        let output = match &input.tool_response {
            Value::String(output) => bounded(output),
            Value::Object(fields) if fields.get("interrupted") == Some(&Value::Bool(true)) => return None,
            // The last one is Gemini CLI's.
            Value::Object(_) => bounded(&format!("{}\n{}\n{}", text("stdout"), text("stderr"), text("llmContent"))),
            _ => return None,
        };
        // A pipe hides the failure of what is before it, and some clients do not tell at all.
        Some(Self { has_failed: run.is_some() && tells_failure(&output), output })
    }
}

/// Whether an output says that a build or test failed, or holds mistakes and no success.
fn tells_failure(output: &str) -> bool {
    let says = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(output));
    says(&FAILED) || (!says(&SUCCEEDED) && !faults(output).is_empty())
}

/// Records a failure. Returns what helped against its faults before, said once for as long as they last.
fn failed(context: &Context<'_>, run: &Run, faults: &[Fault]) -> Result<Vec<String>, ReadError> {
    let prints: Vec<String> = faults.iter().map(Fault::fingerprint).collect();
    let fresh = context.work_and_keep(true, |activity| activity.failed(run, prints, context.now));
    let runtime = context.runtime;
    let (strand, scope) = (&runtime.strand, &context.project.scope);
    let is_fresh = |fault: &Fault| fresh.contains(&fault.fingerprint());
    let incidents: Vec<Incident> = if context.is_real() {
        let occurred = faults.iter().map(|fault| (fault, is_fresh(fault)));
        runtime.incidents.occurred(strand, &runtime.writer, scope, occurred, &run.tool, context.now)?
    } else {
        let known = faults.iter().map(|fault| runtime.incidents.known(strand, scope, fault));
        known.filter_map(Result::transpose).collect::<Result<_, _>>()?
    };
    let known = incidents.iter().filter(|incident| is_fresh(&incident.fault()));
    Ok(known
        .filter_map(|incident| {
            let remedy = incident.remedy(&TimeZone::system())?;
            let fault = one_line(&incident.fault().line(), LINE_MAX_CHARS);
            Some(format!("{fault}: seen {} times, {}", incident.occurrences(), one_line(&remedy, LINE_MAX_CHARS)))
        })
        .collect())
}

/// Notes the commands of a line that change what a build stands on.
fn note_menders(context: &Context<'_>) {
    let commands = context.input.tool_text("command").map(menders).unwrap_or_default();
    if !commands.is_empty() {
        context.work(|activity| {
            for command in &commands {
                activity.changed_by(&one_line(command, LINE_MAX_CHARS));
            }
        });
    }
}

/// Records a success, and what was changed before it as the remedy of what had failed.
fn succeeded(context: &Context<'_>, run: &Run) -> Result<(), ReadError> {
    let runtime = context.runtime;
    let mended = context.work_and_keep(true, |activity| activity.succeeded(run, context.now));
    let is_known = |failing: &&Failing| !failing.changed.is_empty() || !failing.commands.is_empty();
    for failing in mended.iter().filter(|failing| context.is_real() && is_known(failing)) {
        let scope = &context.project.scope;
        let remedy = Remedy { files: &failing.changed, commands: &failing.commands };
        let prints = &failing.fingerprints;
        runtime.incidents.mended(&runtime.strand, &runtime.writer, scope, prints, remedy, context.now)?;
    }
    Ok(())
}

/// The last lines of an output that hold anything, the last one first.
fn last_lines(output: &str) -> impl Iterator<Item = String> {
    let telling =
        output.lines().rev().filter(|line| line.chars().any(char::is_alphabetic) && !line.starts_with("Exit code"));
    telling.take(LAST_LINES_MAX).map(|line| one_line(line, 2 * LINE_MAX_CHARS))
}

/// The start and the end of a long output.
fn bounded(output: &str) -> String {
    if output.len() <= OUTPUT_MAX_BYTES {
        return output.to_owned();
    }
    let half = OUTPUT_MAX_BYTES / 2;
    let (head, tail) = (output.floor_char_boundary(half), output.ceil_char_boundary(output.len() - half));
    format!("{}\n{}", output.get(..head).unwrap_or_default(), output.get(tail..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn failures_behind_a_pipe_are_seen() {
        for output in [
            "x\nerror: could not compile `a`",
            "test result: FAILED. 1 passed; 2 failed",
            "make[2]: *** [all] Error 1",
            "=== 2 failed, 3 passed in 1.2s ===",
            "F.\n1 failed, 1 passed in 0.02s",
            "src/a.ts(3,4): error TS7006: Parameter 'x' implicitly has an 'any' type.",
            "# demo\n./queue.go:4:2: undefined: RenewLens",
            "✖ 1 problem (1 error, 0 warnings)",
            "Exit code 2\nsomething else",
        ] {
            assert!(tells_failure(output), "{output}");
        }
        for output in [
            "test result: ok. 3 passed; 0 failed\nprinted: FAILED ( not at the start",
            "error: this is what the test prints\n3 passed in 0.1s",
            "warning: unused variable\n    Finished `dev` profile",
            "0 failed",
            "",
        ] {
            assert!(!tells_failure(output), "{output}");
        }
    }

    #[test]
    fn long_outputs_keep_both_ends() {
        let output = format!("start{}end", "ä".repeat(OUTPUT_MAX_BYTES));
        let bounded = bounded(&output);
        assert!(bounded.len() <= OUTPUT_MAX_BYTES + 2 && bounded.starts_with("start") && bounded.ends_with("end"));
    }
}
