//! An agent that is wired twice runs every hook twice: what it is told and what is counted is the
//! same as wired once.

use std::thread;

use helix_tests::HookRun;
use serde_json::Value;

use crate::world::World;
use crate::{MISTAKE, mentions};

impl World {
    /// Runs the same hook as two settings would, at the same time. Returns what each was told.
    fn twice(&self, event: &str, input: &Value) -> [Option<String>; 2] {
        let client_event = input["hook_event_name"].as_str().unwrap();
        let run = || {
            let run = HookRun::of(&self.home, event, input.to_string().as_bytes()).unwrap();
            run.check_accepted(client_event).unwrap()
        };
        thread::scope(|scope| {
            [scope.spawn(run), scope.spawn(run)].map(|running| running.join().unwrap())
        })
    }
}

#[test]
fn one_event_is_answered_and_counted_once() {
    let (world, handle) = World::with_ledger();
    let session = world.session("one");
    let read = session.input("PreToolUse-Read", |input| {
        input["tool_input"]["file_path"] = world
            .project
            .root
            .join("src/ledger.rs")
            .to_string_lossy()
            .into();
    });
    let told = world.twice("ambient", &read.unwrap());
    assert_eq!(
        told.iter()
            .filter(|told| mentions(told.as_ref(), &handle))
            .count(),
        1,
        "{told:?}"
    );
    assert_eq!(told.iter().flatten().count(), 1, "{told:?}");
    let failing = || {
        session.input("PostToolUseFailure-Bash", |input| {
            input["tool_input"]["command"] = "cargo build".into();
            input["error"] = format!("Exit code 1\n{MISTAKE}").into();
        })
    };
    let failed = failing().unwrap();
    world.twice("error-context", &failed);
    let failings = || world.failing("one");
    assert_eq!(failings(), ["`cargo build` (once)"]);
    world.twice("error-context", &failed);
    assert_eq!(failings(), ["`cargo build` (once)"], "it is the same call");
    world.twice("error-context", &failing().unwrap());
    assert_eq!(failings(), ["`cargo build` (2 times)"], "it failed again");
}
