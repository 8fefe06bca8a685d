//! Purging: what goes leaves no trace, and what was not shown does not go.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helix_proto::v1::checkpoint_request::Action;
use helix_proto::v1::{self, Program};
use helix_tests::hook::Session as HookSession;
use helix_tests::rpc::draft;
use serde_json::json;

use super::{GATEWAY, World};

/// Every file below a directory that holds any of these bytes.
fn holding(directory: &Path, needles: &[Vec<u8>]) -> Vec<(PathBuf, usize)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            found.extend(holding(&path, needles));
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap();
            for (at, needle) in needles.iter().enumerate() {
                if bytes.windows(needle.len()).any(|window| window == needle) {
                    found.push((path.clone(), at));
                }
            }
        }
    }
    found
}

/// The names of the files in a directory.
fn names(directory: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

/// The forms in which a text may lie about.
fn forms(text: &str) -> Vec<Vec<u8>> {
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let mut forms = vec![
        text.as_bytes().to_vec(),
        text.to_lowercase().into_bytes(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ];
    // In the middle of other bytes base64 has one of three forms, of which the ends differ.
    for shift in 0..3 {
        let encoded = STANDARD.encode(["x".repeat(shift).as_str(), text].concat());
        forms.push(encoded.as_bytes()[4..encoded.len() - 4].to_vec());
    }
    forms
}

#[test]
fn what_is_purged_leaves_no_trace() {
    let mut world = World::new();
    let root = world.project.root.clone();
    world
        .project
        .write("src/gateway.rs", "fn main() {}\n")
        .unwrap();
    let backups = world.served.home.paths.home.join("backups");
    world.done(&["backup"]);
    let earlier = names(&backups);
    assert_eq!(earlier.len(), 1);
    let handle = world.add("net", GATEWAY, &["--source", "src/gateway.rs:1"]);
    let kept = world.add("net", "The kept memory is about the dingo proxy.", &[]);
    // It gets into receipts, a checkpoint, the word index and the history.
    let home = &world.served.home;
    let session = HookSession::new(home, &world.project, "s-purge");
    session.start("startup").unwrap();
    session.read("src/gateway.rs").unwrap();
    world.done(&["revise", &handle, &format!("{GATEWAY} It is new.")]);
    world.done(&[
        "checkpoint",
        "save",
        "--task",
        &format!("mend {handle}"),
        "--next",
        GATEWAY,
    ]);
    world.done(&["search", "wombat gateway"]);
    world.done(&["compact", "--log", "--apply"]);
    world.done(&["backup"]);
    let copy = home.paths.strand("default").join("store.redb.format-3");
    fs::write(&copy, GATEWAY).unwrap();
    let other = home.paths.strand("default").join("store.redb.format-2");
    fs::write(&other, "A copy that holds something else.").unwrap();
    assert_eq!(names(&backups).len(), 2);
    let slug = handle.split_once('/').unwrap().1.to_owned();
    let needles: Vec<Vec<u8>> = [GATEWAY, slug.as_str()]
        .into_iter()
        .flat_map(forms)
        .collect();
    assert!(!holding(&home.paths.home, &needles).is_empty());

    let shown = world.refused(&["purge", &handle]);
    assert!(shown.contains("say --yes"), "{shown}");
    assert!(world.is_found("wombat"), "nothing is purged unasked");
    let said = world.done(&["purge", &handle, "--yes"]);
    assert!(said.contains("store.redb.format-3"), "{said}");
    assert!(said.contains("a backup without it was made"), "{said}");
    assert!(
        said.contains("1 backup does not hold it and stays"),
        "{said}"
    );
    let later = names(&backups);
    assert!(later.is_superset(&earlier), "{later:?}");
    assert_eq!(later.len(), 2, "{later:?}");
    assert!(other.exists(), "{said}");
    assert!(!world.is_found("wombat"));
    assert!(world.is_found("dingo"));
    let found = holding(&world.served.home.paths.home, &needles);
    assert!(found.is_empty(), "{found:?}");
    let checkpoint = world.done(&["checkpoint", "show"]);
    assert!(checkpoint.contains("[purged]"), "{checkpoint}");
    let report = world.done(&["doctor", "--deep"]);
    assert!(!report.contains("failure"), "{report}");

    // An import does not bring it back, and a restart finds everything as it was.
    let said = world.import(&[GATEWAY], &["--trust"]);
    assert!(said.contains("0 stored"), "{said}");
    let World { served, project } = world;
    let mut world = World {
        served: served.restarted().unwrap(),
        project,
    };
    assert!(!world.is_found("wombat"));
    assert!(world.is_found("dingo"));
    assert_eq!(
        world.json(&["read", &kept])["memories"][0]["handle"],
        json!(kept)
    );
    let draft = draft("net", "Stored after the purge.", "");
    world.served.rpc.store(Program::Mcp, &root, draft).unwrap();
    world.served.daemon.stop().unwrap();
    let found = holding(&world.served.home.paths.home, &needles);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_session_or_an_origin_is_purged_as_a_whole_and_never_by_an_agent() {
    let mut world = World::new();
    let root = world.project.root.clone();
    let store = |world: &mut World, program, text: &str| {
        let stored = world.served.rpc.store(program, &root, draft("t", text, ""));
        stored.unwrap().handle
    };
    store(
        &mut world,
        Program::Tool,
        "The tool said something about koalas.",
    );
    store(
        &mut world,
        Program::Mcp,
        "The agent said something about emus.",
    );
    let request = v1::PurgeRequest {
        caller: Some(helix_client::caller(Program::Mcp, &root, "tests", "")),
        origin: "tool".to_owned(),
        ..Default::default()
    };
    let asked = world
        .served
        .rpc
        .call(async |rpc| rpc.purge(request.clone()).await);
    let refused = asked.unwrap_err().to_string();
    assert!(refused.contains("only a person"), "{refused}");
    world.done(&["purge", "--origin", "tool", "--yes"]);
    assert!(!world.is_found("koalas"));
    assert!(world.is_found("emus"));
    let cage = "The cage of the wombats is cleaned daily.";
    let wombats = store(&mut world, Program::Mcp, cage);
    let both = store(&mut world, Program::Mcp, &format!("Keepers: two. {cage}"));
    let purged = world.done(&["purge", &wombats, "--yes"]);
    let holder = format!("also stands in {both}, which stays");
    assert!(purged.contains(&holder), "{purged}");
    let refused = world.refused(&["purge", "--session", "nobody", "--yes"]);
    assert!(refused.contains("nothing was purged"), "{refused}");
}

#[test]
fn a_session_that_is_purged_takes_its_checkpoints_with_it() {
    let mut world = World::new();
    let root = world.project.root.clone();
    let mut save = |session: &str, task: &str| {
        let request = v1::CheckpointRequest {
            caller: Some(helix_client::caller(
                Program::Mcp,
                &root,
                "claude-code",
                session,
            )),
            action: Some(Action::Save(v1::TaskCheckpoint {
                task: task.to_owned(),
                next: vec![format!("{task}, once more and then again")],
                ..Default::default()
            })),
        };
        let saved = world
            .served
            .rpc
            .call(async |rpc| rpc.checkpoint(request.clone()).await);
        saved.unwrap();
    };
    let other = "Count the pelicans of the harbour";
    let secret = "Rename the platypus ledger to something else";
    save("kept", other);
    save("gone", secret);
    save("kept", other);
    world.done(&["backup"]);
    let needles = forms(secret);
    assert!(!holding(&world.served.home.paths.home, &needles).is_empty());

    let shown = world.refused(&["purge", "--session", "gone"]);
    assert!(shown.contains("say --yes"), "{shown}");
    assert!(
        world
            .done(&["checkpoint", "show", "--earlier", "1"])
            .contains(secret),
        "nothing is purged unasked"
    );
    let said = world.done(&["purge", "--session", "gone", "--yes"]);
    assert!(said.contains("purged\tcheckpoint"), "{said}");
    let found = holding(&world.served.home.paths.home, &needles);
    assert!(found.is_empty(), "{found:?}");
    assert!(world.done(&["checkpoint", "show"]).contains(other));
    let earlier = world.done(&["checkpoint", "show", "--earlier", "1"]);
    assert!(earlier.contains(other), "{earlier}");
    let refused = world.refused(&["purge", "--session", "gone", "--yes"]);
    assert!(refused.contains("nothing was purged"), "{refused}");
    world.done(&["purge", "--session", "kept", "--yes"]);
    let none = world.done(&["checkpoint", "show"]);
    assert!(none.contains("no checkpoint is saved"), "{none}");
}

#[test]
fn a_backup_made_elsewhere_is_purged_too_and_named_where_it_is_out_of_reach() {
    let world = World::new();
    let handle = world.add("net", GATEWAY, &[]);
    let scratch = world.served.home.scratch();
    let (near, far) = (scratch.join("near"), scratch.join("disk").join("far"));
    for place in [&near, &far] {
        world.done(&["backup", "--to", place.to_str().unwrap()]);
        assert_eq!(names(place).len(), 1);
    }
    fs::rename(scratch.join("disk"), scratch.join("taken-out")).unwrap();
    let shown = world.refused(&["purge", &handle]);
    let announced = |line: &&str| line.contains(near.to_str().unwrap());
    let announced = shown.lines().find(announced).unwrap();
    assert!(announced.contains("would be removed"), "{shown}");
    assert_eq!(names(&near).len(), 1, "nothing goes unasked");
    let said = world.done(&["purge", &handle, "--yes"]);
    assert!(names(&near).is_empty(), "{said}");
    let unreached = format!("the backup {}", far.display());
    assert!(said.contains(&unreached), "{said}");
    assert!(said.contains("remove it yourself"), "{said}");
}
