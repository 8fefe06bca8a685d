//! Sessions that end: what a model finds in them waits in the review beside what the rules find.

use std::time::Duration;

use helix_tests::hook::Session;
use helix_tests::process::within;
use serde_json::json;

use super::world::{Model, World};

/// How long the thread of captures may take, on a busy machine.
const CAPTURE_DEADLINE: Duration = Duration::from_mins(1);

const SAID: &str =
    "we decided to go with Postgres instead of Mongo because we need transactions across tenants";

const FOUND: &str = r#"{"items":[
    {"turn":0,"kind":"architecture","text":"Nightly exports of the billing service run on the reporting replica.","confidence":0.9},
    {"turn":0,"kind":"poem","text":"Nightly exports are of no kind that there is.","confidence":0.9},
    {"turn":7,"kind":"fact","text":"Nobody said this in any turn of the session.","confidence":0.9}]}"#;

impl World {
    /// A session of Claude Code that says one thing and ends.
    fn session(&self, id: &str, said: &str) {
        let folder = self.served.home.scratch().join(".claude/projects/-billing");
        std::fs::create_dir_all(&folder).unwrap();
        let transcript = folder.join(format!("{id}.jsonl"));
        let line = json!({
            "type": "user",
            "message": { "role": "user", "content": said },
            "sessionId": id,
            "cwd": self.project.root,
            "version": "2.1.37",
            "isSidechain": false,
            "userType": "external",
            "timestamp": "2026-11-20T10:00:00.000Z",
            "uuid": id,
        });
        std::fs::write(&transcript, format!("{line}\n")).unwrap();
        Session::new(&self.served.home, &self.project, id)
            .hook("session-end", "SessionEnd-other", |input| {
                input["transcript_path"] = transcript.to_string_lossy().into();
            })
            .unwrap();
    }

    fn await_waiting(&self, count: u64) {
        within(CAPTURE_DEADLINE, || {
            let status = self.json(&["status"]);
            let waiting = status["memories_by_status"]["quarantined"].as_u64();
            Ok((waiting.unwrap_or_default() >= count).then_some(()))
        })
        .unwrap();
    }
}

#[test]
fn what_a_model_finds_waits_in_the_review_beside_what_rules_find() {
    let world = World::new(Model::new(Some(FOUND)));
    assert!(world.run(&["capture", "on"]).status.success());
    world.session("s-1", SAID);
    world.await_waiting(2);
    let sent = world.model.await_request();
    assert!(sent.contains("transactions across tenants"), "{sent}");
    let listed = world.json(&["review"]);
    let items = listed["items"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{listed}");
    let all = listed.to_string();
    assert!(all.contains("reporting replica"), "{all}");
    assert!(all.contains("a language model found it"), "{all}");
    assert!(all.contains("Postgres"), "{all}");
}

#[test]
fn where_no_model_answers_the_rules_alone_find() {
    let world = World::new(Model::new(Some("<html>busy</html>")));
    assert!(world.run(&["capture", "on"]).status.success());
    world.session("s-1", SAID);
    world.await_waiting(1);
    world.model.await_request();
    let listed = world.json(&["review"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
}
