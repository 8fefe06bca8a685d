#![allow(clippy::unwrap_used)]
use std::fs;

use prost::Message;

use super::*;

#[test]
fn a_fate_is_read_without_the_rest() {
    for fate in [
        Fate::Unknown,
        Fate::Delivered,
        Fate::Cut,
        Fate::Withheld,
        Fate::Blocked,
    ] {
        let (handles, mark) = (vec!["a/b".to_owned()], Some(Mark::of("a text")));
        let receipt = Receipt {
            version: VERSION,
            fate: fate as i32,
            handles,
            mark,
            tokens: 3,
            ..Receipt::default()
        };
        assert_eq!(Receipt::read_fate(&receipt.encode_to_vec()), Some(fate));
        let newer = Receipt {
            version: VERSION + 1,
            ..receipt
        };
        assert_eq!(Receipt::read_fate(&newer.encode_to_vec()), None);
    }
    assert_eq!(Receipt::read_fate(b"\xff\xff"), None);
}

#[test]
fn a_restart_forgets_no_pending_receipt() {
    let saved = |at_us: i64, fate: Fate| {
        let mark = Some(Mark::of("a text"));
        let receipt = Receipt {
            version: VERSION,
            session: "s".to_owned(),
            fate: fate as i32,
            mark,
            ..Receipt::default()
        };
        (at_us, receipt.encode_to_vec())
    };
    let recent = 86_400_000_000;
    let all = [
        saved(recent, Fate::Unknown),
        saved(recent - 1, Fate::Delivered),
    ];
    let receipts = Receipts::restore(&all, Arc::default());
    let waiting = receipts.lock();
    let pending: Vec<i64> = waiting
        .sessions
        .values()
        .flatten()
        .map(|pending| pending.at_us)
        .collect();
    assert_eq!((pending, waiting.newest_us), (vec![recent], recent));
    let hours_ago = |hours: i64| Timestamp::from_micros(recent - hours * 3_600_000_000);
    let since = Receipts::pending_since(Timestamp::from_micros(recent));
    assert!(since <= hours_ago(7 * 24) && since > hours_ago(8 * 24));
}

#[test]
fn a_prompts_look_goes_on_behind_an_answer_that_did_not_wait_for_it() {
    let home = tempfile::tempdir().unwrap();
    let transcript = home.path().join("s.jsonl");
    fs::write(&transcript, "{\"content\":\"a text\"}\n").unwrap();
    let receipt = Receipt {
        version: VERSION,
        session: "s".to_owned(),
        mark: Some(Mark::of("a text")),
        prompted: vec![1],
        ..Receipt::default()
    };
    let now = Timestamp::from_micros(86_400_000_000);
    let saved = [(now.as_micros(), receipt.encode_to_vec())];
    let receipts = Arc::new(Receipts::restore(&saved, Arc::default()));
    let reach = Reach::default();
    // Something else is asked of the place, for longer than the prompt waits.
    let (go_on, wait) = sync_channel::<()>(0);
    reach.later(home.path(), CONFIRM_PATIENCE, move || {
        wait.recv().ok();
    });
    let (committed, outbox) = sync_channel(1);
    let outbox_of = Outbox::new(Arc::new(move || {
        committed.send(()).ok();
    }));
    assert!(receipts.confirm_prompts(&reach, &outbox_of, "s", &transcript));
    assert!(
        receipts.lock().sessions.contains_key("s"),
        "it was not read"
    );
    drop(go_on);
    outbox.recv().unwrap();
    let row = outbox_of.get(&Row::Receipt(now.as_micros())).unwrap();
    assert_eq!(Receipt::read_fate(&row), Some(Fate::Delivered));
}

#[test]
fn all_transcripts_of_a_session_are_one_look() {
    let home = tempfile::tempdir().unwrap();
    let transcript = home.path().join("s.jsonl");
    let subagents = home.path().join("s/subagents");
    fs::create_dir_all(&subagents).unwrap();
    let mark = Some(Mark::of("a text"));
    let receipt = Receipt {
        version: VERSION,
        session: "s".to_owned(),
        mark,
        ..Receipt::default()
    };
    let receipts = Receipts::restore(&[(7, receipt.encode_to_vec())], Arc::default());
    let pending = || {
        receipts
            .lock()
            .sessions
            .get("s")
            .map(|all| all.first().map(|pending| pending.looks))
    };
    for look in 1..LOOKS_MAX {
        let written = "{}\n".repeat(look as usize);
        fs::write(&transcript, &written).unwrap();
        (0..9).for_each(|n| fs::write(subagents.join(format!("a{n}.jsonl")), &written).unwrap());
        assert!(receipts.confirm("s", &transcript).is_empty());
        assert_eq!(pending(), Some(Some(look)));
        assert!(receipts.confirm("s", &transcript).is_empty());
        assert_eq!(
            pending(),
            Some(Some(look)),
            "nothing was written, so there is nothing to look at"
        );
    }
    fs::write(subagents.join("a3.jsonl"), "{\"content\":\"a text\"}\n").unwrap();
    let known = receipts.confirm("s", &transcript);
    let fates: Vec<_> = known
        .iter()
        .map(|(at_us, receipt)| (*at_us, receipt.fate()))
        .collect();
    assert_eq!(fates, [(7, Fate::Delivered)]);
    assert!(pending().is_none() && receipts.lock().seen.is_empty());
}

/// A receipt of a prompt that got memory 3, a second after 1970.
fn prompted(transcript: &Path) -> (i64, Vec<u8>) {
    let receipt = Receipt {
        version: VERSION,
        session: "s".to_owned(),
        mark: Some(Mark::of("a text")),
        transcript: transcript.to_str().unwrap().to_owned(),
        prompted: vec![3],
        ..Receipt::default()
    };
    (1_000_000, receipt.encode_to_vec())
}

const EARLIER: &str =
    r#"{"type":"user","uuid":"u","timestamp":"1970-01-01T00:00:00.900Z","message":{}}"#;

#[test]
fn what_a_blocked_prompt_got_was_withheld() {
    let home = tempfile::tempdir().unwrap();
    let transcript = home.path().join("s.jsonl");
    let blocked = r#"{"type":"system","subtype":"informational","content":"UserPromptSubmit operation blocked by hook:\nNO","timestamp":"1970-01-01T00:00:01.300Z","promptSubmitEnding":{"ending":{"kind":"blocked_by_hook"}}}"#;
    let answered = r#"{"type":"assistant","timestamp":"1970-01-01T00:00:01.300Z","message":{}}"#;
    let aside = r#"{"type":"assistant","isSidechain":true,"timestamp":"1970-01-01T00:00:01.300Z","message":{}}"#;
    let before = r#"{"type":"assistant","timestamp":"1970-01-01T00:00:00.950Z","message":{}}"#;
    let later = r#"{"type":"assistant","timestamp":"1970-01-01T00:00:01.700Z","message":{}}"#;
    let told = r#"{"type":"attachment","timestamp":"1970-01-01T00:00:01.100Z","attachment":{"content":["a text"]}}"#;
    for (lines, fate) in [
        (vec![EARLIER, blocked], Some(Fate::Blocked)),
        (vec![EARLIER, blocked, later], Some(Fate::Blocked)),
        (vec![EARLIER, answered], Some(Fate::Withheld)),
        (vec![EARLIER, told, answered], Some(Fate::Delivered)),
        (vec![EARLIER, aside], None),
        (vec![EARLIER, before], None),
        (vec![EARLIER], None),
        (vec!["{\"content\":\"no times\"}"], None),
    ] {
        fs::write(&transcript, lines.join("\n") + "\n").unwrap();
        let receipts = Receipts::restore(&[prompted(&transcript)], Arc::default());
        let settled = receipts.confirm("s", &transcript);
        assert_eq!(
            settled.first().map(|(_, receipt)| receipt.fate()),
            fate,
            "{lines:?}"
        );
    }
}

#[test]
fn a_transcript_is_known_after_a_restart_and_the_newest_come_first() {
    let path = Path::new("/nowhere/s.jsonl");
    let (at_us, state) = prompted(path);
    let saved: Vec<_> = (0..i64::try_from(PENDING_MAX).unwrap() + 3)
        .rev()
        .map(|n| (at_us + n, state.clone()))
        .collect();
    let receipts = Receipts::restore(&saved, Arc::default());
    let waiting = receipts.lock();
    assert_eq!(
        waiting.transcripts.get("s").map(PathBuf::as_path),
        Some(path)
    );
    let all = waiting.sessions.get("s").unwrap();
    assert_eq!(
        (all.len(), all.first().unwrap().at_us),
        (PENDING_MAX, at_us + 3)
    );
    assert!(all.is_sorted_by_key(|pending| pending.at_us));
}
