//! Requests and replies, and every way a daemon can misbehave.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;

use helix_proto::v1::HookRequest;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::harness::{Daemon, INPUT, Room, await_readable, reply, run};

/// Largest reply that is printed, in bytes.
const REPLY_MAX_BYTES: usize = 65_527;

#[test]
fn the_request_carries_event_input_and_variables() {
    let room = Room::new();
    let daemon = room.answering_daemon(b"");
    let mut hook = room.hook("post-build");
    run(
        hook.env("CURSOR_VERSION", "1.2")
            .env("CLAUDE_PROJECT_DIR", "/tmp/ä"),
        INPUT,
    )
    .check(b"");
    let expected = HookRequest {
        event: "post-build".into(),
        stdin: INPUT.into(),
        truncated: false,
        cursor_version: "1.2".into(),
        project_dir: "/tmp/ä".into(),
        dry_run: false,
        client: String::new(),
    };
    assert_eq!(daemon.request(), expected);
}

#[test]
fn the_client_is_the_second_argument() {
    for (named, passed) in [("gemini", "gemini"), (&"x".repeat(33), ""), ("ä", "")] {
        let room = Room::new();
        let daemon = room.answering_daemon(b"");
        run(room.hook("prompt").arg(named), INPUT).check(b"");
        assert_eq!(daemon.request().client, passed);
    }
}

#[test]
fn a_reply_is_printed_whole() {
    for length in [1, 1000, REPLY_MAX_BYTES] {
        let room = Room::new();
        let body: Vec<u8> = (0..length).map(|at| b"0123456789\n"[at % 11]).collect();
        let daemon = room.answering_daemon(&body);
        run(&mut room.hook("prompt"), INPUT).check(&body);
        daemon.request();
    }
}

#[test]
fn a_reply_in_pieces_is_printed_whole() {
    let room = Room::new();
    let daemon = room.daemon(|stream| {
        for byte in reply(b"piece by piece") {
            stream.write_all(&[byte]).unwrap();
        }
    });
    run(&mut room.hook("prompt"), INPUT).check(b"piece by piece");
    daemon.request();
}

/// Answers with `bytes` and closes the connection.
fn check_refused(bytes: Vec<u8>, reason: &str) {
    let room = Room::new();
    let daemon = room.daemon(move |stream| stream.write_all(&bytes).unwrap());
    run(&mut room.hook("prompt"), INPUT).check_silent(reason);
    daemon.request();
}

#[test]
fn a_reply_cut_off_at_any_point_prints_nothing() {
    let whole = reply(b"brief");
    for end in 0..whole.len() {
        check_refused(whole[..end].to_vec(), "ended early");
    }
}

#[test]
fn anything_but_a_reply_prints_nothing() {
    check_refused(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "not a reply");
    check_refused(vec![0; 64], "not a reply");
}

#[test]
fn a_reply_longer_than_allowed_prints_nothing() {
    check_refused(reply(&vec![b'x'; REPLY_MAX_BYTES + 1]), "not a reply");
    check_refused(b"HLX1\xFF\xFF\xFF\xFFxxxx".to_vec(), "not a reply");
}

#[test]
fn a_daemon_that_never_answers_is_left_at_the_deadline() {
    let room = Room::new();
    // The connection stays open until the shim has gone.
    let daemon = room.daemon(|stream| assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0));
    run(&mut room.hook("prompt"), INPUT).check_silent("deadline passed");
    daemon.request();
}

#[test]
fn a_daemon_that_stops_within_its_reply_is_left_at_the_deadline() {
    let room = Room::new();
    let daemon = room.daemon(|stream| {
        stream.write_all(&reply(b"brief")[..10]).unwrap();
        assert_eq!(stream.read(&mut [0; 1]).unwrap(), 0);
    });
    run(&mut room.hook("prompt"), INPUT).check_silent("deadline passed");
    daemon.request();
}

#[test]
fn a_daemon_that_accepts_nothing_is_left_at_the_deadline() {
    let room = Room::new();
    let _listener = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
    run(&mut room.hook("prompt"), &vec![b'x'; 2_000_000]).check_silent("deadline passed");
}

#[test]
fn a_daemon_that_hangs_up_prints_nothing() {
    let room = Room::new();
    let listener = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
    let daemon = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let finished = run(&mut room.hook("prompt"), INPUT);
    finished.check(b"");
    assert!(finished.stderr.contains("ended"), "{}", finished.stderr);
    daemon.join().unwrap();
}

/// Closes connections that wait in the queue of a daemon that ends, and takes the next one as
/// another daemon.
#[test]
fn a_request_that_nobody_read_is_sent_once_more() {
    let room = Room::new();
    let ending = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
    let place = room.socket();
    let next = std::thread::spawn(move || {
        await_readable(&ending);
        std::fs::remove_file(&place).unwrap();
        let daemon = Daemon::at(&place, |stream| stream.write_all(&reply(b"brief")).unwrap());
        drop(ending);
        daemon
    });
    let finished = run(&mut room.hook("prompt"), INPUT);
    finished.check(b"brief");
    assert_eq!(next.join().unwrap().request().stdin, INPUT);
}

#[test]
fn a_request_that_nobody_reads_twice_is_sent_no_more() {
    let room = Room::new();
    let listener = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
    let daemon = std::thread::spawn(move || {
        (0..2).for_each(|_| drop(listener.accept().unwrap()));
        listener
    });
    run(&mut room.hook("prompt"), INPUT).check_silent("before it read everything");
    let listener = daemon.join().unwrap();
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "it came a third time");
}

#[test]
fn an_absent_daemon_is_no_error() {
    let room = Room::new();
    run(&mut room.hook("prompt"), INPUT).check_silent("nothing listens");
    drop(std::os::unix::net::UnixListener::bind(room.socket()).unwrap());
    run(&mut room.hook("prompt"), INPUT).check_silent("nothing listens");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_queue_is_left_at_the_deadline() {
    let room = Room::new();
    let address = SocketAddrUnix::new(room.socket()).unwrap();
    let listener = socket();
    rustix::net::bind(&listener, &address).unwrap();
    rustix::net::listen(&listener, 1).unwrap();
    let mut waiting = Vec::new();
    loop {
        let client = socket();
        match rustix::net::connect(&client, &address) {
            Ok(()) => waiting.push(client),
            Err(Errno::AGAIN) => break,
            Err(errno) => panic!("{errno}"),
        }
    }
    run(&mut room.hook("prompt"), INPUT).check_silent("queue stayed full");
}

#[cfg(target_os = "linux")]
fn socket() -> OwnedFd {
    rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::NONBLOCK,
        None,
    )
    .unwrap()
}

/// Only root may run a program as somebody else; for anyone else there is nothing to tell apart
/// here.
#[cfg(target_os = "linux")]
#[test]
fn a_stranger_s_socket_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let room = Room::new();
    let _listener = std::os::unix::net::UnixListener::bind(room.socket()).unwrap();
    let copy = room.path().join("helix-hook");
    std::fs::copy(crate::harness::program(), &copy).unwrap();
    for open in [room.path(), &room.socket(), &copy] {
        std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let mut as_nobody = crate::harness::copied_hook(&copy, "prompt");
    run(
        as_nobody.uid(NOBODY).env("HELIX_SOCKET", room.socket()),
        INPUT,
    )
    .check_silent("another user");
}
