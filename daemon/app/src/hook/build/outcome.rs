//! How a command went, as far as the client tells.

use helix_surface::prompt::without_inserted;
use helix_terminal::command::{Run, Runs};
use helix_terminal::verdict::Verdict;
use serde_json::{Map, Value};

use super::super::event::{ClientEvent, Input};

/// Bytes of an output that are looked at, from its start and from its end.
const OUTPUT_MAX_BYTES: usize = 256 * 1024;

/// Text that Claude Code writes before the output of a command that ended by itself, and not well.
const EXIT_CODE: &str = "Exit code ";

/// Labels that Gemini CLI writes around an output, before it and on lines of their own.
const LABELS: &[&str] = &["Output: ", "Stdout: ", "Stderr: "];
const OWN_LINES: &[&str] = &[
    "Command: ",
    "Directory: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
    "Error: (none)",
    "(none)",
    "(empty)",
];

/// The exit status of a whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// It is zero.
    Succeeded,
    /// It is another.
    Failed,
    /// The client says that the tool failed, not that the command ended so: it took too long, or
    /// was not permitted.
    Refused,
    /// The client does not say.
    Untold,
}

/// How a command went.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Its output.
    pub(super) output: String,
    status: Status,
}

impl Outcome {
    /// `None` when the tool has not ended, or what it answered is no output.
    pub(super) fn of(input: &Input, client: ClientEvent) -> Option<Self> {
        if client == ClientEvent::PostToolUseFailure {
            // It is the line's code, and not what a command wrote.
            let (first, rest) = input.error.split_once('\n').unwrap_or((&input.error, ""));
            let (output, status) = match first.strip_prefix(EXIT_CODE) {
                Some(_) => (rest, Status::Failed),
                None => (input.error.as_str(), Status::Refused),
            };
            return Some(Self {
                output: bounded(output),
                status,
            });
        }
        match &input.tool_response {
            // Codex's.
            Value::String(output) => Some(Self {
                output: bounded(output),
                status: Status::Untold,
            }),
            Value::Object(fields) => Self::of_fields(input, fields),
            _ => None,
        }
    }

    fn of_fields(input: &Input, fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_true = |value: Option<&Value>| value == Some(&Value::Bool(true));
        let goes_on = !text("backgroundTaskId").is_empty()
            || is_true(input.tool_input.get("run_in_background"));
        if goes_on || is_true(fields.get("interrupted")) {
            return None;
        }
        if fields.contains_key("llmContent") {
            return Some(Self::of_gemini(&bounded(text("llmContent"))));
        }
        // Claude Code takes some other exit codes for success, and says how it reads them.
        let is_told = fields.contains_key("stdout") && text("returnCodeInterpretation").is_empty();
        let output = bounded(&format!("{}\n{}", text("stdout"), text("stderr")));
        Some(Self {
            output,
            status: if is_told {
                Status::Succeeded
            } else {
                Status::Untold
            },
        })
    }

    fn of_gemini(content: &str) -> Self {
        let is_own = |line: &&str| !OWN_LINES.iter().any(|own| line.starts_with(own));
        let output = content
            .lines()
            .filter(is_own)
            .map(unlabelled)
            .collect::<Vec<_>>()
            .join("\n");
        let mut codes = content
            .lines()
            .rev()
            .filter_map(|line| line.strip_prefix("Exit Code: "));
        let status = match codes.next().map(str::trim) {
            Some("0") => Status::Succeeded,
            Some(code) if code.parse::<i32>().is_ok() => Status::Failed,
            _ => Status::Untold,
        };
        Self { output, status }
    }

    /// Returns whether the client says that something failed, whatever of the line it was.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.status, Status::Failed | Status::Refused)
    }

    /// How one command of the line went: by the exit status where that is its own, else by what the
    /// output says.
    pub(super) fn verdict(&self, run: &Run) -> Verdict {
        match self.status {
            Status::Succeeded if run.vouched.success => Verdict::Succeeded,
            Status::Failed if run.vouched.failure => Verdict::Failed,
            _ => Verdict::of(run, &self.output),
        }
    }

    /// The line's other commands that succeeded: by the exit status, or because the one that counts
    /// ran only then.
    pub(super) fn succeeded_beside(&self, runs: Runs, verdict: Verdict) -> Vec<Run> {
        let is_vouched = |run: &Run| self.status == Status::Succeeded && run.vouched.success;
        let mut succeeded: Vec<Run> = runs.others.into_iter().filter(is_vouched).collect();
        if verdict == Verdict::Succeeded {
            let is_known =
                |run: &Run, known: &[Run]| known.iter().any(|known| known.words == run.words);
            for run in runs.main.earlier {
                if !is_known(&run, &succeeded) {
                    succeeded.push(run);
                }
            }
        }
        succeeded
    }
}

fn unlabelled(line: &str) -> &str {
    LABELS
        .iter()
        .find_map(|label| line.strip_prefix(label))
        .unwrap_or(line)
}

/// Returns what a command itself wrote, of a long output the start and the end. What Helix told
/// before is nothing that went wrong.
fn bounded(output: &str) -> String {
    let output = &*without_inserted(output);
    if output.len() <= OUTPUT_MAX_BYTES {
        return output.to_owned();
    }
    let half = OUTPUT_MAX_BYTES / 2;
    let (head, tail) = (
        output.floor_char_boundary(half),
        output.ceil_char_boundary(output.len() - half),
    );
    format!(
        "{}\n{}",
        output.get(..head).unwrap_or_default(),
        output.get(tail..).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_terminal::command::{run_of, runs_of};
    use serde_json::json;

    use super::*;

    fn outcome(tool_input: Value, tool_response: Value) -> Option<Outcome> {
        let input = Input {
            tool_input,
            tool_response,
            ..Input::default()
        };
        Outcome::of(&input, ClientEvent::PostToolUse)
    }

    fn verdict(command: &str, response: Value) -> Verdict {
        outcome(json!({}), response)
            .unwrap()
            .verdict(&run_of(command).unwrap())
    }

    #[test]
    fn an_exit_status_counts_where_it_is_the_commands_own() {
        let silent = || json!({"stdout": "", "stderr": "", "interrupted": false});
        for command in [
            "cargo build",
            "cd web && npm run build",
            "go vet ./... && echo ok",
            "(cd a && tsc)",
        ] {
            assert_eq!(verdict(command, silent()), Verdict::Succeeded, "{command}");
        }
        for command in [
            "cargo build 2>&1 | grep ^error",
            "cargo build || true",
            "cargo build; git status",
            "cargo build &",
            "if cargo build; then ls; fi",
        ] {
            assert_eq!(verdict(command, silent()), Verdict::Unknown, "{command}");
        }
        let interpreted =
            json!({"stdout": "", "stderr": "", "returnCodeInterpretation": "No matches found"});
        assert_eq!(verdict("cargo build", interpreted), Verdict::Unknown);
        assert_eq!(verdict("cargo build", json!("")), Verdict::Unknown);
    }

    #[test]
    fn a_failed_line_is_the_failure_of_its_last_command() {
        let of = |error: &str, command: &str| {
            let input = Input {
                error: error.to_owned(),
                ..Input::default()
            };
            Outcome::of(&input, ClientEvent::PostToolUseFailure)
                .unwrap()
                .verdict(&run_of(command).unwrap())
        };
        assert_eq!(of("Exit code 1\n", "cargo test"), Verdict::Failed);
        assert_eq!(
            of("Exit code 1\n", "cargo test | grep panicked"),
            Verdict::Unknown
        );
        assert_eq!(
            of(
                "Exit code 1\ntest result: ok. 3 passed",
                "cargo test && git push"
            ),
            Verdict::Succeeded
        );
        assert_eq!(
            of(
                "Exit code 101\ntest result: FAILED. 1 passed",
                "cargo test && git push"
            ),
            Verdict::Failed
        );
        assert_eq!(
            of("Command timed out after 2m 0.0s", "cargo test"),
            Verdict::Unknown
        );
    }

    #[test]
    fn a_line_that_succeeded_says_so_of_those_that_had_to() {
        let beside = |line: &str, response: Value| {
            let (outcome, runs) = (
                outcome(json!({}), response).unwrap(),
                runs_of(line).unwrap(),
            );
            let verdict = outcome.verdict(&runs.main);
            outcome
                .succeeded_beside(runs, verdict)
                .into_iter()
                .map(|run| run.tool)
                .collect::<Vec<_>>()
        };
        let silent = || json!({"stdout": "", "stderr": "", "interrupted": false});
        assert_eq!(
            beside("npm ci && npm run build && npm test", silent()),
            ["npm ci", "npm run build"]
        );
        assert_eq!(beside("cargo test && npm ci", silent()), ["npm ci"]);
        for line in [
            "cargo build; cargo test",
            "cargo build | cargo test",
            "cargo build || cargo test",
            "cargo build & cargo test",
        ] {
            assert!(beside(line, silent()).is_empty(), "{line}");
        }
        let told = || json!("test result: ok. 3 passed");
        assert_eq!(
            beside("cargo build && cargo test | tail -1", told()),
            ["cargo build"]
        );
        assert!(beside("cargo build; cargo test | tail -1", told()).is_empty());
        assert!(beside("cargo build && cargo test | tail -1", json!("nobody knows")).is_empty());
        assert!(
            beside(
                "cargo build && cargo test | tail -1",
                json!("test result: FAILED. 1 passed")
            )
            .is_empty()
        );
    }

    #[test]
    fn what_has_not_ended_has_no_outcome() {
        assert!(outcome(json!({"run_in_background": true}), json!({"stdout": ""})).is_none());
        assert!(outcome(json!({}), json!({"stdout": "", "backgroundTaskId": "b1"})).is_none());
        assert!(outcome(json!({}), json!({"stdout": "", "interrupted": true})).is_none());
        assert!(outcome(json!({}), json!([])).is_none());
    }

    #[test]
    fn geminis_frame_is_taken_off() {
        let content = "Command: cargo build\nDirectory: (root)\nStdout: (empty)\nStderr: error[E0277]: `Rc<u8>` cannot be sent\n \
                       --> src/a.rs:3:4\nError: (none)\nExit Code: 101\nSignal: (none)";
        let failed = outcome(json!({}), json!({"llmContent": content})).unwrap();
        let faults = helix_terminal::fault::faults(&failed.output);
        assert_eq!(
            faults
                .iter()
                .map(|fault| fault.code.as_str())
                .collect::<Vec<_>>(),
            ["E0277"]
        );
        assert_eq!(faults[0].file, "src/a.rs");
        assert_eq!(
            verdict("cargo build", json!({"llmContent": content})),
            Verdict::Failed
        );
        let of = |content: &str| verdict("cargo build", json!({"llmContent": content}));
        assert_eq!(of("Stderr: error[E0277]: x"), Verdict::Failed);
        assert_eq!(of("Output: (empty)\nExit Code: 0"), Verdict::Succeeded);
        assert_eq!(of("Output: (empty)"), Verdict::Unknown);
    }

    #[test]
    fn what_helix_told_before_is_no_output() {
        let told = "a\n<helix-memory note=\"x\">\nerror[E0277]: `Rc<X>` cannot be sent\n</helix-memory>\nb";
        let error = Input {
            error: format!("Exit code 101\n{told}"),
            ..Input::default()
        };
        let failed = Outcome::of(&error, ClientEvent::PostToolUseFailure).unwrap();
        assert_eq!(
            (failed.output.as_str(), failed.status),
            ("a\n \nb", Status::Failed)
        );
        for response in [
            json!(told),
            json!({"stdout": "", "stderr": told}),
            json!({"llmContent": told}),
        ] {
            assert!(
                !outcome(json!({}), response)
                    .unwrap()
                    .output
                    .contains("E0277")
            );
        }
    }

    #[test]
    fn long_outputs_keep_both_ends() {
        let output = format!("start{}end", "ä".repeat(OUTPUT_MAX_BYTES));
        let bounded = bounded(&output);
        assert!(
            bounded.len() <= OUTPUT_MAX_BYTES + 2
                && bounded.starts_with("start")
                && bounded.ends_with("end")
        );
    }
}
