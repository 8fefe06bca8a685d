//! Finds daemons that run from this checkout's target directory.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::workspace::Workspace;

/// How long a daemon may take to end once its last test is over.
const FAREWELL: Duration = Duration::from_secs(10);

/// How often the process list is read meanwhile.
const POLL: Duration = Duration::from_millis(100);

/// Returns the process ids of daemons whose program lies under the target directory.
pub(crate) fn daemons(workspace: &Workspace) -> BTreeSet<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return BTreeSet::new();
    };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|id| is_daemon(*id, &workspace.target)).collect()
}

/// Returns whether the process runs a `helixd` from below `dir`, even one that was replaced since.
fn is_daemon(id: u32, dir: &Path) -> bool {
    // A process that ends meanwhile is not a daemon.
    let Ok(program) = std::fs::read_link(format!("/proc/{id}/exe")) else {
        return false;
    };
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.starts_with(dir) && (name == "helixd" || name == "helixd (deleted)")
}

/// Waits until every daemon outside of `before` has ended; fails with those that have not.
pub(crate) fn check_none_left(workspace: &Workspace, before: &BTreeSet<u32>) -> Result<()> {
    let deadline = Instant::now() + FAREWELL;
    loop {
        let left: Vec<u32> = daemons(workspace).difference(before).copied().collect();
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            anyhow::bail!(
                "{}",
                left.iter()
                    .map(|id| describe(*id))
                    .collect::<Vec<_>>()
                    .join("\n")
            );
        }
        std::thread::sleep(POLL);
    }
}

fn describe(id: u32) -> String {
    let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&line).replace('\0', " ");
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let home = environment
        .split('\0')
        .find_map(|entry| entry.strip_prefix("HELIX_HOME="))
        .unwrap_or("the default home");
    format!(
        "a test left a daemon running: process {id}, {}, in {home}",
        words.trim()
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_running_daemon_is_found_and_an_ended_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().canonicalize().unwrap();
        let workspace = Workspace {
            root: target.clone(),
            target: target.clone(),
        };
        let before = daemons(&workspace);
        assert!(before.is_empty());
        // `cat` waits for its stdin: a process that runs until it is told to end.
        let copied = Command::new("sh")
            .args(["-c", "cp \"$(command -v cat)\" \"$0\""])
            .arg(target.join("helixd"))
            .status();
        assert!(copied.unwrap().success());
        let mut child = Command::new(target.join("helixd"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        assert_eq!(daemons(&workspace), BTreeSet::from([child.id()]));
        std::fs::remove_file(target.join("helixd")).unwrap();
        assert_eq!(daemons(&workspace), BTreeSet::from([child.id()]));
        check_none_left(&workspace, &BTreeSet::from([child.id()])).unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
        check_none_left(&workspace, &before).unwrap();
    }
}
