//! Exports that people edit, cut or bring back to a home that has gone on.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use helix_proto::v1::{self, Program};
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};

struct World {
    served: Served,
    project: Project,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let project = Project::new(&served.home, "billing").unwrap();
        project.write("src/a.rs", "fn a() {}\n").unwrap();
        project.write("src/b.rs", "fn b() {}\n").unwrap();
        Self { served, project }
    }

    fn store(&mut self, topic: &str, text: &str, source: &str) -> v1::Memory {
        self.served
            .rpc
            .store(Program::Ctl, &self.project.root, draft(topic, text, source))
            .unwrap()
    }

    fn ctl(&self, arguments: &[&str]) -> Output {
        self.served.home.run(&self.project.root, arguments)
    }

    /// Exports Markdown and returns the file of a topic.
    fn export(&self, topic: &str) -> PathBuf {
        let directory = self.served.home.scratch().join("out");
        let output = self.ctl(&[
            "export",
            "--force",
            "--format",
            "markdown",
            directory.to_str().unwrap(),
        ]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        directory.join(format!("{topic}.md"))
    }

    /// Imports a file, and returns the exit code and what was said.
    fn import(&self, file: &std::path::Path) -> (Option<i32>, String) {
        self.import_as(file, &["--yes"])
    }

    /// The same with other options.
    fn import_as(&self, file: &std::path::Path, options: &[&str]) -> (Option<i32>, String) {
        let output = self.ctl(&[&["import", file.to_str().unwrap()], options].concat());
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    }

    fn read(&mut self, reference: &str) -> v1::Memory {
        let rpc = &mut self.served.rpc;
        rpc.read(&self.project.root, reference).unwrap()
    }
}

#[test]
fn what_a_person_may_change_in_a_file_is_taken_and_the_rest_is_told() {
    let mut world = World::new();
    let other = world.store("build", "The linker needs arm64 on every machine.", "");
    let memory = world.store(
        "build",
        "Caches are cleaned before each release.",
        "src/a.rs:1",
    );
    let file = world.export("build");
    let text = fs::read_to_string(&file).unwrap();
    // Untouched, nothing changes.
    assert_eq!(world.import(&file).0, Some(0));
    let links = format!("\"links\":[\"{}\"],\"importance\"", other.handle);
    let place = text.find(&memory.handle).unwrap();
    let (before, after) = text.split_at(place);
    let after = after
        .replacen("src/a.rs", "src/b.rs", 1)
        .replacen("\"importance\"", &links, 1)
        .replacen("\"origin\":\"user\"", "\"origin\":\"tool\"", 1);
    fs::write(&file, format!("{before}{after}")).unwrap();
    let (code, said) = world.import(&file);
    assert_eq!(code, Some(65), "{said}");
    assert!(
        said.contains("`origin` was changed in the file and is not taken"),
        "{said}"
    );
    assert!(said.contains("1 known before, 1 revised"), "{said}");
    let changed = world.read(&memory.handle);
    assert_eq!(changed.source.unwrap().path, "src/b.rs");
    assert_eq!(changed.links.len(), 1, "{:?}", changed.links);
    assert_eq!(changed.origin, "user");
    // The same file once more changes nothing.
    let (_, said) = world.import(&file);
    assert!(said.contains("2 known before, 0 revised"), "{said}");
}

#[test]
fn an_edited_text_waits_in_the_review_where_nobody_agreed() {
    let mut world = World::new();
    let memory = world.store("build", "Caches are cleaned before each release.", "");
    let other = world.store("build", "The linker needs arm64 on every machine.", "");
    let file = world.export("build");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text
        .replace("before each release", "after each release")
        .replacen("\"importance\":0.5", "\"importance\":0.9", 1);
    fs::write(&file, &edited).unwrap();
    let (code, said) = world.import_as(&file, &["--dry-run"]);
    assert_eq!(code, Some(0), "{said}");
    let foreseen = format!("{} would be changed: text", memory.handle);
    assert!(said.contains(&foreseen), "{said}");
    let (_, said) = world.import_as(&file, &[]);
    assert!(said.contains("0 revised"), "{said}");
    assert!(said.contains("waits in the review"), "{said}");
    assert_eq!(world.read(&memory.handle).text, memory.text);
    // The same file once more proposes nothing new.
    let (_, said) = world.import_as(&file, &[]);
    assert!(said.contains("0 stored"), "{said}");
    let listed = world.served.home.json(&world.project.root, &["review"]);
    let items = listed["items"].as_array().unwrap();
    let waiting = |item: &&serde_json::Value| item["kind"] == "quarantined";
    let waiting: Vec<_> = items.iter().filter(waiting).collect();
    assert_eq!(waiting.len(), 1, "{listed}");
    let reason = waiting[0]["reason"].as_str().unwrap();
    assert!(reason.contains(&memory.handle), "{reason}");
    let proposed = waiting[0]["memory"]["handle"].as_str().unwrap();
    assert!(world.ctl(&["review", "approve", proposed]).status.success());
    assert_eq!(
        world.read(proposed).text,
        "Caches are cleaned after each release."
    );
    assert_eq!(world.read(&memory.handle).status, "superseded");
    let importance = world.read(&other.handle).importance;
    assert_eq!(importance.to_bits(), other.importance.to_bits());
}

#[test]
fn a_file_forgets_nothing_where_nobody_agreed() {
    let mut world = World::new();
    let memory = world.store("build", "Caches are cleaned before each release.", "");
    let file = world.export("build");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"status\":\"active\""), "{text}");
    let edited = text.replacen("\"status\":\"active\"", "\"status\":\"forgotten\"", 1);
    fs::write(&file, edited).unwrap();
    let (code, said) = world.import_as(&file, &[]);
    assert_eq!(code, Some(65), "{said}");
    assert!(said.contains("nobody agreed to it"), "{said}");
    assert_eq!(world.read(&memory.handle).status, "active");
    let (code, said) = world.import_as(&file, &["--yes"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(world.read(&memory.handle).status, "forgotten");
}

#[test]
fn a_memory_moves_with_its_block() {
    let mut world = World::new();
    let memory = world.store("build", "Caches are cleaned before each release.", "");
    world.store("build", "The linker needs arm64 on every machine.", "");
    let file = world.export("build");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("topic: build", "topic: release")).unwrap();
    let (code, said) = world.import(&file);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("2 revised"), "{said}");
    assert_eq!(world.read(&memory.handle).topic, "release");
}

#[test]
fn a_cut_file_damages_nothing() {
    let mut world = World::new();
    let first = world.store("build", "Caches are cleaned before each release.", "");
    let second = world.store("build", "The linker needs arm64 on every machine.", "");
    let file = world.export("build");
    let text = fs::read_to_string(&file).unwrap();
    let last = text.rfind("<!-- helix:").unwrap();
    let in_text = text
        .rfind("on every")
        .or_else(|| text.rfind("before each"))
        .unwrap();
    for cut in [in_text, last + 30] {
        fs::write(&file, text.get(..cut).unwrap()).unwrap();
        let (code, said) = world.import(&file);
        assert_eq!(code, Some(65), "{said}");
        assert!(
            said.contains("0 stored, 1 known before, 0 revised"),
            "{said}"
        );
        assert!(
            said.contains("1 of the 2 memories that it names are whole"),
            "{said}"
        );
    }
    for memory in [first, second] {
        assert_eq!(world.read(&memory.handle).text, memory.text);
    }
}

#[test]
fn forgotten_memories_are_named_by_an_import_that_has_them() {
    let mut world = World::new();
    let memory = world.store("build", "Caches are cleaned before each release.", "");
    let file = world.export("build");
    assert!(
        world
            .ctl(&["forget", &memory.handle, "--yes"])
            .status
            .success()
    );
    let (code, said) = world.import(&file);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("1 of those known before is forgotten here"),
        "{said}"
    );
    assert!(
        said.contains(&format!("helixctl restore {}", memory.handle)),
        "{said}"
    );
}

#[test]
fn an_export_says_what_it_leaves_out() {
    let mut world = World::new();
    world.store(
        "build",
        "Caches are cleaned before each release of the product.",
        "",
    );
    let output = world.ctl(&["export", "--format", "amrl", "out.log"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("no place for kind, importance, pin and project"),
        "{said}"
    );
}
