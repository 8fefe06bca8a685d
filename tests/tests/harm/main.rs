//! A hook never harms its agent: whatever the daemon does, it ends soon, with 0, and says nothing
//! that is not whole.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

// What the system keeps of a process is read there.
#[cfg(target_os = "linux")]
mod storm;

use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::Duration;

use helix_proto::frame::header;
use helix_tests::process::within;
use helix_tests::{Daemon, Home, HookRun};
use nix::sys::signal::Signal;

/// Longest run on a busy machine, and the middle of several.
const RUN_MAX: Duration = Duration::from_millis(500);
const MEDIAN_MAX: Duration = Duration::from_millis(250);

/// Runs whose middle is taken.
const RUNS: usize = 9;

/// How long until a session is told that the daemon cannot start.
const TOLD_DEADLINE: Duration = Duration::from_secs(20);

/// Pace of a daemon that answers byte by byte.
const DRIP: Duration = Duration::from_millis(20);

const INPUT: &[u8] =
    br#"{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Read",
    "tool_input":{"file_path":"/x"}}"#;

const SESSION_START: &[u8] =
    br#"{"session_id":"s","cwd":"/","hook_event_name":"SessionStart","source":"startup"}"#;

/// Runs hooks that must say nothing, and soon.
fn check_silent_and_soon(home: &Home) {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let run = HookRun::of(home, "ambient", INPUT).unwrap();
            run.check_silent().unwrap();
            run.elapsed
        })
        .collect();
    times.sort();
    assert!(times[RUNS / 2] <= MEDIAN_MAX, "{times:?}");
    assert!(times[RUNS - 1] <= RUN_MAX, "{times:?}");
}

/// Puts something else in the daemon's place for as long as the test runs.
fn impostor(home: &Home, conduct: impl Fn(UnixStream) + Send + Sync + 'static) {
    std::fs::create_dir_all(home.paths.socket.parent().unwrap()).unwrap();
    let listener = UnixListener::bind(&home.paths.socket).unwrap();
    // Ends with the test's process.
    thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(&conduct));
}

/// Reads until the hook hangs up.
fn drain(mut stream: UnixStream) {
    std::io::copy(&mut stream, &mut std::io::sink()).ok();
}

#[test]
fn without_a_daemon() {
    let home = Home::new().unwrap();
    check_silent_and_soon(&home);
    assert!(!home.paths.home.exists(), "only a session starts one");
}

#[test]
fn with_a_daemon_that_cannot_start() {
    let home = Home::new().unwrap();
    let mut private = std::fs::DirBuilder::new();
    private.mode(0o700).recursive(true);
    private.create(&home.paths.home).unwrap();
    std::fs::write(home.paths.config(), "colour = 1\n").unwrap();
    let start = || HookRun::of(&home, "session", SESSION_START)?.check_accepted("SessionStart");
    // On a busy machine it may end after the hook.
    let told = within(TOLD_DEADLINE, start).unwrap();
    for part in ["config.toml:1", "colour", "helixctl up"] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(start().unwrap(), None, "it is told once");
}

#[test]
fn with_a_socket_that_nobody_serves() {
    let home = Home::new().unwrap();
    std::fs::create_dir_all(home.paths.socket.parent().unwrap()).unwrap();
    drop(UnixListener::bind(&home.paths.socket).unwrap());
    check_silent_and_soon(&home);
}

#[test]
fn with_a_stopped_daemon() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    daemon.signal(Signal::SIGSTOP).unwrap();
    check_silent_and_soon(&home);
    daemon.signal(Signal::SIGCONT).unwrap();
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
}

#[test]
fn with_a_daemon_that_never_answers() {
    let home = Home::new().unwrap();
    impostor(&home, drain);
    check_silent_and_soon(&home);
}

#[test]
fn with_a_daemon_that_never_reads() {
    let home = Home::new().unwrap();
    std::fs::create_dir_all(home.paths.socket.parent().unwrap()).unwrap();
    let _listener = UnixListener::bind(&home.paths.socket).unwrap();
    let large = format!(
        r#"{{"hook_event_name":"PreToolUse","x":"{}"}}"#,
        "x".repeat(4 * 1024 * 1024)
    );
    let run = HookRun::of(&home, "ambient", large.as_bytes()).unwrap();
    run.check_silent().unwrap();
    assert!(run.elapsed <= RUN_MAX, "{:?}", run.elapsed);
}

#[test]
fn with_a_daemon_that_hangs_up() {
    let home = Home::new().unwrap();
    impostor(&home, drop);
    check_silent_and_soon(&home);
}

#[test]
fn with_a_daemon_that_answers_garbage() {
    let garbage: [&[u8]; 4] = [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        &[0; 4096],
        b"HLX1\xff\xff\xff\xffxx",
        b"HLX1\x05\x00\x00\x00{}",
    ];
    for bytes in garbage {
        let home = Home::new().unwrap();
        let bytes = bytes.to_vec();
        impostor(&home, move |mut stream| {
            stream.write_all(&bytes).ok();
            drain(stream);
        });
        check_silent_and_soon(&home);
    }
}

#[test]
fn with_a_daemon_that_answers_slowly() {
    let home = Home::new().unwrap();
    impostor(&home, |mut stream| {
        let body = [b'x'; 4096];
        let reply = [&header(4096)[..], &body].concat();
        stream.set_read_timeout(Some(DRIP)).unwrap();
        for byte in reply {
            // The hook sends nothing more, so each of these waits takes one drip.
            stream.read_exact(&mut [0; 4096]).ok();
            if stream.write_all(&[byte]).is_err() {
                break;
            }
        }
    });
    check_silent_and_soon(&home);
}
