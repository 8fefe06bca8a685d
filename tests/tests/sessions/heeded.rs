//! Attention: memories that nobody follows are said less often, commands that mended a failure are
//! told, receipts outlive the daemon, and a hook that cannot run is announced.

use std::fs;

use helix_proto::v1::{Draft, Program, ReadRequest};
use helix_tests::Rpc;
use helix_tests::hook::Session;
use helix_tests::rpc::draft;
use serde_json::{Value, json};

use crate::world::World;

const FILE: &str = "src/export.rs";

fn world() -> World {
    let world = World::new();
    world
        .project
        .write(FILE, "pub fn export_invoices() {}\n")
        .unwrap();
    world
}

impl World {
    /// One session that opens the file, does something more, and ends. Returns whether it was given
    /// a memory.
    fn works(&self, id: &str, handle: &str, more: impl FnOnce(&Session<'_>)) -> bool {
        let session = self.session(id);
        session.start("startup").unwrap();
        let given = session.read(FILE).unwrap();
        more(&session);
        session
            .hook("session-end", "SessionEnd-other", |_| ())
            .unwrap();
        given.is_some_and(|text| text.contains(&format!("[{handle}]")))
    }
}

#[test]
fn what_nobody_follows_rests_and_comes_back() {
    let mut world = world();
    let handle = world.remember_of(
        "exchange",
        "What export_invoices writes is semicolon CSV.",
        "",
    );
    let mut given: Vec<bool> = (0..3)
        .map(|n| world.works(&format!("s{n}"), &handle, |_| ()))
        .collect();
    world.restart();
    given.extend((3..9).map(|n| world.works(&format!("s{n}"), &handle, |_| ())));
    assert_eq!(
        given,
        [true, true, true, false, true, false, false, true, false]
    );
    assert!(
        world
            .session("asks")
            .prompt("what does export_invoices write, CSV?")
            .unwrap()
            .is_some(),
        "who asks is answered"
    );
}

#[test]
fn what_a_failure_says_brings_up_what_rests() {
    let world = world();
    let text = "What export_invoices writes loops with \"Maximum update depth exceeded\" unless it is stable.";
    let handle = world.remember_of("exchange", text, "");
    assert!((0..3).all(|n| world.works(&format!("s{n}"), &handle, |_| ())));
    let is_given = world.works("s3", &handle, |session| {
        let told = session
            .failed("npm test", "Error: Maximum update depth exceeded")
            .unwrap()
            .unwrap();
        assert!(told.contains(&handle), "{told}");
    });
    assert!(!is_given, "it rests");
}

#[test]
fn a_statement_about_the_file_itself_never_rests() {
    let world = world();
    let handle = world.remember_of("exchange", "Invoices are exported as semicolon CSV.", FILE);
    for n in 0..6 {
        assert!(world.works(&format!("s{n}"), &handle, |_| ()), "{n}");
    }
}

#[test]
fn what_a_session_follows_goes_on_being_said() {
    let world = world();
    let handle = world.remember_of(
        "exchange",
        "Invoices are exported as semicolon CSV by export_invoices.",
        "",
    );
    let edits =
        |session: &Session<'_>| drop(session.edit(FILE, "export_invoices", "export_all").unwrap());
    let mentions =
        |session: &Session<'_>| drop(session.prompt("so what does export_invoices do?").unwrap());
    let reads = |_: &Session<'_>| {
        let mut rpc = Rpc::connect(&world.home).unwrap();
        let caller = Some(helix_client::caller(
            Program::Mcp,
            &world.project.root,
            "",
            "",
        ));
        let request = ReadRequest {
            caller,
            reference: handle.clone(),
            ..ReadRequest::default()
        };
        rpc.call(async |client| client.read(request.clone()).await)
            .unwrap();
    };
    let ways: [&dyn Fn(&Session<'_>); 3] = [&edits, &mentions, &reads];
    for (way, follow) in ways.into_iter().enumerate() {
        for n in 0..2 {
            assert!(
                world.works(&format!("ignores {way} {n}"), &handle, |_| ()),
                "{way}"
            );
        }
        assert!(
            world.works(&format!("follows {way}"), &handle, follow),
            "{way}"
        );
    }
}

#[test]
fn a_memory_is_followed_by_what_it_names_and_says() {
    let world = world();
    let text = "export_invoices writes data/tax-tables.csv in the order that the auditors asked for; a beta is cut with \
                `make release CHANNEL=beta`.";
    let handle = world.remember_of("exchange", text, "");
    let says = |session: &Session<'_>, said: &str| {
        session
            .hook("stop", "Stop", |input| {
                input["last_assistant_message"] = said.into();
            })
            .unwrap();
    };
    let reads = |session: &Session<'_>| drop(session.read("data/tax-tables.csv").unwrap());
    let edits =
        |session: &Session<'_>| drop(session.edit("data/tax-tables.csv", "a", "b").unwrap());
    let runs = |session: &Session<'_>| {
        drop(
            session
                .ran("cd . && make  release CHANNEL=beta", "done")
                .unwrap(),
        );
    };
    let names = |session: &Session<'_>| says(session, "I changed `data/tax-tables.csv:12`.");
    let repeats =
        |session: &Session<'_>| says(session, "It is in the order that the auditors asked for.");
    let subagent = |session: &Session<'_>| {
        drop(
            session
                .subagent("a")
                .edit("data/tax-tables.csv", "a", "b")
                .unwrap(),
        );
    };
    let commits = |session: &Session<'_>| {
        drop(
            session
                .ran(
                    "git commit -qm 'In the order that the auditors asked for'",
                    "",
                )
                .unwrap(),
        );
    };
    let writes = |session: &Session<'_>, path: &str, content: &str| {
        let input = json!({"file_path": world.project.root.join(path), "content": content});
        session.tool("Write", &input).unwrap();
    };
    let notes = |session: &Session<'_>| {
        writes(
            session,
            "notes.md",
            "Rows: in the order that\nthe auditors asked for.\n",
        );
    };
    let ways: [&dyn Fn(&Session<'_>); 8] = [
        &reads, &edits, &runs, &names, &repeats, &subagent, &commits, &notes,
    ];
    for (way, follow) in ways.into_iter().enumerate() {
        assert!(
            world.works(&format!("follows {way}"), &handle, follow),
            "{way}"
        );
        for n in 0..2 {
            assert!(
                world.works(&format!("ignores {way} {n}"), &handle, |_| ()),
                "{way}"
            );
        }
    }
    let others = |session: &Session<'_>| {
        session.read("data/other.csv").unwrap();
        session.ran("make release CHANNEL=nightly", "done").unwrap();
        says(
            session,
            "It is in the order that the users asked for; see old/tax-tables.csv.",
        );
        writes(session, "src/other.rs", "fn all() { export_invoices(); }\n");
        session.subagent("a").read("data/other.csv").unwrap();
    };
    assert!(world.works("ignores it too", &handle, others));
    assert!(
        !world.works("the fourth", &handle, |_| ()),
        "nothing of that follows it"
    );
}

#[test]
fn what_nobody_heeds_of_the_digest_leaves_its_place_to_others() {
    let world = world();
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let mut remember = |kind: &str, text: &str, source: &str, pinned: bool| {
        let draft = Draft {
            kind: kind.to_owned(),
            pinned,
            ..draft("ground-rules", text, source)
        };
        rpc.store(Program::Mcp, &world.project.root, draft)
            .unwrap()
            .handle
    };
    let kept = [
        remember(
            "decision",
            "Money is counted in cents, never in floats.",
            "",
            true,
        ),
        remember("convention", "Names of tables are singular.", "", false),
    ];
    for n in 0..40 {
        let text = format!(
            "Ruling number {n} of the board is about harbour {n} and its tide table, which is long to read"
        );
        remember("decision", &text, "", false);
    }
    let followed = remember(
        "decision",
        "Invoices are exported as semicolon CSV.",
        FILE,
        false,
    );
    let digest = |id: &str, works: bool| -> Vec<String> {
        let session = world.session(id);
        let told = session.start("startup").unwrap().unwrap();
        if works {
            session.edit(FILE, "a", "b").unwrap();
        }
        session
            .hook("session-end", "SessionEnd-other", |_| ())
            .unwrap();
        let handles = told
            .lines()
            .filter_map(|line| line.rsplit_once('[')?.1.split_once(']'))
            .map(|(handle, _)| handle);
        handles
            .filter(|handle| handle.contains('/'))
            .map(str::to_owned)
            .collect()
    };
    let first = digest("s0", true);
    assert!(
        kept.iter()
            .chain([&followed])
            .all(|handle| first.contains(handle)),
        "{first:?}"
    );
    assert_eq!(
        digest("idle", false),
        first,
        "who does nothing heeds nothing"
    );
    assert_eq!(
        [digest("s1", true), digest("s2", true)],
        [first.clone(), first.clone()]
    );
    let fourth = digest("s3", true);
    let (same, new): (Vec<_>, Vec<_>) = fourth.iter().partition(|handle| first.contains(handle));
    assert_eq!(same.len(), kept.len() + 1, "{fourth:?}");
    assert!(
        kept.iter()
            .chain([&followed])
            .all(|handle| fourth.contains(handle))
            && new.len() > 3,
        "{fourth:?}"
    );
    assert_eq!(digest("s4", true), first, "they come back");
}

#[test]
fn a_command_that_mended_is_told() {
    let world = world();
    let mistake =
        "src/a.ts(3,7): error TS2307: Cannot find module 'left-pad' or its declarations.\n";
    let session = world.session("one");
    session.failed("npm test", mistake).unwrap();
    assert_eq!(
        session
            .ran(
                "npm install left-pad --registry=https://me:secret@host/",
                "added 1 package"
            )
            .unwrap(),
        None
    );
    assert_eq!(session.ran("npm test", "1 passed").unwrap(), None);
    let told = world.told("two", "npm test", mistake).unwrap();
    let remedy = "fixed before by running `npm install left-pad --registry=https://me:[redacted:address]@host/` (";
    assert!(told.contains(remedy), "{told}");
    assert!(!told.contains("secret"), "{told}");
}

#[test]
fn a_receipt_outlives_the_daemon() {
    let mut world = world();
    world.remember_of(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office splits at commas.",
        "",
    );
    let transcript = world.project.write("transcript.jsonl", "").unwrap();
    let asks = |world: &World, prompt: &str| {
        let change = |input: &mut Value| {
            input["prompt"] = prompt.into();
            input["transcript_path"] = transcript.to_string_lossy().into();
        };
        world
            .session("one")
            .hook("prompt", "UserPromptSubmit", change)
            .unwrap()
    };
    let given = asks(
        &world,
        "why are invoices exported as semicolon CSV for the tax office?",
    )
    .unwrap();
    world.restart();
    fs::write(&transcript, format!("{}\n", json!({"content": [given]}))).unwrap();
    assert_eq!(asks(&world, "thanks"), None);
    world.await_fates(["delivered"]);
}

#[test]
fn a_hook_whose_program_is_gone_is_announced() {
    let world = world();
    assert_eq!(world.session("one").start("startup").unwrap(), None);
    let hook = json!({"type": "command", "command": "/nowhere/helix-hook", "args": ["ambient"]});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [hook]}]}});
    world
        .project
        .write(".claude/settings.local.json", &settings.to_string())
        .unwrap();
    let told = world.session("two").start("startup").unwrap().unwrap();
    assert!(
        !told.contains("<helix-memory"),
        "Helix says it itself: {told}"
    );
    assert!(
        told.contains(
            "the program that `.claude/settings.local.json` names does not exist; tell the user to run \
             `helixctl connect claude --local`."
        ),
        "{told}"
    );
}
