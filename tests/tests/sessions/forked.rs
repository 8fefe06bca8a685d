//! A fork has in its context what its parent had.

use helix_proto::v1::Program;
use helix_tests::Rpc;
use helix_tests::rpc::draft;

use crate::World;

#[test]
fn a_fork_is_told_nothing_as_it_starts() {
    let world = World::new();
    let draft = draft(
        "ledger",
        "decision: postings are written in one transaction.",
        "",
    );
    Rpc::connect(&world.home)
        .unwrap()
        .store(Program::Mcp, &world.project.root, draft)
        .unwrap();
    assert!(world.session("one").start("startup").unwrap().is_some());
    assert_eq!(world.session("fork").start("fork").unwrap(), None);
}
