//! However the client ends it: exit code 0, nothing but protocol on stdout, nothing left behind.

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::harness::Bridge;

#[test]
fn end_of_input_before_the_handshake() {
    Bridge::start().finish_cleanly();
}

#[test]
fn end_of_input_after_the_handshake() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    bridge.finish_cleanly();
}

#[test]
fn signals_before_and_after_the_handshake() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        for initialized in [false, true] {
            let mut bridge = Bridge::start();
            if initialized {
                bridge.initialize();
            } else {
                // Before it answers, it may not yet have asked for signals.
                bridge.ask(&json!(0), "ping", &json!({}));
            }
            bridge.signal(signal);
            let (status, rest, stderr) = bridge.finish();
            assert_eq!(
                (status.code(), rest, stderr.as_str()),
                (Some(0), Vec::new(), ""),
                "{signal} {initialized}"
            );
        }
    }
}

#[test]
fn a_signal_and_the_end_of_input_together() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    bridge.signal(Signal::SIGINT);
    bridge.signal(Signal::SIGTERM);
    bridge.close_stdin();
    let (status, rest, _) = bridge.finish();
    assert_eq!((status.code(), rest), (Some(0), Vec::new()));
}

#[test]
fn calls_in_flight_are_answered_before_the_end() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    let call = json!({"name": "read", "arguments": {"topic": "a"}});
    bridge.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}));
    bridge.close_stdin();
    let (status, rest, _) = bridge.finish();
    assert_eq!(status.code(), Some(0));
    assert_eq!(
        rest.iter()
            .map(|answer| answer["id"].clone())
            .collect::<Vec<_>>(),
        [json!(7)]
    );
}

/// The connection to a mute daemon fails after two seconds; an end that waits only one says nothing
/// of it.
#[test]
fn a_call_that_hangs_does_not_hold_up_the_end() {
    let (mut bridge, daemon) = Bridge::start_with_mute_daemon();
    bridge.initialize();
    let call = json!({"name": "read", "arguments": {"topic": "a"}});
    bridge.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}));
    let _connection = daemon.accept().unwrap();
    bridge.signal(Signal::SIGTERM);
    let (status, rest, stderr) = bridge.finish();
    assert_eq!(
        (status.code(), rest, stderr.as_str()),
        (Some(0), Vec::new(), "")
    );
}

#[test]
fn logs_go_to_stderr_when_asked_for() {
    let mut bridge = Bridge::start_with(tempfile::tempdir().unwrap(), &[("HELIX_LOG", "debug")]);
    bridge.initialize();
    bridge.close_stdin();
    let (status, rest, stderr) = bridge.finish();
    assert_eq!((status.code(), rest), (Some(0), Vec::new()));
    assert!(stderr.contains("rmcp"), "{stderr}");
}

#[test]
fn listing_leaves_nothing_on_disk() {
    let mut bridge = Bridge::start();
    bridge.initialize();
    bridge.ask(&json!(1), "tools/list", &json!({}));
    let home = bridge.home();
    assert_eq!(std::fs::read_dir(home).unwrap().count(), 0);
    bridge.finish_cleanly();
}

/// Clients on node give their servers sockets instead of pipes, which are read by a thread that
/// blocks.
#[test]
fn sockets_serve_as_well_as_pipes() {
    for signal in [Some(Signal::SIGINT), None] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_helix-mcp"))
            .env("HELIX_HOME", home.path())
            .stdin(Stdio::from(OwnedFd::from(theirs.try_clone().unwrap())))
            .stdout(Stdio::from(OwnedFd::from(theirs)))
            .spawn()
            .unwrap();
        ours.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
            .unwrap();
        let mut answer = String::new();
        BufReader::new(&ours).read_line(&mut answer).unwrap();
        assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
        match signal {
            Some(signal) => {
                kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
            }
            None => ours.shutdown(std::net::Shutdown::Write).unwrap(),
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal:?}");
    }
}

#[test]
fn a_wrong_command_line_exits_64() {
    let run = |argument: &str| {
        Command::new(env!("CARGO_BIN_EXE_helix-mcp"))
            .arg(argument)
            .output()
            .unwrap()
    };
    let refused = run("--bogus");
    assert_eq!(
        (refused.status.code(), refused.stdout.as_slice()),
        (Some(64), &b""[..])
    );
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("--bogus"),
        "{refused:?}"
    );
    assert_eq!(run("--version").status.code(), Some(0));
}
