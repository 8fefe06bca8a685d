//! A memory that nobody received was not given: it comes the next time. And what was received is
//! known wherever it was written down.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use helix_proto::v1::{Program, ReceiptsReply, ReceiptsRequest, UpgradeRequest};
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Binary, HookRun, Rpc};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tonic::Code;

use super::world::World;

#[test]
fn an_answer_that_came_too_late_was_not_given() {
    let (world, handle) = World::with_ledger();
    let session = world.session("one");
    let input = session.input("PreToolUse-Read", |input| {
        input["tool_input"] = json!({"file_path": world.project.root.join("src/ledger.rs")});
    });
    let input = input.unwrap().to_string();
    world.signal(Signal::SIGSTOP);
    HookRun::of(&world.home, "ambient", input.as_bytes())
        .unwrap()
        .check_silent()
        .unwrap();
    world.signal(Signal::SIGCONT);
    let answered = || {
        Ok(Rpc::connect(&world.home)?.status()?.hooks_answered >= 1)
            .map(|is_so| is_so.then_some(()))
    };
    within(Duration::from_secs(5), answered).unwrap();
    let given = session.read("src/ledger.rs").unwrap();
    assert!(given.is_some_and(|given| given.contains(&handle)));
    // It is counted as answered before it is found to be late.
    let late = || {
        Ok(Some(Rpc::connect(&world.home)?.status()?.late_hooks).filter(|late| !late.is_empty()))
    };
    let late = within(Duration::from_secs(5), late).unwrap();
    let late: Vec<_> = late
        .iter()
        .map(|late| (late.event.as_str(), late.times, late.after_start))
        .collect();
    assert_eq!(late, [("ambient", 1, 1)]);
    let receipts = || {
        Rpc::connect(&world.home)
            .unwrap()
            .call(async |client| client.receipts(ReceiptsRequest::default()).await)
    };
    let one = within(Duration::from_secs(5), || {
        Ok(receipts().map(|reply| (reply.receipts.len() == 1).then_some(()))?)
    });
    assert!(one.is_ok(), "{:?}", receipts());
}

#[test]
fn a_file_whose_end_never_comes_is_not_waited_for() {
    let (world, handle) = World::with_ledger();
    let pipe = world.project.root.join("src/pipe.rs");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let session = world.session("one");
    // More than are worked on at once. The kernel's log is a regular file by its mode, and waits
    // for the next message.
    for _ in 0..10 {
        for file in [pipe.as_path(), Path::new("/proc/kmsg")] {
            session.tool("Read", &json!({ "file_path": file })).unwrap();
        }
    }
    let given = session.read("src/ledger.rs").unwrap();
    assert!(given.is_some_and(|given| given.contains(&handle)));
    world.stop();
}

#[test]
fn what_a_hand_over_delays_is_not_counted() {
    let world = World::new();
    let program = world.home.scratch().join("slow-helixd");
    let real = Binary::Daemon.path();
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --version|--can-open=*) ;; *) sleep 3 ;; esac\nexec '{}' \"$@\"\n",
        real.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let session = world.session("one");
    session.read("src/first.rs").unwrap();
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let before = rpc.status().unwrap().started_at_us;
    let request = UpgradeRequest {
        program: program.to_string_lossy().into_owned(),
    };
    rpc.call(async |client| client.upgrade(request.clone()).await)
        .unwrap();
    let waited = |number: usize| {
        let file = world.project.root.join(format!("src/{number}.rs"));
        let input = session.input("PreToolUse-Read", |input| {
            input["tool_input"] = json!({"file_path": file});
        });
        let run = HookRun::of(
            &world.home,
            "ambient",
            input.unwrap().to_string().as_bytes(),
        )
        .unwrap();
        run.check_silent().unwrap();
        run.elapsed >= Duration::from_millis(100)
    };
    let gave_up = (0..8).filter(|number| waited(*number)).count();
    assert!(gave_up >= 5, "{gave_up}");
    let status = || Rpc::connect(&world.home).and_then(|mut rpc| Ok(rpc.status()?));
    // Who connects meanwhile may wait for the new program longer than a greeting takes.
    let is_new = || {
        Ok(status()
            .is_ok_and(|status| status.started_at_us > before)
            .then_some(()))
    };
    within(Duration::from_mins(1), is_new).unwrap();
    // The old program may have had the first of them.
    let told = || Ok((status()?.hooks_answered >= 4).then_some(()));
    within(Duration::from_secs(5), told).unwrap();
    // The last of them is noted by the time that another is answered. A busy machine may delay that
    // one, and the first.
    session.read("src/last.rs").unwrap();
    let late = status().unwrap().late_hooks;
    assert!(
        late.iter().map(|late| late.times).sum::<u64>() < 4,
        "{gave_up} waited for the new program: {late:?}"
    );
}

#[test]
fn the_receipts_of_a_session_are_counted_alone() {
    let (world, _) = World::with_ledger();
    let receipts = |session: &str| {
        let request = ReceiptsRequest {
            session: session.to_owned(),
            ..ReceiptsRequest::default()
        };
        Rpc::connect(&world.home)
            .unwrap()
            .call(async |client| client.receipts(request.clone()).await)
    };
    for session in ["first-one", "second-one"] {
        assert!(
            world
                .session(session)
                .read("src/ledger.rs")
                .unwrap()
                .is_some()
        );
    }
    let both = within(Duration::from_secs(5), || {
        Ok(receipts("").map(|all| (all.receipts.len() == 2).then_some(()))?)
    });
    assert!(both.is_ok(), "{:?}", receipts(""));
    let total = |reply: &ReceiptsReply| reply.delivered + reply.cut + reply.unknown;
    let own = receipts("first").unwrap();
    let sessions: Vec<&str> = own
        .receipts
        .iter()
        .map(|receipt| receipt.session.as_str())
        .collect();
    assert_eq!(
        (sessions, total(&own), total(&receipts("").unwrap())),
        (vec!["first-one"], 1, 2)
    );
    let unknown = receipts("third").unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    assert!(unknown.message().contains("list the sessions"), "{unknown}");
}

#[test]
fn a_killed_session_and_its_subagents_are_confirmed_by_others() {
    let (world, _) = World::with_ledger();
    let transcript = world.project.write("one.jsonl", "").unwrap();
    let read = |input: &mut Value| {
        input["tool_input"] = json!({"file_path": world.project.root.join("src/ledger.rs")});
        input["transcript_path"] = transcript.to_string_lossy().into();
    };
    let session = world.session("one");
    let given = session
        .hook("ambient", "PreToolUse-Read", read)
        .unwrap()
        .unwrap();
    let of_subagent = session
        .subagent("a1")
        .hook("ambient", "PreToolUse-Read", read)
        .unwrap()
        .unwrap();
    let written = |text: String| format!("{}\n", json!({"attachment": {"content": [text]}}));
    fs::write(&transcript, written(given)).unwrap();
    let subagents = transcript.with_extension("").join("subagents");
    fs::create_dir_all(&subagents).unwrap();
    fs::write(subagents.join("agent-a1.jsonl"), written(of_subagent)).unwrap();
    world.session("two").start("startup").unwrap();
    world.await_fates(["delivered", "delivered"]);
}

#[test]
fn a_store_of_tools_that_belong_to_no_session_needs_no_reminder() {
    let world = World::new();
    let work = |id: &str| {
        let session = world.session(id);
        for _ in 0..3 {
            session
                .failed(
                    "cargo build",
                    "error[E0382]: borrow of moved value: `rows`\n  --> src/load.rs:12:5\n",
                )
                .unwrap();
        }
        session.edit("src/load.rs", "x", "y").unwrap();
        session.ran("cargo build", "Finished").unwrap();
        session.stop().unwrap()
    };
    assert!(work("one").is_some_and(|said| said.contains("stored nothing")));
    let stored = draft(
        "load",
        "Rows are moved into the loader; clone the header first.",
        "",
    );
    Rpc::connect(&world.home)
        .unwrap()
        .store(Program::Mcp, &world.project.root, stored)
        .unwrap();
    assert_eq!(work("two"), None);
}
