//! Effects of time alone: a session that is idle for hours ends, and a hook that is silent for a
//! week is announced. The store is dated back while the daemon is down, as if the time had passed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use helix_app::work::watch::Watch;
use helix_engine::{States, Write};
use helix_memory::Timestamp;
use helix_tests::{Binary, HookClient, HookRun};
use prost::Message;
use serde_json::{Value, json};

use crate::world::World;

const FILE: &str = "src/export.rs";

/// Longer than a session may be idle, and not much less.
const OVER: Duration = Duration::from_mins(4 * 60 + 1);
const NOT_OVER: Duration = Duration::from_mins(4 * 60 - 10);

const DAY: Duration = Duration::from_hours(24);

/// The field of a persisted session that says when it was heard of last.
#[derive(Clone, PartialEq, Message)]
struct LastHeard {
    #[prost(sint64, tag = "3")]
    last_event_at_us: i64,
}

fn ago(time: Duration) -> Timestamp {
    let since_epoch = SystemTime::now()
        .checked_sub(time)
        .unwrap()
        .duration_since(UNIX_EPOCH)
        .unwrap();
    Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap())
}

impl World {
    /// Lets so much time pass since every session was heard of last.
    fn idles(&mut self, time: Duration) {
        self.while_down(|store, writer| {
            let later = LastHeard {
                last_event_at_us: ago(time).as_micros(),
            }
            .encode_to_vec();
            let sessions = store.snapshot().unwrap().states(States::Sessions).unwrap();
            assert!(!sessions.is_empty());
            // The last one of a field that is there twice counts.
            let dated = |(key, state): (String, Vec<u8>)| (key, [state, later.clone()].concat());
            let rows = sessions.into_iter().map(dated).collect();
            writer
                .commit(vec![Write::States(States::Sessions, rows)])
                .unwrap();
        });
    }

    /// Puts what is known of the project's hooks in the place of what is kept.
    fn watched(&mut self, watch: &Watch) {
        self.watched_of("hooks project:", watch);
    }

    /// The same of the hooks whose states are kept under keys that begin so.
    fn watched_of(&mut self, start: &str, watch: &Watch) {
        self.while_down(|store, writer| {
            let kept = store
                .snapshot()
                .unwrap()
                .states(States::Observations)
                .unwrap();
            let (key, _) = kept
                .into_iter()
                .find(|(key, _)| key.starts_with(start))
                .unwrap();
            writer
                .commit(vec![Write::States(
                    States::Observations,
                    vec![(key, watch.encode_to_vec())],
                )])
                .unwrap();
        });
    }

    /// Returns the digest that a session of Gemini CLI's starts with.
    fn gemini_starts(&self, session: &str) -> Option<String> {
        let directory = self.project.root.to_string_lossy();
        let input = json!({
            "session_id": session, "cwd": directory, "hook_event_name": "SessionStart", "source": "startup",
        });
        let run = HookRun::by(
            &self.home,
            HookClient::Gemini,
            "session",
            input.to_string().as_bytes(),
        )
        .unwrap();
        let answer: Option<Value> =
            (!run.stdout.is_empty()).then(|| serde_json::from_slice(&run.stdout).unwrap());
        answer.map(|answer| {
            answer["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    }
}

#[test]
fn a_session_that_is_idle_for_hours_ends() {
    let mut world = World::new();
    world.project.write(FILE, "// no symbols\n").unwrap();
    let handle = world.remember_of("exchange", "Invoices are exported as semicolon CSV.", FILE);
    let reads = |world: &World| {
        world
            .session("one")
            .read(FILE)
            .unwrap()
            .is_some_and(|text| text.contains(&handle))
    };
    assert!(reads(&world) && !reads(&world));
    world.idles(NOT_OVER);
    assert!(world.log("one").unwrap().activity.is_some(), "it goes on");
    assert!(!reads(&world), "it has what it was given");
    world.idles(OVER);
    assert!(
        world.log("one").map_or(true, |log| log.activity.is_none()),
        "it is over"
    );
    assert!(reads(&world), "whoever comes back is new");
    assert!(!reads(&world));
}

#[test]
fn a_hook_that_is_silent_for_a_week_is_announced_once_a_day() {
    let mut world = World::new();
    let shim = Binary::Hook.path();
    let hook =
        |event: &str| json!([{"hooks": [{"type": "command", "command": shim, "args": [event]}]}]);
    let settings =
        json!({"hooks": {"PreToolUse": hook("ambient"), "UserPromptSubmit": hook("prompt")}});
    world
        .project
        .write(".claude/settings.local.json", &settings.to_string())
        .unwrap();
    let wired = ["ambient".to_owned(), "prompt".to_owned()];
    assert_eq!(
        world.session("first").start("startup").unwrap(),
        None,
        "nobody expects them yet"
    );

    let mut watch = Watch::default();
    watch.fired("ambient", ago(8 * DAY));
    watch.fired("prompt", ago(8 * DAY));
    for days in [3, 1] {
        watch.fired("prompt", ago(days * DAY));
        assert!(
            watch.started(&wired, ago(days * DAY)).is_empty(),
            "too few sessions to say anything"
        );
    }
    world.watched(&watch);
    let told = world.session("second").start("startup").unwrap().unwrap();
    assert!(
        told.contains("the hook `ambient` has not fired here for 8 days although wired"),
        "{told}"
    );
    assert!(
        told.contains("`helixctl hooks status`") && !told.contains("`prompt`"),
        "{told}"
    );
    assert_eq!(
        world.session("third").start("startup").unwrap(),
        None,
        "once a day"
    );

    world.watched(&watch);
    world.session("fourth").read("src/a.rs").unwrap();
    assert_eq!(
        world.session("fifth").start("startup").unwrap(),
        None,
        "it fires again"
    );
}

#[test]
fn a_client_is_told_of_its_own_hooks() {
    let mut world = World::new();
    let shim = Binary::Hook.path();
    let hook = |event: &str| {
        let line = format!("{} {event} gemini", shim.display());
        json!([{"hooks": [{"type": "command", "command": line}]}])
    };
    let settings = json!({"hooks": {"AfterTool": hook("ambient"), "BeforeAgent": hook("prompt")}});
    world
        .project
        .write(".gemini/settings.json", &settings.to_string())
        .unwrap();
    assert_eq!(
        world.gemini_starts("first"),
        None,
        "nobody expects them yet"
    );

    let mut watch = Watch::default();
    watch.fired("ambient", ago(8 * DAY));
    watch.fired("prompt", ago(DAY));
    for days in [3, 1] {
        assert!(watch.started(&[], ago(days * DAY)).is_empty());
    }
    world.watched_of("hooks gemini project:", &watch);
    assert_eq!(
        world.session("second").start("startup").unwrap(),
        None,
        "they are not Claude Code's"
    );
    let told = world.gemini_starts("third").unwrap();
    assert!(
        told.contains("the hook `ambient` has not fired here for 8 days although wired"),
        "{told}"
    );
}
