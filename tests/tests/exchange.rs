//! What travels from one home to another through the formats.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::Path;
use std::process::Stdio;

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
        Self { served: Served::new().unwrap() }
    }

    fn ctl(&self, cwd: &Path, arguments: &[&str]) {
        let mut command = self.served.home.command(Binary::Ctl);
        let output = command.args(arguments).current_dir(cwd).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn store(&mut self, cwd: &Path, scope: &str, text: &str) -> v1::Memory {
        let draft = v1::Draft { scope: scope.to_owned(), ..draft("kernels", text, "src/kernels.rs:3") };
        self.served.rpc.store(Program::Mcp, cwd, draft).unwrap()
    }

    /// The stale memories and how many are not, as seen from a directory.
    fn stale(&mut self, cwd: &Path) -> (usize, u32, u32) {
        let caller = Some(caller(Program::Mcp, cwd, "tests", ""));
        let request = v1::StaleRequest { caller, ..v1::StaleRequest::default() };
        let reply = self.served.rpc.call(async |rpc| rpc.stale(request.clone()).await).unwrap();
        (reply.stale.len(), reply.checked, reply.unknown)
    }

    fn read(&mut self, cwd: &Path, reference: &str) -> v1::Memory {
        let caller = Some(caller(Program::Mcp, cwd, "tests", ""));
        let request = v1::ReadRequest { caller, reference: reference.to_owned(), ..v1::ReadRequest::default() };
        self.served.rpc.call(async |rpc| rpc.read(request.clone()).await).unwrap().memories.remove(0)
    }
}

#[test]
fn what_was_recorded_of_a_source_travels() {
    let mut from = Side::new();
    let project = Project::new(&from.served.home, "billing").unwrap();
    project.write("src/kernels.rs", SOURCE).unwrap();
    let own = from.store(&project.root, "", "The lists must be sorted before they are fused.");
    let global = from.store(&project.root, "global", "Every project fuses its lists in this way.");
    for (format, target) in [("json", "all.json"), ("markdown", "all")] {
        project.write("src/kernels.rs", SOURCE).unwrap();
        let mut to = Side::new();
        let target = from.served.home.scratch().join(target);
        let target = target.to_str().unwrap();
        from.ctl(&project.root, &["export", "--format", format, "--output", target]);
        to.ctl(&project.root, &["import", "--format", format, target]);
        for memory in [&own, &global] {
            let there = to.read(&project.root, &memory.handle);
            assert_eq!((&there.source, &there.attributes), (&memory.source, &memory.attributes), "{format}");
        }
        assert_eq!(to.stale(&project.root), (0, 2, 0), "{format}");
        // The line moved, so that the hash of the whole file alone would say that it changed.
        project.write("src/kernels.rs", &format!("//! New.\n\n{SOURCE}")).unwrap();
        assert_eq!(to.stale(&project.root), (0, 2, 0), "{format}");
        fs::remove_file(project.root.join("src/kernels.rs")).unwrap();
        assert_eq!(to.stale(&project.root), (2, 2, 0), "{format}");
        // Elsewhere nobody knows where the project is.
        let elsewhere = Project::new(&to.served.home, "other").unwrap();
        assert_eq!(to.stale(&elsewhere.root), (0, 0, 1), "{format}");
    }
}

#[test]
fn when_a_text_was_revised_has_one_name() {
    let mut side = Side::new();
    let project = Project::new(&side.served.home, "billing").unwrap();
    let log = side.served.home.scratch().join("data.log");
    let mut bytes = b"AMRL\x01\x00\x00\x00".to_vec();
    let body = b"[modified: 2026-02-15 10:30]\nThe lists are sorted.";
    bytes.extend([1, 5]);
    bytes.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    bytes.extend([0; 6]);
    bytes.extend(b"lists");
    bytes.extend(body);
    fs::write(&log, &bytes).unwrap();
    let older = side.served.home.scratch().join("older.json");
    let entry =
        r#"{"recorded_at": "2026-02-01", "text": "The nodes are sorted.", "attributes": {"modified": "2026-02-15"}}"#;
    fs::write(&older, format!(r#"{{"topics": {{"nodes": [{entry}]}}}}"#)).unwrap();
    side.ctl(&project.root, &["import", log.to_str().unwrap()]);
    side.ctl(&project.root, &["import", older.to_str().unwrap()]);
    let of = |memory: v1::Memory| memory.attributes.into_iter().collect::<Vec<_>>();
    let one = |written: &str| vec![("helix.modified".to_owned(), written.to_owned())];
    assert_eq!(of(side.read(&project.root, "lists:0")), one("2026-02-15 10:30"));
    assert_eq!(of(side.read(&project.root, "nodes:0")), one("2026-02-15"));
    let back = side.served.home.scratch().join("back.log");
    side.ctl(&project.root, &["export", "--format", "amrl", "--topic", "lists", "--output", back.to_str().unwrap()]);
    assert_eq!(fs::read(&back).unwrap(), bytes);
}

#[test]
fn a_file_that_cannot_be_read_costs_the_others_nothing() {
    let side = Side::new();
    let directory = side.served.home.scratch().join("notes");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("a.md"), "Disks are checked on Mondays.\n").unwrap();
    fs::write(directory.join("b.md"), "---\nformat: helix-markdown\nversion: 999\n---\nUnknown.\n").unwrap();
    fs::write(directory.join("c.md"), "Tapes are rewound on Fridays.\n").unwrap();
    let mut command = side.served.home.command(Binary::Ctl);
    let output = command
        .args(["import", "--format", "markdown"])
        .arg(&directory)
        .current_dir(side.served.home.scratch())
        .output();
    let printed = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(printed.contains("b.md") && printed.contains("the file was left out"), "{printed}");
    assert!(printed.contains("2 read: 2 were stored"), "{printed}");
}
