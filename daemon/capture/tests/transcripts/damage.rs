//! Transcripts that break off, and bytes that are none.

use helix_capture::read::{Cursor, Format, Reader, State, git};
use proptest::prelude::*;

use super::reading::{Read, read, short};

#[test]
fn truncation_loses_nothing_complete() {
    for format in Format::ALL {
        let transcript = short().rendered(format);
        let whole = read(format, &transcript);
        // The reading of a file that is still written, and its reading when it is whole.
        for end in (0..transcript.len()).step_by(7).chain([transcript.len()]) {
            let head = transcript.get(..end).unwrap();
            let first = read(format, head);
            let complete = complete_records(format, head);
            assert_eq!(
                first.state.counts().records,
                complete,
                "{format:?} cut at {end}"
            );
            let start = whole.slices.get(..first.slices.len()).unwrap();
            assert_eq!(first.slices, start, "{format:?} cut at {end}");
            let second = first.on(format, &transcript);
            assert_eq!(second.slices, whole.slices, "{format:?} cut at {end}");
        }
    }
}

/// Records that are complete in a part of a transcript, counted without a reader.
fn complete_records(format: Format, head: &[u8]) -> u64 {
    if !format.is_document() {
        let lines = head.split(|byte| *byte == b'\n');
        let is_object = |line: &&[u8]| {
            let value = serde_json::from_slice::<serde_json::Value>(line);
            value.is_ok_and(|value| value.is_object())
        };
        return lines.filter(is_object).count() as u64;
    }
    // Each message of these ends on a line of its own, indented by four.
    let text = String::from_utf8_lossy(head);
    let messages = text
        .split_once("\"messages\"")
        .map_or("", |(_, messages)| messages);
    messages.matches("\n    }").count() as u64
}

#[test]
fn bad_lines_are_passed_over() {
    for format in [
        Format::ClaudeCode,
        Format::Codex,
        Format::Gemini,
        Format::Cursor,
    ] {
        let transcript = short().rendered(format);
        let expected = read(format, &transcript).slices.len();
        let mut damaged = b"\xff\xfe\n{\"type\": 1, \"message\n\n[]\nnull\n{\"type\":\n".to_vec();
        damaged.extend_from_slice(&transcript);
        let read = read(format, &damaged);
        assert_eq!(read.slices.len(), expected, "{format:?}");
        assert_eq!(read.state.counts().unreadable, 5, "{format:?}");
    }
}

/// Parts of lines, good and bad.
const PARTS: [&str; 14] = [
    r#"{"role":"user","message":{"content":"a"}}"#,
    r#"{"type":"user","message":{"role":"user","content":"a"}}"#,
    r#"{"id":"m1","type":"user","content":"a"}"#,
    r#"{"type":"response_item","payload":{"type":"message","role":"user","content":"a"}}"#,
    "{}",
    "[1]",
    "7",
    "\"a\"",
    "{\"type\":",
    "}",
    "x",
    " ",
    "\r",
    "\n",
];

fn step_all(bytes: &[u8]) {
    for format in Format::ALL {
        let step = Reader::new(format, "t").step(bytes, Cursor::default(), State::default());
        let again = Reader::new(format, "t").step(bytes, step.cursor, step.state);
        assert!(again.cursor.offset <= 2 * bytes.len() as u64, "{format:?}");
    }
    let log = git::read(bytes, "/p");
    assert!(log.bytes <= bytes.len());
}

proptest! {
    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        step_all(&bytes);
    }

    #[test]
    fn random_json_does_no_harm(text in "([\\[\\]{},:\"a-z0-9\\\\ \n]|\"type\"|\"user\"|\"message\"|\"messages\"){0,200}") {
        step_all(text.as_bytes());
    }

    #[test]
    fn odd_lines_are_the_same_in_two_pieces(
        parts in prop::collection::vec(0..PARTS.len(), 0..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let parts: Vec<&str> = parts.into_iter().map(|part| PARTS[part]).collect();
        // A line that never ends may hold less than its first piece.
        let text = parts.concat() + "\n";
        let cut = cut.index(text.len() + 1);
        for format in [Format::ClaudeCode, Format::Codex, Format::Gemini, Format::Cursor] {
            let reader = Reader::new(format, "t");
            let whole = reader.step(text.as_bytes(), Cursor::default(), State::default());
            let head = text.as_bytes().get(..cut).unwrap();
            let first = reader.step(head, Cursor::default(), State::default());
            let offset = usize::try_from(first.cursor.offset).unwrap();
            let rest = text.as_bytes().get(offset..).unwrap();
            let second = reader.step(rest, first.cursor, first.state);
            let slices: Vec<_> = first.slices.into_iter().chain(second.slices).collect();
            prop_assert_eq!(&slices, &whole.slices, "{:?} cut at {}: {}", format, cut, text);
            prop_assert_eq!(second.state.counts(), whole.state.counts(), "{:?} {}", format, text);
        }
    }

    #[test]
    fn changed_transcripts_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        number in 0_usize..6,
    ) {
        let format = *Format::ALL.get(number).unwrap();
        let mut transcript = short().rendered(format);
        for (at, byte) in changes {
            let at = at.index(transcript.len());
            *transcript.get_mut(at).unwrap() = byte;
        }
        let read = Read::default().on(format, &transcript);
        prop_assert!(read.slices.len() < 1000);
    }
}
