//! The strand keeps itself in shape: memories that fade and come back, backups, metrics.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::world::{World, code, stderr};

/// Long ago.
const OLD: &str = "2024-01-01T00:00:00Z";

/// A world with memories that were stored and seen last long ago: topic, text and kind of each.
fn aged(memories: &[(&str, &str, &str)]) -> (World, Vec<String>) {
    let first = World::new();
    let mut handles = Vec::new();
    for (topic, text, kind) in memories {
        handles.push(first.add(topic, text, &["--kind", kind, "--scope", "global"]));
    }
    let written = first.home.scratch().join("aged.json");
    let written = written.to_str().unwrap();
    first.done(&["export", "--format", "json", "-o", written]);
    let mut export: Value = serde_json::from_str(&fs::read_to_string(written).unwrap()).unwrap();
    age(&mut export);

    let second = World::new();
    let path = second.home.scratch().join("aged.json");
    fs::write(&path, export.to_string()).unwrap();
    second.done(&["import", path.to_str().unwrap(), "--trust"]);
    (second, handles)
}

/// Sets every time in a document back.
fn age(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(age),
        Value::Object(fields) => {
            for (name, value) in fields {
                if ["valid_from", "recorded_at", "last_seen_at"].contains(&name.as_str()) {
                    *value = json!(OLD);
                } else {
                    age(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn job<'s>(status: &'s Value, name: &str) -> Option<&'s Value> {
    let jobs = status["jobs"].as_array().unwrap();
    jobs.iter().find(|job| job["job"] == name)
}

#[test]
fn faded_memories_leave_are_found_on_demand_and_come_back() {
    let (world, handles) = aged(&[
        ("build", "The linker needs arm64 objects.", "gotcha"),
        ("build", "Cranelift fails on the old runners.", "gotcha"),
        ("build", "We chose Bazel for the monorepo.", "decision"),
        ("notes", "A thought about quaternions.", "scratch"),
    ]);
    let plan = world.json(&["lifecycle", "--dry-run"]);
    assert_eq!(plan["mode"], "propose");
    assert!(plan["auto_from"].is_string(), "{plan}");
    assert_eq!(plan["due"], json!({"archive": 2, "expire": 1, "prune": 0}));
    let named = |handle: &String| {
        let fates = plan["fates"].as_array().unwrap();
        fates.iter().find(|fate| fate["handle"] == **handle)
    };
    let fate = named(&handles[0]).unwrap();
    assert_eq!(fate["step"], "archive");
    assert!(fate["reason"].as_str().unwrap().contains("0.3"), "{fate}");
    assert_eq!(named(&handles[2]), None, "a decision does not fade");
    assert_eq!(named(&handles[3]).unwrap()["step"], "expire");
    let shown = world.run(&["lifecycle"]);
    assert!(stderr(&shown).contains("archive 2, expire 1"), "{shown:?}");
    assert!(stderr(&shown).contains("mode propose"), "{shown:?}");

    let done = world.json(&["lifecycle", "--apply"]);
    assert_eq!(
        done["taken"],
        json!({"archive": 2, "expire": 1, "prune": 0})
    );
    let status = world.json(&["status"]);
    assert_eq!(status["memories_by_status"]["archived"], 3);
    let run = job(&status, "lifecycle").unwrap();
    assert_eq!(run["outcome"], "archived 2, expired 1, pruned 0");
    let again = world.json(&["lifecycle", "--apply"]);
    assert_eq!(again["due"], json!({"archive": 0, "expire": 0, "prune": 0}));

    let nothing = world.run(&["search", "arm64"]);
    assert!(nothing.stdout.is_empty());
    let said = stderr(&nothing);
    assert!(said.contains("1 archived memory matches"), "{said}");
    let found = world.found(&["arm64", "--status", "archived"]);
    assert_eq!(found, [handles[0].as_str()]);
    assert_eq!(world.found(&["arm64"]), found, "found again, it is active");

    let read = world.run(&["read", &handles[1]]);
    assert!(stderr(&read).contains("it is active again"), "{read:?}");
    assert_eq!(world.found(&["cranelift"]), [handles[1].as_str()]);
    assert_eq!(world.found(&["status:archived quaternions"]).len(), 1);
}

#[test]
fn what_faded_waits_in_the_review_while_it_is_only_proposed() {
    let (world, handles) = aged(&[
        ("build", "The linker needs arm64 objects.", "gotcha"),
        ("build", "Cranelift fails on the old runners.", "gotcha"),
    ]);
    let waiting = world.json(&["review"]);
    let kinds: Vec<_> = waiting["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["kind"])
        .collect();
    assert_eq!(kinds, ["archive", "archive"], "{waiting}");
    world.done(&["review", "approve", &handles[0]]);
    world.done(&["review", "reject", &handles[1]]);
    assert_eq!(world.found(&["cranelift"]), [handles[1].as_str()]);
    assert_eq!(world.json(&["status"])["memories_by_status"]["archived"], 1);
    assert_eq!(world.json(&["review"])["items"], json!([]));
    assert_eq!(world.json(&["lifecycle"])["due"]["archive"], 0);
}

#[test]
fn a_status_that_nobody_searches_is_refused() {
    let world = World::new();
    let said = world.refused(&["search", "status:forgotten x"]);
    assert!(said.contains("active, superseded, archived"), "{said}");
}

#[test]
fn a_backup_brings_back_what_was_lost_and_not_what_was_forgotten() {
    let world = World::new();
    let kept = world.add("build", "The linker needs arm64 objects.", &[]);
    let forgotten = world.add("build", "Cranelift fails on the old runners.", &[]);
    let made = world.json(&["backup"]);
    let made = &made["backups"][0];
    let path = made["path"].as_str().unwrap();
    assert_eq!(made["memories"], 2);
    assert_eq!(made["newer_operations"], 0);
    let permissions = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(permissions & 0o777, 0o600);
    let listed = world.json(&["backup", "list"]);
    assert_eq!(listed["backups"].as_array().unwrap().len(), 1);

    let later = world.add("build", "We chose Bazel for the monorepo.", &[]);
    world.done(&["forget", &forgotten]);
    world.done(&["forget", &kept]);
    world.done(&["restore", &kept]);
    let verified = world.json(&["backup", "verify", path]);
    assert_eq!(verified["backups"][0]["newer_operations"], 4);
    let said = world.refused(&["backup", "restore", path]);
    assert!(said.contains("4 newer operations"), "{said}");
    assert!(said.contains("--yes"), "{said}");

    let restored = world.done(&["backup", "restore", path, "--yes"]);
    assert!(restored.contains("restored 2 memories"), "{restored}");
    assert!(restored.contains("1 forgotten since"), "{restored}");
    assert_eq!(world.found(&["arm64"]), [kept.as_str()]);
    assert!(world.found(&["cranelift"]).is_empty(), "it stays forgotten");
    assert!(world.found(&["bazel"]).is_empty(), "it came later: {later}");
    let strand = world.home.paths.strand("default");
    let aside = fs::read_dir(strand).unwrap().flatten();
    let aside = aside.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().contains("before-restore")
    });
    assert_eq!(aside.count(), 1, "the store before is kept");
    world.done(&["down"]);
}

#[test]
fn a_damaged_backup_is_refused_and_changes_nothing() {
    let world = World::new();
    let handle = world.add("build", "The linker needs arm64 objects.", &[]);
    let directory = world.home.scratch().join("elsewhere");
    let to = directory.to_str().unwrap();
    let made = world.json(&["backup", "--to", to]);
    let path = made["backups"][0]["path"].as_str().unwrap();
    assert!(path.starts_with(to), "{path}");
    let mut bytes = fs::read(path).unwrap();
    for byte in bytes.iter_mut().skip(4_096) {
        *byte ^= 0x55;
    }
    fs::write(path, bytes).unwrap();
    for arguments in [["backup", "verify", path], ["backup", "restore", path]] {
        let refused = world.run(&arguments);
        assert_ne!(code(&refused), Some(0), "{refused:?}");
        assert!(
            stderr(&refused).contains("no backup to go back to"),
            "{refused:?}"
        );
    }
    assert_eq!(world.found(&["arm64"]), [handle.as_str()]);
}

/// The upkeep that `stats` advises, which `doctor` must tell as well.
fn advised(world: &World) -> Vec<String> {
    let advice: Vec<String> =
        serde_json::from_value(world.json(&["stats"])["advice"].clone()).unwrap();
    let doctor = world.json(&["doctor"]);
    let results = doctor["results"].as_array().unwrap();
    let upkeep = results.iter().find(|result| result["name"] == "upkeep");
    let (level, detail) = if advice.is_empty() {
        ("ok", "nothing to do".to_owned())
    } else {
        ("warning", advice.join("; "))
    };
    assert_eq!(upkeep.unwrap()["level"], level, "{doctor}");
    assert_eq!(upkeep.unwrap()["detail"], detail, "{doctor}");
    advice
}

#[test]
fn stats_and_doctor_advise_pruning_and_compacting_while_they_pay() {
    let texts: Vec<(String, String)> = (0..10)
        .map(|n| {
            (
                format!("topic-{n}"),
                format!("Runner {n} is a decision of its own."),
            )
        })
        .collect();
    let memories: Vec<(&str, &str, &str)> = texts
        .iter()
        .map(|(topic, text)| (topic.as_str(), text.as_str(), "decision"))
        .collect();
    let (world, _) = aged(&memories);
    assert_eq!(
        advised(&world),
        ["10 of 10 topics were not touched for 90 days: prune lists them"]
    );
    assert_eq!(
        world.json(&["prune", "--days", "90"])["topics"]
            .as_array()
            .unwrap()
            .len(),
        10
    );
    let same = "The kestrel cache is cold.";
    world.add("topic-0", same, &[]);
    assert_eq!(advised(&world), [""; 0], "nine are idle");
    for topic in ["topic-0", "topic-1", "topic-2"] {
        world.add(topic, same, &[]);
    }
    assert_eq!(
        advised(&world),
        ["3 memories repeat another's text: compact lists and merges them"]
    );
    world.done(&["compact", "--apply"]);
    assert_eq!(advised(&world), [""; 0]);
}

#[test]
fn metrics_outlive_the_daemon_and_hold_no_text() {
    let world = World::new();
    world.add("build", "The linker needs arm64 objects.", &[]);
    world.found(&["arm64"]);
    world.done(&["down"]);
    world.found(&["linker"]);
    let metrics = world.json(&["stats", "--metrics"]);
    let today = &metrics["days"][0];
    assert_eq!(today["recalls"], 2, "one before the restart: {today}");
    assert!(today["recall_p50_us"].as_u64().unwrap() > 0, "{today}");
    assert_eq!(today["counts"]["stores-new"], 1);
    assert_eq!(metrics["conflicts_open"], 0);
    assert_eq!(metrics["indexes"].as_array().unwrap().len(), 2);
    assert!(!metrics.to_string().contains("linker"), "{metrics}");
    let table = world.done(&["stats", "--metrics"]);
    assert!(table.contains("\tstores new\t1\n"), "{table}");
    assert!(table.contains("half within "), "{table}");
    world.done(&["down"]);
}
