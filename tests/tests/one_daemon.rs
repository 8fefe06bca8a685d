//! One daemon a home: who starts, who gives way, what is left, and what is refused.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use helix_engine::Store;
use helix_proto::exit;
use helix_proto::v1::{EmbedderState, Program, Retriever};
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Home, Rpc, process};
use nix::sys::signal::Signal;
use redb::TableDefinition;
use serde_json::Value;

/// Programs started at once.
const STARTERS: usize = 30;

/// How long they may take to settle it, on a busy machine.
const SETTLE_DEADLINE: Duration = Duration::from_mins(2);

/// How long a daemon may take to stop: the promised 5 s, and room for a busy machine.
const STOP_MAX: Duration = Duration::from_secs(8);

fn run(home: &Home, binary: Binary, arguments: &[&str]) -> Output {
    home.command(binary)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn ctl(home: &Home, arguments: &[&str]) -> Output {
    run(home, Binary::Ctl, arguments)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> Option<u8> {
    output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok())
}

#[test]
fn thirty_daemons_at_once_are_one() {
    let home = Home::new().unwrap();
    let (sender, ended) = channel();
    for _ in 0..STARTERS {
        let mut command = home.command(Binary::Daemon);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let sender = sender.clone();
        thread::spawn(move || sender.send((child.id(), child.wait_with_output().unwrap())));
    }
    let losers: Vec<_> = (1..STARTERS)
        .map(|_| ended.recv_timeout(SETTLE_DEADLINE).unwrap())
        .collect();
    let holder = home.holder().unwrap().unwrap();
    for (pid, output) in &losers {
        assert_eq!(
            code(output),
            Some(exit::ALREADY_RUNNING),
            "{pid}: {}",
            stderr(output)
        );
        assert!(
            stderr(output).contains(&format!("pid {holder}")),
            "{holder}: {}",
            stderr(output)
        );
    }
    process::signal(holder, Signal::SIGTERM).unwrap();
    let (pid, output) = ended.recv_timeout(SETTLE_DEADLINE).unwrap();
    assert_eq!(
        (pid, code(&output)),
        (holder, Some(exit::OK)),
        "{}",
        stderr(&output)
    );
}

#[test]
fn thirty_times_up_at_once_is_one_daemon() {
    let home = Home::new().unwrap();
    let starters: Vec<_> = (0..STARTERS)
        .map(|_| {
            let mut command = home.command(Binary::Ctl);
            command
                .arg("up")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let outputs: Vec<Output> = starters
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .collect();
    let pid = Rpc::connect(&home).unwrap().pid();
    for output in &outputs {
        assert_eq!(code(output), Some(exit::OK), "{}", stderr(output));
        assert!(
            stdout(output).contains(&format!("pid {pid},")),
            "{pid}: {}",
            stdout(output)
        );
    }
    let said = |what: &str| {
        outputs
            .iter()
            .filter(|output| stdout(output).contains(what))
            .count()
    };
    assert_eq!(
        (said(" started: "), said(" already runs: ")),
        (1, STARTERS - 1)
    );
}

#[test]
fn a_daemon_that_was_stopped_by_a_signal_goes_down() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let memory = draft("facts", "Water is wet.", "");
    Rpc::connect(&home)
        .unwrap()
        .store(Program::Ctl, home.scratch(), memory)
        .unwrap();
    let pid = daemon.pid();
    daemon.signal(Signal::SIGSTOP).unwrap();
    let down = ctl(&home, &["down"]);
    assert_eq!(
        (code(&down), stdout(&down)),
        (Some(exit::OK), format!("helixd stopped: pid {pid}\n"))
    );
    assert!(
        stderr(&down).contains("did not answer"),
        "{}",
        stderr(&down)
    );
    assert_eq!(
        daemon.wait().unwrap().code(),
        Some(0),
        "it ended as it does when it is asked"
    );
}

#[test]
fn down_leaves_no_process_and_no_socket() {
    let home = Home::new().unwrap();
    assert_eq!(code(&ctl(&home, &["up"])), Some(exit::OK));
    let pid = Rpc::connect(&home).unwrap().pid();
    let down = ctl(&home, &["down"]);
    assert_eq!(
        (code(&down), stdout(&down)),
        (Some(exit::OK), format!("helixd stopped: pid {pid}\n"))
    );
    process::await_end(pid).unwrap();
    assert_eq!(home.holder().unwrap(), None);
    assert!(!home.paths.socket.exists());
    let again = ctl(&home, &["down"]);
    assert_eq!(
        (code(&again), stdout(&again).as_str()),
        (Some(exit::OK), "helixd was not running\n")
    );
}

#[test]
fn a_stale_socket_is_replaced() {
    let home = Home::new().unwrap();
    let run = home.paths.socket.parent().unwrap();
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(run)
        .unwrap();
    drop(UnixListener::bind(&home.paths.socket).unwrap());
    let daemon = Daemon::start(&home).unwrap();
    assert_eq!(Rpc::connect(&home).unwrap().pid(), daemon.pid());
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    assert!(!home.paths.socket.exists());
}

#[test]
fn a_killed_daemon_is_followed_by_another_that_knows_everything() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let memory = draft("facts", "Water is wet.", "");
    let stored = Rpc::connect(&home)
        .unwrap()
        .store(Program::Ctl, home.scratch(), memory)
        .unwrap();
    daemon.kill().unwrap();
    assert!(
        home.paths.socket.exists(),
        "a killed daemon leaves its socket"
    );
    let _daemon = Daemon::start(&home).unwrap();
    let found = Rpc::connect(&home)
        .unwrap()
        .search(home.scratch(), "water", Retriever::Words)
        .unwrap();
    assert_eq!(
        found.hits.first().unwrap().memory.as_ref().unwrap().id,
        stored.id
    );
}

#[test]
fn every_signal_to_stop_ends_it_in_order() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        daemon.signal(signal).unwrap();
        assert_eq!(daemon.wait().unwrap().code(), Some(0), "{signal}");
        assert!(!home.paths.socket.exists(), "{signal}");
    }
}

#[test]
fn a_client_that_stays_connected_does_not_hold_it_up() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    // Nobody drives this connection, so it is never closed from its side.
    let rpc = Rpc::connect(&home).unwrap();
    let begin = Instant::now();
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    assert!(begin.elapsed() < STOP_MAX, "{:?}", begin.elapsed());
    drop(rpc);
}

#[test]
fn homes_are_independent() {
    let (one, two) = (Home::new().unwrap(), Home::new().unwrap());
    let (first, second) = (Daemon::start(&one).unwrap(), Daemon::start(&two).unwrap());
    assert_ne!(first.pid(), second.pid());
    let mut rpc = Rpc::connect(&one).unwrap();
    let cwd = one.scratch();
    rpc.store(Program::Ctl, cwd, draft("facts", "Water is wet.", ""))
        .unwrap();
    assert_eq!(
        rpc.search(cwd, "water", Retriever::Words)
            .unwrap()
            .hits
            .len(),
        1
    );
    assert_eq!(
        Rpc::connect(&two)
            .unwrap()
            .search(cwd, "water", Retriever::Words)
            .unwrap()
            .hits
            .len(),
        0
    );
    first.stop().unwrap();
    assert_eq!(Rpc::connect(&two).unwrap().pid(), second.pid());
}

/// Checks everything in a directory.
fn check_private(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        // The indexer replaces its files while we look.
        let Ok(found) = fs::symlink_metadata(&path) else {
            continue;
        };
        let (mode, file_type) = (found.permissions().mode() & 0o777, found.file_type());
        let expected = if file_type.is_dir() { 0o700 } else { 0o600 };
        assert!(
            file_type.is_dir() || file_type.is_file() || file_type.is_socket(),
            "{}",
            path.display()
        );
        assert_eq!(mode, expected, "{} has mode {mode:o}", path.display());
        if file_type.is_dir() {
            check_private(&path);
        }
    }
}

#[test]
fn everything_is_for_the_owner_alone() {
    let home = Home::new().unwrap();
    // A parent with another habit.
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg("umask 000; exec \"$0\" up")
        .arg(Binary::Ctl.path());
    let template = home.command(Binary::Ctl);
    for (name, value) in template.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let up = command.output().unwrap();
    assert_eq!(code(&up), Some(exit::OK), "{}", stderr(&up));
    let memory = draft("facts", "Water is wet.", "");
    Rpc::connect(&home)
        .unwrap()
        .store(Program::Ctl, home.scratch(), memory)
        .unwrap();
    assert_eq!(
        fs::metadata(&home.paths.home).unwrap().permissions().mode() & 0o777,
        0o700
    );
    check_private(&home.paths.home);
    // Also what is written at the end.
    assert_eq!(code(&ctl(&home, &["down"])), Some(exit::OK));
    check_private(&home.paths.home);
}

/// Lets a daemon store one memory and stop, then has its store say that it is of this format.
/// Returns the store's path.
fn store_of_format(home: &Home, format: u64) -> PathBuf {
    let daemon = Daemon::start(home).unwrap();
    let memory = draft("facts", "Water is wet.", "");
    Rpc::connect(home)
        .unwrap()
        .store(Program::Ctl, home.scratch(), memory)
        .unwrap();
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    let path = home.paths.strand("default").join(Store::FILE);
    let database = redb::Database::open(&path).unwrap();
    let write = database.begin_write().unwrap();
    write
        .open_table(TableDefinition::<&str, u64>::new("meta"))
        .unwrap()
        .insert("format", format)
        .unwrap();
    write.commit().unwrap();
    path
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    const NEWER: u64 = 1_000;
    let home = Home::new().unwrap();
    let path = store_of_format(&home, NEWER);
    let before = fs::read(&path).unwrap();
    let refused = run(&home, Binary::Daemon, &[]);
    assert_eq!(
        code(&refused),
        Some(exit::NEWER_FORMAT),
        "{}",
        stderr(&refused)
    );
    assert!(
        stderr(&refused).contains(&NEWER.to_string()),
        "{}",
        stderr(&refused)
    );
    assert!(fs::read(&path).unwrap() == before, "the store was touched");
    assert!(!home.paths.socket.exists());
}

#[test]
fn a_store_that_lost_everything_is_refused_and_left_alone() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let draft = draft("disks", "Disks are checked on Mondays.", "");
    Rpc::connect(&home)
        .unwrap()
        .store(Program::Mcp, home.scratch(), draft)
        .unwrap();
    // As it ends it writes the index.
    daemon.stop().unwrap();
    let store = home.paths.strand("default").join(Store::FILE);
    let whole = fs::read(&store).unwrap();
    for lost in [vec![], vec![7; 7_000]] {
        fs::write(&store, &lost).unwrap();
        let refused = ctl(&home, &["up"]);
        assert!(code(&refused).is_some_and(|code| code != 0), "{refused:?}");
        assert!(
            stderr(&refused).contains("put a copy of it back"),
            "{refused:?}"
        );
        assert_eq!(fs::read(&store).unwrap(), lost);
    }
    fs::write(&store, whole).unwrap();
    assert_eq!(code(&ctl(&home, &["up"])), Some(0));
    assert!(stdout(&ctl(&home, &["read", "disks"])).contains("Disks are checked on Mondays."));
    assert_eq!(code(&ctl(&home, &["down"])), Some(0));
}

#[test]
fn an_older_format_is_copied_and_brought_up_to_date() {
    let home = Home::new().unwrap();
    let path = store_of_format(&home, 1);

    let daemon = Daemon::start(&home).unwrap();
    let found = Rpc::connect(&home)
        .unwrap()
        .search(home.scratch(), "water", Retriever::Words)
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    assert!(
        path.with_file_name(format!("{file}.format-1", file = Store::FILE))
            .exists()
    );
    check_private(&home.paths.home);
}

#[test]
fn a_mistake_in_the_configuration_is_named() {
    let mistakes = [
        ("colour = 1\n", "colour"),
        ("strand = 'My Notes'\n", "strand"),
        ("[embedder]\nthreads = 0\n", "embedder.threads"),
        ("[embedder]\nthread = 2\n", "thread"),
        ("log = 3\n", "log"),
        ("[[kind]]\nname = 'recipe'\nhalf_life_days = -1\n", "recipe"),
    ];
    for (text, key) in mistakes {
        let home = Home::new().unwrap();
        fs::create_dir_all(&home.paths.home).unwrap();
        fs::write(home.paths.config(), text).unwrap();
        let refused = run(&home, Binary::Daemon, &[]);
        assert_eq!(
            code(&refused),
            Some(exit::USAGE),
            "{text}: {}",
            stderr(&refused)
        );
        assert!(
            stderr(&refused).contains(key),
            "{text}: {}",
            stderr(&refused)
        );
        assert!(
            stderr(&refused).contains("config.toml"),
            "{text}: {}",
            stderr(&refused)
        );
    }
}

#[test]
fn a_wrong_command_line_is_refused() {
    let home = Home::new().unwrap();
    assert_eq!(
        code(&run(&home, Binary::Daemon, &["--frobnicate"])),
        Some(exit::USAGE)
    );
    assert!(!home.paths.home.exists());
}

#[test]
fn a_daemon_without_embedder_says_so() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let embedder = Rpc::connect(&home)
        .unwrap()
        .status()
        .unwrap()
        .embedder
        .unwrap();
    assert_eq!(embedder.state(), EmbedderState::Off);
    let status: Value = serde_json::from_slice(&ctl(&home, &["status", "--json"]).stdout).unwrap();
    assert_eq!(status["embedder"]["state"], "off");
    for line in [&["status"][..], &["doctor"]] {
        let said = stdout(&ctl(&home, line));
        assert!(said.contains("words only"), "{line:?}: {said}");
    }
}

#[test]
fn a_socket_that_the_service_manager_opened_is_served_and_left() {
    let home = Home::new().unwrap();
    let path = home.scratch().join("manager.sock");
    let listener = UnixListener::bind(&path).unwrap();
    // The shell moves the socket from its stdin to the first descriptor beyond the streams, then
    // becomes the daemon.
    let mut command = Command::new("sh");
    let script = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$0\" 3<&0 </dev/null";
    command.arg("-c").arg(script).arg(Binary::Daemon.path());
    for (name, value) in home.command(Binary::Daemon).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .env("HELIX_SOCKET", &path)
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The socket listens already, so this waits for the daemon instead of finding nobody.
    let mut client = home.command(Binary::Ctl);
    let status = client
        .args(["status", "--json"])
        .env("HELIX_SOCKET", &path)
        .output()
        .unwrap();
    assert_eq!(code(&status), Some(exit::OK), "{}", stderr(&status));
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["pid"], child.id());
    process::signal(child.id(), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(path.exists(), "the manager's socket is its own");
    assert!(!home.paths.socket.exists(), "no other was made");
}
