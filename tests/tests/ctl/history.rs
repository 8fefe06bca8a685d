//! The history: listed, compared, taken back and explained.

use std::fs;

use serde_json::{Value, json};

use crate::world::{World, sorted, stderr};

const NPM: &str = "The web client is built with npm.";
const PNPM: &str = "The web client is built with pnpm.";

fn kinds(log: &Value) -> Vec<String> {
    let operations = log["operations"].as_array().unwrap();
    let kind = |operation: &Value| operation["kind"].as_str().unwrap().to_owned();
    operations.iter().map(kind).collect()
}

fn text(world: &World, handle: &str) -> String {
    let read = world.json(&["read", handle]);
    read["memories"][0]["text"].as_str().unwrap().to_owned()
}

fn newest(world: &World) -> u64 {
    let log = world.json(&["log", "--limit", "1"]);
    log["operations"][0]["sequence"].as_u64().unwrap()
}

#[test]
fn what_was_done_is_listed_newest_first() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    world.add("disk", "Clean the disk before a release.", &[]);
    world.done(&["revise", &web, PNPM]);
    assert_eq!(kinds(&world.json(&["log"])), ["revise", "store", "store"]);
    assert_eq!(kinds(&world.json(&["log", "web"])), ["revise", "store"]);
    assert_eq!(kinds(&world.json(&["log", &web])), ["revise", "store"]);
    let page = world.json(&["log", "--limit", "2"]);
    assert_eq!(page["has_more"], true);
    let last = page["operations"][1]["sequence"].to_string();
    assert_eq!(kinds(&world.json(&["log", "--before", &last])), ["store"]);
    assert!(world.done(&["log"]).contains("pnpm"));
    let nothing = world.run(&["log", "--since", "2200-01-01"]);
    assert!(stderr(&nothing).contains("nothing was done"));
    assert!(
        world
            .refused(&["log", "nobody/knows-it"])
            .contains("nothing is called")
    );
}

#[test]
fn two_places_are_compared() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let disk = world.add("disk", "Clean the disk before a release.", &[]);
    let before = newest(&world);
    world.done(&["revise", &web, PNPM]);
    world.done(&["forget", &disk]);
    world.add("ports", "Billing listens on 8080.", &[]);
    let after = newest(&world);

    let diff = world.json(&["diff", &before.to_string(), "now"]);
    assert_eq!(
        (&diff["memories_total"], &diff["to_sequence"]),
        (&json!(3), &json!(after))
    );
    let shown = world.done(&["diff", &before.to_string()]);
    for line in [
        "added\tports/",
        "removed\tdisk/",
        "changed\tweb/",
        "  - The web client is built with npm.",
        "  + The web client is built with pnpm.",
        "    status: active → forgotten",
    ] {
        assert!(shown.contains(line), "{line:?} is not in:\n{shown}");
    }
    let whole = world.json(&["diff", "0", "now"]);
    // What was stored and forgotten in between is no difference.
    assert_eq!(whole["memories_total"], 2);
    let nothing = world.run(&["diff", "now"]);
    assert!(
        stderr(&nothing).contains("nothing is different"),
        "{nothing:?}"
    );
    let ends_first = world.refused(&["diff", &after.to_string(), &before.to_string()]);
    assert!(
        ends_first.contains("name the earlier one first"),
        "{ends_first}"
    );
    assert!(
        world
            .refused(&["diff", "999999"])
            .contains("no operation 999999 yet")
    );
    assert!(
        world
            .refused(&["diff"])
            .contains("no session changed anything here")
    );
}

#[test]
fn undo_walks_back_one_change_after_another() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    world.done(&["revise", &web, PNPM]);
    world.done(&["tag", &web, "--add", "build"]);

    let planned = world.json(&["undo", "--dry-run"]);
    assert_eq!(
        (&planned["sequence"], &planned["memories_total"]),
        (&Value::Null, &json!(1))
    );
    let undone = world.json(&["undo"]);
    assert_eq!(undone["reverted"][0]["kind"], "tag");
    assert_eq!(text(&world, &web), PNPM);
    world.done(&["undo"]);
    assert_eq!(text(&world, &web), NPM);
}

#[test]
fn a_purge_is_not_undone_nor_what_was_before_it() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let gone = world.add("web", "The koala cage is cleaned on Mondays.", &[]);
    world.done(&["purge", &gone, "--yes"]);
    let said = world.refused(&["undo"]);
    assert!(said.contains("was a purge"), "{said}");
    assert_eq!(text(&world, &web), NPM);
    world.done(&["tag", &web, "--add", "build"]);
    let undone = world.json(&["undo"]);
    assert_eq!(undone["reverted"][0]["kind"], "tag");
}

#[test]
fn a_difference_says_what_is_superseded_by_now() {
    let world = World::new();
    let old = world.add("web", NPM, &[]);
    let new = world.add("web", PNPM, &[]);
    world.done(&["supersede", &old, "--by", &new]);
    let shown = world.done(&["diff", "0", "now"]);
    let added = format!("added\t{old}\n");
    let (_, about_old) = shown.split_once(&added).unwrap();
    assert!(
        about_old.contains(&format!("    status: - → superseded by {new}")),
        "{shown}"
    );
    assert_eq!(shown.matches("status:").count(), 1, "{shown}");
}

#[test]
fn an_examination_is_no_change_that_is_undone() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    world.done(&["revise", &web, PNPM]);
    // The first stores its memory, the second takes that again.
    for _ in 0..2 {
        world.done(&["doctor"]);
    }
    let log = world.done(&["log"]);
    assert!(!log.contains("helix-doctor"), "{log}");
    world.done(&["undo"]);
    assert_eq!(text(&world, &web), NPM);
}

#[test]
fn a_later_change_stands_in_the_way() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    world.done(&["revise", &web, PNPM]);
    let revised = newest(&world);
    world.done(&["append", &web, "Version 9 is pinned."]);
    let said = world.refused(&["undo", &revised.to_string()]);
    assert!(said.contains("was changed again by operation"), "{said}");
    assert!(text(&world, &web).contains("Version 9"));
    world.done(&["undo", &revised.to_string(), "--force"]);
    assert_eq!(text(&world, &web), NPM);
    // Both were taken back: what is left to undo is the beginning.
    world.done(&["undo"]);
    assert_eq!(
        world.json(&["read", &web])["memories"][0]["status"],
        "forgotten"
    );
}

#[test]
fn a_rollback_is_shown_first_and_is_a_change_itself() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let disk = world.add("disk", "Clean the disk before a release.", &[]);
    let before = newest(&world).to_string();
    world.done(&["revise", &web, PNPM]);
    world.done(&["forget", &disk]);
    let ports = world.add("ports", "Billing listens on 8080.", &[]);

    let shown = world.refused_after(&["rollback", "--to", &before]);
    assert!(shown.contains("say --yes"), "{shown}");
    assert_eq!(text(&world, &web), PNPM);
    let done = world.json(&["rollback", "--to", &before, "--yes"]);
    assert_eq!(done["memories_total"], 3);
    assert_eq!(text(&world, &web), NPM);
    assert_eq!(
        sorted(world.found(&["topic:web,disk"])),
        sorted(vec![web.clone(), disk])
    );
    assert_eq!(
        world.json(&["read", &ports])["memories"][0]["status"],
        "forgotten"
    );
    let diff = world.json(&["diff", &before, "now"]);
    let left = diff["memories"].as_array().unwrap();
    assert!(
        left.iter().all(|changed| changed["before"].is_null()),
        "{diff}"
    );
    world.done(&["undo", &done["sequence"].to_string()]);
    assert_eq!(text(&world, &web), PNPM);
    let again = world.run(&["rollback", "--to", "now"]);
    assert!(
        stderr(&again).contains("everything is as it was"),
        "{again:?}"
    );
}

#[test]
fn a_memory_says_where_it_comes_from() {
    let world = World::new();
    let head = world.project.root.join(".git/HEAD");
    fs::create_dir_all(head.parent().unwrap()).unwrap();
    fs::write(&head, "ref: refs/heads/feature/login\n").unwrap();
    let web = world.add("web", NPM, &["--source", "package.json:3"]);
    world.done(&["revise", &web, PNPM]);
    let why = world.json(&["why", &web]);
    assert_eq!(why["memory"]["provenance"][0]["branch"], "feature/login");
    assert_eq!(why["operations"][0]["branch"], "feature/login");
    let kinds: Vec<&Value> = why["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| &operation["kind"])
        .collect();
    assert_eq!(kinds, [&json!("store"), &json!("revise")]);
    let told = world.done(&["why", &web]);
    for part in [
        "said by user on",
        "(git feature/login)",
        "package.json:3",
        "no hook told it",
    ] {
        assert!(told.contains(part), "{part:?} is not in:\n{told}");
    }
}

#[test]
fn an_undo_is_undone_and_nothing_goes_to_and_fro() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    world.done(&["revise", &web, PNPM]);
    let undone = world.json(&["undo"])["sequence"].to_string();
    assert_eq!(text(&world, &web), NPM);
    let redone = world.json(&["undo", &undone])["sequence"].to_string();
    assert_eq!(text(&world, &web), PNPM);
    let said = world.refused(&["undo", &undone]);
    let complaint = format!("changed again by operation {redone}");
    assert!(said.contains(&complaint), "{said}");
    // The revision is the last change that is not undone.
    world.done(&["undo"]);
    assert_eq!(text(&world, &web), NPM);
    world.done(&["undo"]);
    assert!(world.found(&["client"]).is_empty());
    let said = world.refused(&["undo"]);
    assert!(said.contains("that is not undone"), "{said}");
}

#[test]
fn a_batch_and_an_import_go_back_as_one() {
    let world = World::new();
    let first = r#"{"topic":"ports","text":"Billing listens on 8080."}"#;
    let second = r#"{"topic":"disk","text":"Clean the disk before a release."}"#;
    let lines = format!("{first}\n{second}\n");
    let batch = world.run_with(&["batch", "-"], &lines);
    assert!(batch.status.success(), "{batch:?}");
    assert_eq!(world.found(&["topic:ports,disk"]).len(), 2);
    let undone = world.json(&["undo"]);
    assert_eq!(undone["memories_total"], 2);
    assert!(world.found(&["topic:ports,disk"]).is_empty());
    world.done(&["undo", &undone["sequence"].to_string()]);
    assert_eq!(world.found(&["topic:ports,disk"]).len(), 2);

    let file = world.project.root.join("notes.md");
    let notes = "## One\n\nThe linker needs arm64.\n\n## Two\n\nCaches live on the disk.\n";
    fs::write(&file, notes).unwrap();
    let before = world
        .found(&["--scope", "all", "--after", "2000-01-01"])
        .len();
    world.done(&["import", "--trust", file.to_str().unwrap()]);
    let stored = world
        .found(&["--scope", "all", "--after", "2000-01-01"])
        .len()
        - before;
    assert!(stored > 1, "the import stored {stored}");
    let undone = world.json(&["undo"]);
    assert_eq!(undone["memories_total"], stored);
}

#[test]
fn what_was_settled_is_open_again() {
    let world = World::new();
    let npm = world.add("web", NPM, &[]);
    let pnpm = world.add("web", PNPM, &[]);
    for done in [
        vec!["settle", pnpm.as_str(), npm.as_str()],
        vec!["settle", pnpm.as_str(), npm.as_str(), "--merge"],
        vec!["supersede", npm.as_str(), "--by", pnpm.as_str()],
    ] {
        world.done(&done);
        assert_eq!(world.found(&["client"]).len(), 1, "{done:?}");
        world.done(&["undo"]);
        let both = sorted(vec![npm.clone(), pnpm.clone()]);
        assert_eq!(sorted(world.found(&["client"])), both, "{done:?}");
        assert_eq!(text(&world, &npm), NPM);
        assert_eq!(text(&world, &pnpm), PNPM);
    }
}

#[test]
fn a_split_is_shown_first_and_goes_back_as_one() {
    let world = World::new();
    let text = "Billing listens on 8080.\n\nCaches:\n- redis for sessions\n- disk for images";
    let whole = world.add("billing", text, &["--tag", "ops", "--kind", "fact"]);
    let shown = world.refused_after(&["split", &whole]);
    assert!(shown.contains("say --yes"), "{shown}");
    let shown = world.done(&["split", &whole, "--dry-run"]);
    assert!(shown.contains("2\tCaches: redis for sessions"), "{shown}");
    assert_eq!(world.found(&["topic:billing"]), [whole.as_str()]);

    world.done(&["split", &whole, "--yes"]);
    let parts = world.json(&["read", "billing"]);
    let parts = parts["memories"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    for part in parts {
        assert_eq!(part["kind"], "fact");
        assert_eq!(part["tags"], json!(["ops"]));
        let handle = part["handle"].as_str().unwrap();
        let why = world.done(&["why", handle]);
        assert!(why.contains("derived_from"), "{why}");
    }
    let original = world.json(&["read", &whole]);
    assert_eq!(original["memories"][0]["status"], "superseded");

    world.done(&["undo"]);
    assert_eq!(world.found(&["topic:billing"]), [whole.as_str()]);
    let said = world.refused(&["split", &whole, "--into", "Only one."]);
    assert!(said.contains("two parts or more"), "{said}");
    world.done(&["split", &whole, "--into", "Ports.", "--into", "Caches."]);
    assert_eq!(world.found(&["topic:billing"]).len(), 2);
}

#[test]
fn an_undo_of_relations_says_how_to_take_it_back() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let disk = world.add("disk", "Clean the disk before a release.", &[]);
    world.done(&["relate", &web, "uses", &disk]);
    let before = newest(&world);
    let undone = world.run(&["undo"]);
    let sequence = newest(&world);
    assert_eq!(sequence, before + 1);
    let said = stderr(&undone);
    assert!(
        said.contains(&format!("helixctl undo {sequence}")),
        "{said}"
    );
    let again = world.json(&["undo", &sequence.to_string()]);
    assert_eq!(again["sequence"], sequence + 1);
    assert!(world.done(&["neighbours", &web]).contains("uses"));
}

#[test]
fn what_came_and_went_in_between_is_no_difference() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let disk = world.add("disk", "Clean the disk before a release.", &[]);
    let before = newest(&world).to_string();
    world.done(&["append", &web, "With version 9."]);
    world.done(&["undo"]);
    world.done(&["relate", &web, "uses", &disk]);
    world.done(&["undo"]);
    world.done(&["relate", &disk, "depends_on", &web]);
    world.done(&["unrelate", &disk, "depends_on", &web]);
    world.add("ports", "Billing listens on 8080.", &[]);
    world.done(&["undo"]);
    let diff = world.json(&["diff", &before, "now"]);
    assert_eq!(diff["memories_total"], 0, "{diff}");
    assert_eq!(diff["edges_total"], 0, "{diff}");
}

#[test]
fn a_memory_says_in_which_session_it_was_said() {
    let world = World::new();
    let mut command = world.home.command(helix_tests::Binary::Ctl);
    command
        .args([
            "add",
            NPM,
            "--topic",
            "web",
            "--source",
            "web/package.json:3",
        ])
        .current_dir(&world.project.root)
        .env("CLAUDE_CODE_SESSION_ID", "session-7");
    assert!(command.status().unwrap().success());
    let why = world.done(&["why", "web:0"]);
    assert!(why.contains("in session session-7"), "{why}");
    assert!(why.contains("web/package.json:3"), "{why}");
}
