#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::PathBuf;

use helix_memory::MemoryNumber;
use serde_json::json;

use super::super::Start;
use super::*;
use crate::outbox::Outbox;

/// 2026-11-23T18:00:00Z, when the fork begins.
const NOW: Timestamp = Timestamp::from_micros(1_795_456_800_000_000);

const BEFORE: &str = "2026-11-23T17:59:10.521Z";
const AFTER: &str = "2026-11-23T18:00:10.521Z";

/// Transcripts in one directory, and the sessions that write them.
struct World {
    directory: tempfile::TempDir,
    sessions: Arc<Sessions>,
    reach: Reach,
}

impl World {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            sessions: Arc::default(),
            reach: Reach::default(),
        }
    }

    fn transcript(&self, session: &str) -> PathBuf {
        self.directory.path().join(format!("{session}.jsonl"))
    }

    /// A session with a memory of its own in its context.
    fn session(&self, session: &str, memory: u32, messages: &[(&str, &str)]) {
        self.sessions.begin(session, Start::Anew, NOW);
        self.sessions.writes_to(session, &self.transcript(session));
        assert!(
            self.sessions
                .claim(session, &[MemoryNumber(memory)], None, Some(&[]), NOW)
        );
        self.write(session, messages, None);
    }

    fn write(&self, session: &str, messages: &[(&str, &str)], named: Option<&str>) {
        let mut lines = vec![json!({"type": "mode", "sessionId": session}).to_string()];
        for (id, at) in messages {
            let mut line = json!({"type": "user", "uuid": id, "sessionId": session, "timestamp": at, "message": {}});
            if let Some(named) = named {
                line["forkedFrom"] = json!({"sessionId": named, "messageUuid": id});
            }
            lines.push(line.to_string());
        }
        fs::write(self.transcript(session), lines.join("\n") + "\n").unwrap();
    }

    /// Starts a fork, and tells which of some memories it has.
    fn fork(&self, session: &str) {
        self.sessions.begin(session, Start::GoesOn, NOW);
        self.sessions.begin_fork(session, NOW);
        self.read(session);
    }

    fn read(&self, session: &str) {
        self.sessions
            .read_fork(&self.reach, session, &self.transcript(session), NOW);
        // An answer waits only for a moment; whoever asks behind it has its answer first.
        while self
            .sessions
            .lock()
            .get(session)
            .and_then(|session| session.fork)
            .is_some_and(|fork| fork.is_being_read)
        {
            std::thread::yield_now();
        }
    }

    fn has(&self, session: &str) -> Vec<u32> {
        (0..10)
            .filter(|number| self.sessions.was_given(session, MemoryNumber(*number)))
            .collect()
    }
}

#[test]
fn a_fork_has_what_the_session_has_that_its_transcript_names() {
    let world = World::new();
    world.session("one", 1, &[]);
    world.session("two", 2, &[]);
    world.write("fork", &[("a", BEFORE)], Some("two"));
    world.fork("fork");
    assert_eq!(world.has("fork"), [2]);
    assert!(!world.sessions.is_unread_fork("fork"));
}

#[test]
fn a_fork_has_what_the_session_has_whose_messages_it_has() {
    let world = World::new();
    world.session("one", 1, &[("a", BEFORE), ("b", BEFORE)]);
    world.session("sibling", 2, &[("a", BEFORE), ("b", BEFORE), ("s", BEFORE)]);
    world.session("other", 3, &[("x", BEFORE)]);
    world.write("fork", &[("a", BEFORE), ("b", BEFORE)], None);
    world.fork("fork");
    assert_eq!(
        world.has("fork"),
        [1],
        "the sibling said something that the fork does not have"
    );
    // A fork of the fork that went on, whose first messages are still named after the one before.
    world.write(
        "deeper",
        &[("a", BEFORE), ("b", BEFORE), ("s", BEFORE)],
        Some("one"),
    );
    world.fork("deeper");
    assert_eq!(world.has("deeper"), [2]);
}

#[test]
fn what_the_parent_did_later_is_its_own() {
    let world = World::new();
    world.session("one", 1, &[("a", BEFORE), ("later", AFTER)]);
    world.write("fork", &[("a", BEFORE)], None);
    world.fork("fork");
    assert_eq!(world.has("fork"), [1]);
}

#[test]
fn a_transcript_is_waited_for_until_the_fork_says_something_itself() {
    let world = World::new();
    world.session("one", 1, &[("a", BEFORE)]);
    world.fork("fork");
    assert!(
        world.sessions.is_unread_fork("fork"),
        "there is no transcript yet"
    );
    fs::write(
        world.transcript("fork"),
        "{\"type\":\"mode\"}\n{\"type\":\"us",
    )
    .unwrap();
    world.read("fork");
    assert!(world.sessions.is_unread_fork("fork"));
    assert!(
        world
            .sessions
            .claim("fork", &[MemoryNumber(5)], None, Some(&[]), NOW)
    );
    world.write("fork", &[("a", BEFORE), ("own", AFTER)], None);
    world.read("fork");
    assert_eq!(world.has("fork"), [1, 5]);
    world.write("stranger", &[("q", BEFORE), ("own", AFTER)], None);
    world.fork("stranger");
    assert_eq!(
        (
            world.has("stranger"),
            world.sessions.is_unread_fork("stranger")
        ),
        (vec![], false)
    );
}

#[test]
fn nothing_but_a_regular_file_is_read_and_nobody_is_waited_for() {
    let world = World::new();
    world.session("one", 1, &[("a", BEFORE)]);
    nix::unistd::mkfifo(&world.transcript("fork"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    world.fork("fork");
    assert!(world.sessions.is_unread_fork("fork"));
}

#[test]
fn a_fork_that_was_not_read_outlives_a_restart() {
    let world = World::new();
    world.session("one", 1, &[("a", BEFORE)]);
    world.fork("fork");
    let states = ["one", "fork"].map(|key| {
        (
            key.to_owned(),
            super::super::tests::state(&world.sessions, key),
        )
    });
    let restored = World {
        sessions: Arc::new(Sessions::restore(states.into(), Outbox::default())),
        ..world
    };
    restored.write("fork", &[("a", BEFORE), ("own", AFTER)], None);
    restored.read("fork");
    assert_eq!(restored.has("fork"), [1]);
}

#[test]
fn what_a_fork_has_of_its_parent_is_counted_there() {
    let world = World::new();
    world.session("one", 1, &[]);
    world.write("fork", &[("a", BEFORE)], Some("one"));
    world.fork("fork");
    assert!(world.sessions.judge("fork").is_empty());
    assert_eq!(world.sessions.judge("one").len(), 1);
}

/// A message of a long transcript, as `at` seconds before or after the fork begins.
fn long(id: &str, at: i64) -> String {
    let at = jiff::Timestamp::from_microsecond(NOW.as_micros() + at * 1_000_000).unwrap();
    let line = json!({
        "type": "assistant",
        "uuid": id,
        "timestamp": at.to_string(),
        "message": {"content": "lorem ipsum ".repeat(2_000)},
    });
    line.to_string() + "\n"
}

#[test]
fn a_transcript_of_any_length_tells_whose_fork_it_is() {
    let world = World::new();
    // Longer than what is read, before the fork and after it.
    let count = i64::try_from(lineage::WINDOW_BYTES / 24_000 * 3).unwrap();
    let common: String = (0..count)
        .map(|nth| long(&format!("m{nth}"), nth - count - 10))
        .collect();
    let later: String = (0..count)
        .map(|nth| long(&format!("p{nth}"), nth + 10))
        .collect();
    for (session, memory) in [("one", 1), ("sibling", 2), ("other", 3)] {
        world.session(session, memory, &[("x", BEFORE)]);
    }
    fs::write(world.transcript("one"), format!("{common}{later}")).unwrap();
    let own = long("s", -5);
    fs::write(world.transcript("sibling"), format!("{common}{own}{later}")).unwrap();
    fs::write(world.transcript("fork"), &common).unwrap();
    world.fork("fork");
    assert_eq!(world.has("fork"), [1]);
    // One that went on before its transcript is read; the sibling's.
    fs::write(
        world.transcript("deeper"),
        format!("{common}{own}{}", later.replace("\"p", "\"d")),
    )
    .unwrap();
    world.fork("deeper");
    assert_eq!(world.has("deeper"), [2]);
}
