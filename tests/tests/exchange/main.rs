//! Memories travel from one home to another through the formats.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod conflicts;
mod links;
mod trust;

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use helix_client::caller;
use helix_proto::v1::{self, Program};
use helix_tests::rpc::draft;
use helix_tests::{Binary, Project, Served};

const SOURCE: &str = "fn main() {\n    let lists = sorted();\n    fuse(lists);\n}\n";

/// One of the homes.
struct Side {
    served: Served,
}

impl Side {
    fn new() -> Self {
        Self {
            served: Served::new().unwrap(),
        }
    }

    fn ctl(&self, cwd: &Path, arguments: &[&str]) {
        self.served.home.done(cwd, arguments);
    }

    fn store(&mut self, cwd: &Path, scope: &str, text: &str) -> v1::Memory {
        let draft = v1::Draft {
            scope: scope.to_owned(),
            ..draft("kernels", text, "src/kernels.rs:3")
        };
        self.served.rpc.store(Program::Mcp, cwd, draft).unwrap()
    }

    /// The stale memories and how many are not, as seen from a directory.
    fn stale(&mut self, cwd: &Path) -> (usize, u32, u32) {
        let caller = Some(caller(Program::Mcp, cwd, "tests", ""));
        let request = v1::StaleRequest {
            caller,
            ..v1::StaleRequest::default()
        };
        let reply = self
            .served
            .rpc
            .call(async |rpc| rpc.stale(request.clone()).await)
            .unwrap();
        (reply.stale.len(), reply.checked, reply.unknown)
    }

    fn read(&mut self, cwd: &Path, reference: &str) -> v1::Memory {
        self.served.rpc.read(cwd, reference).unwrap()
    }
}

#[test]
fn what_was_recorded_of_a_source_travels() {
    let mut from = Side::new();
    let project = Project::new(&from.served.home, "billing").unwrap();
    project.write("src/kernels.rs", SOURCE).unwrap();
    let own = from.store(
        &project.root,
        "",
        "The lists must be sorted before they are fused.",
    );
    let global = from.store(
        &project.root,
        "global",
        "Every project fuses its lists in this way.",
    );
    for (format, target) in [("json", "all.json"), ("markdown", "all")] {
        project.write("src/kernels.rs", SOURCE).unwrap();
        let mut to = Side::new();
        let target = from.served.home.scratch().join(target);
        let target = target.to_str().unwrap();
        from.ctl(
            &project.root,
            &["export", "--format", format, "--output", target],
        );
        to.ctl(
            &project.root,
            &["import", "--trust", "--format", format, target],
        );
        for memory in [&own, &global] {
            let there = to.read(&project.root, &memory.handle);
            assert_eq!(
                (&there.source, &there.attributes),
                (&memory.source, &memory.attributes),
                "{format}"
            );
        }
        assert_eq!(to.stale(&project.root), (0, 2, 0), "{format}");
        // The line moved, so that the hash of the whole file alone would say that it changed.
        project
            .write("src/kernels.rs", &format!("//! New.\n\n{SOURCE}"))
            .unwrap();
        assert_eq!(to.stale(&project.root), (0, 2, 0), "{format}");
        fs::remove_file(project.root.join("src/kernels.rs")).unwrap();
        assert_eq!(to.stale(&project.root), (2, 2, 0), "{format}");
        // Elsewhere nobody knows where the project is.
        let elsewhere = Project::new(&to.served.home, "other").unwrap();
        assert_eq!(to.stale(&elsewhere.root), (0, 0, 1), "{format}");
    }
}

/// An AMRL log of one entry, so many minutes after the beginning of 2024.
fn log(topic: &[u8], body: &[u8], minutes: i32) -> Vec<u8> {
    [&b"AMRL\x01\x00\x00\x00"[..], &entry(topic, body, minutes)].concat()
}

fn entry(topic: &[u8], body: &[u8], minutes: i32) -> Vec<u8> {
    let lengths = [
        &[1, u8::try_from(topic.len()).unwrap()][..],
        &u32::try_from(body.len()).unwrap().to_le_bytes(),
    ];
    [
        &lengths.concat()[..],
        &minutes.to_le_bytes(),
        &[0; 2],
        topic,
        body,
    ]
    .concat()
}

#[test]
fn imported_memories_become_stale_too() {
    let day = Duration::from_hours(24);
    let files = [
        ("data.log", log(b"lists", b"[source: src/kernels.rs:3]\nThe lists are sorted before.", 1_000_000)),
        (
            "all.json",
            br#"{"topics": {"lists": [{"text": "The lists are sorted before.", "source": "src/kernels.rs:3", "at": "2025-11-25"}]}}"#
                .to_vec(),
        ),
        ("lists.md", b"[source: src/kernels.rs:3]\nThe lists are sorted before.\n".to_vec()),
    ];
    for (name, bytes) in files {
        let mut side = Side::new();
        let project = Project::new(&side.served.home, "billing").unwrap();
        let source = project.write("src/kernels.rs", SOURCE).unwrap();
        // 2025-01-01; a file that is younger than a memory may have been another then.
        let changed_at = UNIX_EPOCH + Duration::from_hours(482_136);
        File::options()
            .write(true)
            .open(&source)
            .unwrap()
            .set_modified(changed_at)
            .unwrap();
        let path = side.served.home.scratch().join(name);
        fs::write(&path, bytes).unwrap();
        side.ctl(
            &project.root,
            &["import", "--trust", path.to_str().unwrap()],
        );
        assert_eq!(side.stale(&project.root), (0, 1, 0), "{name}");
        project
            .write("src/kernels.rs", &format!("//! New.\n\n{SOURCE}"))
            .unwrap();
        assert_eq!(
            side.stale(&project.root),
            (0, 1, 0),
            "{name}: the line only moved"
        );
        project.write("src/kernels.rs", "fn main() {}\n").unwrap();
        assert_eq!(side.stale(&project.root), (1, 1, 0), "{name}");
        let recorded = side.read(&project.root, "lists:0").source.unwrap();
        assert_eq!(
            (recorded.content_hash.len(), recorded.git_blob.len()),
            (32, 20),
            "{name}"
        );

        let mut later = Side::new();
        File::options()
            .write(true)
            .open(&source)
            .unwrap()
            .set_modified(SystemTime::now() + day)
            .unwrap();
        later.ctl(
            &project.root,
            &["import", "--trust", path.to_str().unwrap()],
        );
        assert_eq!(later.stale(&project.root), (0, 0, 1), "{name}");
    }
}

#[test]
fn what_cannot_be_taken_is_named_and_the_others_go_in() {
    let oversized = "x".repeat(64 * 1024 + 1);
    let entries: Vec<u8> = [
        entry(b"disks", b"Disks are checked on Mondays.", 1),
        entry(b"disks", oversized.as_bytes(), 2),
        entry(b"", b"Of no topic.", 3),
        entry(b"!!!", b"Of a topic without a letter.", 4),
        entry(b"disks", b"caf\xe9 opens at eight.", 5),
        entry(b"disks", b"Tapes are rewound on Fridays.", 6),
    ]
    .concat();
    let log = [&b"AMRL\x01\x00\x00\x00"[..], &entries].concat();
    let json = [
        &b"[{\"topic\":\"disks\",\"text\":\"Disks are checked on Mondays.\"},\n{\"topic\":\"disks\",\"text\":\""[..],
        oversized.as_bytes(),
        b"\"},\n{\"topic\":\"\",\"text\":\"Of no topic.\"},\n{\"topic\":\"!!!\",\"text\":\"Of a topic without a letter.\"},\n",
        b"{\"topic\":\"disks\",\"text\":\"caf\xe9 opens at eight.\"},\n{\"topic\":\"disks\",\"text\":\"Tapes are rewound.\"}]",
    ]
    .concat();
    let markdown = [
        b"Disks are checked on Mondays.\n---\n",
        oversized.as_bytes(),
        b"\n---\ncaf\xe9 opens at eight.\n---\nTapes.\n",
    ]
    .concat();
    let cases = [
        (
            "data.log",
            log,
            &["byte 54", "no topic", "!!!", "not UTF-8"][..],
        ),
        (
            "all.json",
            json,
            &["line 2", "no topic", "!!!", "not UTF-8"],
        ),
        ("disks.md", markdown, &["line 3", "not UTF-8"]),
    ];
    for (name, bytes, said) in cases {
        let side = Side::new();
        let path = side.served.home.scratch().join(name);
        fs::write(&path, bytes).unwrap();
        let mut command = side.served.home.command(Binary::Ctl);
        let output = command
            .args(["import", path.to_str().unwrap()])
            .current_dir(side.served.home.scratch())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("3 stored"), "{name}: {printed}");
        for words in said.iter().chain(&["65537 bytes"]) {
            assert!(printed.contains(words), "{name}, {words}: {printed}");
        }
    }
}

#[test]
fn when_a_text_was_revised_has_one_name() {
    let mut side = Side::new();
    let project = Project::new(&side.served.home, "billing").unwrap();
    let log = side.served.home.scratch().join("data.log");
    let bytes = self::log(
        b"lists",
        b"[modified: 2026-02-15 10:30]\nThe lists are sorted.",
        0,
    );
    fs::write(&log, &bytes).unwrap();
    let older = side.served.home.scratch().join("older.json");
    let entry = r#"{"recorded_at": "2026-02-01", "text": "The nodes are sorted.", "attributes": {"modified": "2026-02-15"}}"#;
    fs::write(&older, format!(r#"{{"topics": {{"nodes": [{entry}]}}}}"#)).unwrap();
    side.ctl(&project.root, &["import", "--trust", log.to_str().unwrap()]);
    side.ctl(
        &project.root,
        &["import", "--trust", older.to_str().unwrap()],
    );
    let of = |memory: v1::Memory| memory.attributes.into_iter().collect::<Vec<_>>();
    let one = |written: &str| vec![("helix.modified".to_owned(), written.to_owned())];
    assert_eq!(
        of(side.read(&project.root, "lists:0")),
        one("2026-02-15 10:30")
    );
    assert_eq!(of(side.read(&project.root, "nodes:0")), one("2026-02-15"));
    let back = side.served.home.scratch().join("back.log");
    side.ctl(
        &project.root,
        &[
            "export",
            "--format",
            "amrl",
            "--topic",
            "lists",
            "--output",
            back.to_str().unwrap(),
        ],
    );
    assert_eq!(fs::read(&back).unwrap(), bytes);
}

#[test]
fn a_file_that_cannot_be_read_costs_the_others_nothing() {
    let side = Side::new();
    let directory = side.served.home.scratch().join("notes");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("a.md"), "Disks are checked on Mondays.\n").unwrap();
    fs::write(
        directory.join("b.md"),
        "---\nformat: helix-markdown\nversion: 999\n---\nUnknown.\n",
    )
    .unwrap();
    fs::write(directory.join("c.md"), "Tapes are rewound on Fridays.\n").unwrap();
    let mut command = side.served.home.command(Binary::Ctl);
    let output = command
        .args(["import", "--format", "markdown"])
        .arg(&directory)
        .current_dir(side.served.home.scratch())
        .output();
    let printed = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(
        printed.contains("b.md") && printed.contains("the file was left out"),
        "{printed}"
    );
    assert!(printed.contains("2 memories read: 2 stored"), "{printed}");
}

/// Exports the memories of the directory's project in a home.
fn exported(side: &Side, cwd: &Path) -> Vec<(String, String)> {
    let path = side.served.home.scratch().join("counted.json");
    side.ctl(
        cwd,
        &[
            "export",
            "--force",
            "--format",
            "json",
            "--output",
            path.to_str().unwrap(),
        ],
    );
    let document: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let topics = document["topics"].as_array().unwrap();
    let of = |topic: &serde_json::Value| {
        let name = topic["topic"].as_str().unwrap().to_owned();
        let entries = topic["entries"].as_array().unwrap();
        entries
            .iter()
            .map(|entry| (name.clone(), entry["text"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let mut all: Vec<(String, String)> = topics.iter().flat_map(of).collect();
    all.sort();
    all
}

#[test]
fn what_was_stored_twice_with_force_comes_back_twice() {
    let mut from = Side::new();
    let project = Project::new(&from.served.home, "billing").unwrap();
    for topic in ["disks", "disks", "tapes"] {
        let draft = v1::Draft {
            topic: topic.to_owned(),
            ..draft(topic, "Heads are cleaned on Mondays.", "")
        };
        let request = v1::StoreRequest {
            caller: Some(caller(Program::Mcp, &project.root, "tests", "")),
            draft: Some(draft),
            force: true,
        };
        let stored = from
            .served
            .rpc
            .call(async |rpc| rpc.store(request.clone()).await)
            .unwrap();
        assert_eq!(stored.outcome(), v1::StoreOutcome::Stored);
    }
    let all = exported(&from, &project.root);
    assert_eq!(all.len(), 3);
    for (format, target) in [
        ("json", "all.json"),
        ("markdown", "all"),
        ("amrl", "all.log"),
    ] {
        let target = from.served.home.scratch().join(target);
        let target = target.to_str().unwrap();
        from.ctl(
            &project.root,
            &["export", "--format", format, "--output", target],
        );
        let to = Side::new();
        for round in ["first", "second"] {
            to.ctl(
                &project.root,
                &["import", "--trust", "--format", format, target],
            );
            assert_eq!(
                exported(&to, &project.root),
                all,
                "{format}, the {round} time"
            );
        }
        // What is there with other ids and one of the topics gains only what it lacks.
        let mut other = Side::new();
        let known = v1::Draft {
            topic: "tapes".to_owned(),
            ..draft("tapes", "Heads are cleaned on Mondays.", "")
        };
        other
            .served
            .rpc
            .store(Program::Mcp, &project.root, known)
            .unwrap();
        for round in ["first", "second"] {
            other.ctl(
                &project.root,
                &["import", "--trust", "--format", format, target],
            );
            assert_eq!(
                exported(&other, &project.root),
                all,
                "{format} beside another, the {round} time"
            );
        }
    }
}

#[test]
fn what_says_the_same_without_a_name_is_taken_once() {
    let side = Side::new();
    let path = side.served.home.scratch().join("notes.json");
    let entry = r#"{"topic": "disks", "text": "Heads are cleaned on Mondays."}"#;
    fs::write(&path, format!("[{entry}, {entry}]")).unwrap();
    let printed = imported(&side, &path);
    assert!(
        printed.contains("2 memories read: 1 stored, 1 known"),
        "{printed}"
    );
    let printed = imported(&side, &path);
    assert!(
        printed.contains("2 memories read: 0 stored, 2 known"),
        "{printed}"
    );
}

/// Returns the output of `helixctl import`, whatever it thinks of the file.
fn imported(side: &Side, path: &Path) -> String {
    let mut command = side.served.home.command(Binary::Ctl);
    let output = command
        .args(["import", "--trust", path.to_str().unwrap()])
        .current_dir(side.served.home.scratch())
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

#[test]
fn what_holds_everywhere_and_names_no_scope_is_known_the_second_time() {
    let side = Side::new();
    let file = side.served.home.scratch().join("notes.json");
    let text = "preference: I like tabs over spaces in makefiles";
    fs::write(
        &file,
        format!("[{{\"topic\":\"style\",\"text\":\"{text}\"}}]"),
    )
    .unwrap();
    assert!(imported(&side, &file).contains("1 stored"));
    assert!(imported(&side, &file).contains("0 stored, 1 known before"));
}

#[test]
fn what_was_merged_or_forgotten_does_not_come_back_with_its_file() {
    let mut side = Side::new();
    let file = side.served.home.scratch().join("notes.json");
    let twin = "the ledger export needs the sandbox credentials of the finance team";
    let texts = [
        twin,
        &format!("{twin}!"),
        "invoices are numbered without gaps",
    ];
    let entries = texts.map(|text| format!("{{\"topic\":\"ledger\",\"text\":\"{text}\"}}"));
    fs::write(&file, format!("[{}]", entries.join(","))).unwrap();
    imported(&side, &file);
    let cwd = side.served.home.scratch().to_owned();
    let last = side.read(&cwd, "ledger:2");
    side.ctl(&cwd, &["forget", &last.handle]);
    side.ctl(&cwd, &["compact", "--apply"]);
    let said = imported(&side, &file);
    assert!(said.contains("0 stored, 3 known before"), "{said}");
    let left: Vec<String> = exported(&side, &cwd)
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
