#![allow(clippy::unwrap_used)]
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;
use crate::project::{self, Projects};

/// Room for a busy machine beyond a deadline.
const SLACK: Duration = Duration::from_secs(5);

const SOME_BLOB: [u8; 20] = [7; 20];

/// A repository, and a program outside of it that leaves a mark when it is run.
struct Trap {
    directory: tempfile::TempDir,
}

impl Trap {
    /// A repository with two commits of one file.
    fn new() -> Self {
        let trap = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(trap.root()).unwrap();
        trap.git(&["init", "-q", "-b", "main"]);
        for text in ["one\n", "two\n"] {
            fs::write(trap.root().join("a.txt"), text).unwrap();
            trap.git(&["add", "a.txt"]);
            trap.git(&["commit", "-q", "-m", text]);
        }
        trap.program("evil");
        trap
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn mark(&self) -> PathBuf {
        self.directory.path().join("mark")
    }

    fn evil(&self) -> String {
        self.directory
            .path()
            .join("evil")
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// Writes a program that leaves the mark.
    fn program(&self, path: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(
            &path,
            format!("#!/bin/sh\necho >> '{}'\n", self.mark().display()),
        )
        .unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs git as anybody would, with what the repository sets.
    fn try_git(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        for (name, value) in [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
        ] {
            command.env(name, value);
        }
        command
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@t",
                "-c",
                "commit.gpgsign=false",
                "-C",
            ])
            .arg(self.root());
        command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
            .status
            .success()
    }

    fn git(&self, arguments: &[&str]) {
        assert!(self.try_git(arguments), "git {arguments:?}");
    }

    fn set(&self, settings: &[(&str, &str)]) {
        for (name, value) in settings {
            self.git(&["config", name, value]);
        }
    }

    /// Makes a partial clone of it that has to fetch its first commit from `remote`.
    fn lacks_its_first_commit(&self, remote: &str) {
        let first = self.said(&["rev-list", "--max-parents=0", "HEAD"]);
        let (fan, rest) = first.split_at(2);
        fs::remove_file(self.root().join(".git/objects").join(fan).join(rest)).unwrap();
        self.set(&[
            ("core.repositoryFormatVersion", "1"),
            ("remote.origin.url", remote),
        ]);
        self.set(&[
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
        ]);
        self.set(&[("extensions.partialClone", "origin")]);
    }

    fn said(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.root())
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn attributes(&self, text: &str) {
        fs::create_dir_all(self.root().join(".git/info")).unwrap();
        fs::write(self.root().join(".git/info/attributes"), text).unwrap();
    }

    fn was_sprung(&self) -> bool {
        fs::remove_file(self.mark()).is_ok()
    }

    /// Asks everything that is ever asked of git here.
    fn ask_all(&self) {
        let root = self.root();
        drop(Projects::default().of(&root, || true));
        for question in [
            Question::Place,
            Question::Remotes,
            Question::Roots,
            Question::Blob(&SOME_BLOB),
        ] {
            drop(ask(&root, question));
        }
        drop(project::blob(&root, &SOME_BLOB));
    }
}

/// A name, what the repository sets, and the order that plain git springs the trap with; none where
/// that needs a terminal.
type Case = (&'static str, fn(&Trap), Option<&'static [&'static str]>);

const BLOB: &[&str] = &[
    "cat-file",
    "blob",
    "0707070707070707070707070707070707070707",
];

const CASES: &[Case] = &[
    (
        "fsmonitor",
        |trap| trap.set(&[("core.fsmonitor", &trap.evil())]),
        Some(&["status"]),
    ),
    (
        "a hook",
        |trap| {
            trap.program("project/.git/hooks/pre-commit");
            trap.program("project/.git/hooks/post-index-change");
        },
        Some(&["commit", "--allow-empty", "-m", "x"]),
    ),
    (
        "a directory of hooks",
        |trap| {
            trap.program("hooks/reference-transaction");
            trap.set(&[(
                "core.hooksPath",
                trap.directory.path().join("hooks").to_str().unwrap(),
            )]);
        },
        Some(&["branch", "other"]),
    ),
    (
        "a lazy fetch by ssh",
        |trap| {
            trap.set(&[("core.sshCommand", &trap.evil())]);
            trap.lacks_its_first_commit("ssh://nowhere.invalid/x");
        },
        Some(BLOB),
    ),
    (
        "a lazy fetch through a proxy",
        |trap| {
            trap.set(&[("core.gitProxy", &trap.evil())]);
            trap.lacks_its_first_commit("git://nowhere.invalid/x");
        },
        Some(BLOB),
    ),
    (
        "a lazy fetch from a directory",
        |trap| {
            trap.set(&[("remote.origin.uploadpack", &trap.evil())]);
            let root = trap.root();
            trap.lacks_its_first_commit(root.to_str().unwrap());
        },
        Some(BLOB),
    ),
    (
        "a lazy fetch by a program that is the address",
        |trap| {
            trap.set(&[
                ("protocol.allow", "always"),
                ("protocol.ext.allow", "always"),
            ]);
            trap.lacks_its_first_commit(&format!("ext::{}", trap.evil()));
        },
        Some(BLOB),
    ),
    (
        "an address that is rewritten",
        |trap| {
            trap.set(&[
                ("protocol.ext.allow", "always"),
                (&format!("url.ext::{} .insteadOf", trap.evil()), "calm:"),
            ]);
            trap.lacks_its_first_commit("calm:x");
        },
        Some(BLOB),
    ),
    (
        "a lazy fetch of a blob",
        |trap| {
            trap.set(&[("core.sshCommand", &trap.evil())]);
            trap.lacks_its_first_commit("ssh://nowhere.invalid/x");
        },
        Some(BLOB),
    ),
    (
        "textconv",
        |trap| {
            trap.attributes("*.txt diff=evil\n");
            trap.set(&[("diff.evil.textconv", &trap.evil())]);
        },
        Some(&["diff", "HEAD~1"]),
    ),
    (
        "an external diff",
        |trap| trap.set(&[("diff.external", &trap.evil())]),
        Some(&["diff", "HEAD~1"]),
    ),
    (
        "a diff driver",
        |trap| {
            trap.attributes("*.txt diff=evil\n");
            trap.set(&[("diff.evil.command", &trap.evil())]);
        },
        Some(&["diff", "HEAD~1"]),
    ),
    (
        "a filter",
        |trap| {
            trap.attributes("* filter=evil\n");
            trap.set(&[
                ("filter.evil.clean", &trap.evil()),
                ("filter.evil.smudge", &trap.evil()),
            ]);
            trap.set(&[("filter.evil.process", &trap.evil())]);
            fs::write(trap.root().join("b.txt"), "b").unwrap();
        },
        Some(&["add", "b.txt"]),
    ),
    (
        "aliases",
        |trap| {
            let evil = format!("!{}", trap.evil());
            for name in ["st", "rev-parse", "remote", "rev-list", "cat-file"] {
                trap.set(&[(&format!("alias.{name}"), &evil)]);
            }
        },
        Some(&["st"]),
    ),
    (
        "a pager",
        |trap| {
            trap.set(&[
                ("core.pager", &trap.evil()),
                ("pager.remote", "true"),
                ("pager.rev-list", &trap.evil()),
            ]);
        },
        None,
    ),
    (
        "a credential helper",
        |trap| {
            trap.set(&[
                ("credential.helper", &format!("!{}", trap.evil())),
                ("credential.interactive", "false"),
            ]);
        },
        Some(&["credential", "fill", "url=https://nowhere.invalid"]),
    ),
    (
        "an editor",
        |trap| trap.set(&[("core.editor", &trap.evil())]),
        Some(&["commit", "--allow-empty", "--no-status"]),
    ),
    (
        "the references of an alternate",
        |trap| {
            trap.set(&[("core.alternateRefsCommand", &trap.evil())]);
            let other = trap.directory.path().join("other");
            trap.git(&["clone", "-q", "--bare", ".", other.to_str().unwrap()]);
            let objects = format!("{}\n", other.join("objects").display());
            fs::write(trap.root().join(".git/objects/info/alternates"), objects).unwrap();
        },
        Some(&["rev-list", "--alternate-refs"]),
    ),
    (
        "the configuration of a worktree",
        |trap| {
            trap.set(&[
                ("core.repositoryFormatVersion", "1"),
                ("extensions.worktreeConfig", "true"),
            ]);
            trap.git(&["config", "--worktree", "core.fsmonitor", &trap.evil()]);
        },
        Some(&["status"]),
    ),
    (
        "an included configuration",
        |trap| {
            fs::write(
                trap.directory.path().join("more"),
                format!("[core]\nfsmonitor = {}\n", trap.evil()),
            )
            .unwrap();
            trap.set(&[("include.path", "../../more")]);
        },
        Some(&["status"]),
    ),
    (
        "a repository elsewhere",
        |trap| {
            trap.set(&[("core.fsmonitor", &trap.evil())]);
            fs::rename(
                trap.root().join(".git"),
                trap.directory.path().join("elsewhere"),
            )
            .unwrap();
            fs::write(trap.root().join(".git"), "gitdir: ../elsewhere\n").unwrap();
        },
        Some(&["status"]),
    ),
];

#[test]
fn nothing_that_a_repository_names_is_run() {
    for (name, set, plain) in CASES {
        let trap = Trap::new();
        set(&trap);
        // Setting it may have sprung it.
        trap.was_sprung();
        if let Some(arguments) = plain {
            // A credential is asked for by what follows it.
            let (arguments, input) = match arguments {
                ["credential", "fill", input] => (&["credential", "fill"][..], Some(*input)),
                other => (*other, None),
            };
            match input {
                None => drop(trap.try_git(arguments)),
                Some(input) => fill(&trap, arguments, input),
            }
            assert!(
                trap.was_sprung(),
                "{name}: plain git does not run it, so the trap proves nothing"
            );
        }
        trap.ask_all();
        assert!(!trap.was_sprung(), "{name}: it was run");
    }
}

fn fill(trap: &Trap, arguments: &[&str], input: &str) {
    let given = trap.directory.path().join("input");
    fs::write(&given, format!("{input}\n\n")).unwrap();
    let mut command = Command::new("git");
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "/bin/false")
        .arg("-C")
        .arg(trap.root())
        .args(arguments);
    drop(
        command
            .stdin(fs::File::open(given).unwrap())
            .output()
            .unwrap(),
    );
}

#[test]
fn a_repository_that_hangs_is_left_at_the_deadline() {
    let trap = Trap::new();
    let pipe = trap.directory.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    trap.set(&[("include.path", pipe.to_str().unwrap())]);
    let begin = Instant::now();
    assert!(matches!(
        ask(&trap.root(), Question::Place),
        Err(GitError::Late(READ_DEADLINE))
    ));
    assert!(
        begin.elapsed() >= READ_DEADLINE && begin.elapsed() < READ_DEADLINE + SLACK,
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(unreaped(), 0);

    let projects = Projects::default();
    let project = projects.of(&trap.root(), || true);
    let by_path = format!(
        "project:path:{}",
        trap.root().canonicalize().unwrap().display()
    );
    assert_eq!(project.scope.to_string(), by_path);
    fs::create_dir(trap.root().join("src")).unwrap();
    assert_eq!(
        Projects::default()
            .of(&trap.root().join("src"), || true)
            .scope
            .to_string(),
        by_path
    );
    let begin = Instant::now();
    assert_eq!(projects.of(&trap.root(), || true), project);
    assert!(
        begin.elapsed() < READ_DEADLINE,
        "it was asked again at once"
    );
}

#[test]
fn the_whole_group_of_a_run_ends_with_it() {
    let trap = Trap::new();
    let pipe = trap.directory.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    trap.set(&[("include.path", pipe.to_str().unwrap())]);
    let run = Running::start(&trap.root(), Question::Place).unwrap();
    let group = Pid::from_raw(i32::try_from(run.child.as_ref().unwrap().id()).unwrap());
    drop(run);
    assert_eq!(killpg(group, None), Err(Errno::ESRCH));
}

#[test]
fn repositories_that_lead_nowhere_are_refused_at_once() {
    let trap = Trap::new();
    fs::remove_dir_all(trap.root().join(".git")).unwrap();
    for text in [
        "gitdir: .git\n",
        "gitdir: ../project/.git\n",
        "gitdir: /nonexistent\n",
        "nonsense",
        "",
    ] {
        fs::write(trap.root().join(".git"), text).unwrap();
        assert!(
            matches!(ask(&trap.root(), Question::Place), Err(GitError::Refused)),
            "{text:?}"
        );
    }
    fs::remove_file(trap.root().join(".git")).unwrap();
    std::os::unix::fs::symlink(".git", trap.root().join(".git")).unwrap();
    assert!(matches!(
        ask(&trap.root(), Question::Place),
        Err(GitError::Refused)
    ));
    assert!(matches!(
        ask(Path::new("/nonexistent"), Question::Place),
        Err(GitError::Refused)
    ));
}

#[test]
fn an_answer_is_bounded() {
    let trap = Trap::new();
    let config = trap.root().join(".git/config");
    let long = format!(
        "[remote \"origin\"]\nurl = https://host/{}\n",
        "x".repeat(ANSWER_MAX_BYTES)
    );
    fs::write(&config, fs::read_to_string(&config).unwrap() + &long).unwrap();
    assert!(matches!(
        ask(&trap.root(), Question::Remotes),
        Err(GitError::TooLong(ANSWER_MAX_BYTES))
    ));
    assert!(ask(&trap.root(), Question::Roots).is_ok());
}

#[test]
fn variables_that_could_redirect_git_are_not_passed_on() {
    for name in [
        "GIT_DIR",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_TRACE2_EVENT",
    ] {
        assert!(is_foreign(name), "{name}");
    }
    for name in ["GIT_CONFIG_GLOBAL", "HOME", "PATH", "NOT_GIT_DIR"] {
        assert!(!is_foreign(name), "{name}");
    }
    let command = command(Path::new("/w"), &["remote".to_owned()]);
    let variable = |wanted: &str| {
        command
            .get_envs()
            .find(|(name, _)| *name == wanted)
            .and_then(|(_, value)| value)
    };
    assert_eq!(
        variable("GIT_ALLOW_PROTOCOL").map(std::ffi::OsStr::len),
        Some(0)
    );
    assert_eq!(
        variable("GIT_NO_LAZY_FETCH").and_then(std::ffi::OsStr::to_str),
        Some("1")
    );
}
