//! Handing over to another program file: the process stays, and no client that writes meanwhile
//! notices.

#![allow(clippy::unwrap_used)]

mod writers;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use helix_client::v1::{StatusRequest, UpgradeReply, UpgradeRequest};
use helix_client::{Client, Paths, Start};
use helix_proto::exit;
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::{Binary, Daemon, Dice, Home, Project};
use nix::sys::signal::Signal;
use serde_json::json;
use tonic::{Code, Status};

use writers::{CLIENTS, all_are_there, are_found, block_on, collect, is_sound};

/// Handovers while clients write.
const UPGRADES: u64 = 5;

/// Fewest and most acknowledgements between two handovers, so that every client surely writes under
/// each program.
const BETWEEN: (u64, u64) = (10 * CLIENTS, 20 * CLIENTS);

/// How long a handover may take, on a busy machine.
const SUCCESSOR_DEADLINE: Duration = Duration::from_secs(30);

/// Sessions whose hooks fire during a handover, and the edits that each of them tells of: as many
/// as it is told of by name.
const EDITORS: usize = 4;
const EDITS: usize = 8;

/// Memories searched for afterwards.
const SAMPLE: u64 = 40;

/// Throws the same texts in every run.
const SEED: u64 = 11;

async fn client(paths: &Paths) -> Result<Client, String> {
    Client::connect(paths, Start::Never, "helix-tests")
        .await
        .map_err(|error| error.to_string())
}

async fn started_at(paths: &Paths) -> Result<i64, String> {
    let status = client(paths)
        .await?
        .call(async |rpc| rpc.status(StatusRequest {}).await)
        .await;
    Ok(status.map_err(|error| error.to_string())?.started_at_us)
}

/// Asks until the new program answers. The old one may still take those who come while its last
/// answer is on the way.
fn await_successor(paths: &Paths, before: i64) -> Result<i64, String> {
    let deadline = Instant::now() + SUCCESSOR_DEADLINE;
    loop {
        let started = block_on(started_at(paths))?;
        if started > before {
            return Ok(started);
        }
        if Instant::now() > deadline {
            return Err("the old program still answers".to_owned());
        }
    }
}

fn upgrade(paths: &Paths, program: &str) -> Result<UpgradeReply, Status> {
    block_on(async {
        let mut client = client(paths).await.map_err(Status::internal)?;
        client
            .call(async |rpc| {
                rpc.upgrade(UpgradeRequest {
                    program: program.to_owned(),
                })
                .await
            })
            .await
    })
}

fn wait_for(reports: &Receiver<()>, count: u64) -> Result<(), String> {
    (0..count).try_for_each(|_| {
        reports
            .recv()
            .map_err(|_| "every client gave up".to_owned())
    })
}

#[test]
fn clients_write_on_while_the_program_changes_under_them() -> Result<(), String> {
    let home = Home::new().unwrap();
    let program = home.scratch().join("helixd");
    fs::copy(Binary::Daemon.path(), &program).unwrap();
    let daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
    let mut dice = Dice::new(SEED);
    let (report, reports) = channel();
    let clients = writers::start(&home.paths, &mut dice, &report);
    drop(report);
    let mut before = block_on(started_at(&home.paths))?;
    for round in 0..UPGRADES {
        wait_for(&reports, BETWEEN.0 + dice.below(BETWEEN.1 - BETWEEN.0))?;
        let reply = upgrade(&home.paths, program.to_str().unwrap())
            .map_err(|error| format!("round {round}: {error}"))?;
        assert_eq!(reply.pid, daemon.pid());
        before = await_successor(&home.paths, before)
            .map_err(|error| format!("round {round}: {error}"))?;
    }
    wait_for(&reports, BETWEEN.0)?;
    assert!(
        clients.iter().all(|client| !client.is_finished()),
        "a client was turned away"
    );
    daemon.signal(Signal::SIGTERM).unwrap();
    assert!(daemon.wait().unwrap().success());
    assert!(!home.paths.socket.exists(), "the socket was left behind");
    let mut all = Vec::new();
    collect(clients, &mut all)?;
    let _daemon = Daemon::start(&home).map_err(|error| error.to_string())?;
    all_are_there(&home.paths, &all)?;
    block_on(is_sound(&home.paths))?;
    block_on(are_found(&home.paths, &all, SAMPLE, &mut dice))
}

#[test]
fn a_program_that_cannot_take_over_is_refused_and_the_daemon_goes_on() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    for (program, why) in [
        ("helixd", "absolute"),
        ("/nowhere/helixd", "--version"),
        ("/bin/true", "not a helixd"),
    ] {
        let refusal = upgrade(&home.paths, program).unwrap_err();
        assert_eq!(refusal.code(), Code::InvalidArgument);
        assert!(refusal.message().contains(why), "{refusal}");
    }
    assert!(block_on(started_at(&home.paths)).is_ok());
    assert!(daemon.stop().unwrap().success());
}

/// How long `upgrade` may take to notice that the new program ended, on a busy machine.
const ENDED_MAX: Duration = Duration::from_secs(20);

#[test]
fn a_program_that_ends_at_once_is_not_waited_for() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let program = home.scratch().join("helixd");
    let text = "#!/bin/sh\ncase \"$1\" in --version) echo helixd 9.9.9 ;; --can-open=*) ;; *) exit 3 ;; esac\n";
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let begin = Instant::now();
    let upgrade = home
        .command(Binary::Ctl)
        .arg("upgrade")
        .arg(&program)
        .output()
        .unwrap();
    assert!(begin.elapsed() < ENDED_MAX, "{:?}", begin.elapsed());
    assert_eq!(
        upgrade.status.code(),
        Some(i32::from(exit::UNAVAILABLE)),
        "{upgrade:?}"
    );
    let said = String::from_utf8(upgrade.stderr).unwrap();
    assert!(
        said.contains("9.9.9") && said.contains("ended") && said.contains("helixctl up"),
        "{said}"
    );
    assert_eq!(
        daemon.wait().unwrap().code(),
        Some(3),
        "it is the same process"
    );
}

/// Tells of one edit after the other.
fn edit(session: &Session<'_>, project: &Project) {
    for number in 0..EDITS {
        let file = project.root.join(format!("src/lane{number}.rs"));
        let input = json!({"file_path": file, "old_string": "a", "new_string": "b"});
        session.tool("Edit", &input).unwrap();
    }
}

/// Waits until the daemon knows all edits of a session.
fn check_edited(session: &Session<'_>) {
    within(SUCCESSOR_DEADLINE, || {
        let told = session.start("compact")?.unwrap_or_default();
        let edited = told
            .lines()
            .find_map(|line| line.strip_prefix("Changed in this session: "))
            .unwrap_or_default();
        Ok((edited.split(", ").count() == EDITS).then_some(()))
    })
    .unwrap();
}

#[test]
fn no_event_of_a_hook_is_lost_while_the_program_changes() {
    let home = Home::new().unwrap();
    let daemon = Daemon::start(&home).unwrap();
    let project = Project::new(&home, "billing").unwrap();
    let mut before = block_on(started_at(&home.paths)).unwrap();
    for round in 0..UPGRADES {
        let ids: Vec<String> = (0..EDITORS)
            .map(|editor| format!("{round}-{editor}"))
            .collect();
        let sessions: Vec<Session<'_>> = ids
            .iter()
            .map(|id| Session::new(&home, &project, id))
            .collect();
        thread::scope(|scope| {
            for session in &sessions {
                scope.spawn(|| edit(session, &project));
            }
            upgrade(&home.paths, "").unwrap();
        });
        before = await_successor(&home.paths, before).unwrap();
        sessions.iter().for_each(check_edited);
    }
    assert!(daemon.stop().unwrap().success());
}
