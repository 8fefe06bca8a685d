//! `topics`: what this session did, and where its task stands.

use serde_json::json;

use super::world::World;

#[test]
fn what_the_session_did() {
    let mut world = World::empty();
    world.say("topics", json!({"action": "session"}));
    world.say(
        "store",
        json!({"topic": "build", "text": "The release needs arm64.\nElse linking fails."}),
    );
    world.say(
        "batch",
        json!({"entries": [{"topic": "ci", "text": "Runs at night."}, {"topic": "ci", "text": "Takes an hour."}]}),
    );
    world.say(
        "edit",
        json!({"action": "revise", "topic": "build", "text": "The release needs arm64 or x86."}),
    );
    world.say(
        "edit",
        json!({"action": "tag", "topic": "build", "tags": "release"}),
    );
    world.say(
        "edit",
        json!({"action": "delete", "topic": "ci", "index": 0}),
    );
    world.say(
        "edit",
        json!({"action": "rename", "topic": "ci", "new_name": "nightly"}),
    );
    world.say("topics", json!({"action": "session"}));
    insta::assert_snapshot!(world.told());
}

#[test]
fn where_the_task_stands() {
    let mut world = World::empty();
    world.say("topics", json!({"action": "resume"}));
    world.say(
        "topics",
        json!({
            "action": "checkpoint", "task": "Implement Metal attention kernel",
            "done": "Verified embedding correctness;Built Q4K matvec",
            "next": "Debug RMSNorm output;Compare against llama.cpp",
            "hypotheses": "RoPE frequency base may be wrong;Attention mask not applied",
            "blocked": "Need reference output from correct implementation", "files": "infer.rs,kernels.rs,main.rs",
        }),
    );
    world.say("topics", json!({"action": "resume"}));
    world.say(
        "topics",
        json!({"action": "checkpoint", "task": "Something smaller", "next": ["one, with a comma", "two"]}),
    );
    world.say("topics", json!({"action": "resume"}));
    world.say("topics", json!({"action": "clear_checkpoint"}));
    world.say("topics", json!({"action": "clear_checkpoint"}));
    world.say("topics", json!({"action": "resume"}));
    insta::assert_snapshot!(world.told());
}
