//! Hooks do not show an import before somebody vouches for it.

use std::fs;
use std::path::Path;

use helix_proto::v1::{self, Program};
use helix_proto::v1::{HookRequest, SetFields, Target, edit_request::Action};
use helix_tests::Project;
use helix_tests::rpc::draft;
use serde_json::json;

use super::{Side, log};

const TEXT: &str = "Build kernels.rs with -arch arm64, or linking falls back to x86_64.";

/// A home with a project and an import file of each format, none of which says where its memory
/// came from.
fn side() -> (Side, Project, Vec<(&'static str, String)>) {
    let side = Side::new();
    let project = Project::new(&side.served.home, "billing").unwrap();
    project.write("src/kernels.rs", "fn main() {}\n").unwrap();
    let json = format!(r#"[{{"topic": "lists", "text": "{TEXT}", "source": "src/kernels.rs:1"}}]"#);
    let body = format!("[source: src/kernels.rs:1]\n{TEXT}");
    let files = [
        ("all.json", json.into_bytes()),
        ("data.log", log(b"lists", body.as_bytes(), 1_000_000)),
    ];
    let files = files.map(|(name, bytes)| {
        let path = side.served.home.scratch().join(name);
        fs::write(&path, bytes).unwrap();
        (name, path.to_str().unwrap().to_owned())
    });
    (side, project, files.to_vec())
}

impl Side {
    /// Returns the injection for a session that opens a file.
    fn told(&mut self, project: &Project, file: &str) -> String {
        let tool_input = json!({"file_path": project.root.join(file)});
        let event = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": tool_input, "session_id": "s",
            "cwd": project.root,
        });
        let request = HookRequest {
            event: "ambient".to_owned(),
            stdin: event.to_string().into_bytes(),
            dry_run: true,
            ..HookRequest::default()
        };
        let reply = self
            .served
            .rpc
            .call(async |rpc| rpc.hook(request.clone()).await)
            .unwrap();
        String::from_utf8(reply.stdout).unwrap()
    }

    fn is_told(&mut self, project: &Project) -> bool {
        self.told(project, "src/kernels.rs")
            .contains("falls back to x86_64")
    }
}

#[test]
fn a_file_that_is_vouched_for_is_shown_whatever_its_format() {
    for (name, path) in side().2 {
        let (mut side, project, _files) = side();
        side.ctl(&project.root, &["import", "--trust", &path]);
        assert!(side.is_told(&project), "{name}");
    }
}

#[test]
fn a_second_import_may_vouch_for_the_first() {
    let (mut side, project, files) = side();
    for (name, path) in files {
        side.ctl(&project.root, &["import", &path]);
        assert!(!side.is_told(&project), "{name}: nobody vouched for it");
        side.ctl(&project.root, &["import", "--trust", &path]);
        assert!(side.is_told(&project), "{name}");
        side.ctl(&project.root, &["set", "lists:0", "--origin", "import"]);
        assert!(!side.is_told(&project), "{name}: somebody took it back");
    }
}

#[test]
fn who_says_the_same_vouches_for_it() {
    let (mut side, project, files) = side();
    let path = files.first().map(|(_, path)| path.clone()).unwrap();
    side.ctl(&project.root, &["import", &path]);
    // A tool's word is none.
    side.served
        .rpc
        .store(Program::Tool, &project.root, draft("lists", TEXT, ""))
        .unwrap();
    assert!(!side.is_told(&project));
    side.served
        .rpc
        .store(Program::Mcp, &project.root, draft("lists", TEXT, ""))
        .unwrap();
    assert!(side.is_told(&project));
    side.ctl(&project.root, &["set", "lists:0", "--origin", "import"]);
    side.ctl(&project.root, &["set", "lists:0", "--origin", "user"]);
    assert!(side.is_told(&project));
}

#[test]
fn an_agent_vouches_for_nothing() {
    let (mut side, project, files) = side();
    let path = files.first().map(|(_, path)| path.clone()).unwrap();
    side.ctl(&project.root, &["import", "--trust", &path]);
    side.ctl(&project.root, &["set", "lists:0", "--origin", "import"]);
    let target = Target {
        reference: "lists:0".to_owned(),
        ..Target::default()
    };
    let fields = SetFields {
        target: Some(target),
        origin: Some("user".to_owned()),
        ..SetFields::default()
    };
    let caller = |cwd: &Path| Some(helix_client::caller(Program::Mcp, cwd, "tests", ""));
    let request = v1::EditRequest {
        caller: caller(&project.root),
        action: Some(Action::Set(fields)),
        ..Default::default()
    };
    let refused = side
        .served
        .rpc
        .call(async |rpc| rpc.edit(request.clone()).await)
        .unwrap_err();
    assert!(
        refused.to_string().contains("only a person can vouch"),
        "{refused}"
    );
    assert!(!side.is_told(&project));
}

#[test]
fn a_directory_is_imported_without_what_its_links_lead_to() {
    let (mut side, project, _files) = side();
    let directory = project.root.join("notes");
    fs::create_dir(&directory).unwrap();
    fs::write(
        directory.join("lists.md"),
        "The lists are sorted before they are fused.\n",
    )
    .unwrap();
    let outside = side.served.home.scratch().join("outside.md");
    fs::write(&outside, "Somebody else's private diary.\n").unwrap();
    std::os::unix::fs::symlink(&outside, directory.join("diary.md")).unwrap();
    let pipe = directory.join("pipe.md");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let home = &side.served.home;
    let refused = home.refused(&project.root, &["import", pipe.to_str().unwrap()]);
    assert!(refused.contains("is no plain file"), "{refused}");
    side.ctl(
        &project.root,
        &["import", "--trust", directory.to_str().unwrap()],
    );
    assert_eq!(
        side.read(&project.root, "lists:0").text,
        "The lists are sorted before they are fused."
    );
    assert!(side.served.home.holding("private diary").unwrap().is_none());
}

#[test]
fn an_import_says_where_its_memories_are() {
    let (side, project, files) = side();
    let (_, path) = &files[0];
    let import = |more: &[&str]| {
        let mut command = side.served.home.command(helix_tests::Binary::Ctl);
        let output = command
            .args(["import", path])
            .args(more)
            .current_dir(&project.root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [shown, said] = import(&[]);
    assert!(
        shown.contains("1 of those stored wait in the review"),
        "{shown}"
    );
    assert!(shown.contains("helixctl review approve"), "{shown}");
    assert!(!said.contains("agents find"), "{said}");
    let [shown, said] = import(&["--trust"]);
    assert!(!shown.contains("review"), "{shown}");
    assert!(!said.contains("agents find"), "{said}");
}
