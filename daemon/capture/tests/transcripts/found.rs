//! The transcripts of a machine, in a tree of files.

use std::fs;
use std::path::{Path, PathBuf};

use helix_capture::read::places::{Entry, Home, Tree, find};
use helix_capture::read::{Format, Reader, State, assemble};
use serde_json::json;

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
    assert_eq!(places.unread.len(), 3, "{:?}", places.unread);
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
