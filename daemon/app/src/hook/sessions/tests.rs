#![allow(clippy::unwrap_used)]
use helix_memory::Scope;
use helix_terminal::command::run_of;

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_000_000);

/// The state of a session that a restart would find.
pub(super) fn state(sessions: &Sessions, key: &str) -> Vec<u8> {
    sessions.persist_all();
    sessions.outbox.get(&Row::Session(key.to_owned())).unwrap()
}

/// The sessions after a restart.
fn restarted(sessions: &Sessions) -> Sessions {
    sessions.persist_all();
    let keys: Vec<String> = sessions.lock().keys().cloned().collect();
    let saved = keys.into_iter().filter_map(|key| {
        let state = sessions.outbox.get(&Row::Session(key.clone()))?;
        Some((key, state))
    });
    Sessions::restore(saved.collect(), Outbox::default())
}

fn has_unwritten(sessions: &Sessions) -> bool {
    sessions.lock().values().any(|session| session.is_dirty)
}

#[test]
fn nothing_is_given_twice_until_the_context_is_new() {
    let sessions = Sessions::default();
    let (one, two) = (MemoryNumber(1), MemoryNumber(2));
    assert!(sessions.claim("s", &[one], None, Some(&[]), NOW));
    assert!(
        sessions.was_given("s", one)
            && !sessions.was_given("s", two)
            && !sessions.was_given("t", one)
    );
    assert!(!sessions.claim("s", &[two, one], None, Some(&[]), NOW));
    assert!(!sessions.was_given("s", two));
    let restored = restarted(&sessions);
    assert!(restored.was_given("s", one));
    restored.begin("s", Start::GoesOn, NOW);
    assert!(restored.was_given("s", one));
    restored.begin("s", Start::LostContext, NOW);
    assert!(!restored.was_given("s", one) && restored.lost("s", &[]).at_work == [one]);
    restored.begin("s", Start::Anew, NOW);
    assert!(restored.lost("s", &[]) == Lost::default());
}

#[test]
fn what_an_open_session_asked_for_is_not_given_until_the_context_is_new() {
    let sessions = Sessions::default();
    let (one, two) = (MemoryNumber(1), MemoryNumber(2));
    sessions.know("s", &[one], NOW);
    assert!(
        !sessions.was_given("s", one) && sessions.known(NOW).is_empty(),
        "no hook told of it"
    );
    sessions.begin("s", Start::GoesOn, NOW);
    sessions.know("s", &[one], NOW);
    assert!(sessions.was_given("s", one) && sessions.given_count("s") == 0);
    assert!(!sessions.claim("s", &[two, one], None, Some(&[]), NOW));
    let restored = restarted(&sessions);
    assert!(restored.was_given("s", one));
    restored.begin("s", Start::LostContext, NOW);
    assert!(!restored.was_given("s", one) && restored.lost("s", &[]) == Lost::default());
    restored.close("s");
    restored.know("s", &[one], NOW);
    assert!(!restored.was_given("s", one) && !restored.is_open("s", NOW));
    restored.begin("s", Start::GoesOn, NOW);
    assert!(restored.claim("s/agent", &[two], None, Some(&[]), NOW));
    restored.know("s", &[one], NOW);
    assert!(!restored.was_given("s", one), "the subagent may have asked");
    let later = Timestamp::from_micros(NOW.as_micros() + 2 * 3_600_000_000);
    restored.know("s", &[one], later);
    assert!(restored.was_given("s", one));
}

#[test]
fn a_checkpoint_is_given_in_short_and_once_whole() {
    let sessions = Sessions::default();
    let short = GivenCheckpoint {
        saved_at: NOW,
        is_whole: false,
    };
    let whole = GivenCheckpoint {
        is_whole: true,
        ..short
    };
    assert!(sessions.claim("s", &[], Some(short), Some(&[]), NOW));
    assert!(
        sessions.was_given_checkpoint("s", short) && !sessions.was_given_checkpoint("s", whole)
    );
    assert!(sessions.claim("s", &[], Some(whole), Some(&[]), NOW));
    assert!(!sessions.claim("s", &[MemoryNumber(1)], Some(whole), Some(&[]), NOW));
    let restored = restarted(&sessions);
    assert!(restored.was_given_checkpoint("s", short) && restored.was_given_checkpoint("s", whole));
    let later = GivenCheckpoint {
        saved_at: Timestamp::from_micros(NOW.as_micros() + 1),
        ..short
    };
    assert!(!restored.was_given_checkpoint("s", later));
    restored.begin("s", Start::LostContext, NOW);
    assert!(!restored.was_given_checkpoint("s", short));
}

#[test]
fn idle_sessions_end() {
    let sessions = Sessions::default();
    assert!(sessions.claim("s", &[MemoryNumber(1)], None, Some(&[]), NOW));
    let later = Timestamp::from_micros(NOW.as_micros() + 4 * 3_600_000_000 + 1);
    let restored = restarted(&sessions);
    let verdicts = restored.begin("s", Start::GoesOn, later);
    assert!(verdicts.len() == 1 && !restored.was_given("s", MemoryNumber(1)));
    sessions.begin("other", Start::GoesOn, later);
    assert!(!sessions.was_given("s", MemoryNumber(1)));
    assert_eq!(
        sessions.outbox.get(&Row::Session("s".into())),
        Some(Vec::new()),
        "it goes out of the store as well"
    );
}

#[test]
fn what_is_followed_is_counted_once() {
    let sessions = Sessions::default();
    let (one, two, three) = (MemoryNumber(1), MemoryNumber(2), MemoryNumber(3));
    let about = ["src/a.rs", "src/a.rs"].map(str::to_owned);
    assert!(sessions.claim("s", &[one, two], None, Some(&about), NOW));
    assert!(sessions.claim("s", &[three], None, Some(&[]), NOW));
    let sessions = restarted(&sessions);
    sessions.follow("s", |number, about| about == "src/a.rs" && number == two);
    assert_eq!(sessions.unfollowed("s"), [three, one]);
    sessions.follow_everywhere(three);
    let verdicts = sessions.judge("s");
    let followed = |number: MemoryNumber| {
        verdicts
            .iter()
            .any(|it| it.number == number && it.is_followed)
    };
    assert!(verdicts.len() == 3 && followed(two) && followed(three) && !followed(one));
    assert!(sessions.judge("s").is_empty() && sessions.begin("s", Start::Anew, NOW).is_empty());
}

#[test]
fn the_number_of_sessions_is_bounded() {
    let sessions = Sessions::default();
    for n in 0..i64::try_from(SESSIONS_MAX).unwrap() + 5 {
        sessions.begin(
            &format!("s{n}"),
            Start::GoesOn,
            Timestamp::from_micros(NOW.as_micros() + n),
        );
    }
    assert_eq!(sessions.lock().len(), SESSIONS_MAX);
    assert_eq!(
        sessions.outbox.get(&Row::Session("s0".into())),
        Some(Vec::new()),
        "it goes out of the store as well"
    );
    assert!(!sessions.lock().contains_key("s0"));
}

#[test]
fn what_a_session_is_kept_from_and_on_which_occasions_is_bounded() {
    let sessions = Sessions::default();
    for number in 0..u32::try_from(session::GIVEN_MAX).unwrap() + 9 {
        assert!(sessions.hold("s", MemoryNumber(number), NOW));
    }
    assert_eq!(
        sessions.lock().get("s").unwrap().held.len(),
        session::GIVEN_MAX
    );
    assert!(sessions.claim(
        "s",
        &[MemoryNumber(1)],
        None,
        Some(&["x".repeat(9_999)]),
        NOW
    ));
    assert!(state(&sessions, "s").len() < 20_000);
}

/// A state that is made later is put later: what waits is always the latest, however many threads
/// change a session.
#[test]
fn no_older_state_follows_a_newer_one() {
    let sessions = Sessions::default();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let sessions = &sessions;
            scope.spawn(move || {
                for number in 0..200 {
                    assert!(sessions.claim(
                        "s",
                        &[MemoryNumber(thread * 1_000 + number)],
                        None,
                        Some(&[]),
                        NOW
                    ));
                }
            });
        }
    });
    assert!(!has_unwritten(&sessions));
    let written = sessions.outbox.get(&Row::Session("s".into())).unwrap();
    let restored = Sessions::restore(vec![("s".into(), written)], Outbox::default());
    assert_eq!(restored.given_count("s"), 1_600);
}

#[test]
fn a_state_that_finds_no_room_stays_marked_and_is_put_again() {
    let sessions = Sessions::default();
    assert!(sessions.outbox.put(
        Row::Session("large".into()),
        crate::outbox::tests::large(64 * 1024 * 1024 - 64)
    ));
    assert!(
        sessions.claim("s", &[MemoryNumber(1)], None, Some(&[]), NOW),
        "it is given all the same"
    );
    assert!(has_unwritten(&sessions) && sessions.outbox.get(&Row::Session("s".into())).is_none());
    assert_eq!(
        sessions.persist_all().len(),
        1,
        "whoever ends the daemon has to write it"
    );
    assert!(
        sessions
            .outbox
            .put(Row::Session("large".into()), State::default())
    );
    assert!(sessions.persist_all().is_empty());
    assert!(!has_unwritten(&sessions));
    assert!(restarted(&sessions).was_given("s", MemoryNumber(1)));
}

#[test]
fn what_did_not_reach_a_session_may_be_given_again_once() {
    let sessions = Sessions::default();
    let one = [MemoryNumber(1)];
    for is_first in [true, false] {
        assert!(sessions.claim("s", &one, None, Some(&[]), NOW));
        sessions.take_back("s", &one, Proof::None);
        assert_eq!(sessions.was_given("s", one[0]), !is_first);
        let sessions = restarted(&sessions);
        assert_eq!(
            sessions.judge("s").len(),
            usize::from(!is_first),
            "nobody can heed what was not told"
        );
    }
}

#[test]
fn what_surely_did_not_reach_a_session_may_be_given_again_each_time() {
    let sessions = Sessions::default();
    let one = [MemoryNumber(1)];
    for _ in 0..3 {
        assert!(sessions.claim("s", &one, None, Some(&[]), NOW));
        sessions.take_back("s", &one, Proof::Written);
        assert!(!sessions.was_given("s", one[0]));
    }
}

#[test]
fn where_a_session_works_outlives_a_restart() {
    let project = |scope: Scope, name: &str| Project {
        scope,
        root: std::path::PathBuf::new(),
        name: name.to_owned(),
        aliases: Vec::new(),
    };
    let billing = project(Scope::Project("commit:12".into()), "billing");
    let root = Path::new("/work/billing");
    let sessions = Sessions::default();
    sessions.works_in("s", &billing, root);
    assert!(
        sessions.known(NOW).is_empty(),
        "a session is not made by its place"
    );
    sessions.work("s", NOW, true, |_| ());
    sessions.works_in("s", &billing, root);
    sessions.works_in("s", &project(Scope::Global, "everything"), root);
    let restored = restarted(&sessions);
    let place = restored
        .known(NOW)
        .pop()
        .and_then(|known| known.place)
        .unwrap();
    assert_eq!(
        (place.scope.as_str(), place.name.as_str()),
        ("project:commit:12", "billing")
    );
    assert!(!has_unwritten(&sessions));
    sessions.works_in("s", &billing, root);
    assert!(!has_unwritten(&sessions), "nothing new");
    assert_eq!(restored.directories(NOW, 8), [root]);
    assert!(restored.directories(NOW, 0).is_empty());
    let later = Timestamp::from_micros(NOW.as_micros() + 4 * 3_600_000_000 + 1);
    assert!(
        restored.directories(later, 8).is_empty(),
        "whatever is over is not gone on with"
    );
}

/// A state as it was written before the order of giving was kept: sorted by number, without the
/// newer fields.
#[derive(Clone, PartialEq, prost::Message)]
struct OlderState {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(uint32, repeated, tag = "2")]
    given: Vec<u32>,
    #[prost(sint64, tag = "3")]
    last_event_at_us: i64,
    #[prost(uint32, repeated, tag = "6")]
    lost: Vec<u32>,
}

#[test]
fn older_states_are_read() {
    let older = OlderState {
        version: 1,
        given: vec![3, 8],
        last_event_at_us: NOW.as_micros(),
        lost: vec![1, 2],
    };
    let restored = Sessions::restore(
        vec![("s".into(), prost::Message::encode_to_vec(&older))],
        Outbox::default(),
    );
    assert!(restored.was_given("s", MemoryNumber(8)) && !restored.was_given("s", MemoryNumber(1)));
    restored.begin("s", Start::LostContext, NOW);
    assert_eq!(
        restored.lost("s", &[]).at_start,
        [8, 3, 2, 1].map(MemoryNumber)
    );
}

#[test]
fn what_was_given_at_work_is_told_from_the_start_in_the_order_of_giving() {
    let sessions = Sessions::default();
    let numbers = |numbers: &[u32]| {
        numbers
            .iter()
            .copied()
            .map(MemoryNumber)
            .collect::<Vec<_>>()
    };
    let give = |sessions: &Sessions, given: &[u32], about: Option<&[String]>| {
        assert!(sessions.claim("s", &numbers(given), None, about, NOW));
    };
    give(&sessions, &[7, 2, 9], None);
    give(&sessions, &[4], Some(&[]));
    give(
        &sessions,
        &[8, 1],
        Some(&["src/a.rs", "src/a.rs"].map(str::to_owned)),
    );
    give(&sessions, &[3], Some(&[]));
    let sessions = restarted(&sessions);
    assert!(!sessions.has_only_lost("s", NOW));
    sessions.begin("s", Start::LostContext, NOW);
    let expected = Lost {
        at_work: numbers(&[3, 8, 1, 4]),
        at_start: numbers(&[7, 2, 9]),
        needed: Vec::new(),
    };
    assert_eq!(sessions.lost("s", &[]), expected);
    assert!(sessions.has_only_lost("s", NOW));
    // A part is given again at once, some of it by a file, and the context is lost once more.
    give(&sessions, &[3, 8, 1, 7, 5], None);
    give(&sessions, &[4], Some(&["src/b.rs".to_owned()]));
    assert!(!has_unwritten(&sessions), "a claim is persisted at once");
    sessions.begin("s", Start::LostContext, NOW);
    let expected = Lost {
        at_work: numbers(&[4, 3, 8, 1]),
        at_start: numbers(&[7, 5, 2, 9]),
        needed: Vec::new(),
    };
    assert_eq!(sessions.lost("s", &[]), expected);
    // What it heeds, and what is about the file that it works on, is needed.
    sessions.work("s", NOW, false, |activity| activity.read("src/a.rs"));
    sessions.follow("s", |number, _| number == MemoryNumber(5));
    let expected = Lost {
        needed: numbers(&[5, 8, 1]),
        at_work: numbers(&[4, 3]),
        at_start: numbers(&[7, 2, 9]),
    };
    assert_eq!(sessions.lost("s", &[]), expected);
}

#[test]
fn what_is_about_changed_and_failing_files_comes_back_before_what_was_read() {
    let sessions = Sessions::default();
    let files = ["labels/zpl.py", "labels/page.py", "tests/test_zpl.py"].map(str::to_owned);
    let read: Vec<String> = (0..29).map(|n| format!("src/read{n}.py")).collect();
    for (number, file) in (0..).zip(files.iter().chain(&read)) {
        assert!(sessions.claim(
            "s",
            &[MemoryNumber(number)],
            None,
            Some(&[file.to_owned()]),
            NOW
        ));
        sessions.work("s", NOW, false, |activity| activity.read(file));
    }
    sessions.work("s", NOW, false, |activity| {
        activity.edit(&files[1]);
        activity.edit(&files[0]);
        // Read again, though its memory was given long ago.
        activity.read(&read[3]);
        activity.failed(&run_of("pytest").unwrap(), vec!["x".into()], NOW);
        activity.failed_in(vec![files[2].clone(), files[0].clone()]);
    });
    sessions.follow("s", |number, _| number == MemoryNumber(10));
    let sessions = restarted(&sessions);
    sessions.begin("s", Start::LostContext, NOW);
    let lost = sessions.lost("s", &[]);
    let first: Vec<u32> = lost.needed.iter().map(|number| number.0).take(7).collect();
    assert_eq!(first, [0, 1, 2, 10, 6, 31, 30]);
    assert!(lost.needed.len() == 32 && lost.at_work.is_empty() && lost.at_start.is_empty());
    // What was given on another occasion is about its source all the same.
    let sources = [
        (MemoryNumber(31), files[1].clone()),
        (MemoryNumber(30), files[0].clone()),
    ];
    let first: Vec<u32> = sessions
        .lost("s", &sources)
        .needed
        .iter()
        .map(|number| number.0)
        .take(5)
        .collect();
    assert_eq!(first, [30, 0, 31, 1, 2]);
}

#[test]
fn warnings_and_work_are_told_once_a_context() {
    let sessions = Sessions::default();
    let (warning, work) = (Said::Warning(7), Said::Work(5));
    assert!(
        sessions.tell("s", warning, NOW)
            && !sessions.tell("s", warning, NOW)
            && sessions.tell("s", work, NOW)
    );
    assert!(sessions.claim("s", &[], None, None, NOW));
    let restored = restarted(&sessions);
    assert!(restored.was_told("s", warning) && !restored.was_told("s", Said::Warning(8)));
    let other = Said::Work(6);
    assert!(
        restored.was_told("s", work)
            && !restored.tell("s", work, NOW)
            && restored.tell("s", other, NOW)
    );
    restored.begin("s", Start::LostContext, NOW);
    assert!(restored.tell("s", warning, NOW) && restored.tell("s", other, NOW));
}

#[test]
fn whoever_is_heard_of_goes_on() {
    let sessions = Sessions::default();
    let after = |hours: i64| Timestamp::from_micros(NOW.as_micros() + hours * 3_600_000_000);
    sessions.begin("s", Start::Anew, NOW);
    sessions.heard("s", after(3));
    assert!(sessions.goes_on_after("s", after(2)) && sessions.is_known("s", after(6)));
    sessions.heard("s", after(1));
    assert!(
        sessions.goes_on_after("s", after(2)),
        "events may overtake each other"
    );
    sessions.heard("s", after(8));
    assert!(!sessions.is_known("s", after(8)), "it was over by then");
    sessions.heard("t", NOW);
    assert!(!sessions.is_known("t", NOW));
    sessions.meet("t", NOW);
    sessions.meet("", NOW);
    assert!(sessions.is_known("t", NOW) && !sessions.is_known("", NOW) && has_unwritten(&sessions));
    assert!(!sessions.lock().get("t").unwrap().is_dirty);
}
