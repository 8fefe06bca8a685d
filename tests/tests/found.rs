//! The running daemon of a home is found whatever the environment of those who look for it, and
//! stays so.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use helix_proto::exit;
use helix_proto::paths::Paths;
use helix_proto::v1::Program;
use helix_tests::process::{is_alive, within};
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Home, HookRun, Project, Rpc, process};
use serde_json::json;

/// How soon a lost socket is back: the promised second, and room for a busy machine.
const BACK_MAX: Duration = Duration::from_secs(4);

/// How long anything else may take there.
const BUSY: Duration = Duration::from_secs(20);

fn code(output: &Output) -> Option<u8> {
    output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn event(name: &str, cwd: &Path) -> Vec<u8> {
    let input = json!({
        "session_id": "s", "transcript_path": "/t", "cwd": cwd, "hook_event_name": name, "prompt": "go", "source": "startup",
    });
    input.to_string().into_bytes()
}

/// The default home below a directory of data, and a login session's directory.
struct Desk {
    home: Home,
    paths: Paths,
}

impl Desk {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let paths = Paths::inside(&home.scratch().join("data/helix"));
        for directory in ["data", "login-one", "login-two"] {
            fs::create_dir(home.scratch().join(directory)).unwrap();
            fs::set_permissions(
                home.scratch().join(directory),
                fs::Permissions::from_mode(0o700),
            )
            .unwrap();
        }
        Self { home, paths }
    }

    fn login(&self, name: &str) -> PathBuf {
        self.home.scratch().join(name)
    }

    fn command(&self, binary: Binary, login: Option<&str>) -> Command {
        let mut command = self.home.command(binary);
        command
            .env_remove("HELIX_HOME")
            .env("XDG_DATA_HOME", self.home.scratch().join("data"));
        if let Some(login) = login {
            command.env("XDG_RUNTIME_DIR", self.login(login));
        }
        command.stdin(Stdio::null());
        command
    }

    fn ctl(&self, login: Option<&str>, arguments: &[&str]) -> Output {
        let output = self
            .command(Binary::Ctl, login)
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(
            code(&output),
            Some(exit::OK),
            "{login:?} {arguments:?}: {output:?}"
        );
        output
    }

    fn hook(&self, login: Option<&str>) -> String {
        let mut command = self.command(Binary::Hook, login);
        let mut child = command
            .arg("session")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(&event("SessionStart", self.home.scratch()))
            .unwrap();
        text(&child.wait_with_output().unwrap().stdout)
    }
}

#[test]
fn every_program_finds_the_daemon_of_its_home_in_any_environment() {
    let desk = Desk::new();
    desk.ctl(Some("login-one"), &["up"]);
    let pid = process::holder(&desk.paths).unwrap().unwrap();
    let socket = desk.login("login-one").join("helix/helixd.sock");
    assert!(socket.exists() && !desk.paths.socket.exists());
    desk.ctl(
        Some("login-one"),
        &[
            "add",
            "--topic",
            "deploy",
            "The kiosk firmware is deployed with kiosk-push.",
        ],
    );
    for login in [Some("login-one"), Some("login-two"), None] {
        let up = text(&desk.ctl(login, &["up"]).stdout);
        assert!(
            up.contains(&format!(
                "already runs: pid {pid}, socket {}",
                socket.display()
            )),
            "{login:?}: {up}"
        );
        assert!(
            text(&desk.ctl(login, &["search", "kiosk firmware"]).stdout).contains("kiosk-push"),
            "{login:?}"
        );
        let status: serde_json::Value =
            serde_json::from_slice(&desk.ctl(login, &["status", "--json"]).stdout).unwrap();
        assert_eq!(status["socket"], socket.to_str().unwrap(), "{login:?}");
    }
    assert!(desk.hook(Some("login-two")).contains("kiosk-push"));
    let down = desk.ctl(None, &["down"]);
    assert_eq!(text(&down.stdout), format!("helixd stopped: pid {pid}\n"));
    process::await_end(pid).unwrap();
}

#[test]
fn a_login_session_that_goes_and_comes_does_not_hide_the_daemon() {
    let desk = Desk::new();
    desk.ctl(Some("login-one"), &["up"]);
    let pid = process::holder(&desk.paths).unwrap().unwrap();
    fs::remove_dir_all(desk.login("login-one")).unwrap();
    let reached = |socket: &Path| UnixStream::connect(socket).ok().map(drop);
    within(BUSY, || Ok(reached(&desk.paths.socket))).unwrap();
    for login in [Some("login-one"), None] {
        let up = text(&desk.ctl(login, &["up"]).stdout);
        assert!(up.contains(&format!("pid {pid}")), "{up}");
    }
    assert!(
        !desk.login("login-one").exists(),
        "it is the system's to make"
    );
    fs::create_dir(desk.login("login-one")).unwrap();
    let socket = desk.login("login-one").join("helix/helixd.sock");
    within(BUSY, || Ok(reached(&socket))).unwrap();
    desk.ctl(Some("login-two"), &["down"]);
    process::await_end(pid).unwrap();
    assert!(
        !socket.exists() && !desk.paths.socket.exists(),
        "nothing is left"
    );
}

/// Waits until a daemon answers at the home's socket, which is a file of its own again.
fn await_back(home: &Home, gone: Instant) {
    within(BUSY, || Ok(UnixStream::connect(&home.paths.socket).ok())).unwrap();
    assert!(gone.elapsed() < BACK_MAX, "{:?}", gone.elapsed());
    // It is bound a moment before its mode is set, in a directory that is the owner's alone.
    let is_own = || {
        let found = fs::symlink_metadata(&home.paths.socket)?;
        Ok((found.permissions().mode() & 0o777 == 0o600).then_some(()))
    };
    within(BUSY, is_own).unwrap();
}

#[test]
fn a_socket_that_is_deleted_or_replaced_is_made_again() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let mut before = Rpc::connect(&home).unwrap();
    let run = home.paths.socket.parent().unwrap();
    for lose in [
        |socket: &Path| fs::remove_file(socket).unwrap(),
        |socket: &Path| {
            fs::remove_file(socket).unwrap();
            // As somebody leaves it who died.
            drop(UnixListener::bind(socket).unwrap());
        },
        |socket: &Path| fs::rename(socket, socket.with_extension("old")).unwrap(),
        |socket: &Path| {
            fs::remove_file(socket).unwrap();
            fs::write(socket, "precious").unwrap();
        },
        |socket: &Path| {
            fs::remove_file(socket).unwrap();
            fs::create_dir(socket).unwrap();
        },
        |socket: &Path| {
            fs::remove_file(socket).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", socket).unwrap();
        },
        |socket: &Path| {
            fs::remove_file(socket).unwrap();
            nix::unistd::mkfifo(socket, nix::sys::stat::Mode::S_IRWXU).unwrap();
        },
    ] {
        lose(&home.paths.socket);
        await_back(&home, Instant::now());
        assert_eq!(Rpc::connect(&home).unwrap().pid(), daemon.pid());
    }
    before
        .store(
            Program::Ctl,
            home.scratch(),
            draft("facts", "Water is wet.", ""),
        )
        .unwrap();
    fs::remove_file(run.join("helixd.old")).unwrap();
    assert_eq!(
        fs::read_to_string(run.join("moved-1-helixd.sock")).unwrap(),
        "precious"
    );
    assert!(fs::symlink_metadata(run.join("moved-4-helixd.sock")).is_ok());
    assert!(daemon.stop().unwrap().success());
    assert!(!home.paths.socket.exists());
}

#[test]
fn down_reaches_a_daemon_that_nobody_can_connect_to() {
    let home = Home::new().unwrap();
    let daemon = {
        let mut command = home.command(Binary::Daemon);
        command.env("HELIX_SOCKET", home.scratch().join("elsewhere.sock"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    within(BUSY, || {
        Ok(UnixStream::connect(home.scratch().join("elsewhere.sock")).ok())
    })
    .unwrap();
    // It says where it listens once it does.
    within(BUSY, || {
        let said = fs::read_to_string(home.paths.lock())?;
        Ok(said.contains("elsewhere.sock").then_some(()))
    })
    .unwrap();
    // As an earlier version wrote it, which did not say that.
    fs::write(home.paths.lock(), format!("{}\n", daemon.id())).unwrap();
    let down = home
        .command(Binary::Ctl)
        .arg("down")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(code(&down), Some(exit::OK), "{down:?}");
    assert!(text(&down.stderr).contains("by signal"), "{down:?}");
    assert_eq!(home.holder().unwrap(), None);
    drop(daemon.wait_with_output());
}

#[cfg(target_os = "linux")]
#[test]
fn down_sends_no_signal_to_a_process_that_does_not_hold_the_lock() {
    let home = Home::new().unwrap();
    fs::create_dir_all(home.paths.lock().parent().unwrap()).unwrap();
    fs::set_permissions(&home.paths.home, fs::Permissions::from_mode(0o700)).unwrap();
    let lock = File::create(home.paths.lock()).unwrap();
    fs::set_permissions(home.paths.lock(), fs::Permissions::from_mode(0o600)).unwrap();
    lock.lock().unwrap();
    let mut bystander = Command::new("sleep").arg("600").spawn().unwrap();
    fs::write(home.paths.lock(), format!("{}\n", bystander.id())).unwrap();
    let down = home
        .command(Binary::Ctl)
        .arg("down")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(code(&down), Some(exit::UNAVAILABLE), "{down:?}");
    assert!(is_alive(bystander.id()).unwrap() && bystander.try_wait().unwrap().is_none());
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn a_daemon_that_died_is_followed_by_one_that_any_hook_starts() {
    let home = Home::new().unwrap();
    let project = Project::new(&home, "billing").unwrap();
    let hook = || {
        HookRun::of(&home, "prompt", &event("UserPromptSubmit", &project.root))
            .unwrap()
            .check_silent()
            .unwrap();
    };
    hook();
    assert_eq!(home.holder().unwrap(), None, "there never was one");
    Daemon::start(&home).unwrap().kill().unwrap();
    let approve = json!({
        "session_id": "s", "transcript_path": "/t", "hook_event_name": "PermissionRequest",
        "tool_name": "mcp__helix__search", "tool_input": {"query": "x"},
    });
    let allowed = HookRun::of(&home, "approve-mcp", approve.to_string().as_bytes()).unwrap();
    assert!(text(&allowed.stdout).contains("\"allow\""), "{allowed:?}");
    hook();
    // Before it answers, the lock may be that of whoever starts it, and the text in it that of the
    // one before.
    within(BUSY, || Ok(Rpc::connect(&home).ok())).unwrap();
    let second = within(BUSY, || home.holder()).unwrap();

    process::signal(second, nix::sys::signal::Signal::SIGKILL).unwrap();
    process::await_end(second).unwrap();
    fs::write(home.paths.lock().with_extension("started"), "").unwrap();
    hook();
    assert_eq!(home.holder().unwrap(), None, "one was started a moment ago");

    let up = home
        .command(Binary::Ctl)
        .arg("up")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(code(&up), Some(exit::OK));
    let down = home
        .command(Binary::Ctl)
        .arg("down")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(code(&down), Some(exit::OK));
    fs::remove_file(home.paths.lock().with_extension("started")).ok();
    hook();
    assert_eq!(home.holder().unwrap(), None, "it was stopped on purpose");
}

#[test]
fn an_empty_variable_is_an_unset_one_everywhere() {
    let desk = Desk::new();
    let empty = |binary| {
        let mut command = desk.command(binary, None);
        command
            .env("HELIX_HOME", "")
            .env("HELIX_SOCKET", "")
            .env("XDG_RUNTIME_DIR", "");
        command
    };
    let up = empty(Binary::Ctl).arg("up").output().unwrap();
    assert_eq!(code(&up), Some(exit::OK), "{up:?}");
    assert!(
        text(&up.stdout).contains(desk.paths.socket.to_str().unwrap()),
        "{up:?}"
    );
    let refused = empty(Binary::Daemon).output().unwrap();
    assert_eq!(code(&refused), Some(exit::ALREADY_RUNNING), "{refused:?}");
    assert!(
        text(&refused.stderr).contains(desk.paths.home.to_str().unwrap()),
        "{refused:?}"
    );
    assert_eq!(
        code(&empty(Binary::Ctl).arg("down").output().unwrap()),
        Some(exit::OK)
    );
}

#[test]
fn a_start_that_fails_has_its_documented_code() {
    let home = Home::new().unwrap();
    let script = |name: &str, text: &str| {
        let path = home.scratch().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let plain = home.scratch().join("plain");
    fs::write(&plain, "").unwrap();
    for (daemon, expected) in [
        (PathBuf::from("/nonexistent/helixd"), exit::UNAVAILABLE),
        (plain.clone(), exit::PERMISSION),
        (script("fails", "exit 1"), exit::UNAVAILABLE),
        (script("lacks-a-library", "exit 127"), exit::UNAVAILABLE),
        (script("newer", "exit 76"), exit::NEWER_FORMAT),
    ] {
        let up = home
            .command(Binary::Ctl)
            .arg("up")
            .env("HELIX_DAEMON", &daemon)
            .output()
            .unwrap();
        assert_eq!(code(&up), Some(expected), "{}: {up:?}", daemon.display());
    }
    let long = format!("/tmp/{}", "x".repeat(120));
    let open = home.scratch().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let taken = home.scratch().join("taken.sock");
    let _other = UnixListener::bind(&taken).unwrap();
    let place = |path: &Path| path.to_str().unwrap().to_owned();
    for (arguments, expected) in [
        (["--socket".to_owned(), long], exit::USAGE),
        (["--socket".to_owned(), place(&plain)], exit::USAGE),
        (
            ["--socket".to_owned(), place(&taken)],
            exit::ALREADY_RUNNING,
        ),
        (["--home".to_owned(), place(&plain)], exit::USAGE),
        (["--home".to_owned(), place(&open)], exit::PERMISSION),
    ] {
        let started = home
            .command(Binary::Daemon)
            .args(&arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(code(&started), Some(expected), "{arguments:?}: {started:?}");
    }
    let open_home = |binary: Binary, argument: &str| {
        let mut command = home.command(binary);
        command.arg(argument).env("HELIX_HOME", &open);
        command.env_remove("HELIX_SOCKET").stdin(Stdio::null());
        command.output().unwrap()
    };
    let up = open_home(Binary::Ctl, "up");
    assert_eq!(code(&up), Some(exit::PERMISSION), "{up:?}");
    assert!(text(&up.stderr).contains("chmod 700"), "{up:?}");
    drop(open_home(Binary::Hook, "session"));
    assert_eq!(
        fs::read_dir(&open).unwrap().count(),
        0,
        "it was written into"
    );
    assert_eq!(
        fs::metadata(&open).unwrap().permissions().mode() & 0o777,
        0o755
    );
    let empty = home
        .command(Binary::Ctl)
        .args(["--home", "", "up"])
        .output()
        .unwrap();
    assert_eq!(code(&empty), Some(exit::USAGE), "{empty:?}");
}

#[test]
fn what_stands_in_the_place_of_the_run_directory_is_named() {
    let home = Home::new().unwrap();
    let run = home.paths.home.join("run");
    let theirs = home.scratch().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::create_dir(&home.paths.home).unwrap();
    fs::set_permissions(&home.paths.home, fs::Permissions::from_mode(0o700)).unwrap();
    for kind in ["file", "FIFO", "link"] {
        drop(fs::remove_dir_all(&run).or_else(|_| fs::remove_file(&run)));
        match kind {
            "file" => fs::write(&run, "").unwrap(),
            "FIFO" => nix::unistd::mkfifo(&run, nix::sys::stat::Mode::S_IRWXU).unwrap(),
            _ => std::os::unix::fs::symlink(&theirs, &run).unwrap(),
        }
        for binary in [Binary::Ctl, Binary::Daemon] {
            let mut command = home.command(binary);
            command.args((binary == Binary::Ctl).then_some("up"));
            let output = command.stdin(Stdio::null()).output().unwrap();
            let said = text(&output.stderr);
            assert_eq!(code(&output), Some(exit::IO), "{kind}: {said}");
            let place = run.display().to_string();
            assert!(said.contains(&place), "{kind}: {said}");
            assert!(
                said.contains("no directory; move it away"),
                "{kind}: {said}"
            );
        }
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0, "{kind}");
    }
}
