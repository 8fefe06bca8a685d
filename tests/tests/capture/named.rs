//! Names that people know, and topics that say something.

use super::world::World;

#[test]
fn a_status_names_the_project_and_no_commit() {
    let world = World::new();
    world.project.write("a.rs", "fn a() {}\n").unwrap();
    world.project.commit().unwrap();
    let said = world.done(&["capture", "on"]);
    assert!(said.contains("switched on for project billing"), "{said}");
    world.write(
        "s-1",
        &[(
            "user",
            "we decided to keep Postgres for the ledger because of transactions",
        )],
    );
    world.import();
    let status = world.done(&["capture", "status"]);
    assert!(status.contains("billing"), "{status}");
    assert!(!status.contains("project:"), "{status}");
}

#[test]
fn a_topic_is_no_common_word_and_no_option() {
    let world = World::new();
    world.write(
        "s-1",
        &[
            (
                "user",
                "we decided to freeze all releases in March because of the audit",
            ),
            (
                "user",
                "always pass `-s` to the linter because it is so noisy",
            ),
            ("user", "cron always runs in UTC because the servers do"),
        ],
    );
    world.import();
    let listed = world.json(&["review"]);
    let items = listed["items"].as_array().unwrap();
    assert!(items.len() >= 2, "{listed}");
    for item in items {
        let topic = item["memory"]["topic"].as_str().unwrap();
        assert!(
            ["decisions", "conventions", "notes"].contains(&topic),
            "{item}"
        );
    }
}

#[test]
fn a_note_does_not_say_that_it_is_to_be_remembered() {
    let world = World::new();
    for (said, kept) in [
        (
            "remember that the proxy drops long requests",
            "The proxy drops long requests",
        ),
        (
            "merk dir bitte, dass der Index nachts neu gebaut wird",
            "Der Index nachts neu gebaut wird",
        ),
        ("请记住：测试环境每周重置", "测试环境每周重置"),
    ] {
        let noted = world.done(&["note", said]);
        let handle = noted.strip_prefix("noted as ").unwrap();
        let handle = handle.split(' ').next().unwrap();
        let read = world.json(&["read", handle]);
        assert_eq!(read["memories"][0]["text"], kept, "{noted}");
    }
}
