//! `topics action=stale`: sources that changed.

use std::fs;

use serde_json::json;

use super::world::World;

const SOURCE: &str = "//! Fusion.\n\nfn fuse() {\n    sort();\n    merge();\n}\n";

#[test]
fn a_whole_file_that_changed() {
    let mut world = World::empty();
    let lines = |last: &str| {
        (1..=40)
            .map(|n| {
                if n == 31 {
                    format!("{last}\n")
                } else {
                    format!("line {n};\n")
                }
            })
            .collect::<String>()
    };
    world
        .project
        .write("src/known.rs", &lines("old();"))
        .unwrap();
    world.project.commit().unwrap();
    world
        .project
        .write("src/unknown.rs", &lines("older();"))
        .unwrap();
    world.say(
        "store",
        json!({"topic": "fusion", "text": "Git knows what this was.", "source": "src/known.rs"}),
    );
    world.say("store", json!({"topic": "fusion", "text": "Nobody knows what that was.", "source": "src/unknown.rs"}));
    for path in ["src/known.rs", "src/unknown.rs"] {
        world.project.write(path, &lines("new();")).unwrap();
    }
    world.say("topics", json!({"action": "stale", "refresh": "true"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn sources_that_changed() {
    let mut world = World::empty();
    for path in ["src/fusion.rs", "src/old.rs", "src/kept.rs"] {
        world.project.write(path, SOURCE).unwrap();
    }
    for (text, source) in [
        (
            "Lists are sorted before they are merged.",
            "src/fusion.rs:4",
        ),
        ("The old fusion was a port.", "src/old.rs"),
        ("This one was never touched.", "src/kept.rs:4"),
        ("Nobody has seen this file.", "src/absent.rs:9"),
    ] {
        world.say(
            "store",
            json!({"topic": "fusion", "text": text, "source": source}),
        );
    }
    world.say("topics", json!({"action": "stale"}));
    world
        .project
        .write("src/fusion.rs", &SOURCE.replace("sort()", "sort_stably()"))
        .unwrap();
    fs::remove_file(world.project.root.join("src/old.rs")).unwrap();
    world.remark("src/fusion.rs is changed, src/old.rs removed");
    world.say("topics", json!({"action": "stale"}));
    world.say("topics", json!({"action": "stale", "refresh": "true"}));
    world.say("topics", json!({"action": "stale", "topic": "other"}));
    world.say("search", json!({"query": "fusion", "limit": 2}));
    world.say("search", json!({"query": "fusion", "detail": "brief"}));
    world.say("topics", json!({"action": "entries", "topic": "fusion"}));
    world.say("read", json!({"topic": "fusion"}));
    world.say("brief", json!({"query": "fusion"}));
    world.say(
        "edit",
        json!({"action": "set", "topic": "fusion:0", "source": "src/fusion.rs:4"}),
    );
    world.say("topics", json!({"action": "stale"}));
    world.project.write("src/fusion.rs", SOURCE).unwrap();
    world.say(
        "edit",
        json!({"action": "revise", "topic": "fusion:0", "text": "Lists come sorted."}),
    );
    world.say("edit", json!({"action": "revise", "topic": "fusion:1", "text": "The old fusion was a port from C."}));
    world.say("topics", json!({"action": "stale"}));
    insta::assert_snapshot!(world.told());
}
