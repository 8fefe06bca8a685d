//! Receipts say whether the model received what hooks said.

use std::fs;

use helix_tests::Rpc;
use serde_json::{Value, json};

use crate::world::World;

#[test]
fn receipts_say_whether_the_model_was_given_the_text() {
    let world = World::new();
    world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let transcript = world.project.write("transcript.jsonl", "").unwrap();
    let prompt = |id: &str, prompt: &str| {
        let session = world.session(id);
        let change = |input: &mut Value| {
            input["prompt"] = prompt.into();
            input["transcript_path"] = transcript.to_string_lossy().into();
        };
        session.hook("prompt", "UserPromptSubmit", change).unwrap()
    };
    let question = "why are invoices exported as semicolon CSV?";
    let given = [
        prompt("one", question).unwrap(),
        prompt("two", question).unwrap(),
    ];
    world.await_fates(["unknown", "unknown"]);
    let start: String = given[1].chars().take(240).collect();
    assert!(start.len() < given[1].len());
    fs::write(
        &transcript,
        format!("{}\n", json!({"attachment": {"content": [given[0]]}})),
    )
    .unwrap();
    // It is read behind the answer; a prompt that nobody waited for any more reads nothing.
    world.await_fates_after(["unknown", "delivered"], || drop(prompt("one", "thanks")));
    fs::write(
        &transcript,
        format!("{}\n", json!({"attachment": {"content": [start]}})),
    )
    .unwrap();
    world.await_fates_after(["cut", "delivered"], || drop(prompt("two", "thanks")));
    let status = Rpc::connect(&world.home).unwrap().status().unwrap();
    assert_eq!(
        (
            status.injections_delivered,
            status.injections_cut,
            status.injections_unknown
        ),
        (1, 1, 0)
    );
}

/// A line of Claude Code's transcript, now and then.
fn line(kind: &str, at: &str, content: &Value) -> String {
    json!({"type": kind, "timestamp": at, "isSidechain": false, "content": content, "sessionId": "one"}).to_string()
        + "\n"
}

#[test]
fn what_a_blocked_prompt_was_given_is_given_again() {
    let world = World::new();
    let handle = world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let transcript = world.project.root.join("../one.jsonl");
    let ask = || {
        let change = |input: &mut Value| {
            input["prompt"] = "why are invoices exported as semicolon CSV?".into();
            input["transcript_path"] = transcript.to_string_lossy().into();
        };
        world
            .session("one")
            .hook("prompt", "UserPromptSubmit", change)
            .unwrap()
    };
    let given = ask().unwrap();
    assert!(given.contains(&handle));
    assert_eq!(ask(), None, "nobody knows yet that it was blocked");
    // After the prompt that was blocked and before the one that follows, which is not.
    let now = jiff::Timestamp::now().to_string();
    let blocked = json!("UserPromptSubmit operation blocked by hook:\nNO\n\nOriginal prompt: why");
    let mut ending = serde_json::from_str::<Value>(&line("system", &now, &blocked)).unwrap();
    ending["promptSubmitEnding"] =
        json!({"ending": {"kind": "blocked_by_hook", "reason": "NO"}, "promptKept": false});
    let begun = line("user", "2026-01-01T10:00:00.000Z", &json!("hello"));
    fs::write(&transcript, format!("{begun}{ending}\n")).unwrap();
    assert!(ask().is_some_and(|again| again.contains(&handle)));
    world.await_fates(["unknown", "withheld"]);
}

#[test]
fn what_a_daemons_death_left_unknown_is_settled_at_the_next_start() {
    let mut world = World::new();
    world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let transcript = world.project.write("one.jsonl", "").unwrap();
    let change = |input: &mut Value| {
        input["prompt"] = "why are invoices exported as semicolon CSV?".into();
        input["transcript_path"] = transcript.to_string_lossy().into();
    };
    let given = world
        .session("one")
        .hook("prompt", "UserPromptSubmit", change)
        .unwrap()
        .unwrap();
    world.await_fates(["unknown"]);
    world.signal(nix::sys::signal::Signal::SIGKILL);
    fs::write(
        &transcript,
        format!("{}\n", json!({"attachment": {"content": [given]}})),
    )
    .unwrap();
    world.start_again();
    world.await_fates(["delivered"]);
}
