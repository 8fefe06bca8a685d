//! Which socket the shim connects to.

use std::io::Write as _;

use crate::harness::{Daemon, INPUT, Room, bare_hook, reply, run};

/// Where a daemon listens in these tests, and the variables that lead there.
fn check_found(socket: &str, variables: &[(&str, &str)]) {
    let room = Room::new();
    let socket = room.path().join(socket);
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    let daemon = Daemon::at(&socket, |stream| {
        stream.write_all(&reply(b"found")).unwrap();
    });
    let mut hook = bare_hook("prompt");
    for (name, value) in variables {
        let value = if value.is_empty() {
            "".into()
        } else {
            room.path().join(value)
        };
        hook.env(name, value);
    }
    run(&mut hook, INPUT).check(b"found");
    daemon.request();
}

#[test]
fn an_explicit_socket_wins() {
    check_found(
        "s",
        &[
            ("HELIX_SOCKET", "s"),
            ("HELIX_HOME", "h"),
            ("XDG_RUNTIME_DIR", "r"),
            ("HOME", "u"),
        ],
    );
}

#[test]
fn an_explicit_home_carries_its_own_socket() {
    check_found(
        "h/run/helixd.sock",
        &[("HELIX_HOME", "h"), ("XDG_RUNTIME_DIR", "r"), ("HOME", "u")],
    );
}

#[test]
fn the_default_home_uses_the_runtime_directory() {
    check_found(
        "r/helix/helixd.sock",
        &[
            ("XDG_RUNTIME_DIR", "r"),
            ("XDG_DATA_HOME", "d"),
            ("HOME", "u"),
        ],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_runtime_directory_the_data_directory_has_the_socket() {
    check_found(
        "d/helix/run/helixd.sock",
        &[("XDG_DATA_HOME", "d"), ("HOME", "u")],
    );
    check_found("u/.local/share/helix/run/helixd.sock", &[("HOME", "u")]);
}

#[test]
fn an_empty_variable_counts_as_unset() {
    check_found(
        "h/run/helixd.sock",
        &[("HELIX_SOCKET", ""), ("HELIX_HOME", "h")],
    );
    check_found(
        "r/helix/helixd.sock",
        &[("HELIX_HOME", ""), ("XDG_RUNTIME_DIR", "r")],
    );
}

#[test]
fn a_path_that_fits_no_address_is_refused() {
    let mut hook = bare_hook("session");
    run(
        hook.env("HELIX_SOCKET", format!("/{}", "x".repeat(107))),
        INPUT,
    )
    .check_silent("path too long");
}
