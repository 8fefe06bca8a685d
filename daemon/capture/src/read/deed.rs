//! Commands and changes of files, from the input of a call to what came of it.

use helix_terminal::command::patches;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bounds::{OUTPUT_END_BYTES, bounded};
use super::tools::{TOOLS, Tools};
use super::{clean, value};
use crate::Deed;

/// Bytes that are kept of either end of a command's line and of a change while they wait for their
/// outcome, in a state that is written with every step.
const PENDING_END_BYTES: usize = OUTPUT_END_BYTES / 4;

/// Files of one change.
const FILES_MAX: usize = 32;

/// What a call does, before anything came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Begun {
    Command {
        line: String,
        directory: Option<String>,
    },
    Edit {
        files: Vec<String>,
        change: String,
    },
}

/// What came of a call.
pub(super) enum Outcome {
    Ended {
        output: String,
        exit: Option<i32>,
        is_failed: bool,
    },
    /// The command runs on; its outcome comes under another id.
    GoesOn { id: String },
    /// It was not done, and this is what the user said to it.
    Refused { said: String },
}

impl Outcome {
    /// The source does not say how it ended.
    pub(super) fn untold() -> Self {
        Self::Ended {
            output: String::new(),
            exit: None,
            is_failed: false,
        }
    }
}

impl Begun {
    /// What a call of a tool does; `None` for tools that neither run commands nor change files, and
    /// for an input that says neither what nor where.
    pub(super) fn of(tool: &str, input: &Value) -> Option<Self> {
        let tools = &*TOOLS;
        if tools.commands.iter().any(|name| name == tool) {
            return command(tools, input);
        }
        if tools.edits.iter().any(|name| name == tool) {
            return edit(tools, input);
        }
        None
    }

    pub(super) fn command(line: &str, directory: Option<String>) -> Self {
        let line = bounded(clean::output(line).trim(), PENDING_END_BYTES);
        Self::Command { line, directory }
    }

    /// Notes the directory of the session for a command that names none.
    pub(super) fn run_in(&mut self, session: Option<&str>) {
        if let Self::Command { directory, .. } = self {
            *directory = directory.take().or_else(|| session.map(str::to_owned));
        }
    }

    pub(super) fn is_edit(&self) -> bool {
        matches!(self, Self::Edit { .. })
    }

    /// Whether it asks Helix, whose answers are memories already.
    pub(super) fn is_own(&self) -> bool {
        match self {
            Self::Command { line, .. } => runs_own(line, &TOOLS.own_programs),
            Self::Edit { .. } => false,
        }
    }

    pub(super) fn ended(self, output: String, exit: Option<i32>, is_failed: bool) -> Deed {
        match self {
            Self::Command { line, directory } => Deed::Command {
                line,
                directory,
                output,
                exit,
                is_failed,
            },
            Self::Edit { files, change } => Deed::Edit {
                files,
                change,
                is_failed,
            },
        }
    }
}

fn command(tools: &Tools, input: &Value) -> Option<Begun> {
    let line = match value::first(input, &tools.line_keys) {
        Value::String(line) => line.clone(),
        Value::Array(words) => line_of(words, &tools.shells)?,
        _ => return None,
    };
    if let Some(patch) = patch_of(&line) {
        return patched(&patch);
    }
    let directory = value::first(input, &tools.directory_keys).as_str();
    let directory = directory
        .filter(|path| path.starts_with('/'))
        .map(str::to_owned);
    (!line.trim().is_empty()).then(|| Begun::command(&line, directory))
}

/// The line of a command that is given in words, such as `bash -lc "make test"`.
fn line_of(words: &[Value], shells: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    if let [shell, flags, line] = words.as_slice() {
        let program = shell.rsplit('/').next().unwrap_or_default();
        if flags.starts_with('-') && shells.iter().any(|shell| shell == program) {
            return Some((*line).to_owned());
        }
    }
    Some(words.join(" "))
}

/// The patches that a line gives to `apply_patch`, as one.
fn patch_of(line: &str) -> Option<String> {
    let argument = line.trim_start().strip_prefix("apply_patch");
    let unquoted = argument.map(str::trim_start);
    if let Some(patch) = unquoted.filter(|patch| patch.starts_with("*** Begin Patch")) {
        return Some(patch.to_owned());
    }
    let patches: Vec<String> = patches(line).into_iter().map(|patch| patch.text).collect();
    (!patches.is_empty()).then(|| patches.join("\n"))
}

fn edit(tools: &Tools, input: &Value) -> Option<Begun> {
    let patch = input
        .as_str()
        .or_else(|| value::first(input, &tools.patch_keys).as_str());
    if let Some(patch) = patch {
        return patched(patch);
    }
    let file = value::first(input, &tools.path_keys).as_str()?;
    let mut change = changed(tools, input);
    for edit in value::elements(value::member(input, "edits")) {
        change.push_str(&changed(tools, edit));
    }
    let files = vec![file.to_owned()];
    let change = bounded(&clean::output(&change), PENDING_END_BYTES);
    Some(Begun::Edit { files, change })
}

/// Removed lines and added ones.
fn changed(tools: &Tools, input: &Value) -> String {
    let removed = value::first(input, &tools.old_keys)
        .as_str()
        .unwrap_or_default();
    let added = value::first(input, &tools.new_keys)
        .as_str()
        .unwrap_or_default();
    let mut change = String::new();
    for (sign, text) in [('-', removed), ('+', added)] {
        for line in bounded(text, OUTPUT_END_BYTES).lines() {
            change.push(sign);
            change.push_str(line);
            change.push('\n');
        }
    }
    change
}

/// The change of a patch as Codex writes it.
fn patched(patch: &str) -> Option<Begun> {
    let mut files = Vec::new();
    let mut change = String::new();
    for line in patch.lines() {
        let named = ["Update", "Add", "Delete"].iter().find_map(|verb| {
            line.strip_prefix("*** ")?
                .strip_prefix(verb)?
                .strip_prefix(" File: ")
        });
        if let Some(file) = named.filter(|_| files.len() < FILES_MAX) {
            files.push(file.trim().to_owned());
        }
        if line.starts_with(['+', '-']) {
            change.push_str(line);
            change.push('\n');
        }
    }
    let change = bounded(&clean::output(&change), PENDING_END_BYTES);
    (!files.is_empty()).then_some(Begun::Edit { files, change })
}

/// Whether one of the simple commands of a line is a program of Helix's own.
fn runs_own(line: &str, own: &[String]) -> bool {
    line.split(['\n', ';', '|', '&', '(', ')', '`'])
        .any(|command| {
            let is_assignment = |word: &&str| word.contains('=');
            let mut words = command.split_whitespace().skip_while(is_assignment);
            let program = words.next().and_then(|word| word.rsplit('/').next());
            program.is_some_and(|program| own.iter().any(|own| own == program))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(tool: &str, input: &Value, expected: Option<&Begun>) {
        assert_eq!(Begun::of(tool, input).as_ref(), expected, "{tool} {input}");
    }

    fn ran(line: &str, directory: Option<&str>) -> Begun {
        Begun::command(line, directory.map(str::to_owned))
    }

    fn edited(files: &[&str], change: &str) -> Begun {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let change = change.to_owned();
        Begun::Edit { files, change }
    }

    #[test]
    fn commands_of_every_client() {
        check("Bash", &json!({"command": "ls"}), Some(&ran("ls", None)));
        check(
            "run_shell_command",
            &json!({"command": "ls"}),
            Some(&ran("ls", None)),
        );
        let input = json!({"cmd": "ls", "workdir": "/p"});
        check("exec_command", &input, Some(&ran("ls", Some("/p"))));
        let input = json!({"command": ["bash", "-lc", "a && b"]});
        check("shell", &input, Some(&ran("a && b", None)));
        check(
            "shell",
            &json!({"command": ["git", "log"]}),
            Some(&ran("git log", None)),
        );
        check("Bash", &json!({"command": 1}), None);
        check("Bash", &json!({"command": " "}), None);
        check("Read", &json!({"file_path": "/a"}), None);
    }

    #[test]
    fn edits_of_every_client() {
        let input = json!({"file_path": "/a", "old_string": "x", "new_string": "y\nz"});
        check("Edit", &input, Some(&edited(&["/a"], "-x\n+y\n+z\n")));
        let input = json!({"filePath": "/a", "oldString": "x", "newString": "y"});
        check("edit", &input, Some(&edited(&["/a"], "-x\n+y\n")));
        let edits = json!({"old_string": "x", "new_string": "y"});
        let input = json!({"file_path": "/a", "edits": [edits]});
        check("MultiEdit", &input, Some(&edited(&["/a"], "-x\n+y\n")));
        check(
            "Write",
            &json!({"path": "/a", "contents": "y"}),
            Some(&edited(&["/a"], "+y\n")),
        );
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n";
        check(
            "ApplyPatch",
            &json!(patch),
            Some(&edited(&["a", "b"], "-x\n+y\n+z\n")),
        );
        let line = json!({"cmd": format!("apply_patch <<'EOF'\n{patch}EOF")});
        check(
            "exec_command",
            &line,
            Some(&edited(&["a", "b"], "-x\n+y\n+z\n")),
        );
        for line in [
            format!("cd /p && apply_patch <<'EOF'\n{patch}EOF"),
            format!("apply_patch {patch}"),
            format!("bash -lc \"apply_patch <<'EOF'\n{patch}EOF\""),
        ] {
            let expected = edited(&["a", "b"], "-x\n+y\n+z\n");
            check("exec_command", &json!({"cmd": line}), Some(&expected));
        }
        check("Edit", &json!({}), None);
    }

    #[test]
    fn commands_of_helix_are_known() {
        assert!(ran("helixctl search x", None).is_own());
        assert!(ran("cd /p && A=1 ~/.local/bin/helixctl search x", None).is_own());
        assert!(ran("x=$(helixctl search x)", None).is_own());
        assert!(!ran("cargo build -p helixctl", None).is_own());
    }
}
