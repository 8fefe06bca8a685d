//! Being asked to stop, at any moment: the daemon ends soon, says that all is well, and has kept
//! what it acknowledged.

#![allow(clippy::unwrap_used)]

mod writers;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread::yield_now;
use std::time::{Duration, Instant};

use helix_client::{Client, Start};
use helix_proto::frame::header;
use helix_proto::v1::HookRequest;
use helix_tests::{Binary, Daemon, Dice, Home};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use prost::Message;

use writers::{all_are_there, are_found, block_on, collect, is_sound};

/// How long a daemon may take to end.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// How long a daemon may take to reach a stage of its start.
const STAGE_DEADLINE: Duration = Duration::from_secs(30);

/// Stops while clients write.
const STOPS_WHILE_WRITING: u64 = 12;

/// Stops during the start.
const STOPS_WHILE_STARTING: u64 = 36;

/// Stops while hooks wait in the backlog, and how many.
const STOPS_WITH_BACKLOG: u64 = 6;
const BACKLOG: usize = 12;

/// Most acknowledgements before a stop.
const ACKNOWLEDGED_MAX: u64 = 60;

/// Longest time from a stage of the start to the signal.
const AIM_MICROS: u64 = 3_000;

/// Memories searched for after the stops.
const SAMPLE: u64 = 40;

/// Throws the same moments in every run; which parts of the daemon they hit differs anyway.
const SEED: u64 = 7;

fn signal_of(round: u64) -> Signal {
    if round.is_multiple_of(2) {
        Signal::SIGTERM
    } else {
        Signal::SIGINT
    }
}

/// Signals the daemon and waits for its end; it must be soon, and with code 0.
fn stop(daemon: Daemon, signal: Signal) -> Result<(), String> {
    let asked = Instant::now();
    daemon.signal(signal).map_err(|error| error.to_string())?;
    let status = daemon.wait().map_err(|error| error.to_string())?;
    ended_well(status, asked)
}

fn ended_well(status: ExitStatus, asked: Instant) -> Result<(), String> {
    let took = asked.elapsed();
    if status.code() == Some(0) && took < STOP_DEADLINE {
        Ok(())
    } else {
        Err(format!("ended after {took:?} with {status}"))
    }
}

#[test]
fn a_stop_while_clients_write_keeps_what_was_acknowledged() -> Result<(), String> {
    let home = Home::new().unwrap();
    let mut dice = Dice::new(SEED);
    let mut all = Vec::new();
    for round in 0..STOPS_WHILE_WRITING {
        let daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
        all_are_there(&home.paths, &all)?;
        let (report, reports) = channel();
        let clients = writers::start(&home.paths, &mut dice, &report);
        drop(report);
        for _ in 0..dice.below(ACKNOWLEDGED_MAX) {
            reports
                .recv()
                .map_err(|_| "every client gave up before the stop")?;
        }
        stop(daemon, signal_of(round)).map_err(|detail| format!("round {round}: {detail}"))?;
        collect(clients, &mut all)?;
    }
    let _daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
    assert!(
        all.len() as u64 > STOPS_WHILE_WRITING,
        "only {} memories were acknowledged",
        all.len()
    );
    all_are_there(&home.paths, &all)?;
    block_on(is_sound(&home.paths))?;
    block_on(are_found(&home.paths, &all, SAMPLE, &mut dice))
}

/// A daemon that has not said yet that it is ready; ends with the test.
struct Starting(Child);

impl Drop for Starting {
    fn drop(&mut self) {
        // Gone already is what we want.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Lists the files that a new home gets in the course of a start. Signals are handled before the
/// socket is there.
fn stages(home: &Home) -> [PathBuf; 5] {
    let strand = home.paths.strand("default");
    [
        home.paths.lock(),
        home.paths.socket.clone(),
        strand.clone(),
        strand.join("store.redb"),
        strand.join("index"),
    ]
}

#[test]
fn a_stop_during_the_start_is_a_stop() -> Result<(), String> {
    let mut dice = Dice::new(SEED);
    for round in 0..STOPS_WHILE_STARTING {
        let home = Home::new().unwrap();
        let stages = stages(&home);
        let chosen = stages
            .get(usize::try_from(dice.below(stages.len() as u64)).unwrap())
            .unwrap();
        let mut command = home.command(Binary::Daemon);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut daemon = Starting(command.spawn().unwrap());
        let started = Instant::now();
        while !chosen.exists() {
            assert!(
                started.elapsed() < STAGE_DEADLINE,
                "{} does not appear",
                chosen.display()
            );
            yield_now();
        }
        let moment = Instant::now() + Duration::from_micros(dice.below(AIM_MICROS));
        while Instant::now() < moment {
            yield_now();
        }
        let handles_signals = stages.iter().skip(1).any(|stage| stage.exists());
        let asked = Instant::now();
        kill(
            Pid::from_raw(i32::try_from(daemon.0.id()).unwrap()),
            signal_of(round),
        )
        .unwrap();
        let status = daemon.0.wait().unwrap();
        let is_unhandled = !handles_signals && status.signal() == Some(signal_of(round) as i32);
        if !is_unhandled {
            ended_well(status, asked)
                .map_err(|detail| format!("round {round}, {}: {detail}", chosen.display()))?;
        }
        assert!(
            !home.paths.socket.exists() || is_unhandled,
            "round {round}: the socket is left behind"
        );
        let daemon = Daemon::start(&home)
            .map_err(|error| format!("round {round}: starting again: {error}"))?;
        stop(daemon, Signal::SIGTERM)
            .map_err(|detail| format!("round {round}, at once: {detail}"))?;
    }
    Ok(())
}

/// Bytes of a gRPC request whose message never comes: preface, settings, and the headers of a
/// `Store`.
fn half_a_request() -> Vec<u8> {
    /// Header fields in HPACK (RFC 7541): two from the static table, the rest as literals.
    const FIELDS: [&[u8]; 6] = [
        b"\x83\x86",
        b"\x04\x15/helix.v1.Helix/Store",
        b"\x01\x05helix",
        b"\x0f\x10\x10application/grpc",
        b"\x00\x02te\x08trailers",
        b"",
    ];
    let fields = FIELDS.concat();
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    // END_HEADERS without END_STREAM, on stream 1.
    bytes.extend([0, 0, u8::try_from(fields.len()).unwrap(), 1, 4, 0, 0, 0, 1]);
    bytes.extend(fields);
    bytes
}

/// Opens a connection and says something, but not all of it.
fn say(home: &Home, bytes: &[u8]) -> UnixStream {
    let mut stream = UnixStream::connect(&home.paths.socket).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

#[test]
fn idle_and_unfinished_connections_do_not_hold_a_stop_up() -> Result<(), String> {
    // Lives on beside the connection, whose task it runs.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut half_frame = b"HLX1".to_vec();
    half_frame.extend(100_u32.to_le_bytes());
    half_frame.extend(b"ten bytes.");
    let half_request = half_a_request();
    let whole: [(&str, &[u8]); 6] = [
        ("silence", b""),
        ("half a magic", b"HL"),
        ("half a frame", &half_frame),
        ("half a preface", b"PRI * HTTP"),
        ("half a request", &half_request),
        ("nonsense", b"GET / HTTP/1.1\r\n\r\n"),
    ];
    for (round, (what, bytes)) in whole.into_iter().enumerate() {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
        let unfinished = say(&home, bytes);
        // Connections are accepted in order, so once this one is greeted the other one is being
        // served.
        let idle = runtime.block_on(Client::connect(&home.paths, Start::Never, "helix-tests"));
        let idle = idle.map_err(|error| error.to_string())?;
        stop(daemon, signal_of(round as u64)).map_err(|detail| format!("{what}: {detail}"))?;
        drop((unfinished, idle));
    }
    Ok(())
}

/// A hook's request that is answered with nothing.
fn hook_request() -> Vec<u8> {
    let request = HookRequest {
        event: "ambient".to_owned(),
        stdin: b"{}".to_vec(),
        ..HookRequest::default()
    };
    let body = request.encode_to_vec();
    [&header(u32::try_from(body.len()).unwrap())[..], &body].concat()
}

#[test]
fn hooks_that_came_before_a_stop_are_answered() {
    for round in 0..STOPS_WITH_BACKLOG {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        // All that follows waits for it at once.
        daemon.signal(Signal::SIGSTOP).unwrap();
        let hooks: Vec<UnixStream> = (0..BACKLOG).map(|_| say(&home, &hook_request())).collect();
        daemon.signal(signal_of(round)).unwrap();
        daemon.signal(Signal::SIGCONT).unwrap();
        for mut hook in hooks {
            let mut reply = Vec::new();
            hook.read_to_end(&mut reply).unwrap();
            assert_eq!(reply, header(0), "round {round}");
        }
        assert_eq!(daemon.wait().unwrap().code(), Some(0));
    }
}
