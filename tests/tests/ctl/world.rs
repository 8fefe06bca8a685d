//! A daemon with one project, and commands that are run in it.

use std::io::Write;
use std::process::{Output, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Daemon, Home, Project};
use serde_json::Value;

/// A daemon with one project.
pub(crate) struct World {
    pub(crate) daemon: Daemon,
    pub(crate) home: Home,
    pub(crate) project: Project,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "billing").unwrap();
        Self {
            daemon,
            home,
            project,
        }
    }

    /// Runs a command in the project, with nothing on stdin.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, "")
    }

    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut command = self.home.command(Binary::Ctl);
        command
            .args(arguments)
            .current_dir(&self.project.root)
            .env("TZ", "UTC");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its stdin may have ended already.
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        let output = child.wait_with_output().unwrap();
        assert!(
            !output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b),
            "escape codes in a pipe: {output:?}"
        );
        output
    }

    /// Runs a command that must do what was asked; returns what it printed.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            code(&output),
            Some(exit::OK),
            "{arguments:?}: {}",
            stderr(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Stores a text; returns its handle.
    pub(crate) fn add(&self, topic: &str, text: &str, more: &[&str]) -> String {
        let printed = self.done(&[&["add", text, "--topic", topic, "--force"], more].concat());
        printed
            .strip_prefix("stored\t")
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// Searches; returns the handles found, best first.
    pub(crate) fn found(&self, arguments: &[&str]) -> Vec<String> {
        handles(&self.json(&[&["search"], arguments].concat())["hits"])
    }

    /// Runs a command that shows something before it is refused; returns what it complained of.
    pub(crate) fn refused_after(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), Some(exit::USAGE), "{output:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?} showed nothing");
        stderr(&output)
    }

    /// Runs a command that must be refused; returns what it complained of.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            code(&output),
            Some(exit::USAGE),
            "{arguments:?}: {output:?}"
        );
        let said = stderr(&output);
        assert!(
            said.starts_with("helixctl: ") && said.lines().count() == 1,
            "{said}"
        );
        said
    }
}

pub(crate) fn code(output: &Output) -> Option<u8> {
    output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok())
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn handles(hits: &Value) -> Vec<String> {
    hits.as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["memory"]["handle"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn sorted(mut handles: Vec<String>) -> Vec<String> {
    handles.sort();
    handles
}
