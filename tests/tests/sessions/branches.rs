//! What was said on the branch that somebody works on comes first among what fits as well.

use std::path::{Path, PathBuf};
use std::process::Command;

use helix_client::caller;
use helix_proto::v1::{Program, Retriever, SearchReply, SearchRequest};
use helix_tests::Rpc;
use helix_tests::rpc::draft;

use crate::world::World;

/// Adds a work tree with a branch of its own beside the project's.
fn work_tree(world: &World, branch: &str) -> PathBuf {
    let path = world.project.root.with_file_name("billing-tree");
    let done = Command::new("git")
        .args(["worktree", "add", "-q", "-b", branch])
        .arg(&path)
        .current_dir(&world.project.root)
        .status()
        .unwrap();
    assert!(done.success());
    path
}

fn explained(world: &World, from: &Path) -> SearchReply {
    let request = SearchRequest {
        caller: Some(caller(Program::Mcp, from, "tests", "")),
        query: "walrus ledger order".to_owned(),
        retriever: Retriever::Words.into(),
        explain: true,
        ..SearchRequest::default()
    };
    let mut rpc = Rpc::connect(&world.home).unwrap();
    rpc.call(async |rpc| rpc.search(request.clone()).await)
        .unwrap()
}

#[test]
fn each_work_tree_is_shown_what_its_branch_said_first() {
    let world = World::new();
    let root = world.project.root.clone();
    let tree = work_tree(&world, "feature/rounding");
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let mut store = |from: &Path, text: &str| {
        let stored = rpc.store(Program::Mcp, from, draft("order", text, ""));
        stored.unwrap().handle
    };
    let ours = store(&root, "The walrus ledger order is by posting day.");
    let theirs = store(&tree, "The walrus ledger order is by booking week.");
    for (from, first) in [(&root, &ours), (&tree, &theirs)] {
        let hits = explained(&world, from).hits;
        assert_eq!(hits.len(), 2, "the other branch is found as well");
        assert_eq!(&hits[0].memory.as_ref().unwrap().handle, first);
        let why: Vec<_> = hits
            .iter()
            .map(|hit| hit.explanation.as_ref().unwrap())
            .collect();
        assert!(why[0].branch_factor > 1.0);
        assert!((why[1].branch_factor - 1.0).abs() < f32::EPSILON);
        for (hit, why) in hits.iter().zip(why) {
            let product = why.fused
                * why.confidence_factor
                * why.recency_factor
                * why.importance_factor
                * why.scope_factor
                * why.branch_factor
                * why.diversity_factor;
            assert!((hit.score - product).abs() < 1e-5, "{hit:?}");
        }
    }
}
