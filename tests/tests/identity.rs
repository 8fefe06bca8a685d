//! A project gets another identity in the course of its life: what was saved before is still its
//! own.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;

use helix_client::caller;
use helix_proto::v1::checkpoint_request::Action;
use helix_proto::v1::{self, Program};
use helix_tests::hook::Session;
use helix_tests::{Project, Served};

fn checkpoint(served: &mut Served, cwd: &Path, action: Action) -> Option<String> {
    let caller = Some(caller(Program::Mcp, cwd, "tests", ""));
    let request = v1::CheckpointRequest {
        caller,
        action: Some(action),
    };
    let reply = served
        .rpc
        .call(async |rpc| rpc.checkpoint(request.clone()).await)
        .unwrap();
    reply.checkpoint.map(|saved| saved.task)
}

fn save(served: &mut Served, cwd: &Path, task: &str) {
    checkpoint(
        served,
        cwd,
        Action::Save(v1::TaskCheckpoint {
            task: task.to_owned(),
            ..Default::default()
        }),
    );
}

fn load(served: &mut Served, cwd: &Path) -> Option<String> {
    checkpoint(served, cwd, Action::Load(v1::LoadCheckpoint::default()))
}

#[test]
fn a_checkpoint_stays_with_its_project() {
    let mut served = Served::new().unwrap();
    let project = Project::without_git(&served.home, "q1").unwrap();
    save(&mut served, &project.root, "in a directory");
    project.become_repository().unwrap();
    assert_eq!(
        load(&mut served, &project.root).as_deref(),
        Some("in a directory")
    );
    save(&mut served, &project.root, "in a repository");
    project.cloned_from("git@github.com:foo/q1.git").unwrap();
    assert_eq!(
        load(&mut served, &project.root).as_deref(),
        Some("in a repository")
    );
    for source in ["startup", "compact"] {
        let said = Session::new(&served.home, &project, source)
            .start(source)
            .unwrap()
            .unwrap_or_default();
        assert!(said.contains("in a repository"), "{source}: {said}");
    }
    save(&mut served, &project.root, "with a remote");
    assert_eq!(
        load(&mut served, &project.root).as_deref(),
        Some("with a remote")
    );
    let cleared = checkpoint(
        &mut served,
        &project.root,
        Action::Clear(v1::ClearCheckpoint {}),
    );
    assert_eq!(cleared.as_deref(), Some("with a remote"));
    assert_eq!(
        load(&mut served, &project.root),
        None,
        "an older one came to light"
    );
}
