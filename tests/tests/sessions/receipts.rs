//! Whether what hooks said reached the model.

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
    let given = [prompt("one", question).unwrap(), prompt("two", question).unwrap()];
    world.await_fates(["unknown", "unknown"]);
    let start: String = given[1].chars().take(240).collect();
    assert!(start.len() < given[1].len());
    fs::write(&transcript, format!("{}\n", json!({"attachment": {"content": [given[0]]}}))).unwrap();
    prompt("one", "thanks");
    // It is read behind the answer.
    world.await_fates(["unknown", "delivered"]);
    fs::write(&transcript, format!("{}\n", json!({"attachment": {"content": [start]}}))).unwrap();
    prompt("two", "thanks");
    world.await_fates(["cut", "delivered"]);
    let status = Rpc::connect(&world.home).unwrap().status().unwrap();
    assert_eq!((status.injections_delivered, status.injections_cut, status.injections_unknown), (1, 1, 0));
}
