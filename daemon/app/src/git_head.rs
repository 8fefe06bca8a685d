//! Where a work tree stands, read from git's files without starting git.
//!
//! A linked work tree's `.git` is a file that leads to a directory of its own; its branches lie in
//! the directory that its `commondir` names. What cannot be read is left empty.

use std::path::{Path, PathBuf};

use helix_memory::GitContext;

use crate::plain_file;

/// `HEAD`, a reference, and files that name a directory: a line each.
const LINE_FILE_MAX_BYTES: u64 = 4_096;

/// Packed references: some 100,000 of them.
const PACKED_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Before the name of a branch in full.
const BRANCHES: &str = "refs/heads/";

/// Reads where the work tree of this root stands. It reads the disk.
#[must_use]
pub fn read(root: &Path) -> GitContext {
    let Some(own) = git_directory(root) else {
        return GitContext::default();
    };
    let Some(head) = line_of(&own.join("HEAD")) else {
        return GitContext::default();
    };
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else {
        return GitContext {
            branch: String::new(),
            commit: commit_id(&head),
        };
    };
    let branch = reference.strip_prefix(BRANCHES).unwrap_or(reference);
    GitContext {
        branch: branch.to_owned(),
        commit: commit_of(&own, reference),
    }
}

/// The directory in which a work tree keeps its `HEAD`.
fn git_directory(root: &Path) -> Option<PathBuf> {
    let mark = root.join(".git");
    if mark.is_dir() {
        return Some(mark);
    }
    let leads = line_of(&mark)?;
    Some(root.join(leads.strip_prefix("gitdir:")?.trim()))
}

/// The root of the main work tree that a linked one belongs to; `None` for any other. It reads the
/// disk.
#[must_use]
pub fn main_root(root: &Path) -> Option<PathBuf> {
    let own = git_directory(root)?;
    let shared = own.join(line_of(&own.join("commondir"))?);
    let shared = shared.canonicalize().ok()?;
    let is_usual = shared.file_name().is_some_and(|name| name == ".git");
    shared.parent().filter(|_| is_usual).map(Path::to_owned)
}

/// The commit that a reference names; empty for a branch without one.
fn commit_of(own: &Path, reference: &str) -> String {
    // A name never leads out of the directory.
    if reference.split('/').any(|part| part == "..") || reference.starts_with('/') {
        return String::new();
    }
    let shared = line_of(&own.join("commondir")).map_or_else(|| own.to_owned(), |to| own.join(to));
    let loose = line_of(&shared.join(reference));
    let found = loose.or_else(|| packed(&shared, reference));
    commit_id(&found.unwrap_or_default())
}

fn packed(shared: &Path, reference: &str) -> Option<String> {
    let bytes = plain_file::read(&shared.join("packed-refs"), PACKED_MAX_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let named = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        (name == reference).then(|| id.to_owned())
    };
    text.lines().find_map(named)
}

/// A commit's id; empty for anything else.
fn commit_id(text: &str) -> String {
    let is_id = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id {
        text.to_owned()
    } else {
        String::new()
    }
}

/// The only line of a small file.
fn line_of(path: &Path) -> Option<String> {
    let bytes = plain_file::read(path, LINE_FILE_MAX_BYTES).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn branches_loose_and_packed_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        assert_eq!(read(root), GitContext::default());
        put(root, ".git/HEAD", "ref: refs/heads/feature/x\n");
        let unborn = read(root);
        assert_eq!(
            (unborn.branch.as_str(), unborn.commit.as_str()),
            ("feature/x", "")
        );
        put(
            root,
            ".git/packed-refs",
            &format!("# pack-refs\n{ID} refs/heads/feature/x\n"),
        );
        assert_eq!(read(root).commit, ID);
        let newer = ID.replace('0', "f");
        put(root, ".git/refs/heads/feature/x", &format!("{newer}\n"));
        assert_eq!(read(root).commit, newer);
    }

    #[test]
    fn a_detached_head_has_no_branch() {
        let directory = tempfile::tempdir().unwrap();
        put(directory.path(), ".git/HEAD", &format!("{ID}\n"));
        let context = read(directory.path());
        assert_eq!((context.branch.as_str(), context.commit.as_str()), ("", ID));
    }

    #[test]
    fn a_linked_work_tree_is_followed() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        put(root, "tree/.git", "gitdir: ../main/.git/worktrees/tree\n");
        put(
            root,
            "main/.git/worktrees/tree/HEAD",
            "ref: refs/heads/side\n",
        );
        put(root, "main/.git/worktrees/tree/commondir", "../..\n");
        put(root, "main/.git/refs/heads/side", ID);
        let context = read(&root.join("tree"));
        assert_eq!(
            (context.branch.as_str(), context.commit.as_str()),
            ("side", ID)
        );
    }

    #[test]
    fn a_head_that_leads_elsewhere_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        put(root, "secret", ID);
        put(root, ".git/HEAD", "ref: refs/heads/../../../secret\n");
        assert_eq!(read(root).commit, "");
    }
}
