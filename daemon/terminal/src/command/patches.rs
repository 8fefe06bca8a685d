//! Patches that a shell line applies by the program for that. Some agents have no other tool to
//! edit files.

use super::super::shell::{Line, Simple};
use super::{DEPTH_MAX, basename, joined, script, without_starters};
use helix_redact::redacted;

/// What the program is called.
const PROGRAMS: &[&str] = &["apply_patch", "applypatch"];

/// How the text of a patch begins.
const BEGINNING: &str = "*** Begin Patch";

/// Bytes of a line with a patch that are looked at; its files are named throughout it.
const LINE_MAX_BYTES: usize = 64 * 1024;

/// Patches of one line that are looked at.
const PATCHES_MAX: usize = 4;

/// What the program says when it did something, and how the lines begin by which it says that it
/// did not.
const SUCCESS: &str = "Success. Updated the following files";
const FAILURES: &[&str] = &[
    "Invalid patch",
    "Failed to ",
    "No files were modified",
    "apply_patch verification failed",
];

/// A patch that a line applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Its lines.
    pub text: String,
    /// Where the line goes before; `None` when it stays.
    pub directory: Option<String>,
}

/// Finds the patches that a line applies, in their order: the first few.
#[must_use]
pub fn patches(line: &str) -> Vec<Patch> {
    // Almost no line is one, and reading one takes longer than looking.
    if !PROGRAMS.iter().any(|program| line.contains(program)) {
        return Vec::new();
    }
    let end = line.floor_char_boundary(LINE_MAX_BYTES);
    let mut found = patches_within(&redacted(line.get(..end).unwrap_or_default()), 0);
    found.truncate(PATCHES_MAX);
    found
}

/// Returns whether the output of a line says that its patches were applied; a line that succeeded
/// need not.
#[must_use]
pub fn was_applied(output: &str, has_failed: bool) -> bool {
    let fails = |line: &str| {
        FAILURES
            .iter()
            .any(|failure| line.trim_start().starts_with(failure))
    };
    output.contains(SUCCESS) || !(has_failed || output.lines().any(fails))
}

fn patches_within(text: &str, depth: usize) -> Vec<Patch> {
    let line = Line::read(text);
    let mut directory: Option<String> = None;
    let mut found = Vec::new();
    for (at, command) in line
        .commands
        .iter()
        .enumerate()
        .filter(|(at, _)| line.runs_in_any_case(*at))
    {
        let words = without_starters(&command.words);
        if let [cd, to] = words.as_slice()
            && cd == "cd"
        {
            directory = Some(joined(directory.as_deref(), to));
        } else if let Some(script) = script(&words).filter(|_| depth < DEPTH_MAX) {
            let inner = patches_within(script, depth + 1).into_iter();
            found.extend(inner.map(|patch| {
                Patch {
                    directory: patch
                        .directory
                        .map(|inner| joined(directory.as_deref(), &inner))
                        .or_else(|| directory.clone()),
                    ..patch
                }
            }));
        } else if words
            .first()
            .is_some_and(|program| PROGRAMS.contains(&basename(program)))
        {
            let text = text_of(&line, at, command, &words).into_iter();
            found.extend(text.map(|text| Patch {
                text: text.to_owned(),
                directory: directory.clone(),
            }));
        }
    }
    found
}

/// The patch that a command is given: behind it, in a document, or by the command that is piped
/// into it.
fn text_of<'a>(
    line: &'a Line,
    at: usize,
    command: &Simple,
    words: &'a [String],
) -> Option<&'a str> {
    let document = |command: &Simple| line.documents.get(command.document?).map(String::as_str);
    let piped = || {
        line.commands
            .get(at.checked_sub(1)?)
            .filter(|_| line.is_piped_to(at))
            .and_then(document)
    };
    let text = words
        .get(1)
        .map(String::as_str)
        .or_else(|| document(command))
        .or_else(piped)?;
    text.trim_start().starts_with(BEGINNING).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch\n";

    #[test]
    fn patches_are_found_however_they_are_given() {
        for (line, directory) in [
            (format!("apply_patch <<'EOF'\n{PATCH}EOF"), None),
            (
                format!("bash -lc \"apply_patch <<'EOF'\n{PATCH}EOF\""),
                None,
            ),
            (
                format!("cd x && apply_patch <<EOF\n{PATCH}EOF\n"),
                Some("x"),
            ),
            (
                format!("cd x && bash -lc \"cd y; apply_patch <<'EOF'\n{PATCH}EOF\n\""),
                Some("x/y"),
            ),
            (format!("apply_patch '{PATCH}'"), None),
            (
                format!("cat <<'EOF' | /usr/bin/apply_patch\n{PATCH}EOF\n"),
                None,
            ),
            (
                format!("apply_patch <<'EOF' && cargo test\n{PATCH}EOF\n"),
                None,
            ),
        ] {
            let found = patches(&line);
            assert_eq!(found.len(), 1, "{line}");
            assert!(
                found
                    .iter()
                    .all(|patch| patch.text == PATCH && patch.directory.as_deref() == directory),
                "{line}"
            );
        }
        let two = format!("apply_patch <<'EOF'\n{PATCH}EOF\napply_patch <<'EOF'\n{PATCH}EOF\n");
        assert_eq!(patches(&two).len(), 2);
    }

    #[test]
    fn other_lines_apply_none() {
        for line in [
            "echo apply_patch",
            "apply_patch --help",
            "apply_patch < fix.patch",
            "cat <<'EOF' > apply_patch\n*** Begin Patch\nEOF",
            "true || apply_patch '*** Begin Patch\n*** End Patch'",
            "",
        ] {
            assert_eq!(patches(line), [], "{line}");
        }
    }

    #[test]
    fn what_was_refused_was_not_applied() {
        let success = "Success. Updated the following files:\nM a.rs\n";
        assert!(
            was_applied(success, false) && was_applied("", false) && was_applied(success, true)
        );
        assert!(
            !was_applied("", true)
                && !was_applied("Failed to find expected lines in a.rs:\nx", false)
        );
        assert!(!was_applied("Invalid patch hunk on line 2: x", false));
    }
}
