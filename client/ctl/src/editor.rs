//! The person's own editor on a file of ours.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::failure::Failure;

/// Variables that name the editor; the first that is set counts.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// The editor that every Unix has.
const FALLBACK: &str = "vi";

/// How the shell ends that found a program it may not run, and one that did not find it.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// A file in a directory of its own, readable by its owner only, and so is whatever an editor puts
/// beside it. Both vanish unless they are kept.
#[derive(Debug)]
pub(crate) struct Draft {
    directory: TempDir,
    path: PathBuf,
}

impl Draft {
    /// Writes a text to a file of this name.
    pub(crate) fn new(name: &str, text: &str) -> Result<Self, Failure> {
        let directory = tempfile::Builder::new()
            .prefix("helix-edit-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir();
        let directory =
            directory.map_err(Failure::io("making a directory for the text to edit"))?;
        let path = directory.path().join(name);
        fs::write(&path, text).map_err(Failure::io(format!("writing {}", path.display())))?;
        Ok(Self { directory, path })
    }

    /// Lets the person edit the file.
    pub(crate) fn edit(&self) -> Result<(), Failure> {
        run(&command(|name| env::var(name).ok()), &self.path)
    }

    /// Returns whether the file is still there.
    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Reads the file as it is now.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        read(&self.path)
    }

    /// Keeps the file and says where it is.
    pub(crate) fn keep(self) -> PathBuf {
        // The directory stays from here on.
        drop(self.directory.keep());
        self.path
    }
}

/// Reads an edited file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(Failure::io(format!("reading {}", path.display())))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::Usage(format!("{} is not UTF-8; save it as UTF-8", path.display())))
}

/// The editor as a shell understands it, e.g. `code --wait`.
fn command(variable: impl Fn(&str) -> Option<String>) -> String {
    let set = VARIABLES
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.trim().is_empty());
    set.unwrap_or_else(|| FALLBACK.to_owned())
}

/// Runs the editor through the shell, as git does: the variable may hold arguments and quotes.
fn run(editor: &str, path: &Path) -> Result<(), Failure> {
    let script = format!("{editor} \"$@\"");
    let status = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(editor)
        .arg(path)
        .status();
    let status = status.map_err(Failure::io(format!("starting the editor {editor:?}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Usage(ended(editor, status)))
}

/// Explains an editor that ended with an error: the shell did not find it, or the person left it so
/// to change nothing.
fn ended(editor: &str, status: ExitStatus) -> String {
    match status.code() {
        Some(NOT_EXECUTABLE | NOT_FOUND) => {
            format!(
                "the editor {editor:?} cannot be started; set VISUAL or EDITOR to one that works"
            )
        }
        _ => format!("the editor {editor:?} ended with {status}, so nothing was changed"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn visual_comes_first_and_empty_means_unset() {
        let table = [
            (Some("code --wait"), Some("nano"), "code --wait"),
            (None, Some("nano"), "nano"),
            (Some(" "), Some("nano"), "nano"),
            (None, None, "vi"),
        ];
        for (visual, editor, expected) in table {
            let found =
                command(|name| if name == "VISUAL" { visual } else { editor }.map(str::to_owned));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_draft_is_private_and_vanishes_unless_kept() {
        let draft = Draft::new("a.md", "text").unwrap();
        let directory = draft.directory.path().to_owned();
        assert_eq!(
            fs::metadata(&directory).unwrap().permissions().mode() & 0o077,
            0
        );
        drop(draft);
        assert!(!directory.exists());
        let kept = Draft::new("a.md", "text").unwrap().keep();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "text");
        fs::remove_dir_all(kept.parent().unwrap()).unwrap();
    }

    #[test]
    fn an_editor_may_have_arguments_and_may_fail() {
        let draft = Draft::new("a.md", "text").unwrap();
        run("printf %s edited > \"$1\" ; true", &draft.path).unwrap();
        assert_eq!(read(&draft.path).unwrap(), "edited");
        let failed = run("exit 3 ;", &draft.path).unwrap_err().to_string();
        assert!(
            failed.ends_with("so nothing was changed") && !failed.contains("VISUAL"),
            "{failed}"
        );
        let missing = run("/no/such/editor", &draft.path).unwrap_err().to_string();
        assert!(missing.contains("set VISUAL or EDITOR"), "{missing}");
    }
}
