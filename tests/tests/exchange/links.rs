//! Links that come with a file and go with one: by handle, by place in a topic, by index in a list.

use std::fs;

use helix_client::caller;
use helix_proto::v1::{self, Program};
use helix_tests::Binary;

use crate::{Side, entry, imported, log};

#[test]
fn a_bad_link_costs_only_itself_and_a_dry_run_names_it() {
    let side = Side::new();
    let path = side.served.home.scratch().join("flat.json");
    let entries = r#"[{"topic": "disks", "text": "Disks are checked on Mondays.", "links": ["1", {"a": 2}, "no/such"]},
        {"topic": "tapes", "text": "Tapes are rewound on Fridays.", "links": ["disks/disks-checked-mondays", 7]}]"#;
    fs::write(&path, entries).unwrap();
    let import = |options: &[&str]| {
        let mut command = side.served.home.command(Binary::Ctl);
        let command = command
            .args(["import", "--trust"])
            .args(options)
            .arg(&path)
            .current_dir(side.served.home.scratch());
        let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let problems: Vec<String> = printed
            .lines()
            .filter(|line| line.starts_with("problem"))
            .map(str::to_owned)
            .collect();
        assert_eq!(problems.len(), 3, "{printed}");
        problems
    };
    let foreseen = import(&["--dry-run"]);
    assert!(
        foreseen.concat().contains("`links[1]` is not understood"),
        "{foreseen:?}"
    );
    assert_eq!(foreseen, import(&[]));
    let mut side = side;
    let cwd = side.served.home.scratch().to_owned();
    assert_eq!(
        side.read(&cwd, "disks:0").links,
        ["tapes/tapes-rewound-fridays"]
    );
    assert_eq!(
        side.read(&cwd, "tapes:0").links,
        ["disks/disks-checked-mondays"]
    );
}

#[test]
fn links_that_lead_nowhere_and_unlisted_problems_are_told() {
    let side = Side::new();
    let path = side.served.home.scratch().join("links.json");
    fs::write(&path, r#"[{"topic": "disks", "text": "Heads are cleaned.", "links": ["nowhere:3"], "colour": 1}]"#)
        .unwrap();
    let printed = imported(&side, &path);
    assert!(
        printed.contains("link \"nowhere:3\" names no memory and was left out"),
        "{printed}"
    );
    assert!(
        printed.contains("the field \"colour\" is not known"),
        "{printed}"
    );
    let path = side.served.home.scratch().join("data.log");
    fs::write(
        &path,
        log(b"tapes", b"[links: nope:4]\nTapes are rewound.", 1),
    )
    .unwrap();
    let printed = imported(&side, &path);
    assert!(
        printed.contains("link \"nope:4\" names no memory"),
        "{printed}"
    );
    fs::write(&path, log(b"tapes", b"Tapes:\n[tags: a]\nare wound.", 1)).unwrap();
    let printed = imported(&side, &path);
    assert!(
        printed.contains("a metadata line inside of a text was kept as text"),
        "{printed}"
    );
    let many = [r#"{"topic": "x"}"#; 300].join(",");
    let path = side.served.home.scratch().join("many.json");
    fs::write(&path, format!("[{many}]")).unwrap();
    let printed = imported(&side, &path);
    assert!(printed.contains("problem\tand 200 more"), "{printed}");
}

#[test]
fn an_entry_of_a_flat_list_links_to_others_by_their_index() {
    let mut side = Side::new();
    let path = side.served.home.scratch().join("flat.json");
    let entry = |text: &str, links: &str| {
        format!(r#"{{"topic": "disks", "text": "{text}", "links": {links}}}"#)
    };
    let entries = [
        entry("Heads are cleaned.", "[3]"),
        // It has no text, and its place counts all the same.
        r#"{"topic": "disks"}"#.to_owned(),
        entry("Arms are oiled.", r#"["0", "9"]"#),
        entry("Plates are turned.", r#""0 disks:1""#),
    ];
    fs::write(&path, format!("[{}]", entries.join(","))).unwrap();
    let printed = imported(&side, &path);
    assert_eq!(printed.matches("names no memory").count(), 1, "{printed}");
    assert!(
        printed.contains("link \"9\" names no memory and was left out"),
        "{printed}"
    );
    let cwd = side.served.home.scratch().to_owned();
    let [heads, arms, plates] = [0, 1, 2].map(|index| side.read(&cwd, &format!("disks:{index}")));
    assert_eq!(
        heads.links,
        std::slice::from_ref(&plates.handle),
        "a later entry"
    );
    assert_eq!(arms.links, std::slice::from_ref(&heads.handle));
    assert_eq!(plates.links, [heads.handle, arms.handle]);
}

#[test]
fn an_old_memory_with_links_is_as_old_as_one_without() {
    let mut side = Side::new();
    let cwd = side.served.home.scratch().to_owned();
    let path = cwd.join("data.log");
    let linked = [
        log(b"plain", b"Belts are tightened.", 1),
        entry(b"linked", b"[links: plain:0]\nBelts run.", 1),
    ];
    fs::write(&path, linked.concat()).unwrap();
    assert!(imported(&side, &path).contains("2 stored"));
    assert_eq!(
        side.read(&cwd, "linked:0").links,
        [side.read(&cwd, "plain:0").handle]
    );
    let quiet = |side: &mut Side| {
        let caller = Some(caller(Program::Mcp, &cwd, "tests", ""));
        let request = v1::PruneRequest {
            caller,
            ..v1::PruneRequest::default()
        };
        let reply = side
            .served
            .rpc
            .call(async |rpc| rpc.prune(request.clone()).await)
            .unwrap();
        reply
            .topics
            .into_iter()
            .map(|topic| topic.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(quiet(&mut side), ["linked", "plain"]);
    // What is changed afterwards is changed today.
    side.ctl(&cwd, &["tag", "linked:0", "--add", "belt"]);
    assert_eq!(quiet(&mut side), ["plain"]);
}

#[test]
fn a_log_of_some_topics_says_which_links_it_lacks() {
    let side = Side::new();
    let path = side.served.home.scratch().join("flat.json");
    let entries = r#"[{"topic": "a", "text": "Heads are cleaned.", "links": ["1", "2"]},
        {"topic": "b", "text": "Arms are oiled."}, {"topic": "c", "text": "Plates are turned."}]"#;
    fs::write(&path, entries).unwrap();
    imported(&side, &path);
    let told = |topics: &str| {
        let mut command = side.served.home.command(Binary::Ctl);
        command
            .args(["export", "--format", "amrl", "--topic", topics, "-"])
            .current_dir(side.served.home.scratch());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(
        told("a").contains("2 links lead to memories that are not exported"),
        "{}",
        told("a")
    );
    assert!(
        told("a,b").contains("1 link leads to a memory that is not exported"),
        "{}",
        told("a,b")
    );
    assert!(!told("a,b,c").contains("not exported"), "{}", told("a,b,c"));
}
