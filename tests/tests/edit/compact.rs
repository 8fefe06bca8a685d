//! Compacting: duplicates are merged, times repaired, and a cut run goes on.

use std::fs;
use std::time::{Duration, Instant};

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    CheckLevel, CheckRequest, CompactReply, CompactRequest, Draft, Program, RestoreMemory,
    SetFields, StoreBatchRequest,
};
use helix_tests::rpc::draft;
use helix_tests::{Dice, Served};
use tonic::{Code, Request, Status};

use super::{World, append, only, target};

/// Pairs of memories of which one repeats the other: enough that merging them takes a while.
const PAIRS: usize = 200;

/// Compactions that are cut off, each a little later than the one before.
const CUTS: u32 = 12;

#[test]
fn compacting_merges_duplicates_and_repairs_times() {
    let mut world = World::new();
    let older = world.store(
        "cache",
        "gotcha: the walrus cache needs two warm rounds before every single release",
    );
    let newer = world.store_draft(Draft {
        links: vec![older.handle.clone()],
        ..draft(
            "disk",
            "Gotcha: the walrus cache needs **two** warm rounds before every single release.",
            "",
        )
    });
    let linking = world.store_draft(Draft {
        links: vec![older.handle.clone()],
        ..draft("links", "see the cache", "")
    });
    let pinned = SetFields {
        target: Some(target(&older.handle)),
        pinned: Some(true),
        ..SetFields::default()
    };
    world.edit(Action::Set(pinned)).unwrap();
    // Facts of one form, which differ in what they are about.
    world.store(
        "zoo",
        "okapi enclosure needs checking on Mondays before noon",
    );
    world.store(
        "zoo",
        "gharial enclosure needs checking on Mondays before noon",
    );
    let dry = world.compact(CompactRequest {
        log: true,
        ..CompactRequest::default()
    });
    let pair = dry.pairs.first().unwrap();
    assert_eq!(
        (
            pair.kept.clone().unwrap().id,
            pair.duplicate.clone().unwrap().id
        ),
        (newer.id.clone(), older.id.clone())
    );
    assert_eq!((dry.pairs.len(), dry.similar.len()), (1, 0));
    assert!(
        dry.merged == 0 && dry.bytes_before > 0 && dry.bytes_after == 0,
        "{dry:?}"
    );
    let done = world.compact(CompactRequest {
        apply: true,
        log: true,
        ..CompactRequest::default()
    });
    assert_eq!(done.notes, Vec::<String>::new());
    assert!(done.merged == 1 && done.bytes_after > 0, "{done:?}");
    let again = world.compact(CompactRequest::default());
    assert_eq!((again.pairs.len(), again.similar.len()), (0, 0));
    let dropped = world.read(&older.handle);
    assert_eq!(
        (dropped.status.as_str(), &dropped.superseded_by),
        ("superseded", &newer.handle)
    );
    let kept = world.read(&newer.handle);
    assert!(
        kept.pinned && kept.links.is_empty() && kept.superseded_by.is_empty(),
        "{kept:?}"
    );
    assert_eq!(
        world.read(&linking.handle).links,
        std::slice::from_ref(&newer.handle)
    );
    let link = world.try_store(Draft {
        links: vec![older.handle.clone()],
        ..draft("links", "see it once more", "")
    });
    assert_eq!(
        link.memory.unwrap().links,
        std::slice::from_ref(&newer.handle)
    );
    assert!(
        link.warnings
            .iter()
            .any(|warning| warning.contains("took its place")),
        "{:?}",
        link.warnings
    );
    let kept = world
        .edit(append(target(&newer.handle), "and again"))
        .unwrap();
    assert_eq!(only(&kept).tags, ["gotcha"]);
    let restored = world
        .edit(Action::Restore(RestoreMemory {
            reference: older.handle,
            ..RestoreMemory::default()
        }))
        .unwrap();
    assert_eq!(
        (only(&restored).status.as_str(), restored.changed),
        ("active", 1)
    );

    let valid_from_us = Some(5);
    let wrong = world.store_draft(Draft {
        valid_from_us,
        ..draft("cache", "from before time", "")
    });
    let migrate = CompactRequest {
        migrate: true,
        ..CompactRequest::default()
    };
    let dry = world.compact(migrate.clone());
    assert_eq!(dry.repaired, 1);
    assert!(
        dry.notes
            .concat()
            .ends_with(&format!("are missing: {}", wrong.handle)),
        "{dry:?}"
    );
    assert_eq!(
        world
            .compact(CompactRequest {
                apply: true,
                ..migrate.clone()
            })
            .repaired,
        1
    );
    assert_eq!(world.compact(migrate).repaired, 0);
}

#[test]
fn compacting_goes_on_where_it_stopped() {
    let mut world = World::new();
    // Each shares a word with each other one, which is worth a look, and none is like another.
    let names: Vec<char> = ('a'..='j').collect();
    for name in &names {
        let others = names.iter().filter(|other| *other != name);
        let shared = others.map(|other| format!("{0}{1}olo", name.min(other), name.max(other)));
        world.store("cache", &shared.collect::<Vec<_>>().join(" "));
    }
    let whole = world.compact(CompactRequest::default());
    assert!(
        whole.notes.is_empty() && whole.similar.is_empty(),
        "nothing is left out: {whole:?}"
    );
    // So little work that each run compares one memory.
    fs::write(world.served.home.paths.config(), "[compact]\nwork = 1\n").unwrap();
    world.served = world.served.restarted().unwrap();
    let apply = CompactRequest {
        apply: true,
        ..CompactRequest::default()
    };
    let first = world.compact(CompactRequest::default());
    let noted = |reply: &CompactReply| reply.notes.join("; ");
    let newest = "compared the newest one with all older ones; 9 older ones are not compared with each other yet";
    assert!(noted(&first).starts_with(newest), "{first:?}");
    assert_eq!(
        noted(&world.compact(apply.clone())),
        noted(&first),
        "a report moves nothing on"
    );
    world.served = world.served.restarted().unwrap();
    let second = world.compact(apply.clone());
    assert!(
        noted(&second).starts_with("compared the next one"),
        "after a restart: {second:?}"
    );
    world.served = world.served.restarted().unwrap();
    let last = world.compact(apply.clone());
    let finished = "which earlier runs had left; the next run begins with the newest again";
    assert!(noted(&last).ends_with(finished), "{last:?}");
    assert!(noted(&world.compact(apply)).starts_with(newest));
}

impl World {
    /// Stores pairs of memories of which one repeats the other.
    fn store_pairs(&mut self, dice: &mut Dice) {
        let pair = |_| {
            let words: Vec<String> = (0..9).map(|_| dice.word()).collect();
            let text = words.join(" ");
            [
                draft("old", &text, ""),
                draft("new", &format!("**{text}**."), ""),
            ]
        };
        let request = StoreBatchRequest {
            caller: Some(caller(Program::Mcp, &self.cwd, "tests", "")),
            drafts: (0..PAIRS).flat_map(pair).collect(),
            force: true,
        };
        let stored = self
            .served
            .rpc
            .call(async |rpc| rpc.store_batch(request.clone()).await)
            .unwrap();
        assert_eq!(stored.items.len(), 2 * PAIRS);
    }

    /// Compacts the memories and the files, as far as that comes within a time.
    fn compact_within(&mut self, time: Duration) -> Result<CompactReply, Status> {
        let wanted = CompactRequest {
            caller: Some(caller(Program::Ctl, &self.cwd, "tests", "")),
            apply: true,
            log: true,
            ..CompactRequest::default()
        };
        self.served.rpc.call(async |rpc| {
            let mut request = Request::new(wanted.clone());
            request.set_timeout(time);
            rpc.compact(request).await
        })
    }

    /// Stops the daemon, which ends whatever goes on, and starts another.
    fn stopped_and_started(self) -> Self {
        let Served { rpc, daemon, home } = self.served;
        drop(rpc);
        assert!(daemon.stop().unwrap().success());
        let served = Served::on(home).unwrap();
        Self { served, ..self }
    }

    /// Memories that another one took the place of.
    fn superseded(&mut self) -> usize {
        let status = self.served.rpc.status().unwrap();
        let mut counts = status.memories_by_status.iter();
        let found = counts.find(|one| one.name == "superseded");
        found.map_or(0, |one| usize::try_from(one.count).unwrap())
    }

    /// Reads everything, and fails where something of it is not as it was left.
    fn is_whole(&mut self) {
        let found = self
            .served
            .rpc
            .call(async |rpc| rpc.check(CheckRequest { deep: true }).await)
            .unwrap();
        let named = |name| found.results.iter().find(|one| one.name == name);
        for name in ["store", "history", "indexes"] {
            let one = named(name);
            assert_eq!(one.unwrap().level(), CheckLevel::Ok, "{one:?}");
        }
        assert_eq!(named("damage"), None);
    }
}

#[test]
fn a_compaction_that_is_cut_off_merges_all_that_it_found_or_nothing() {
    let mut world = World::new();
    let mut dice = Dice::new(7);
    world.store_pairs(&mut dice);
    let began = Instant::now();
    let whole = world.compact_within(Duration::from_mins(2)).unwrap();
    let takes = began.elapsed();
    assert_eq!(whole.merged, u32::try_from(PAIRS).unwrap());
    let (mut merged, mut waiting, mut cut_off) = (PAIRS, 0, 0);
    for cut in 0..CUTS {
        world.store_pairs(&mut dice);
        waiting += PAIRS;
        let outcome = world.compact_within(takes * cut / CUTS);
        if let Err(status) = &outcome {
            let is_late = [Code::DeadlineExceeded, Code::Cancelled].contains(&status.code());
            assert!(is_late, "{status:?}");
            cut_off += 1;
        }
        world = world.stopped_and_started();
        let superseded = world.superseded();
        if superseded == merged {
            assert!(outcome.is_err(), "acknowledged and not done: {outcome:?}");
        } else {
            assert_eq!(superseded, merged + waiting, "cut {cut} of {takes:?}");
            (merged, waiting) = (superseded, 0);
        }
        world.is_whole();
    }
    assert!(cut_off > 0, "nothing was cut off");
    let rest = world.compact_within(Duration::from_mins(2)).unwrap();
    assert_eq!(rest.merged, u32::try_from(waiting).unwrap());
}
