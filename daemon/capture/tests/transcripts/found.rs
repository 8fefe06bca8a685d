//! The transcripts of a machine, in a tree of files.

use std::fs;
use std::path::{Path, PathBuf};

use helix_capture::read::directories::Directories;
use helix_capture::read::places::{Entry, Found, Home, Tree, find};
use helix_capture::read::{Format, Reader, State, assemble};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::reading::Read;

/// A folder of this machine.
struct Files;

impl Tree for Files {
    fn list(&self, folder: &Path) -> Vec<Entry> {
        let Ok(entries) = folder.read_dir() else {
            return Vec::new();
        };
        let entry = |entry: fs::DirEntry| {
            let metadata = entry.metadata().unwrap();
            Entry {
                name: entry.file_name().to_string_lossy().into_owned(),
                is_directory: metadata.is_dir(),
                bytes: metadata.len(),
                modified: None,
            }
        };
        entries.map(|found| entry(found.unwrap())).collect()
    }

    fn read(&self, file: &Path, most_bytes: usize) -> Option<Vec<u8>> {
        fs::read(file)
            .ok()
            .filter(|bytes| bytes.len() <= most_bytes)
    }
}

fn write(home: &Path, file: &str, text: &str) {
    let file = home.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn check(home: &Home, expected: &[(Format, &str)]) {
    let places = find(home, &Files);
    let mut found: Vec<(Format, PathBuf)> = places
        .found
        .into_iter()
        .map(|found| (found.format, found.file))
        .collect();
    found.sort();
    let expected: Vec<(Format, PathBuf)> = expected
        .iter()
        .map(|(format, file)| (*format, home.directory.join(file)))
        .collect();
    assert_eq!(found, expected);
    assert!(!places.is_cut);
}

fn at(directory: &Path) -> Home {
    let directory = directory.to_owned();
    Home {
        directory,
        ..Home::default()
    }
}

#[test]
fn transcripts_of_every_client_are_found() {
    let home = tempfile::tempdir().unwrap();
    let files = [
        ".claude/projects/-home-dev-p/s1.jsonl",
        ".claude/projects/-home-dev-p/s1/subagents/agent-1.jsonl",
        ".claude/projects/-home-dev-p/memory/MEMORY.md",
        ".claude/history.jsonl",
        ".codex/sessions/2026/11/24/rollout-1.jsonl",
        ".codex/sessions/2026/11/23/rollout-0.jsonl.zst",
        ".codex/archived_sessions/rollout-2.jsonl",
        ".codex/history.jsonl",
        ".local/share/opencode/storage/session/global/ses_1.json",
        ".local/share/opencode/storage/message/ses_1/msg_1.json",
        ".local/share/opencode/opencode.db",
        ".gemini/tmp/p/chats/session-1.jsonl",
        ".gemini/tmp/p/chats/session-1.json",
        ".gemini/tmp/p/chats/session-2.json",
        ".gemini/tmp/p/logs.json",
        ".cursor/projects/home-dev-p/agent-transcripts/u1/u1.jsonl",
        ".cursor/projects/home-dev-p/agent-transcripts/u2.jsonl",
        ".cursor/projects/home-dev-p/agent-transcripts/u1/subagents/u3.jsonl",
        ".config/Cursor/User/globalStorage/state.vscdb",
        ".config/Cursor/User/workspaceStorage/0a1b/state.vscdb",
    ];
    for file in files {
        write(home.path(), file, "{}");
    }
    write(home.path(), ".gemini/tmp/p/.project_root", "/home/dev/p\n");
    check(
        &at(home.path()),
        &[
            (Format::ClaudeCode, ".claude/projects/-home-dev-p/s1.jsonl"),
            (Format::Codex, ".codex/archived_sessions/rollout-2.jsonl"),
            (Format::Codex, ".codex/sessions/2026/11/24/rollout-1.jsonl"),
            (
                Format::OpenCode,
                ".local/share/opencode/storage/session/global/ses_1.json",
            ),
            (Format::Gemini, ".gemini/tmp/p/chats/session-1.jsonl"),
            (Format::GeminiDocument, ".gemini/tmp/p/chats/session-2.json"),
            (
                Format::Cursor,
                ".cursor/projects/home-dev-p/agent-transcripts/u1/u1.jsonl",
            ),
            (
                Format::Cursor,
                ".cursor/projects/home-dev-p/agent-transcripts/u2.jsonl",
            ),
        ],
    );
    let places = find(&at(home.path()), &Files);
    assert_eq!(places.unread.len(), 4, "{:?}", places.unread);
    for found in places.found {
        match found.format {
            Format::ClaudeCode => assert_eq!(found.project, "-home-dev-p"),
            Format::Cursor => assert_eq!(found.project, "home-dev-p"),
            Format::OpenCode => assert!(found.is_spread),
            Format::Gemini | Format::GeminiDocument => {
                assert_eq!(found.directory.as_deref(), Some("/home/dev/p"));
            }
            Format::Codex => assert_eq!(found.session, ""),
        }
    }
}

#[test]
fn variables_move_the_places() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), "claude/projects/p/s1.jsonl", "{}");
    write(home.path(), "codex/sessions/2026/rollout-1.jsonl", "{}");
    write(
        home.path(),
        "data/opencode/storage/session/p/ses_1.json",
        "{}",
    );
    check(&at(home.path()), &[]);
    let moved = |name: &str| Some(home.path().join(name));
    let home = Home {
        claude: moved("claude"),
        codex: moved("codex"),
        data: moved("data"),
        ..at(home.path())
    };
    check(
        &home,
        &[
            (Format::ClaudeCode, "claude/projects/p/s1.jsonl"),
            (Format::Codex, "codex/sessions/2026/rollout-1.jsonl"),
            (
                Format::OpenCode,
                "data/opencode/storage/session/p/ses_1.json",
            ),
        ],
    );
}

#[test]
fn spread_sessions_become_one_document() {
    let home = tempfile::tempdir().unwrap();
    let storage = ".local/share/opencode/storage";
    let put = |file: &str, value: serde_json::Value| {
        write(
            home.path(),
            &format!("{storage}/{file}"),
            &value.to_string(),
        );
    };
    put(
        "session/global/ses_1.json",
        json!({"id": "ses_1", "directory": "/p", "version": "0.9.1"}),
    );
    put(
        "message/ses_1/msg_2.json",
        json!({"id": "msg_2", "role": "assistant"}),
    );
    put(
        "message/ses_1/msg_1.json",
        json!({"id": "msg_1", "role": "user"}),
    );
    put(
        "part/msg_1/prt_1.json",
        json!({"id": "prt_1", "type": "text", "text": "fix it"}),
    );
    put(
        "part/msg_2/prt_2.json",
        json!({"id": "prt_2", "type": "text", "text": "fixed"}),
    );
    let found = find(&at(home.path()), &Files).found;
    let session = found.first().unwrap();
    let document = assemble(&Files, &session.file).unwrap();
    let read = Read::default().on(session.format, &document);
    let said: Vec<&str> = read
        .slices
        .iter()
        .map(|slice| slice.text.as_str())
        .collect();
    assert_eq!(said, ["fix it", "fixed"]);
    assert!(read.slices.iter().all(|slice| slice.session == "ses_1"));
}

#[test]
fn places_tell_what_transcripts_do_not() {
    let line = json!({"role": "user", "message": {"content": "fix it"}}).to_string();
    let state = State::starting("u1", Some("/home/dev/p"));
    let reader = Reader::new(Format::Cursor, "t");
    let step = reader.step(
        line.as_bytes(),
        helix_capture::read::Cursor::default(),
        state,
    );
    let slice = step.slices.first().unwrap();
    assert_eq!(slice.session, "u1");
    assert_eq!(slice.directory.as_deref(), Some("/home/dev/p"));
}

#[test]
fn a_clients_name_of_a_project_is_found_among_what_clients_list() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let app = root.join("work/my.app");
    fs::create_dir_all(&app).unwrap();
    let path = app.to_string_lossy().into_owned();
    let hash = hex::encode(Sha256::digest(path.as_bytes()));
    let dashed: Vec<&str> = path
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let gemini = format!(".gemini/tmp/{hash}/chats/session-2.json");
    let cursor = format!(
        ".cursor/projects/{}/agent-transcripts/u2.jsonl",
        dashed.join("-")
    );
    write(&root, &gemini, "{}");
    write(&root, &cursor, "{}");
    write(&root, ".gemini/tmp/abc/chats/session-3.json", "{}");
    let home = at(&root);
    let found_in = |directories: &Directories| {
        let places = find(&home, &Files);
        let of = |found: &Found| directories.of(found, &Files);
        places.found.iter().map(of).collect::<Vec<_>>()
    };
    let unlisted = Directories::find(&home, &Files, []);
    let by_walking = found_in(&unlisted)
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    assert_eq!(
        by_walking,
        std::slice::from_ref(&path),
        "only Cursor's name can be walked along"
    );
    let trusted = json!({path.clone() + "/deep": "TRUST_FOLDER"}).to_string();
    write(&root, ".gemini/trustedFolders.json", &trusted);
    let listed = Directories::find(&home, &Files, []);
    let all = found_in(&listed);
    assert_eq!(all.iter().flatten().count(), 2, "{all:?}");
    assert_eq!(
        all.iter().filter(|found| found.is_none()).count(),
        1,
        "{all:?}"
    );
}
