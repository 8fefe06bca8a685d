//! Batches: what became of each draft, whoever sends them.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use helix_client::caller;
use helix_proto::v1::batch_item::Item;
use helix_proto::v1::{self, Program, StoreOutcome};
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Rpc};

const FIRST: &str = "the linker needs arm64 or the build falls back silently";

/// Outcome, handle and warnings of each draft.
fn send(rpc: &mut Rpc, home: &Home, drafts: &[v1::Draft], force: bool) -> Vec<(StoreOutcome, String, Vec<String>)> {
    let caller = Some(caller(Program::Ctl, home.scratch(), "tests", ""));
    let request = v1::StoreBatchRequest { caller, drafts: drafts.to_vec(), force };
    let reply = rpc.call(async |rpc| rpc.store_batch(request.clone()).await).unwrap();
    let items = reply.items.into_iter().map(|item| match item.item {
        Some(Item::Stored(reply)) => (reply.outcome(), reply.memory.unwrap().handle, reply.warnings),
        other => unreachable!("{other:?}"),
    });
    items.collect()
}

#[test]
fn what_resembles_an_earlier_draft_is_reported_with_its_handle() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let drafts = [
        draft("a", FIRST, ""),
        draft("b", "something else entirely, with words of its own", ""),
        draft("c", &format!("{FIRST}!! always"), ""),
        draft("d", FIRST, ""),
        v1::Draft { scope: "global".to_owned(), ..draft("e", &format!("{FIRST} globally"), "") },
    ];
    let found = send(&mut rpc, &home, &drafts, false);
    let outcomes: Vec<StoreOutcome> = found.iter().map(|(outcome, _, _)| *outcome).collect();
    let (stored, known, alike) = (StoreOutcome::Stored, StoreOutcome::Reinforced, StoreOutcome::Duplicate);
    assert_eq!(outcomes, [stored, stored, alike, known, stored]);
    let [(_, first, _), _, (_, resembled, warnings), (_, repeated, _), _] = found.as_slice() else { unreachable!() };
    assert_eq!((resembled, repeated), (first, first));
    assert_eq!(warnings, &["it resembles an earlier entry of this batch"]);

    // The same again: the store is what it is compared with now.
    let again = send(&mut rpc, &home, &drafts, false);
    let outcomes: Vec<StoreOutcome> = again.iter().map(|(outcome, _, _)| *outcome).collect();
    assert_eq!(outcomes, [known, known, alike, known, known]);
    assert_eq!(again.get(2).map(|(_, handle, warnings)| (handle, warnings.len())), Some((first, 0)));

    let forced = send(&mut rpc, &home, drafts.get(2..3).unwrap(), true);
    assert_eq!(forced.first().map(|(outcome, _, _)| *outcome), Some(stored));
}
