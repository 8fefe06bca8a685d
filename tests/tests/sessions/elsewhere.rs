//! A failure in another repository than the session's is a mistake of that one.

use helix_proto::v1::{Draft, Program};
use helix_tests::hook::Session;
use helix_tests::rpc::draft;
use helix_tests::{Project, Rpc};
use serde_json::json;

use crate::world::World;
use crate::{MISTAKE, mentions};

#[test]
fn a_failure_elsewhere_is_looked_up_there() {
    let world = World::new();
    let other = Project::new(&world.home, "tantivy").unwrap();
    let text = "gotcha: E0382 here mostly means that a reader was kept over a commit.";
    let draft = Draft {
        kind: "snippet".to_owned(),
        ..draft("notes", text, "")
    };
    let handle = Rpc::connect(&world.home)
        .unwrap()
        .store(Program::Mcp, &other.root, draft)
        .unwrap()
        .handle;
    let root = other.root.display();
    for (at, line) in [
        format!("cd {root} && cargo clippy"),
        format!("bash -lc 'cd {root}; cargo clippy'"),
        format!("cargo clippy --manifest-path {root}/Cargo.toml"),
        format!("make -C {root} lint"),
        format!("npm --prefix {root} run build"),
        format!("git -C {root} push"),
        format!("cd {root} && ./deploy.sh"),
    ]
    .into_iter()
    .enumerate()
    {
        let told = world.told(&format!("s{at}"), &line, MISTAKE);
        assert!(mentions(told.as_ref(), &handle), "{line}: {told:?}");
    }
    assert_eq!(world.told("here", "cargo clippy", MISTAKE), None);
}

#[test]
fn what_mends_a_failure_elsewhere_is_known_there() {
    let world = World::new();
    let inner = Project::new(&world.home, "billing/vendor/lib").unwrap();
    let other = Project::new(&world.home, "tantivy").unwrap();
    for (at, project) in [&inner, &other].into_iter().enumerate() {
        let (id, line) = (
            format!("one {at}"),
            format!("cd {} && cargo clippy", project.root.display()),
        );
        let one = world.session(&id);
        one.failed(&line, MISTAKE).unwrap();
        let edit = json!({"file_path": project.root.join("src/rows.rs"), "old_string": "a", "new_string": "b"});
        one.tool("Edit", &edit).unwrap();
        one.ran(&line, "Finished").unwrap();
        assert!(
            !world
                .activity(&id)
                .iter()
                .any(|line| line.starts_with("Failing"))
        );
        let told = Session::new(&world.home, project, &format!("two {at}"))
            .failed("cargo clippy", MISTAKE)
            .unwrap();
        let fix = "fixed before by changing src/rows.rs";
        assert!(
            told.as_ref().is_some_and(|told| told.contains(fix)),
            "{told:?}"
        );
    }
    assert_eq!(world.told("here", "cargo clippy", MISTAKE), None);
}

#[test]
fn a_success_here_mends_nothing_elsewhere() {
    let world = World::new();
    let other = Project::new(&world.home, "tantivy").unwrap();
    let one = world.session("one");
    one.failed(
        &format!(
            "cargo clippy --manifest-path {}/Cargo.toml",
            other.root.display()
        ),
        MISTAKE,
    )
    .unwrap();
    one.ran("cargo clippy", "Finished").unwrap();
    assert!(
        world
            .activity("one")
            .iter()
            .any(|line| line.starts_with("Failing"))
    );
}
