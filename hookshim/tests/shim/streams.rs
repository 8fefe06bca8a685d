//! Standard streams that the parent has closed or stopped reading.

use std::io::Write as _;
use std::time::Instant;

use crate::harness::{INPUT, RUN_MAX, Room, run};

#[test]
fn a_closed_stdin_does_no_harm() {
    let room = Room::new();
    let mut hook = room.redirected_hook("prompt", "<&-");
    hook.stdin(std::process::Stdio::null());
    let begin = Instant::now();
    let output = hook.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
    assert!(begin.elapsed() < RUN_MAX);
}

/// With a listener whose connection could land on the closed descriptor.
#[test]
fn closed_streams_are_never_taken_for_the_socket() {
    for closed in ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let room = Room::new();
        let _listener = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
        let finished = run(&mut room.redirected_hook("prompt", closed), b"");
        assert_eq!(finished.status.code(), Some(0), "{closed}");
        assert!(finished.stdout.is_empty(), "{closed}");
        assert!(
            finished.elapsed < RUN_MAX,
            "{closed} took {:?}",
            finished.elapsed
        );
    }
}

#[test]
fn a_reader_that_has_gone_does_no_harm() {
    let room = Room::new();
    let daemon = room.answering_daemon(&[b'x'; 9000]);
    let mut child = room.hook("prompt").spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(INPUT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("writing to stdout"));
    daemon.request();
}

#[test]
fn nothing_is_said_on_stderr_unless_asked_for() {
    let room = Room::new();
    let finished = run(room.hook("prompt").env_remove("HELIX_HOOK_DEBUG"), INPUT);
    finished.check(b"");
    assert_eq!(finished.stderr, "");
}
