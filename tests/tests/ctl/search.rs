//! Searches: their hits, and how much of each is shown.

use helix_proto::exit;
use helix_tests::{Binary, Project};
use serde_json::{Value, json};

use crate::world::{World, code, handles, sorted, stderr};

#[test]
fn filters_narrow_a_search() {
    let world = World::new();
    let gotcha = world.add(
        "build",
        "Cache needs cleaning.",
        &[
            "--kind",
            "gotcha",
            "--tags",
            "ci",
            "--source",
            "ci/run.sh:3",
        ],
    );
    let decision = world.add(
        "deploy",
        "Cache lives on its own disk.",
        &["--kind", "decision", "--tags", "ops"],
    );
    let global = world.add("habits", "Cache is spelt cache.", &["--scope", "global"]);
    let all = sorted(vec![gotcha.clone(), decision.clone(), global.clone()]);
    let both = sorted(vec![gotcha.clone(), decision.clone()]);
    let table: [(&[&str], Vec<&String>); 19] = [
        (&["cache"], all.iter().collect()),
        (&["cache tag:ci"], vec![&gotcha]),
        (&["cache topic:deploy"], vec![&decision]),
        (&["cache kind:gotcha"], vec![&gotcha]),
        (&["cache source:ci/run.sh"], vec![&gotcha]),
        (&["cache scope:global"], vec![&global]),
        (&["cache scope:project"], both.iter().collect()),
        (&["cache after:2020-01-01"], all.iter().collect()),
        (&["cache before:2020-01-01"], vec![]),
        (&["cache tag:ci kind:decision"], vec![]),
        (&["cache", "--tag", "ops"], vec![&decision]),
        (&["cache", "--topic", "build"], vec![&gotcha]),
        (&["cache", "--kind", "decision"], vec![&decision]),
        (&["cache", "--source", "run.sh"], vec![&gotcha]),
        (&["cache", "--scope", "global"], vec![&global]),
        (&["cache", "--after", "2020-01-01"], all.iter().collect()),
        (&["cache", "--before", "2020-01-01"], vec![]),
        (&["tag:ops"], vec![&decision]),
        (&["cache disk", "--all"], vec![&decision]),
    ];
    for (arguments, expected) in table {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(sorted(world.found(arguments)), expected, "{arguments:?}");
    }
    assert_eq!(world.found(&["cache", "--limit", "1"]).len(), 1);
    assert_eq!(world.found(&["disk zebra", "--any"]), [decision]);
    assert_eq!(world.found(&["disk zebra", "--all"]), Vec::<String>::new());
    for wrong in ["cache after:someday", "cache tag:"] {
        world.refused(&["search", wrong]);
    }
    for wrong in [
        &["search", "cache kind:nosuch"][..],
        &["search", "cache", "-k", "nosuch"],
    ] {
        let said = world.refused(wrong);
        assert!(
            said.contains("\"nosuch\" is not known") && said.contains("gotcha"),
            "{said}"
        );
    }
}

#[test]
fn tags_that_nothing_has_together_are_said() {
    let world = World::new();
    let gotcha = world.add("build", "Cache needs cleaning.", &["--tags", "ci"]);
    world.add("deploy", "Cache lives on its own disk.", &["--tags", "ops"]);
    assert_eq!(world.found(&["TAG:Ci"]), [gotcha]);
    let output = world.run(&["search", "tag:ci,ops"]);
    let said = stderr(&output);
    assert!(
        said.contains("no memory has all of these tags; alone, tag:ci finds 1, tag:ops finds 1"),
        "{said}"
    );
}

#[test]
fn a_tag_that_nothing_has_is_said() {
    let world = World::new();
    world.add(
        "build",
        "Cache needs cleaning.",
        &["--tags", "ci,performance"],
    );
    for line in [
        &["search", "cache tag:perfomance"][..],
        &["search", "cache", "--tag", "perfomance"],
    ] {
        let output = world.run(line);
        assert_eq!((code(&output), output.stdout.len()), (Some(exit::OK), 0));
        let said = stderr(&output);
        assert!(
            said.contains("no memory here has the tag perfomance; near: performance"),
            "{said}"
        );
    }
    let counted = world.json(&["search", "cache tag:zebra", "--count"]);
    assert!(
        counted["notes"][0]
            .as_str()
            .unwrap()
            .contains("the tag zebra"),
        "{counted}"
    );
    let known = world.run(&["search", "zebra", "--tag", "ci", "--words"]);
    assert!(!stderr(&known).contains("tag"), "{known:?}");
}

#[test]
fn a_dash_before_a_word_excludes_it() {
    let world = World::new();
    let both = world.add("build", "The cache needs the linker.", &[]);
    let one = world.add("deploy", "The cache lives on its own disk.", &[]);
    assert_eq!(
        world.found(&["cache -linker", "--all"]),
        std::slice::from_ref(&one)
    );
    assert_eq!(world.found(&["cache -linker", "--any"]), [one]);
    assert_eq!(world.found(&["cache linker", "--all"]), [both]);
}

#[test]
fn a_day_in_a_query_is_the_askers_day() {
    let world = World::new();
    // The tenth in Greenwich, and still the ninth in California.
    let memory = json!([{"topic": "days", "text": "Moved to the new disks.", "valid_from": "2026-11-10T02:00:00Z"}]);
    let imported = world.run_with(&["import", "--trust", "-"], &memory.to_string());
    assert_eq!(code(&imported), Some(exit::OK), "{}", stderr(&imported));
    let found = |zone: &str, query: &str| {
        let mut command = world.home.command(Binary::Ctl);
        command
            .args(["search", query, "--json"])
            .current_dir(&world.project.root)
            .env("TZ", zone);
        let printed = command.output().unwrap().stdout;
        handles(&serde_json::from_slice::<Value>(&printed).unwrap()["hits"]).len()
    };
    assert_eq!(found("UTC", "disks after:2026-11-10"), 1);
    assert_eq!(found("America/Los_Angeles", "disks after:2026-11-10"), 0);
    assert_eq!(found("America/Los_Angeles", "disks after:2026-11-09"), 1);
}

#[test]
fn a_question_about_a_time_finds_what_was_said_then() {
    let world = World::new();
    let broker = world.add("broker", "The broker was restarted by hand.", &[]);
    let found = world.run(&["search", "what happened today?"]);
    assert_eq!(
        world.found(&["what happened today?"]),
        std::slice::from_ref(&broker)
    );
    assert!(stderr(&found).contains("newest first"), "{found:?}");
    assert_eq!(world.found(&["what happened in 2019?"]), [""; 0]);
    assert_eq!(world.found(&["happened today", "--any"]), [""; 0]);
    let report = world.add(
        "incident",
        "Incident of 2026-03-12: the queue was full.",
        &[],
    );
    world.add(
        "incident",
        "Incident of 2026-06-02: the disk was full.",
        &[],
    );
    let found = world.found(&["the incident on 12 March 2026"]);
    assert_eq!(found.first(), Some(&report));
}

#[test]
fn a_search_explains_itself() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    let reply = world.json(&["search", "cache", "--explain"]);
    let why = &reply["hits"][0]["explanation"];
    assert_eq!(
        (&why["lexical_rank"], &why["semantic_rank"]),
        (&json!(1), &Value::Null),
        "{why}"
    );
    assert!(
        !why["matched_terms"].as_array().unwrap().is_empty(),
        "{why}"
    );
    assert!(
        reply["notes"][0].as_str().unwrap().contains("words only"),
        "{reply}"
    );
    let meaning = world.run(&["search", "cache", "--meaning"]);
    assert_eq!(code(&meaning), Some(exit::UNAVAILABLE), "{meaning:?}");
    assert!(
        stderr(&meaning).contains("switched off"),
        "{}",
        stderr(&meaning)
    );
}

#[test]
fn other_projects_are_left_out() {
    let world = World::new();
    let handle = world.add("build", "Cache needs cleaning.", &[]);
    let other = Project::new(&world.home, "other").unwrap();
    let search = |more: &[&str]| {
        let mut command = world.home.command(Binary::Ctl);
        let output = command
            .args(["search", "cache", "--json"])
            .args(more)
            .current_dir(&other.root)
            .output()
            .unwrap();
        handles(&serde_json::from_slice::<Value>(&output.stdout).unwrap()["hits"])
    };
    assert_eq!(search(&[]), Vec::<String>::new());
    assert_eq!(search(&["--scope", "all"]), [handle]);
}

#[test]
fn a_search_shows_as_much_as_is_asked_for() {
    let world = World::new();
    let text = "Cache needs cleaning.\nAfter a toolchain change.\nElse old objects are linked.";
    let build = world.add("build", text, &["--tags", "ci"]);
    let deploy = world.add("deploy", "Cache lives on its own disk.", &[]);
    let shown =
        |arguments: &[&str]| world.done(&[&["search", "cache", "--detail"], arguments].concat());
    assert_eq!(shown(&["count"]), "2 memories match\n");
    assert_eq!(
        shown(&["topics"]),
        world.done(&["search", "cache", "--count"])
    );
    let brief = shown(&["brief"]);
    assert_eq!(brief.lines().count(), 2, "{brief}");
    assert!(
        brief.contains(&build) && brief.contains(&deploy) && !brief.contains("toolchain"),
        "{brief}"
    );
    let medium = shown(&["medium", "--topic", "build,nowhere"]);
    assert!(
        medium.contains("After a toolchain")
            && medium.contains("… 1 more line")
            && medium.contains("#ci"),
        "{medium}"
    );
    let full = shown(&["full"]);
    assert!(
        full.contains("> Cache needs cleaning.\n") && full.contains("  Else old objects"),
        "{full}"
    );
    assert!(
        !full.contains("why:") && shown(&["full", "--explain"]).contains("why: score"),
        "{full}"
    );
    let grouped = shown(&["grouped"]);
    assert!(
        grouped.contains("build (1)\n") && grouped.contains("deploy (1)\n"),
        "{grouped}"
    );
    let counted = world.json(&["search", "cache", "--detail", "count"]);
    assert_eq!(
        (&counted["matches"]["total"], &counted["hits"]),
        (&json!(2), &json!([]))
    );
    let whole = world.json(&["search", "cache", "--detail", "full"]);
    assert_eq!(
        (
            whole["hits"].as_array().unwrap().len(),
            &whole["hits"][0]["explanation"]
        ),
        (2, &Value::Null)
    );
}

#[test]
fn a_search_is_bounded_in_time() {
    let world = World::new();
    let handle = world.add("build", "Cache needs cleaning.", &[]);
    let all: [&[&str]; 5] = [
        &["--days", "1"],
        &["cache", "--hours", "1"],
        &["--since", "yesterday"],
        &["cache", "--until", "today"],
        &["--before", "today"],
    ];
    for arguments in all {
        assert_eq!(
            world.found(arguments),
            std::slice::from_ref(&handle),
            "{arguments:?}"
        );
    }
    assert_eq!(
        world.found(&["cache", "--until", "yesterday"]),
        Vec::<String>::new()
    );
}

#[test]
fn how_far_a_memory_is_trusted_is_said_wherever_it_is_listed() {
    let world = World::new();
    world.add(
        "web",
        "The client is built with pnpm.",
        &["--confidence", "0.7"],
    );
    world.add("disk", "The client fills the disk.", &[]);
    for command in [
        &["search", "client"][..],
        &["search", "client", "--detail", "medium"],
        &["search", "client", "--detail", "brief"],
        &["brief"],
        &["brief", "web"],
        &["brief", "web", "--detail", "full"],
        &["entries", "web"],
    ] {
        let shown = world.done(command);
        let counted = shown.matches("confidence 0.7").count();
        assert_eq!(counted, 1, "{command:?}:\n{shown}");
        assert_eq!(
            shown.matches("confidence").count(),
            1,
            "{command:?}:\n{shown}"
        );
    }
}
