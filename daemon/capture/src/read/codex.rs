//! Transcripts of Codex, called rollouts.
//!
//! A line has a `type` and a `payload`. `response_item`s are what the model saw and said, which is
//! all that is read; `event_msg`s tell most of it again. The first versions wrote the payloads
//! themselves as lines.

use serde_json::Value;

use super::deed::{Begun, Outcome};
use super::formats::FORMATS;
use super::lines::Record;
use super::scene::Scene;
use super::time;
use super::value::{elements, joined, member, text};
use crate::Speaker;

/// Kinds of payloads that the first versions wrote as lines.
const BARE: [&str; 3] = ["message", "function_call", "function_call_output"];

/// Lines before the output of a command that tell how it ended.
const HEADER_LINES_MAX: usize = 12;

/// Starts the output of a patch that was applied.
const APPLIED: &str = "Success.";

/// Before the ids of commands that run on, to keep them apart from those of calls.
const RUNNING: &str = "session ";

pub(super) fn read(record: &Record<'_>, scene: &mut Scene<'_>) {
    let known = &FORMATS.codex;
    match record.kind {
        "session_meta" | "turn_context" | "response_item" => {}
        kind if BARE.contains(&kind) => {}
        kind if known.is_quiet(kind) || known.is_quiet_part(kind) => return,
        "" => {}
        kind => return scene.unknown(&format!("type {kind}")),
    }
    let Some(line) = record.value(scene) else {
        return;
    };
    scene.state.set_time(time::of(member(&line, "timestamp")));
    let payload = member(&line, "payload");
    match record.kind {
        "session_meta" => session(payload, scene),
        "turn_context" => scene.state.set_directory(text(payload, "cwd")),
        "response_item" => item(payload, scene),
        "" => bare_session(&line, scene),
        _ => item(&line, scene),
    }
}

fn session(meta: &Value, scene: &mut Scene<'_>) {
    scene
        .state
        .set_version(text(meta, "cli_version"), &FORMATS.codex.versions);
    scene.state.set_session(text(meta, "id"));
    scene.state.set_directory(text(meta, "cwd"));
    scene.state.set_branch(text(member(meta, "git"), "branch"));
    let is_subagent = !member(member(meta, "source"), "subagent").is_null();
    scene.state.is_sidechain |= is_subagent || text(meta, "thread_source") == "subagent";
}

/// The first line of the first versions, and the lines on their own state.
fn bare_session(line: &Value, scene: &mut Scene<'_>) {
    if !text(line, "record_type").is_empty() {
        return;
    }
    if text(line, "id").is_empty() {
        return scene.unknown("line without a type");
    }
    scene.state.set_session(text(line, "id"));
    scene.state.set_branch(text(member(line, "git"), "branch"));
}

fn item(item: &Value, scene: &mut Scene<'_>) {
    if scene.state.is_sidechain {
        return scene.leave_out();
    }
    let id = text(item, "call_id");
    match text(item, "type") {
        "message" => message(item, scene),
        "function_call" => call(item, scene),
        "custom_tool_call" => scene.call(id, text(item, "name"), member(item, "input")),
        "local_shell_call" => scene.call(id, "local_shell", member(item, "action")),
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            output(item, scene);
        }
        kind if FORMATS.codex.is_quiet_part(kind) => {}
        kind => scene.unknown(&format!("item {kind}")),
    }
}

fn message(item: &Value, scene: &mut Scene<'_>) {
    let said = joined(member(item, "content"));
    match text(item, "role") {
        "user" if !is_of_harness(item) => scene.say(Speaker::User, &said),
        "assistant" => scene.say(Speaker::Assistant, &said),
        "user" | "developer" | "system" => scene.leave_out(),
        role => scene.unknown(&format!("role {role}")),
    }
}

/// Returns whether the client wrote a message itself, of which newer versions keep a note.
fn is_of_harness(item: &Value) -> bool {
    let passed = member(item, "internal_chat_message_metadata_passthrough");
    let parts = elements(member(passed, "content_item_metadata"));
    let is_of_harness = |part: &Value| text(member(part, "provenance"), "type") == "harness";
    !parts.is_empty() && parts.iter().all(is_of_harness)
}

fn call(item: &Value, scene: &mut Scene<'_>) {
    let arguments = serde_json::from_str(text(item, "arguments")).unwrap_or(Value::Null);
    let id = text(item, "call_id");
    let name = text(item, "name");
    if name == "write_stdin" {
        return go_on(id, &arguments, scene);
    }
    scene.call(id, name, &arguments);
}

/// A look at a command that runs on: its outcome is the one of the look.
fn go_on(id: &str, arguments: &Value, scene: &mut Scene<'_>) {
    let running = format!("{RUNNING}{}", member(arguments, "session_id"));
    let id = id.to_owned();
    scene.outcome(&running, |_| Outcome::GoesOn { id });
}

fn output(item: &Value, scene: &mut Scene<'_>) {
    let output = member(item, "output");
    let output = match output {
        Value::Object(_) => member(output, "content"),
        _ => output,
    };
    let printed = joined(output);
    scene.outcome(text(item, "call_id"), |begun| {
        match FORMATS.codex.refusal(&printed) {
            Some(said) => Outcome::Refused { said },
            None => ended(&printed, begun),
        }
    });
}

fn ended(printed: &str, begun: &Begun) -> Outcome {
    let told = Told::of(printed);
    if let Some(id) = told.runs_on {
        return Outcome::GoesOn { id };
    }
    let is_failed = match told.exit {
        Some(exit) => exit != 0,
        None => begun.is_edit() && !told.output.starts_with(APPLIED),
    };
    Outcome::Ended {
        output: told.output,
        exit: told.exit,
        is_failed,
    }
}

/// What the lines before an output tell, and the output.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    exit: Option<i32>,
    runs_on: Option<String>,
    output: String,
}

impl Told {
    fn of(printed: &str) -> Self {
        if let Some(told) = Self::of_document(printed) {
            return told;
        }
        let mut told = Self::default();
        let mut rest = printed;
        // The output of a patch has a header of its own within that of the command.
        while let Some(output) = told.take_header(rest) {
            rest = output;
        }
        told.output = rest.to_owned();
        told
    }

    /// Older versions: `{"output": "…", "metadata": {"exit_code": 0}}`.
    fn of_document(printed: &str) -> Option<Self> {
        let document: Value = serde_json::from_str(printed).ok()?;
        let exit = member(member(&document, "metadata"), "exit_code").as_i64()?;
        Some(Self {
            exit: i32::try_from(exit).ok(),
            output: text(&document, "output").to_owned(),
            runs_on: None,
        })
    }

    /// Takes the lines up to `Output:`, and gives what stands behind them. `None` where there is no
    /// such header.
    fn take_header<'a>(&mut self, printed: &'a str) -> Option<&'a str> {
        let mut rest = printed;
        for _ in 0..HEADER_LINES_MAX {
            let (line, behind) = rest.split_once('\n')?;
            rest = behind;
            if line == "Output:" {
                return Some(rest);
            }
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            match name {
                "Exit code" => self.exit = value.parse().ok(),
                "Chunk ID" | "Wall time" | "Original token count" | "Total output lines" => {}
                _ => self.take_state(line)?,
            }
        }
        None
    }

    fn take_state(&mut self, line: &str) -> Option<()> {
        if let Some(exit) = line.strip_prefix("Process exited with code ") {
            self.exit = exit.parse().ok();
            return Some(());
        }
        let id = line.strip_prefix("Process running with session ID ")?;
        self.runs_on = Some(format!("{RUNNING}{id}"));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(printed: &str, exit: Option<i32>, runs_on: Option<&str>, output: &str) {
        let told = Told {
            exit,
            runs_on: runs_on.map(str::to_owned),
            output: output.to_owned(),
        };
        assert_eq!(Told::of(printed), told, "{printed}");
    }

    #[test]
    fn outcomes_of_all_versions() {
        let head = "Chunk ID: 1f7355\nWall time: 0.0000 seconds\n";
        let tail = "Original token count: 1\nOutput:\nbad\n";
        let printed = format!("{head}Process exited with code 3\n{tail}");
        check(&printed, Some(3), None, "bad\n");
        let printed = format!("{head}Process running with session ID 91439\n{tail}");
        check(&printed, None, Some("session 91439"), "bad\n");
        check(
            "Exit code: 2\nWall time: 0 seconds\nOutput:\nbad\n",
            Some(2),
            None,
            "bad\n",
        );
        let nested =
            "Wall time: 0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nok";
        check(nested, Some(0), None, "ok");
        check(
            r#"{"output":"bad","metadata":{"exit_code":1}}"#,
            Some(1),
            None,
            "bad",
        );
        check(
            "Output of another kind\n",
            None,
            None,
            "Output of another kind\n",
        );
        check("", None, None, "");
    }
}
