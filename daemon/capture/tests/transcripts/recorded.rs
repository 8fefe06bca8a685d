//! Transcripts that the real clients wrote, offline and without the texts of their own.

use std::fmt::Write;
use std::path::Path;

use helix_capture::read::Format;
use helix_capture::{Deed, Slice, Speaker};

use super::reading::read;

/// Returns what was read, as text.
fn told(format: Format, file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded");
    let read = read(format, &std::fs::read(folder.join(file)).unwrap());
    let mut told = String::new();
    for slice in &read.slices {
        tell(slice, &mut told);
    }
    if let Some(last) = read.slices.last() {
        let Slice {
            session,
            directory,
            branch,
            at,
            ..
        } = last;
        writeln!(told, "in {session} at {directory:?} on {branch:?}, {at:?}").unwrap();
    }
    writeln!(told, "{:?}", read.state.counts()).unwrap();
    told
}

fn tell(slice: &Slice, told: &mut String) {
    let speaker = match slice.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Tool => "tool",
    };
    let line = slice.place.line;
    writeln!(told, "{line:3} {speaker}: {}", slice.text).unwrap();
    match &slice.deed {
        Some(Deed::Command {
            directory,
            output,
            is_failed,
            ..
        }) => writeln!(told, "      {directory:?} {output:?} failed: {is_failed}").unwrap(),
        Some(Deed::Edit {
            change, is_failed, ..
        }) => writeln!(told, "      {change:?} failed: {is_failed}").unwrap(),
        None => {}
    }
}

#[test]
fn claude_code() {
    insta::assert_snapshot!(told(Format::ClaudeCode, "claude-code-2.1.330.jsonl"));
}

#[test]
fn fork_of_claude_code() {
    insta::assert_snapshot!(told(Format::ClaudeCode, "claude-code-2.1.330-fork.jsonl"));
}

#[test]
fn codex() {
    insta::assert_snapshot!(told(Format::Codex, "codex-0.169.0.jsonl"));
}

#[test]
fn gemini_cli() {
    insta::assert_snapshot!(told(Format::Gemini, "gemini-cli-0.61.0.jsonl"));
}

#[test]
fn opencode() {
    insta::assert_snapshot!(told(Format::OpenCode, "opencode-1.18.33.json"));
}
