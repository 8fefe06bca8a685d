//! The patches of a call: which files they change, and one patch for each of those.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Input;

/// What begins the part of a patch that is about one file, and about one that it takes away.
const STARTS: [&str; 3] = ["*** Update File: ", "*** Add File: ", DELETION];
const DELETION: &str = "*** Delete File: ";

/// Files of one patch about which something is told: each is looked into within the same deadline.
const PATCHES_MAX: usize = 4;

/// Files of one patch that count as changed.
const PATCHED_FILES_MAX: usize = 32;

impl Input {
    /// The lines of a patch, by whatever name the tool takes it.
    pub(in super::super) fn patch_lines(&self) -> impl Iterator<Item = &str> {
        let texts = self
            .tool_input
            .as_object()
            .into_iter()
            .flat_map(Map::values)
            .filter_map(Value::as_str);
        texts.flat_map(str::lines)
    }

    /// The files that a patch changes, as absolute paths: Codex edits by patches.
    pub(in super::super) fn patched_files(&self) -> Vec<PathBuf> {
        self.patched(&STARTS).take(PATCHED_FILES_MAX).collect()
    }

    /// Returns whether a patch takes a file away.
    pub(in super::super) fn deletes(&self, file: &Path) -> bool {
        self.patched(&[DELETION]).any(|deleted| deleted == file)
    }

    /// The files behind lines that begin so, as absolute paths.
    fn patched(&self, starts: &[&str]) -> impl Iterator<Item = PathBuf> {
        let named = self
            .patch_lines()
            .filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
        named
            .map(|file| Path::new(&self.cwd).join(file.trim()))
            .filter(|file| file.is_absolute())
    }

    /// A patch of several files as one for each of the first few; none of a patch of one file, and
    /// of another tool.
    pub(in super::super) fn patches(&self) -> Vec<Self> {
        let mut patches: Vec<String> = Vec::new();
        for line in self
            .patch_lines()
            .filter(|_| self.tool_name == "apply_patch")
        {
            if STARTS.iter().any(|start| line.starts_with(start)) {
                patches.push(String::new());
            }
            if let Some(patch) = patches.last_mut() {
                patch.push_str(line);
                patch.push('\n');
            }
        }
        let count = if patches.len() > 1 { PATCHES_MAX } else { 0 };
        let patches = patches.into_iter().take(count);
        patches
            .map(|patch| self.as_call(&self.tool_name, json!({ "input": patch })))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: /w/b.rs\n+z\n\
                     *** Delete File: c.rs\n*** End Patch";
        let input = Input {
            cwd: "/w".to_owned(),
            tool_input: json!({"command": patch}),
            ..Input::default()
        };
        assert_eq!(
            input.patched_files(),
            [
                Path::new("/w/src/a.rs"),
                Path::new("/w/b.rs"),
                Path::new("/w/c.rs")
            ]
        );
        assert!(input.deletes(Path::new("/w/c.rs")) && !input.deletes(Path::new("/w/b.rs")));
    }

    #[test]
    fn a_patch_of_several_files_is_one_for_each() {
        let of = |tool: &str, patch: &str| {
            let tool_input = json!({ "command": patch });
            Input {
                cwd: "/w".to_owned(),
                tool_name: tool.to_owned(),
                tool_input,
                ..Input::default()
            }
            .patches()
        };
        let files: String = [
            "*** Update File: a.rs\n@@\n-x\n+y\n",
            "*** Delete File: b.rs\n",
        ]
        .concat();
        let patches = of(
            "apply_patch",
            &format!("*** Begin Patch\n{files}*** End Patch"),
        );
        assert_eq!(
            patches
                .iter()
                .map(|part| part.tool_text("input").unwrap())
                .collect::<Vec<_>>(),
            [
                "*** Update File: a.rs\n@@\n-x\n+y\n",
                "*** Delete File: b.rs\n*** End Patch\n"
            ]
        );
        assert_eq!(patches[1].patched_files(), [Path::new("/w/b.rs")]);
        assert!(
            of("Write", &files).is_empty()
                && of("apply_patch", "*** Add File: c.rs\n+z").is_empty()
        );
        assert_eq!(of("apply_patch", &files.repeat(9)).len(), PATCHES_MAX);
    }
}
