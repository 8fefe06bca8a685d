//! Effects of a stored text on those that were known, as a person is told, and the command that
//! settles it.

use helix_tests::process::{SUGGESTED_DEADLINE, within};
use serde_json::Value;

use crate::world::{World, stderr};

/// The command that a remark names, without the program's name.
fn spelled(said: &str) -> Vec<&str> {
    let (_, command) = said.split_once("`helixctl ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    command.split_whitespace().collect()
}

#[test]
fn the_command_that_a_conflict_names_settles_it() {
    let world = World::new();
    world.done(&["add", "billing listens on 8081", "--topic", "services"]);
    let added = world.run(&["add", "billing listens on 8082", "--topic", "services"]);
    let said = stderr(&added);
    assert!(said.contains("both are kept"), "{said}");
    assert_eq!(world.json(&["conflicts"])["total"], 1);
    let settled = world.done(&spelled(&said));
    assert!(settled.contains("superseded\tservices/"), "{settled}");
    assert_eq!(world.json(&["conflicts"])["total"], 0);
}

#[test]
fn the_command_that_a_replacement_names_takes_it_back() {
    let world = World::new();
    let old = world.add("web", "The web app is built with npm.", &[]);
    let text = "We switched the web app from npm to pnpm.";
    let added = world.run(&["add", text, "--topic", "web"]);
    let said = stderr(&added);
    assert!(said.contains("replaces web/"), "{said}");
    let new = world.found(&["switched npm pnpm"]);
    let settled = world.done(&spelled(&said));
    assert_eq!(settled, format!("both kept\nactive\t{old}\n"));
    for handle in [&old, &new[0]] {
        assert_eq!(status(&world, handle), "active", "{handle}");
    }
    assert_eq!(world.json(&["conflicts"])["total"], 0);
}

#[test]
fn both_are_kept_whichever_of_them_was_superseded() {
    let world = World::new();
    let old = world.add("web", "The web app is built with npm.", &[]);
    let new = world.add("web", "The web app is built with pnpm.", &[]);
    for (kept, other) in [(&new, &old), (&old, &new)] {
        world.done(&["settle", kept, other]);
        assert_eq!(status(&world, other), "superseded");
        world.done(&["settle", "--both", &new, &old]);
        assert_eq!(status(&world, &old), "active");
        assert_eq!(status(&world, &new), "active");
        assert_eq!(world.json(&["conflicts"])["total"], 0);
    }
    world.done(&["undo"]);
    assert_eq!(status(&world, &new), "superseded");
}

/// Two memories in conflict, the older first, and a relation that is suggested for the newer one.
fn in_conflict() -> (World, String, String) {
    let world = World::new();
    world.add(
        "lark",
        "Nights are quiet where the lark importer has a fixed limit of entries.",
        &[],
    );
    let old = world.add("lark", "The lark importer limit is 10 rows", &[]);
    world.done(&["add", "The lark importer limit is 20 rows", "-t", "lark"]);
    let new = within(SUGGESTED_DEADLINE, || {
        let listed = world.json(&["review", "--relations"]);
        let items = listed["items"].as_array().unwrap().clone();
        let of = |kind: &str| items.iter().find(|item| item["kind"] == kind).cloned();
        let conflict = of("conflict").unwrap();
        let handle = conflict["memory"]["handle"].as_str().unwrap().to_owned();
        let has_both = items
            .iter()
            .any(|item| item["kind"] == "relation" && item.to_string().contains(&handle));
        Ok(has_both.then_some(handle))
    });
    (world, old, new.unwrap())
}

#[test]
fn a_review_settles_the_conflict_that_it_lists() {
    let (world, old, new) = in_conflict();
    let approved = world.done(&["review", "approve", &new]);
    assert_eq!(approved, format!("superseded\t{old}\tby {new}\n"));
    assert_eq!(status(&world, &old), "superseded");
    assert_eq!(suggested(&world, &new), 1);
    // Nothing else of it waits now.
    let related = world.run(&["review", "approve", &new]);
    assert!(stderr(&related).contains("relates_to"), "{related:?}");
    assert_eq!(suggested(&world, &new), 0);
}

#[test]
fn a_review_rejects_the_conflict_that_it_lists_and_relations_where_they_are_wanted() {
    let (world, old, new) = in_conflict();
    let rejected = stderr(&world.run(&["review", "reject", &new]));
    assert!(rejected.contains("both hold"), "{rejected}");
    assert_eq!(world.json(&["conflicts"])["total"], 0);
    assert_eq!(status(&world, &old), "active");
    assert!(suggested(&world, &new) > 0);

    let (world, _, new) = in_conflict();
    world.done(&["review", "reject", &new, "--relations"]);
    assert_eq!(world.json(&["conflicts"])["total"], 0);
    assert_eq!(suggested(&world, &new), 0);
}

#[test]
fn a_dispute_is_counted_once_wherever_conflicts_are_counted() {
    let world = World::new();
    for text in [
        "billing listens on 8081",
        "billing listens on 8082",
        "billing listens on 8083",
    ] {
        world.done(&["add", text, "--topic", "services"]);
    }
    let one = world.add("zoo", "Walruses eat clams.", &[]);
    let other = world.add("zoo", "Walruses eat nothing.", &[]);
    world.done(&["relate", &one, "contradicts", &other]);
    assert_eq!(world.json(&["conflicts"])["total"], 2);
    assert_eq!(world.json(&["stats", "--metrics"])["conflicts_open"], 2);
    let review = world.json(&["review"]);
    assert_eq!(review["total"], 2);
    let reasons = review["items"].to_string();
    assert!(reasons.contains("1 more disagree"), "{reasons}");
    // What somebody related without a reason.
    let shown = world.done(&["conflicts"]);
    assert!(shown.contains("it is said to contradict:"), "{shown}");
    world.done(&["review", "approve", &one]);
    assert_eq!(status(&world, &other), "superseded");
    assert_eq!(world.json(&["stats", "--metrics"])["conflicts_open"], 1);
}

#[test]
fn a_relation_that_only_says_that_it_supersedes_names_the_command_that_does() {
    let world = World::new();
    let old = world.add("zoo", "Walruses eat clams.", &[]);
    let new = world.add("zoo", "Ferries leave at noon.", &[]);
    let related = stderr(&world.run(&["relate", &new, "supersedes", &old]));
    assert!(related.contains("is still in use"), "{related}");
    assert_eq!(status(&world, &old), "active");
    world.done(&spelled(&related));
    assert_eq!(status(&world, &old), "superseded");
    let again = stderr(&world.run(&["relate", &new, "supersedes", &old]));
    assert!(!again.contains("is still in use"), "{again}");
}

#[test]
fn an_import_counts_the_contradictions_that_it_brings() {
    let world = World::new();
    world.add("services", "billing listens on 8081", &[]);
    let file = world.home.scratch().join("notes.json");
    let memories = r#"[{"topic": "services", "text": "billing listens on 8082"}]"#;
    std::fs::write(&file, memories).unwrap();
    let said = world.done(&["import", file.to_str().unwrap(), "--trust"]);
    assert!(said.contains("1 stored"), "{said}");
    assert!(said.contains("1 in conflict"), "{said}");
    world.done(&spelled(&said));
    assert_eq!(world.json(&["conflicts"])["total"], 0);
}

#[test]
fn an_event_names_the_command_that_settles_its_contradiction() {
    let world = World::new();
    world.add("services", "We decided that billing listens on 8081", &[]);
    let said = world.done(&[
        "event",
        "decision_made",
        "We decided that billing listens on 8082",
    ]);
    let (_, command) = said.split_once("contradicts ").unwrap();
    let (_, command) = command.split_once("helixctl ").unwrap();
    let words: Vec<&str> = command.split_whitespace().take(3).collect();
    assert_eq!(world.json(&["conflicts"])["total"], 1);
    world.done(&words);
    assert_eq!(world.json(&["conflicts"])["total"], 0);
}

#[test]
fn an_empty_answer_about_another_moment_says_so() {
    let world = World::new();
    world.add("zoo", "Walruses eat clams.", &[]);
    for (flag, why) in [("--valid-at", "that held then"), ("--as-of", "known then")] {
        let said = stderr(&world.run(&["search", "walruses", flag, "2020-01-01"]));
        assert!(said.contains(why), "{said}");
    }
    let said = stderr(&world.run(&["search", "quokka"]));
    assert!(!said.contains("then"), "{said}");
}

fn status(world: &World, handle: &str) -> String {
    let read = world.json(&["read", handle]);
    read["memories"][0]["status"].as_str().unwrap().to_owned()
}

/// Suggested relations of a memory that wait.
fn suggested(world: &World, handle: &str) -> usize {
    let listed = world.json(&["review", "--relations"]);
    let items = listed["items"].as_array().unwrap();
    let is_suggested =
        |item: &&Value| item["kind"] == "relation" && item.to_string().contains(handle);
    items.iter().filter(is_suggested).count()
}

#[test]
fn json_names_what_was_corrected() {
    let world = World::new();
    let old = world.add("services", "billing listens on 8081", &[]);
    let added = world.json(&["add", "billing listens on 8082", "--topic", "services"]);
    let correction = &added["corrections"][0];
    assert_eq!(correction["handle"], *old);
    assert_eq!(correction["replaced"], false);
}
