//! Scopes and projects that share a file: whatever the order in which they come and go, nothing is
//! left of the last.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use helix_proto::exit;
use helix_tests::Binary;
use proptest::prelude::*;

use crate::world::World;

/// Scopes that Claude Code can be connected for: the flag, and whether it is the other project's.
const SEATS: [(&str, bool); 5] = [
    ("--user", false),
    ("--local", false),
    ("--local", true),
    ("--project", false),
    ("--project", true),
];

/// Files that several of them share, as somebody could have them.
const SHARED: [Option<&str>; 4] = [
    None,
    Some(""),
    Some("{ }"),
    Some("{\n  \"numStartups\": 3,\n  \"projects\": { },\n  \"mcpServers\": {}\n}\n"),
];

type Files = BTreeMap<PathBuf, Vec<u8>>;

impl World {
    fn seat(&self, verb: &str, (scope, is_other): (&str, bool)) -> String {
        let arguments = [verb, "claude", scope];
        let (said, notes) = if is_other {
            self.done_in_other(&arguments)
        } else {
            self.done(&arguments)
        };
        assert!(!notes.contains("edited"), "{arguments:?}: {notes}");
        said
    }

    fn spawned(&self, verb: &str, (scope, is_other): (&str, bool)) -> Child {
        let mut command = self.command(Binary::Ctl);
        command
            .args([verb, "claude", scope])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if is_other {
            command.current_dir(&self.other.root);
        }
        command.spawn().unwrap()
    }

    fn with_shared(text: Option<&str>) -> (Self, Files) {
        let world = Self::new();
        if let Some(text) = text {
            world.put("home:.claude.json", text);
        }
        let before = world.files();
        (world, before)
    }
}

/// Every order of the first so many numbers.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let insert = |order: Vec<usize>| {
        (0..count).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, count - 1);
            longer
        })
    };
    orders(count - 1).into_iter().flat_map(insert).collect()
}

#[test]
fn what_shares_a_file_goes_in_any_order() {
    for text in SHARED {
        let (world, before) = World::with_shared(text);
        for order in orders(3) {
            SEATS.iter().take(3).for_each(|seat| {
                world.seat("connect", *seat);
            });
            for at in &order {
                world.seat("disconnect", SEATS[*at]);
            }
            assert_eq!(world.files(), before, "{text:?}: {order:?}");
        }
    }
}

#[test]
fn one_that_comes_and_goes_leaves_the_others_to_the_byte() {
    for text in SHARED {
        let (world, before) = World::with_shared(text);
        for first in SEATS {
            world.seat("connect", first);
            let one = world.files();
            for second in SEATS.into_iter().filter(|second| *second != first) {
                world.seat("connect", second);
                let said = world.seat("disconnect", second);
                assert_eq!(world.files(), one, "{text:?}: {first:?} {second:?}");
                assert!(!said.contains("cleaned"), "{first:?} {second:?}: {said}");
            }
            world.seat("disconnect", first);
            assert_eq!(world.files(), before, "{text:?}: {first:?}");
        }
    }
}

#[test]
fn the_copy_of_a_file_is_named_and_private() {
    let (world, before) = World::with_shared(SHARED[3]);
    let (_, shown) = world.done(&["connect", "claude", "--user", "--dry-run"]);
    assert!(shown.contains("would be kept in `"), "{shown}");
    assert!(
        !world.home.paths.home.join("wiring").exists(),
        "a preview keeps nothing"
    );
    let (_, said) = world.done(&["connect", "claude", "--user"]);
    let copy = said
        .split("as it was is kept in `")
        .nth(1)
        .and_then(|rest| rest.split('`').next())
        .unwrap();
    assert_eq!(
        Some(fs::read(copy).unwrap().as_slice()),
        SHARED[3].map(str::as_bytes)
    );
    assert_eq!(
        fs::metadata(copy).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    let (_, said) = world.done_in_other(&["connect", "claude", "--local"]);
    assert!(
        !said.contains("is kept in"),
        "it was not so without Helix: {said}"
    );
    world.seat("disconnect", SEATS[0]);
    assert!(fs::exists(copy).unwrap(), "one is still connected");
    world.seat("disconnect", SEATS[2]);
    assert_eq!(world.files(), before);
    assert!(!fs::exists(copy).unwrap(), "the file says so itself");
}

#[test]
fn several_at_once_do_not_lose_each_other() {
    let (world, before) = World::with_shared(None);
    for verb in ["connect", "disconnect"] {
        let children: Vec<_> = SEATS
            .iter()
            .map(|seat| world.spawned(verb, *seat))
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let code = output
                .status
                .code()
                .and_then(|code| u8::try_from(code).ok());
            // Who comes second is told to run it again.
            assert!(
                matches!(code, Some(exit::OK | exit::IO)),
                "{verb}: {output:?}"
            );
        }
        for seat in SEATS {
            world.seat(verb, seat);
        }
    }
    assert_eq!(world.files(), before);
}

proptest! {
    // Each step is a process or two.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_comes_to_nothing(
        text in prop::sample::select(SHARED.to_vec()),
        steps in prop::collection::vec((any::<bool>(), 0..SEATS.len()), 1..16),
        last in Just((0..SEATS.len()).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let (world, before) = World::with_shared(text);
        for (comes, at) in steps {
            world.seat(if comes { "connect" } else { "disconnect" }, SEATS[at]);
        }
        for at in last {
            world.seat("disconnect", SEATS[at]);
        }
        prop_assert_eq!(world.files(), before);
    }
}
