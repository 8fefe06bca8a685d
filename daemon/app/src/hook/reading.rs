//! A command of a shell that merely reads files or searches, or that applies a patch: what is known
//! is told as it is to the tools for that, though only after it ran. Some agents have no others.

use std::path::{Path, PathBuf};

use helix_engine::ReadError;
use helix_terminal::command::{Patch, Read, Reading, patches, readings};
use serde_json::{Value, json};

use super::event::Input;
use super::{Context, Given, ambient};

/// Gives what is known of what the command read; `None` for every other command.
pub(super) fn give(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    if context.app.hooks.load.is_stuck() {
        return Ok(None);
    }
    let read = context
        .input
        .tool_text("command")
        .map(readings)
        .unwrap_or_default();
    let mut inputs: Vec<Input> = Vec::new();
    for input in read.iter().filter_map(|read| asked(context, read)) {
        if inputs
            .iter()
            .all(|known| known.tool_input != input.tool_input)
        {
            inputs.push(input);
        }
    }
    let contexts: Vec<Context<'_>> = inputs.iter().map(|input| context.on_call(input)).collect();
    Ok(ambient::give_all(&contexts)?.map(as_ambient))
}

/// The call of the tool that does the same, as far as what it names answers.
fn asked(context: &Context<'_>, reading: &Reading) -> Option<Input> {
    let named = match &reading.what {
        Read::File(file) => Some(file),
        Read::Search { path, .. } => path.as_ref(),
    };
    let place = Path::new(&context.input.cwd).join(named.map_or("", |named| named.as_str()));
    // Where it came from is all that is needed of it.
    let (input, reading) = (context.input.as_call("", Value::Null), reading.clone());
    context.ask_at(&place, move || as_tool(&input, &reading))?
}

/// Returns what the event of that name would have given.
fn as_ambient(given: Given) -> Given {
    Given {
        event: Some("ambient"),
        ..given
    }
}

/// The patches that the command applied, each as a call of the tool for that.
pub(super) fn patched(context: &Context<'_>) -> Vec<Input> {
    edits(context.input, |directory| {
        context.paths().is_directory(directory)
    })
}

fn edits(input: &Input, is_directory: impl Fn(&Path) -> bool) -> Vec<Input> {
    let patches = input.tool_text("command").map(patches).unwrap_or_default();
    patches
        .iter()
        .map(|patch| as_edit(input, patch, &is_directory))
        .collect()
}

/// Gives what is known about what a call touches. Codex carries out a line of its shell that is a
/// patch by itself, and tells of it only before.
pub(super) fn give_before(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    if context.input.tool_name == "Bash" {
        return give_patched(context, &patched(context), true);
    }
    ambient::give(context)
}

/// Notes these patches, and gives what is known of them where somebody `listens`.
pub(super) fn give_patched(
    context: &Context<'_>,
    patches: &[Input],
    listens: bool,
) -> Result<Option<Given>, ReadError> {
    let contexts: Vec<Context<'_>> = patches.iter().map(|input| context.on_call(input)).collect();
    if !listens {
        return ambient::note_all(&contexts).map(|()| None);
    }
    Ok(ambient::give_all(&contexts)?.map(as_ambient))
}

/// The same as a call of the tool for patches.
fn as_edit(input: &Input, patch: &Patch, is_directory: impl Fn(&Path) -> bool) -> Input {
    within(
        input.as_call("apply_patch", json!({ "input": patch.text })),
        patch.directory.as_deref(),
        is_directory,
    )
}

/// The same call in the directory that the line goes to, where that is there.
fn within(mut call: Input, directory: Option<&str>, is_directory: impl Fn(&Path) -> bool) -> Input {
    let directory = directory.map(|directory| Path::new(&call.cwd).join(directory));
    if let Some(directory) = directory.filter(|directory| is_directory(directory)) {
        call.cwd = directory.to_string_lossy().into_owned();
    }
    call
}

/// The same as a call of the tool for it; `None` for a file that is not there. Asked where it may
/// hang.
fn as_tool(input: &Input, reading: &Reading) -> Option<Input> {
    let (tool_name, tool_input): (&str, Value) = match &reading.what {
        Read::File(file) => {
            let file = placed(input, reading, file).filter(|file| file.is_file())?;
            ("Read", json!({ "file_path": file }))
        }
        Read::Search { pattern, path } => {
            let path = path.as_ref().and_then(|path| placed(input, reading, path));
            ("Grep", json!({ "pattern": pattern, "path": path }))
        }
    };
    Some(within(
        input.as_call(tool_name, tool_input),
        reading.directory.as_deref(),
        Path::is_dir,
    ))
}

/// Where a path of the line is. Some clients say from where it was run, and some where it went.
fn placed(input: &Input, reading: &Reading, path: &str) -> Option<PathBuf> {
    let before = Path::new(&input.cwd);
    let after = reading
        .directory
        .as_ref()
        .map(|directory| before.join(directory));
    let placed = [after.as_deref().unwrap_or(before), before].map(|directory| directory.join(path));
    placed
        .into_iter()
        .find(|path| path.is_absolute() && path.exists())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_patch_of_a_shell_is_one_of_the_tool() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir(root.join("web")).unwrap();
        let of = |line: &str| {
            let tool_input = json!({ "command": line });
            let input = Input {
                cwd: root.to_string_lossy().into_owned(),
                tool_input,
                ..Input::default()
            };
            edits(&input, Path::is_dir)
                .iter()
                .flat_map(Input::patched_files)
                .collect::<Vec<_>>()
        };
        let patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch";
        assert_eq!(
            of(&format!("apply_patch <<'EOF'\n{patch}\nEOF")),
            [root.join("a.ts")]
        );
        assert_eq!(
            of(&format!("cd web && apply_patch <<'EOF'\n{patch}\nEOF")),
            [root.join("web/a.ts")]
        );
        assert_eq!(
            of(&format!("cd gone && apply_patch <<'EOF'\n{patch}\nEOF")),
            [root.join("a.ts")]
        );
        assert!(of("cat a.ts").is_empty());
    }

    #[test]
    fn a_command_is_the_tool_that_does_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let (root, file) = (directory.path(), directory.path().join("src/a.rs"));
        std::fs::create_dir(root.join("src")).unwrap();
        std::fs::write(&file, "").unwrap();
        let of = |line: &str| {
            let input = Input {
                cwd: root.to_string_lossy().into_owned(),
                ..Input::default()
            };
            let tool = readings(line)
                .first()
                .and_then(|reading| as_tool(&input, reading));
            tool.map(|tool| (tool.tool_name, tool.tool_input))
        };
        let read = Some(("Read".to_owned(), json!({ "file_path": file })));
        assert_eq!(
            (of("cat src/a.rs"), of("cd src && head a.rs")),
            (read.clone(), read.clone())
        );
        assert_eq!(
            of("cd elsewhere && cat src/a.rs"),
            read,
            "it may be there already"
        );
        assert_eq!((of("cat src/b.rs"), of("cat src")), (None, None));
        let searched = |path: Value| {
            Some((
                "Grep".to_owned(),
                json!({"pattern": "foo_bar", "path": path}),
            ))
        };
        assert_eq!(of("rg foo_bar src"), searched(json!(root.join("src"))));
        assert_eq!(
            (of("rg foo_bar"), of("rg foo_bar lib")),
            (searched(Value::Null), searched(Value::Null))
        );
    }
}
