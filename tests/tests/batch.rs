//! Batches: what became of each draft, whoever sends them.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use helix_client::caller;
use helix_proto::v1::batch_item::Item;
use helix_proto::v1::{self, Program, StoreOutcome};
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Rpc};

const FIRST: &str = "the linker needs arm64 or the build falls back silently";

/// Outcome, handle and warnings of each draft.
fn send(
    rpc: &mut Rpc,
    home: &Home,
    drafts: &[v1::Draft],
    force: bool,
) -> Vec<(StoreOutcome, String, Vec<String>)> {
    let caller = Some(caller(Program::Ctl, home.scratch(), "tests", ""));
    let request = v1::StoreBatchRequest {
        caller,
        drafts: drafts.to_vec(),
        force,
    };
    let reply = rpc
        .call(async |rpc| rpc.store_batch(request.clone()).await)
        .unwrap();
    let items = reply.items.into_iter().map(|item| match item.item {
        Some(Item::Stored(reply)) => (
            reply.outcome(),
            reply.memory.unwrap().handle,
            reply.warnings,
        ),
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
        v1::Draft {
            scope: "global".to_owned(),
            ..draft("e", &format!("{FIRST} globally"), "")
        },
    ];
    let found = send(&mut rpc, &home, &drafts, false);
    let outcomes: Vec<StoreOutcome> = found.iter().map(|(outcome, _, _)| *outcome).collect();
    let (stored, known, alike) = (
        StoreOutcome::Stored,
        StoreOutcome::Reinforced,
        StoreOutcome::Duplicate,
    );
    assert_eq!(outcomes, [stored, stored, alike, known, stored]);
    let [
        (_, first, _),
        _,
        (_, resembled, warnings),
        (_, repeated, _),
        _,
    ] = found.as_slice()
    else {
        unreachable!()
    };
    assert_eq!((resembled, repeated), (first, first));
    assert_eq!(warnings, &["it resembles an earlier entry of this batch"]);

    // The same again: the store is what it is compared with now.
    let again = send(&mut rpc, &home, &drafts, false);
    let outcomes: Vec<StoreOutcome> = again.iter().map(|(outcome, _, _)| *outcome).collect();
    assert_eq!(outcomes, [known, known, alike, known, known]);
    assert_eq!(
        again
            .get(2)
            .map(|(_, handle, warnings)| (handle, warnings.len())),
        Some((first, 0))
    );

    let forced = send(&mut rpc, &home, drafts.get(2..3).unwrap(), true);
    assert_eq!(forced.first().map(|(outcome, _, _)| *outcome), Some(stored));
}

#[test]
fn a_large_batch_keeps_its_order_and_its_links() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let row = |number: usize| v1::Draft {
        links: number
            .checked_sub(1)
            .map(|before| before.to_string())
            .into_iter()
            .collect(),
        ..draft(
            "row",
            &format!("row {number} of many, unlike {}", number * 7),
            "",
        )
    };
    let drafts: Vec<v1::Draft> = (0..1_000).map(row).collect();
    let sent: Vec<String> = send(&mut rpc, &home, &drafts, true)
        .into_iter()
        .map(|(_, handle, _)| handle)
        .collect();
    let caller = Some(caller(Program::Ctl, home.scratch(), "tests", ""));
    for place in [0, 250, 499, 500, 501, 750, 999_usize] {
        let request = v1::ReadRequest {
            caller: caller.clone(),
            reference: format!("row:{place}"),
            ..v1::ReadRequest::default()
        };
        let read = rpc
            .call(async |rpc| rpc.read(request.clone()).await)
            .unwrap()
            .memories
            .remove(0);
        assert_eq!(Some(&read.handle), sent.get(place), "row:{place}");
        let before = place.checked_sub(1).and_then(|before| sent.get(before));
        assert_eq!(read.links.first(), before, "the links of row:{place}");
    }
}

#[test]
fn a_brief_keeps_the_newest_of_a_large_batch_and_what_came_after_it() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let thing = |number: usize| {
        draft(
            "crowd",
            &format!("thing{number} of {} parts", number * 7),
            "",
        )
    };
    let drafts: Vec<v1::Draft> = (0..500).map(thing).collect();
    send(&mut rpc, &home, &drafts, true);
    for number in 500..503 {
        send(&mut rpc, &home, &[thing(number)], true);
    }
    for query in ["crowd", "parts", ""] {
        let caller = Some(caller(Program::Ctl, home.scratch(), "tests", ""));
        let request = v1::BriefRequest {
            caller,
            query: query.to_owned(),
            ..v1::BriefRequest::default()
        };
        let text = rpc
            .call(async |rpc| rpc.brief(request.clone()).await)
            .unwrap()
            .text;
        assert!(
            (498..503).all(|number| text.contains(&format!("thing{number} "))),
            "{query}: {text}"
        );
        assert!(
            (0..103).all(|number| !text.contains(&format!("thing{number} "))),
            "{query}: {text}"
        );
    }
}

#[test]
fn a_draft_links_to_earlier_ones_of_its_batch() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    send(
        &mut rpc,
        &home,
        &[draft("cache", "walrus caches are filled at the start", "")],
        false,
    );
    let linked = |topic: &str, text: &str, links: &[&str]| v1::Draft {
        links: links.iter().map(|link| (*link).to_owned()).collect(),
        ..draft(topic, text, "")
    };
    let drafts = [
        linked("cache", "ocelot rows are evicted by age alone", &["1"]),
        linked(
            "index",
            "lemur postings are merged in the background",
            &["0", "cache:0"],
        ),
        linked("cache", "ocelot rows are evicted by age alone", &[]),
        linked(
            "cache",
            "the badger queue drains on shutdown",
            &["cache:1", "[1]", "index:0", "2"],
        ),
        linked(
            "index",
            "the heron lock is taken once",
            &["cache:2", "cache:3", "4", "9", "index-*:0"],
        ),
    ];
    let found = send(&mut rpc, &home, &drafts, false);
    let handle = |at: usize| found.get(at).unwrap().1.clone();
    let links = |rpc: &mut Rpc, at: usize| {
        let caller = Some(caller(Program::Ctl, home.scratch(), "tests", ""));
        let request = v1::ReadRequest {
            caller,
            reference: handle(at),
            ..v1::ReadRequest::default()
        };
        let reply = rpc
            .call(async |rpc| rpc.read(request.clone()).await)
            .unwrap();
        reply.memories.first().unwrap().links.clone()
    };
    let nowhere = |link: &str| format!("link {link:?} names no memory and was left out");
    let warnings: Vec<Vec<String>> = found
        .iter()
        .map(|(_, _, warnings)| warnings.clone())
        .collect();
    assert_eq!(
        warnings.first().unwrap(),
        &[nowhere("1")],
        "a later one is not there yet"
    );
    assert_eq!(warnings.get(3).unwrap(), &[] as &[String; 0]);
    assert_eq!(
        warnings.get(4).unwrap(),
        &["cache:3", "4", "9", "index-*:0"].map(nowhere)
    );
    let walrus = "cache/walrus-caches-filled-start".to_owned();
    assert_eq!(links(&mut rpc, 1), [walrus, handle(0)]);
    assert_eq!(
        links(&mut rpc, 3),
        [handle(0), handle(1)],
        "each once, a repeated text is the first"
    );
    assert_eq!(links(&mut rpc, 4), [handle(3)]);
}

#[test]
fn links_that_a_known_text_has_are_not_refused() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let linked = |links: &[&str]| {
        let links = links.iter().map(|link| (*link).to_owned()).collect();
        let last = v1::Draft {
            links,
            ..draft("iy", "the badger queue uses both", "")
        };
        [
            draft("iy", FIRST, ""),
            draft("iy", "ocelot rows are evicted by age", ""),
            last,
        ]
    };
    let mut last_warnings = |links: &[&str]| {
        send(&mut rpc, &home, &linked(links), false)
            .pop()
            .unwrap()
            .2
    };
    for links in [["0"].as_slice(), &["0"], &["iy:0"]] {
        assert_eq!(last_warnings(links), [] as [String; 0], "{links:?}");
    }
    assert_eq!(
        last_warnings(&["0", "1", "iy:1"]),
        ["links were not taken (`set` changes what is known)"]
    );
}

#[test]
fn of_a_source_that_is_not_taken_one_thing_is_said() {
    let home = Home::new().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let absent = draft("a", FIRST, "src/absent.rs:3-9");
    let warnings =
        |found: Vec<(StoreOutcome, String, Vec<String>)>| found.into_iter().next().unwrap().2;
    let first = warnings(send(&mut rpc, &home, &[draft("a", FIRST, "")], false));
    assert_eq!(first, [] as [String; 0]);
    let again = warnings(send(&mut rpc, &home, std::slice::from_ref(&absent), false));
    assert_eq!(
        again,
        ["source was not taken (`set` changes what is known)"]
    );
    let forced = warnings(send(&mut rpc, &home, &[absent], true));
    assert!(
        forced
            .iter()
            .any(|note| note.contains("it is kept as given")),
        "{forced:?}"
    );
}
