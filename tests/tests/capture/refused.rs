//! What a person rejected does not come back from a transcript in other words.

use serde_json::json;

use super::world::World;

const REJECTED: &str =
    "we decided to go with Postgres instead of Mongo because the ledger needs transactions";

const AGAIN: &str = "we decided that the ledger is going to use Postgres instead of Mongo, as transactions are \
                     needed there";

const ANOTHER: &str =
    "we decided to go with Redis instead of Memcached because sessions need replication";

#[test]
fn what_was_rejected_is_not_proposed_in_other_words() {
    let Some(mut world) = World::with_embedder() else {
        return;
    };
    world.write("s-1", &[("user", REJECTED)]);
    world.import();
    world.settle();
    world.done(&["review", "reject", &world.only_handle()]);
    world.settle();
    world.write("s-2", &[("user", AGAIN), ("user", ANOTHER)]);
    let done = world.import();
    assert_eq!(done["total"]["forgotten"], 1, "{done}");
    let waiting = world.waiting();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert!(waiting[0].contains("Redis"), "{waiting:?}");
}

#[test]
fn a_proposal_without_a_vector_is_taken_back_once_it_has_one() {
    let Some(mut world) = World::with_embedder() else {
        return;
    };
    world.write("s-1", &[("user", REJECTED)]);
    world.import();
    world.settle();
    world.done(&["review", "reject", &world.only_handle()]);
    world.settle();
    let world = world.restarted(false);
    world.write("s-2", &[("user", AGAIN)]);
    let done = world.import();
    assert_eq!(done["total"]["kept"], json!({"decision": 1}), "{done}");
    assert_eq!(world.waiting().len(), 1);
    let mut world = world.restarted(true);
    world.settle();
    assert_eq!(world.waiting(), Vec::<String>::new());
}
