//! A home, a project and a stand-in for the daemon that vanish with the test.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::fake::{Fake, State};

pub(crate) const USAGE: i32 = 64;
pub(crate) const DATA: i32 = 65;
pub(crate) const UNAVAILABLE: i32 = 69;
pub(crate) const INTERRUPTED: i32 = 130;

/// How long a command may take to begin, even on a busy machine.
const DEADLINE: Duration = Duration::from_mins(1);

/// Where a command runs.
pub(crate) struct World {
    root: TempDir,
    pub(crate) fake: Fake,
}

impl World {
    /// A daemon that answers what `state` says.
    pub(crate) fn new(state: State) -> Self {
        let root = TempDir::new().unwrap();
        for directory in ["project", "user", "tmp"] {
            fs::create_dir(root.path().join(directory)).unwrap();
        }
        let fake = Fake::serve(&root.path().join("helix"), state);
        Self { root, fake }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("project").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_helixctl"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("user"))
            .env("TMPDIR", self.path("tmp"))
            .env("HELIX_HOME", self.path("helix"))
            // A daemon started by mistake would be this one, and the command would fail.
            .env("HELIX_DAEMON", self.path("no-such-daemon"))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs until the stand-in knows of it, and then sends Ctrl-C.
    pub(crate) fn interrupt(
        &self,
        arguments: &[&str],
        is_under_way: impl Fn(&State) -> bool,
    ) -> Output {
        let child = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + DEADLINE;
        while !self.fake.look(&is_under_way) && Instant::now() < deadline {
            thread::yield_now();
        }
        kill(
            Pid::from_raw(i32::try_from(child.id()).unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
        child.wait_with_output().unwrap()
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Runs on a terminal with an editor: a shell script whose first argument is the file.
    pub(crate) fn run_with_editor(&self, arguments: &[&str], script: &str) -> Output {
        let editor = self.path("editor");
        fs::write(&editor, script).unwrap();
        let editor = format!("sh '{}'", editor.display());
        let terminal = openpty(None, None).unwrap();
        let mut command = self.command(arguments);
        command
            .env("EDITOR", editor)
            .env("PATH", "/usr/bin:/bin")
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped());
        command
            .stdin(terminal.slave.try_clone().unwrap())
            .stdout(terminal.slave);
        let child = command.spawn().unwrap();
        // Our own copies of the program's end would keep the terminal open.
        drop(command);
        let reader = thread::spawn(move || {
            let mut shown = Vec::new();
            // Reading ends with an error when the last program has let go of the terminal.
            File::from(terminal.master).read_to_end(&mut shown).ok();
            String::from_utf8(shown)
                .unwrap()
                .replace("\r\n", "\n")
                .into_bytes()
        });
        let output = child.wait_with_output().unwrap();
        Output {
            stdout: reader.join().unwrap(),
            ..output
        }
    }

    /// Lists the directory for temporary files.
    pub(crate) fn left_over(&self) -> Vec<PathBuf> {
        names(&self.path("tmp"))
    }
}

/// Lists a directory.
pub(crate) fn names(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn json(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Asserts how a command ended, and shows what it said when it did not.
pub(crate) fn assert_code(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "stdout: {}\nstderr: {}",
        stdout(output),
        stderr(output)
    );
}
