//! What can be read without a tool, with the sets of tools that have it.

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::fake::Fake;
use crate::harness::Bridge;

const MANIFEST: &str = "helix://strand/manifest";

#[test]
fn the_manifest_says_what_the_strand_is() {
    let home = tempdir().unwrap();
    let fake = Fake::serve(home.path());
    let mut bridge = Bridge::offering(home, "memory");
    let greeting = bridge.initialize();
    assert_eq!(
        greeting["result"]["capabilities"],
        json!({"prompts": {}, "resources": {}, "tools": {}})
    );
    let listing = bridge.ask(&json!(1), "resources/list", &json!({}));
    assert_eq!(listing["result"]["resources"][0]["uri"], MANIFEST);
    let templates = bridge.ask(&json!(2), "resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"], json!([]));
    let answer = bridge.ask(&json!(3), "resources/read", &json!({"uri": MANIFEST}));
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["uri"], MANIFEST);
    assert_eq!(contents["mimeType"], "application/json");
    let manifest: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&manifest).unwrap(), @r#"
    {
      "strand": "default",
      "version": "0.1.0",
      "schema_version": 4,
      "sequence": 42,
      "memories": {
        "active": 40
      },
      "topics": 9,
      "projects": 3,
      "embedding": {
        "model": "minilm",
        "state": "ready",
        "pending": 0
      }
    }
    "#);
    bridge.finish_cleanly();
    fake.stop();
}

#[test]
fn an_unknown_resource_is_an_invalid_parameter() {
    let mut bridge = Bridge::offering(tempdir().unwrap(), "memory");
    bridge.initialize();
    for parameters in [json!({"uri": "helix://nothing"}), json!({})] {
        let answer = bridge.ask(&json!(1), "resources/read", &parameters);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let answer = bridge.ask(
        &json!(2),
        "resources/read",
        &json!({"uri": "helix://nothing"}),
    );
    assert_eq!(
        answer["error"]["message"],
        "unknown resource helix://nothing; there is helix://strand/manifest"
    );
    bridge.finish_cleanly();
}

#[test]
fn without_a_daemon_the_manifest_says_why() {
    let mut bridge = Bridge::offering(tempdir().unwrap(), "memory");
    bridge.initialize();
    let answer = bridge.ask(&json!(1), "resources/read", &json!({"uri": MANIFEST}));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("helixctl doctor"), "{message}");
    bridge.finish_cleanly();
}
