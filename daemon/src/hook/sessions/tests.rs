#![allow(clippy::unwrap_used)]
use super::*;
use helix_engine::model::Scope;

const NOW: Timestamp = Timestamp::from_micros(1_000_000);

#[test]
fn nothing_is_given_twice_until_the_context_is_new() {
    let sessions = Sessions::default();
    let (one, two) = (MemoryNumber(1), MemoryNumber(2));
    let state = sessions.claim("s", &[one], None, Some(""), NOW).unwrap();
    assert!(sessions.was_given("s", one) && !sessions.was_given("s", two) && !sessions.was_given("t", one));
    assert!(sessions.claim("s", &[two, one], None, Some(""), NOW).is_none());
    assert!(!sessions.was_given("s", two));
    let restored = Sessions::restore(vec![("s".into(), state)]);
    assert!(restored.was_given("s", one));
    restored.begin("s", Start::GoesOn, NOW);
    assert!(restored.was_given("s", one));
    restored.begin("s", Start::LostContext, NOW);
    assert!(!restored.was_given("s", one) && restored.lost("s") == [one]);
    restored.begin("s", Start::Anew, NOW);
    assert!(restored.lost("s").is_empty());
}

#[test]
fn a_checkpoint_is_given_in_short_and_once_whole() {
    let sessions = Sessions::default();
    let short = GivenCheckpoint { saved_at: NOW, is_whole: false };
    let whole = GivenCheckpoint { is_whole: true, ..short };
    assert!(sessions.claim("s", &[], Some(short), Some(""), NOW).is_some());
    assert!(sessions.was_given_checkpoint("s", short) && !sessions.was_given_checkpoint("s", whole));
    let state = sessions.claim("s", &[], Some(whole), Some(""), NOW).unwrap();
    assert!(sessions.claim("s", &[MemoryNumber(1)], Some(whole), Some(""), NOW).is_none());
    let restored = Sessions::restore(vec![("s".into(), state)]);
    assert!(restored.was_given_checkpoint("s", short) && restored.was_given_checkpoint("s", whole));
    let later = GivenCheckpoint { saved_at: Timestamp::from_micros(NOW.as_micros() + 1), ..short };
    assert!(!restored.was_given_checkpoint("s", later));
    restored.begin("s", Start::LostContext, NOW);
    assert!(!restored.was_given_checkpoint("s", short));
}

#[test]
fn idle_sessions_end() {
    let sessions = Sessions::default();
    let state = sessions.claim("s", &[MemoryNumber(1)], None, Some(""), NOW).unwrap();
    let later = Timestamp::from_micros(NOW.as_micros() + 4 * 3_600_000_000 + 1);
    let restored = Sessions::restore(vec![("s".into(), state)]);
    let ended = restored.begin("s", Start::GoesOn, later);
    assert!(ended.keys.is_empty() && ended.verdicts.len() == 1 && !restored.was_given("s", MemoryNumber(1)));
    assert_eq!(sessions.begin("other", Start::GoesOn, later).keys, ["s"]);
    assert!(!sessions.was_given("s", MemoryNumber(1)));
}

#[test]
fn what_is_followed_is_counted_once() {
    let sessions = Sessions::default();
    let (one, two, three) = (MemoryNumber(1), MemoryNumber(2), MemoryNumber(3));
    assert!(sessions.claim("s", &[one, two], None, Some("src/a.rs"), NOW).is_some());
    let state = sessions.claim("s", &[three], None, Some(""), NOW).unwrap();
    let sessions = Sessions::restore(vec![("s".into(), state)]);
    sessions.follow("s", |number, about| about == "src/a.rs" && number == two);
    assert_eq!(sessions.unfollowed("s"), [three, one]);
    sessions.follow_everywhere(three);
    let verdicts = sessions.judge("s");
    let followed = |number: MemoryNumber| verdicts.iter().any(|it| it.number == number && it.is_followed);
    assert!(verdicts.len() == 3 && followed(two) && followed(three) && !followed(one));
    assert!(sessions.judge("s").is_empty() && sessions.begin("s", Start::Anew, NOW).verdicts.is_empty());
}

#[test]
fn the_number_of_sessions_is_bounded() {
    let sessions = Sessions::default();
    for n in 0..i64::try_from(SESSIONS_MAX).unwrap() + 5 {
        sessions.begin(&format!("s{n}"), Start::GoesOn, Timestamp::from_micros(NOW.as_micros() + n));
    }
    assert_eq!(sessions.lock().len(), SESSIONS_MAX);
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
    let sessions = Sessions::default();
    sessions.works_in("s", &billing);
    assert!(sessions.known(NOW).is_empty(), "a session is not made by its place");
    sessions.work("s", NOW, true, |_| ());
    sessions.works_in("s", &billing);
    sessions.works_in("s", &project(Scope::Global, "everything"));
    let restored = Sessions::restore(sessions.unwritten(NOW));
    let place = restored.known(NOW).pop().and_then(|known| known.place).unwrap();
    assert_eq!((place.scope.as_str(), place.name.as_str()), ("project:commit:12", "billing"));
    assert!(sessions.unwritten(NOW).is_empty());
    sessions.works_in("s", &billing);
    assert!(sessions.unwritten(NOW).is_empty(), "nothing new");
}
