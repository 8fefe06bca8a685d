//! What Helix knew then, and what held then.

use serde_json::Value;

use crate::world::{World, sorted, stderr};

const NPM: &str = "The web client is built with npm.";
const PNPM: &str = "The web client is built with pnpm.";

fn newest(world: &World) -> String {
    let log = world.json(&["log", "--limit", "1"]);
    log["operations"][0]["sequence"].to_string()
}

/// The time of the newest operation: what comes later was not known then.
fn now(world: &World) -> String {
    let log = world.json(&["log", "--limit", "1"]);
    log["operations"][0]["at"].as_str().unwrap().to_owned()
}

fn text(read: &Value) -> &str {
    read["memories"][0]["text"].as_str().unwrap()
}

#[test]
fn what_was_known_is_searched_read_and_told() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    let disk = world.add("disk", "Clean the disk before a release.", &[]);
    let before = newest(&world);
    let time = now(&world);
    let revised = world.json(&["revise", &web, PNPM]);
    let revised = revised["memories"][0]["handle"]
        .as_str()
        .unwrap()
        .to_owned();
    world.done(&["forget", &disk]);
    let ports = world.add("ports", "Billing listens on 8080.", &[]);

    for then in [&before, &time] {
        let as_of = ["--as-of", then.as_str()];
        let found = world.found(&[&["client", "release", "listens", "--any"][..], &as_of].concat());
        assert_eq!(sorted(found), sorted(vec![web.clone(), disk.clone()]));
        for name in [&web, &revised] {
            let read = world.json(&[&["read", name][..], &as_of].concat());
            assert_eq!(text(&read), NPM);
        }
        let read = world.run(&[&["read", &disk][..], &as_of].concat());
        assert!(stderr(&read).contains("changed since"), "{read:?}");
        let brief = world.done(&[&["brief", "--detail", "full"][..], &as_of].concat());
        assert!(brief.contains("built with npm"), "{brief}");
        assert!(!brief.contains("8080"), "{brief}");
        let context = world.done(&[&["context", "client"][..], &as_of].concat());
        assert!(context.contains("built with npm"), "{context}");
        let said = world.refused(&[&["read", &ports][..], &as_of].concat());
        assert!(said.contains("not stored yet"), "{said}");
        let topic = world.json(&[&["read", "web"][..], &as_of].concat());
        assert_eq!(text(&topic), NPM);
    }
    for moment in ["--as-of", "--valid-at"] {
        let now = world.found(&["client", moment, "now"]);
        assert_eq!(now, world.found(&["client"]), "{moment}");
        let before = world.found(&["client", moment, "2 days ago"]);
        assert!(before.is_empty(), "{moment}: {before:?}");
        for command in [["read", "web"], ["context", "client"], ["brief", "web"]] {
            world.done(&[&command[..], &[moment, "now"]].concat());
        }
    }
    assert_eq!(text(&world.json(&["read", &web])), PNPM);
    // Nothing that was looked at counts as recalled.
    let kept = world.json(&["read", &disk]);
    assert_eq!(kept["memories"][0]["status"], "forgotten");
    assert!(world.found(&["--as-of", "0"]).is_empty());
}

#[test]
fn what_was_replaced_holds_before() {
    let world = World::new();
    let npm = world.add("web", NPM, &[]);
    let held = now(&world);
    let pnpm = world.add("web", PNPM, &[]);
    world.done(&["supersede", &npm, "--by", &pnpm]);

    assert_eq!(world.found(&["client"]), [pnpm.as_str()]);
    assert_eq!(
        world.found(&["client", "--valid-at", &held]),
        [npm.as_str()]
    );
    let topic = world.json(&["read", "web", "--valid-at", &held]);
    assert_eq!(topic["memories"].as_array().unwrap().len(), 1);
    assert_eq!(text(&topic), NPM);
    let said = world.refused(&["read", &pnpm, "--valid-at", &held]);
    assert!(said.contains("did not hold at that time"), "{said}");
    let brief = world.done(&["brief", "web", "--valid-at", &held]);
    assert!(brief.contains("built with npm"), "{brief}");
}

#[test]
fn nonsense_and_the_future_are_refused() {
    let world = World::new();
    let web = world.add("web", NPM, &[]);
    for (moment, complaint) in [
        (["--as-of", "999999"], "no operation 999999 yet"),
        (["--as-of", "2200-01-01"], "in the future"),
        (["--valid-at", "2200-01-01"], "in the future"),
    ] {
        for command in [
            ["search", "client"],
            ["brief", "web"],
            ["read", web.as_str()],
            ["context", "client"],
        ] {
            let said = world.refused(&[&command[..], &moment].concat());
            assert!(said.contains(complaint), "{command:?}: {said}");
        }
    }
    let said = stderr(&world.run(&["search", "client", "--as-of", "soon"]));
    assert!(said.contains("not a date"), "{said}");
    let today = world.found(&["client", "--as-of", "today"]);
    assert_eq!(today, [web]);
}

#[test]
fn pages_belong_to_their_moment() {
    let world = World::new();
    for nth in 0..6 {
        world.add("web", &format!("Client number {nth} is built."), &[]);
    }
    let then = newest(&world);
    world.add("web", "Client number 9 is built.", &[]);
    let search = ["search", "topic:web client", "-n", "3", "--words"];
    let page = world.json(&[&search[..], &["--as-of", &then]].concat());
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = world.json(&[&search[..], &["--as-of", &then, "--cursor", cursor]].concat());
    assert_eq!(next["hits"].as_array().unwrap().len(), 3);
    let said = world.refused(&[&search[..], &["--cursor", cursor]].concat());
    assert!(said.contains("another query or filter"), "{said}");
}
