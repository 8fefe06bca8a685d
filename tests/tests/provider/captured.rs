//! Sessions that end: what a model finds in them waits in the review beside what the rules find.

use std::path::PathBuf;
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
    /// Writes a session of Claude Code that says one thing; returns where.
    fn write(&self, id: &str, said: &str) -> PathBuf {
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
        transcript
    }

    /// A session of Claude Code that says one thing and ends.
    fn session(&self, id: &str, said: &str) {
        let transcript = self.write(id, said);
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

#[test]
fn an_import_says_what_asking_would_cost_shows_what_it_would_send_and_asks_after_consent() {
    let world = World::new(Model::new(Some(FOUND)));
    let token = format!("ghp_{}", "a1B2".repeat(9));
    world.write("s-1", &format!("{SAID}. The deploy key is {token}."));
    let foreseen = world.json(&["capture", "import", "--dry-run"]);
    assert_eq!(foreseen["asked"]["by"], "openai/played", "{foreseen}");
    assert_eq!(foreseen["asked"]["turns"], 1, "{foreseen}");
    assert_eq!(foreseen["asked"]["paid"], false, "{foreseen}");
    let body = foreseen["would_send"][0]["body"].as_str().unwrap();
    assert!(body.contains("transactions across tenants"), "{body}");
    assert!(!body.contains(&token), "{body}");
    assert_eq!(world.model.waiting(), 0, "it is asked before consent");

    let done = world.json(&["capture", "import", "--yes"]);
    assert_eq!(done["asked"]["questions"], 1, "{done}");
    let sent = world.model.await_request();
    assert!(sent.contains("transactions across tenants"), "{sent}");
    assert!(!sent.contains(&token), "{sent}");
    let listed = world.json(&["review"]).to_string();
    assert!(listed.contains("reporting replica"), "{listed}");
    assert!(listed.contains("Postgres"), "{listed}");

    let again = world.json(&["capture", "import", "--yes"]);
    assert_eq!(again["asked"], serde_json::Value::Null, "{again}");
    assert_eq!(world.model.waiting(), 0);
    let stats = world.json(&["stats"]);
    assert_eq!(stats["models"]["calls"], 1, "{stats}");
}

#[test]
fn an_import_asks_nobody_who_was_left_out_and_gives_up_where_nobody_answers() {
    let world = World::new(Model::new(Some("<html>busy</html>")));
    world.write("s-1", SAID);
    let without = &["capture", "import", "--without-models"];
    let foreseen = world.json(&[&without[..], &["--dry-run"]].concat());
    assert_eq!(foreseen["asked"], serde_json::Value::Null, "{foreseen}");
    for other in 2..=5 {
        let tool = ["Redis", "Kafka", "Vault", "Nomad"][other - 2];
        world.write(
            &format!("s-{other}"),
            &format!("we decided to use {tool} for service {other} because audits demand it"),
        );
    }
    let done = world.json(&["capture", "import", "--yes"]);
    let note = done["notes"].to_string();
    assert!(note.contains("not every turn was asked about"), "{done}");
    assert!(note.contains("no answer"), "{done}");
    assert_eq!(world.model.waiting(), 2, "it goes on asking");
    let kept = done["total"]["kept"]["decision"].as_u64().unwrap();
    assert!(kept >= 4, "{done}");
}

#[test]
fn what_the_users_agent_was_asked_by_helix_is_imported_by_nobody() {
    let mut world = World::new(Model::new(Some(FOUND)));
    let root = world.project.root.clone();
    world.project.root.clone_from(&world.served.home.paths.home);
    world.write("s-own", SAID);
    world.project.root = root;
    let done = world.json(&["capture", "import", "--yes"]);
    assert_eq!(done["total"]["kept"], json!({}), "{done}");
    assert_eq!(world.model.waiting(), 0);
}
