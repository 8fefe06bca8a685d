//! Batches: what became of each draft, whoever sends them.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use helix_client::caller;
use helix_proto::v1::batch_item::Item;
use helix_proto::v1::{self, Program, StoreOutcome};
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Project, Rpc, Served};

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
    for place in [0, 250, 499, 500, 501, 750, 999_usize] {
        let read = rpc.read(home.scratch(), &format!("row:{place}")).unwrap();
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
    let links = |rpc: &mut Rpc, at: usize| rpc.read(home.scratch(), &handle(at)).unwrap().links;
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

/// Outcome of each text, and of those that it corrects the text and whether it replaced them.
type Decisions = Vec<(StoreOutcome, Vec<(String, bool)>)>;

fn decisions(replies: Vec<v1::StoreReply>) -> Decisions {
    let decision = |reply: v1::StoreReply| {
        let corrected = reply.corrections.iter();
        let corrected = corrected.map(|known| (known.text.clone(), known.is_replaced));
        (reply.outcome(), corrected.collect())
    };
    replies.into_iter().map(decision).collect()
}

fn drafts(texts: &[&str]) -> Vec<v1::Draft> {
    texts.iter().map(|text| draft("facts", text, "")).collect()
}

fn as_batch(rpc: &mut Rpc, project: &Project, texts: &[&str]) -> Vec<v1::StoreReply> {
    let request = v1::StoreBatchRequest {
        caller: Some(caller(Program::Mcp, &project.root, "tests", "")),
        drafts: drafts(texts),
        force: false,
    };
    let reply = rpc
        .call(async |rpc| rpc.store_batch(request.clone()).await)
        .unwrap();
    let items = reply.items.into_iter().map(|item| match item.item {
        Some(Item::Stored(reply)) => reply,
        other => unreachable!("{other:?}"),
    });
    items.collect()
}

fn one_by_one(rpc: &mut Rpc, project: &Project, texts: &[&str]) -> Vec<v1::StoreReply> {
    let mut replies = Vec::new();
    for one in drafts(texts) {
        let request = v1::StoreRequest {
            caller: Some(caller(Program::Mcp, &project.root, "tests", "")),
            draft: Some(one),
            force: false,
        };
        let reply = rpc.call(async |rpc| rpc.store(request.clone()).await);
        replies.push(reply.unwrap());
    }
    replies
}

/// Texts and states of a project's memories, in the order in which they were stored.
fn kept(rpc: &mut Rpc, project: &Project, replies: &[v1::StoreReply]) -> Vec<(String, String)> {
    let mut kept = Vec::new();
    for reply in replies {
        let handle = &reply.memory.as_ref().unwrap().handle;
        let memory = rpc.read(&project.root, handle).unwrap();
        kept.push((memory.text, memory.status));
    }
    kept
}

#[test]
fn a_batch_is_decided_as_its_entries_one_after_the_other() {
    let served = Served::new().unwrap();
    let mut rpc = Rpc::connect(&served.home).unwrap();
    let cases: [&[&str]; 7] = [
        // Two values of one number.
        &["billing listens on 8081", "billing listens on 8082"],
        // A replacement, and a third that meets the replacement alone.
        &[
            "The billing web app is built with npm.",
            "We switched the billing web app from npm to pnpm.",
            "We switched the billing web app from pnpm to Bun.",
        ],
        // The same with more words, twice.
        &[
            "Priya maintains the speech frontend",
            "Priya maintains the speech frontend; Lorenzo stands in on vacation",
            "Priya maintains the speech frontend; Lorenzo stands in on vacation",
        ],
        // The very same, and nearly the same.
        &[
            "the linker needs arm64 or the build falls back silently",
            "the linker needs arm64 or the build falls back silently",
            "the linker needs arm64 or the build falls back silently, always",
        ],
        // A negation repeats nothing.
        &[
            "The nightly import of the depot uses the read replica",
            "The nightly import of the depot never uses the read replica",
        ],
        // What was replaced and is said again is new.
        &[
            "The depot map is drawn with Leaflet.",
            "We switched the depot map from Leaflet to MapLibre.",
            "The depot map is drawn with Leaflet.",
        ],
        // Other things altogether.
        &[
            "ocelot rows are evicted by age alone",
            "the heron lock is taken once",
        ],
    ];
    for (number, texts) in cases.into_iter().enumerate() {
        let together = Project::new(&served.home, &format!("together-{number}")).unwrap();
        let apart = Project::new(&served.home, &format!("apart-{number}")).unwrap();
        let batch = as_batch(&mut rpc, &together, texts);
        let single = one_by_one(&mut rpc, &apart, texts);
        let found = kept(&mut rpc, &together, &batch);
        assert_eq!(found, kept(&mut rpc, &apart, &single), "{texts:?}");
        assert_eq!(decisions(batch), decisions(single), "{texts:?}");
    }
}

#[test]
fn a_known_memory_is_replaced_once_by_a_batch() {
    let served = Served::new().unwrap();
    let mut rpc = Rpc::connect(&served.home).unwrap();
    let project = Project::new(&served.home, "billing").unwrap();
    let texts = [
        "We switched the billing web app from npm to pnpm.",
        "We switched the billing web app from npm to Bun.",
    ];
    one_by_one(
        &mut rpc,
        &project,
        &["The billing web app is built with npm."],
    );
    let told = decisions(as_batch(&mut rpc, &project, &texts));
    let replaced: Vec<bool> = told
        .iter()
        .map(|(_, corrected)| corrected.iter().any(|(_, is_replaced)| *is_replaced))
        .collect();
    assert_eq!(replaced, [true, false], "{told:?}");
}
