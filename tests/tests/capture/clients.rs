//! Each client's sessions are found where it writes them, and read as it writes them.

use std::fs;
use std::path::PathBuf;

use helix_tests::Project;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::world::World;

const AT: &str = "2026-11-20T10:00:00.000Z";

/// A client, and the decision that its session holds.
const DECISIONS: [(&str, &str); 5] = [
    (
        "claude-code",
        "we decided to go with Postgres instead of Mongo because we need transactions across tenants",
    ),
    (
        "codex",
        "we decided to use Terraform instead of Pulumi because the auditors read its plans",
    ),
    (
        "gemini-cli",
        "we decided to keep Grafana instead of Kibana because on-call knows its dashboards",
    ),
    (
        "opencode",
        "we decided to use Kafka instead of RabbitMQ because consumers replay old messages",
    ),
    (
        "cursor",
        "we decided to use Redis instead of Memcached because sessions must survive a restart",
    ),
];

fn put(world: &World, file: &str, text: &str) {
    let path: PathBuf = world.home().scratch().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn lines(records: &[Value]) -> String {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

fn write_codex(world: &World, text: &str) {
    let content = json!([{"type": "input_text", "text": text}]);
    let message = json!({"type": "message", "role": "user", "content": content});
    let meta = json!({"id": "c-1", "cwd": world.project.root, "cli_version": "0.169.0"});
    let records = [
        json!({"timestamp": AT, "type": "session_meta", "payload": meta}),
        json!({"timestamp": AT, "type": "response_item", "payload": message}),
    ];
    let file = ".codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-c-1.jsonl";
    put(world, file, &lines(&records));
}

#[test]
fn a_transcript_of_an_unknown_shape_is_named() {
    let world = World::new();
    let file = ".codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-s-turbo.jsonl";
    let line = json!({"timestamp": "2026-11-20T10:00:00Z", "type": "turbo", "payload": {}});
    put(&world, file, &lines(&[line]));
    let told = world.done(&["capture", "import", "--yes"]);
    let note = told
        .lines()
        .find(|line| line.contains("type turbo is not known"));
    assert!(note.is_some_and(|note| note.contains(file)), "{told}");
}

fn write_gemini(world: &World, text: &str) {
    let records = [
        json!({"sessionId": "g-1", "projectHash": "abc", "startTime": AT, "kind": "main"}),
        json!({"id": "m-1", "timestamp": AT, "type": "user", "content": [{"text": text}]}),
    ];
    let root = world.project.root.to_string_lossy();
    put(world, ".gemini/tmp/p/.project_root", &format!("{root}\n"));
    let file = ".gemini/tmp/p/chats/session-1.jsonl";
    put(world, file, &lines(&records));
}

fn write_opencode(world: &World, text: &str) {
    let storage = ".local/share/opencode/storage";
    let session = json!({"id": "ses_1", "directory": world.project.root, "version": "1.18.33"});
    let time = json!({"created": 1_795_000_000_000_i64});
    let message = json!({"id": "msg_1", "role": "user", "time": time});
    let part = json!({"id": "prt_1", "type": "text", "text": text});
    let answer = json!({"id": "msg_2", "role": "assistant", "time": time});
    let answered = json!({"id": "prt_2", "type": "text", "text": "Got it."});
    for (file, value) in [
        ("session/global/ses_1.json", session),
        ("message/ses_1/msg_1.json", message),
        ("part/msg_1/prt_1.json", part),
        ("message/ses_1/msg_2.json", answer),
        ("part/msg_2/prt_2.json", answered),
    ] {
        put(world, &format!("{storage}/{file}"), &value.to_string());
    }
}

fn write_cursor(world: &World, text: &str) {
    let content = json!([{"type": "text", "text": text}]);
    let record = json!({"role": "user", "message": {"content": content}});
    let root = world.project.root.to_string_lossy().into_owned();
    let words: Vec<&str> = root
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let folder = words.join("-");
    let file = format!(".cursor/projects/{folder}/agent-transcripts/u1/u1.jsonl");
    put(world, &file, &lines(&[record]));
}

fn write_all(world: &World) {
    for (client, text) in DECISIONS {
        match client {
            "claude-code" => {
                world.write("s-1", &[("user", text)]);
            }
            "codex" => write_codex(world, text),
            "gemini-cli" => write_gemini(world, text),
            "opencode" => write_opencode(world, text),
            _ => write_cursor(world, text),
        }
    }
}

#[test]
fn the_sessions_of_every_client_are_imported_once() {
    let world = World::new();
    write_all(&world);
    let done = world.import();
    assert_eq!(done["total"]["sessions"], 5, "{done}");
    assert_eq!(done["total"]["kept"], json!({"decision": 5}), "{done}");
    assert_eq!(done["notes"], json!([]), "{done}");
    let again = world.import();
    assert_eq!(again["total"]["sessions"], 0, "{again}");
    assert_eq!(world.waiting_count(), 5);
}

/// Writes a session as Gemini CLI did before it noted the directory beside it.
fn write_hashed(world: &World, root: &str, text: &str) {
    let hash = hex::encode(Sha256::digest(root.as_bytes()));
    let message = json!({"id": "m-1", "timestamp": AT, "type": "user", "content": text});
    let document = json!({"sessionId": hash, "projectHash": hash, "messages": [message]});
    let file = format!(".gemini/tmp/{hash}/chats/session-1.json");
    put(world, &file, &document.to_string());
}

#[test]
fn a_session_goes_to_the_project_that_its_client_means() {
    let world = World::new();
    let root = world.project.root.to_string_lossy().into_owned();
    write_hashed(&world, &root, DECISIONS[2].1);
    write_cursor(&world, DECISIONS[4].1);
    let done = world.import();
    assert_eq!(done["projects"][0]["name"], "billing", "{done}");
    assert_eq!(done["projects"][0]["sessions"], 2, "{done}");
    assert_eq!(done["projects"][1], Value::Null, "{done}");
}

#[test]
fn a_session_of_a_project_that_nobody_knows_is_left_out_until_it_is_named() {
    let world = World::new();
    let elsewhere = Project::new(world.home(), "elsewhere").unwrap();
    let root = elsewhere.root.to_string_lossy().into_owned();
    write_hashed(&world, &root, DECISIONS[2].1);
    let done = world.import();
    assert_eq!(done["total"]["sessions"], 0, "{done}");
    let note = done["notes"][0].as_str().unwrap();
    assert!(note.contains("--project DIR"), "{note}");
    let named = world.json(&["capture", "import", "--yes", "--project", &root]);
    assert_eq!(named["projects"][0]["name"], "elsewhere", "{named}");
    assert_eq!(named["total"]["kept"], json!({"decision": 1}), "{named}");
}

#[test]
fn a_project_without_sessions_is_told_of_with_those_that_have_some() {
    let world = World::new();
    write_all(&world);
    let done = world.json(&["capture", "import", "--yes", "--project", "heron"]);
    let note = done["notes"][0].as_str().unwrap();
    assert!(note.ends_with("there are some of billing"), "{note}");
    world.import();
    let again = world.json(&["capture", "import", "--yes", "--project", "billing"]);
    assert_eq!(again["notes"], json!([]), "{again}");
}

#[test]
fn a_client_is_imported_by_its_name() {
    let world = World::new();
    write_all(&world);
    for (imported, (client, _)) in (1..).zip(DECISIONS) {
        let done = world.json(&["capture", "import", "--yes", "--agent", client]);
        assert_eq!(
            done["total"]["kept"],
            json!({"decision": 1}),
            "{client}: {done}"
        );
        assert_eq!(world.waiting_count(), imported, "{client}");
    }
}
