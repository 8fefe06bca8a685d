//! Sessions come out of every format as they went in, once, however they are cut into steps.

use helix_capture::read::{Cursor, Format, MAX_STEP_BYTES, Reader, State, Step};
use helix_capture::{Slice, Speaker};
use proptest::prelude::*;

use super::session::{Said, Session};

/// Bytes that a state takes in a table.
const STATE_MAX_BYTES: usize = 128 << 10;

/// Bytes of a text of a slice: twice the head and tail of a message.
const TEXT_MAX_BYTES: usize = 33 << 10;

/// A transcript that is read to its end.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) slices: Vec<Slice>,
    pub(crate) cursor: Cursor,
    pub(crate) state: State,
    pub(crate) steps: usize,
}

impl Read {
    /// Reads on from where it stands to the end of `transcript`.
    pub(crate) fn on(mut self, format: Format, transcript: &[u8]) -> Self {
        let reader = Reader::new(format, "t");
        loop {
            let mut bytes_at = |offset: u64, most: usize| {
                let rest = transcript
                    .get(usize::try_from(offset).unwrap()..)
                    .unwrap_or_default();
                Ok(rest
                    .get(..most.min(rest.len()))
                    .unwrap_or_default()
                    .to_vec())
            };
            let step = reader
                .advance(&mut bytes_at, self.cursor, self.state.clone())
                .unwrap();
            let Some(step) = step else { return self };
            self.take(step);
        }
    }

    fn take(&mut self, step: Step) {
        // What goes into a table comes back as it was, and is small.
        let written = serde_json::to_string(&step.state).unwrap();
        assert!(
            written.len() < STATE_MAX_BYTES,
            "a state of {} bytes",
            written.len()
        );
        self.state = serde_json::from_str(&written).unwrap();
        assert_eq!(self.state, step.state);
        self.cursor = step.cursor;
        self.slices.extend(step.slices);
        self.steps += 1;
    }
}

pub(crate) fn read(format: Format, transcript: &[u8]) -> Read {
    Read::default().on(format, transcript)
}

fn said(slices: &[Slice]) -> Vec<Said> {
    slices.iter().map(Said::of).collect()
}

#[test]
fn sessions_come_out_as_they_went_in() {
    for session in Session::all() {
        // Its texts are changed on the way; see below.
        if session.name == "private-and-injected" {
            continue;
        }
        for format in Format::ALL {
            let read = read(format, &session.rendered(format));
            let is_told = format != Format::Cursor;
            let name = format!("{} of {format:?}", session.name);
            for (said, expected) in said(&read.slices)
                .into_iter()
                .zip(session.expected(is_told))
            {
                check(&name, said, expected);
            }
            assert_eq!(read.slices.len(), session.expected(is_told).len(), "{name}");
            assert_eq!(read.state.counts().unreadable, 0, "{name}");
            assert_eq!(
                read.state.counts().unknown.len(),
                0,
                "{name} {:?}",
                read.state.counts()
            );
        }
    }
}

/// Outputs and texts may be cut in their middle.
fn check(name: &str, said: Said, expected: Said) {
    match (said, expected) {
        (
            Said::Run {
                line,
                output,
                exit,
                is_failed,
            },
            Said::Run {
                line: expected_line,
                output: expected_output,
                exit: expected_exit,
                is_failed: expected_failed,
            },
        ) if expected_output.len() > 8 * 1024 => {
            assert_eq!(line, expected_line, "{name}");
            assert_eq!(exit, expected_exit, "{name}");
            assert_eq!(is_failed, expected_failed, "{name}");
            assert!(output.len() < 9 * 1024, "{name}: {}", output.len());
            assert!(
                output.starts_with(expected_output.get(..4096).unwrap()),
                "{name}"
            );
            let tail = expected_output.len() - 4096;
            assert!(
                output.ends_with(expected_output.get(tail..).unwrap()),
                "{name}"
            );
        }
        (said, expected) => assert_eq!(said, expected, "{name}"),
    }
}

#[test]
fn slices_say_where_and_when() {
    let session = Session::all()
        .into_iter()
        .find(|session| session.name == "fix-overflow");
    let session = session.unwrap();
    for format in Format::ALL {
        let transcript = session.rendered(format);
        for slice in read(format, &transcript).slices {
            assert_eq!(slice.agent, format.agent());
            assert_eq!(slice.place.source, "t");
            assert!(slice.at.is_some(), "{format:?}: no time for {}", slice.text);
            let start = usize::try_from(slice.place.offset).unwrap();
            let behind = transcript.get(start..).unwrap();
            assert!(behind.starts_with(b"{"), "{format:?}: {}", slice.text);
            if !format.is_document() {
                let before = transcript.get(..start).unwrap();
                let ends = before.split(|byte| *byte == b'\n').count() as u64 - 1;
                assert_eq!(slice.place.line, ends + 1, "{format:?}");
            }
            // Cursor and Gemini CLI tell them by the place of the transcript.
            let is_told = matches!(
                format,
                Format::ClaudeCode | Format::Codex | Format::OpenCode
            );
            if is_told {
                assert_eq!(
                    slice.directory.as_deref(),
                    Some("/home/dev/ledger"),
                    "{format:?}"
                );
                assert!(!slice.session.is_empty(), "{format:?}");
            }
        }
    }
}

#[test]
fn nothing_private_or_injected_comes_out() {
    for session in Session::all() {
        let marks = [
            "SUMMARY-TEXT",
            "SUBAGENT",
            "INJECTED",
            "REMINDER-TEXT",
            "FILLER",
        ];
        let private = [
            "Contoso",
            "4.2M",
            "contoso-admin",
            "sk_canary",
            "contoso asked",
            "<private",
        ];
        for format in Format::ALL {
            let read = read(format, &session.rendered(format));
            let all = format!("{:?}{:?}", read.slices, read.state);
            for phrase in marks.iter().chain(&private) {
                assert!(
                    !all.contains(phrase),
                    "{} of {format:?} has {phrase}",
                    session.name
                );
            }
        }
    }
    let sessions = Session::all();
    let session = sessions
        .iter()
        .find(|session| session.name == "private-and-injected")
        .unwrap();
    for format in Format::ALL {
        let read = read(format, &session.rendered(format));
        let user = read
            .slices
            .iter()
            .find(|slice| slice.speaker == Speaker::User)
            .unwrap();
        assert_eq!(
            user.text,
            "the customer is  and wants invoices per cost centre. The rule is: invoice numbers \
             never have gaps, so a cancelled invoice keeps its number.",
            "{format:?}"
        );
    }
}

#[test]
fn facts_are_in_the_slices() {
    for session in Session::all() {
        for fact in &session.must {
            let kinds = [
                "bug_fix",
                "convention",
                "decision",
                "gotcha",
                "preference",
                "procedure",
            ];
            assert!(
                kinds.contains(&fact.kind.as_str()),
                "{}: {}",
                session.name,
                fact.kind
            );
        }
        for format in Format::ALL {
            // What came of calls is not told there.
            if format == Format::Cursor {
                continue;
            }
            let all = format!("{:?}", read(format, &session.rendered(format)).slices);
            for phrase in session.must.iter().flat_map(|fact| &fact.phrases) {
                let phrase = format!("{phrase:?}");
                let phrase = phrase.trim_matches('"');
                assert!(
                    all.contains(phrase),
                    "{} of {format:?} lacks {phrase}",
                    session.name
                );
            }
        }
        assert!(!session.must_not.is_empty(), "{}", session.name);
    }
}

#[test]
fn long_transcripts_are_read_in_steps() {
    let long = Session::all()
        .into_iter()
        .filter(|session| session.padded_to_bytes > 0);
    let long: Vec<Session> = long.collect();
    assert!(long.len() >= 3, "only {} long sessions", long.len());
    for session in long {
        for format in Format::ALL {
            let transcript = session.rendered(format);
            assert!(
                transcript.len() > 2_000_000,
                "{} of {format:?}",
                session.name
            );
            let read = read(format, &transcript);
            let fewest = transcript.len() / (2 * MAX_STEP_BYTES);
            assert!(read.steps > fewest, "{format:?}: {} steps", read.steps);
            for slice in &read.slices {
                assert!(slice.text.len() < TEXT_MAX_BYTES, "{}", slice.text.len());
            }
        }
    }
}

#[test]
fn records_over_the_bound_are_passed_over() {
    for format in [
        Format::ClaudeCode,
        Format::Codex,
        Format::Gemini,
        Format::Cursor,
    ] {
        let session = short();
        let mut transcript = session.rendered(format);
        let huge = format!("{{\"type\":\"x\",\"y\":\"{}\"}}\n", "z".repeat(5 << 20));
        transcript.extend_from_slice(huge.as_bytes());
        // Messages and calls of other names, as Gemini CLI repeats those of the same.
        let behind = String::from_utf8(session.rendered(format)).unwrap();
        let behind = behind
            .replace("\"m_", "\"n_")
            .replace("\"call_", "\"other_");
        transcript.extend_from_slice(behind.as_bytes());
        let read = read(format, &transcript);
        assert_eq!(read.state.counts().too_long, 1, "{format:?}");
        assert!(!read.slices.is_empty());
        let behind = read.slices.last().unwrap().place.offset;
        assert!(
            behind > huge.len() as u64,
            "{format:?}: nothing behind it was read"
        );
    }
}

#[test]
fn long_records_within_the_bound_are_read() {
    let text = format!("remember this {}", "x".repeat(3 << 20));
    let line = serde_json::json!({"role": "user", "message": {"content": text}});
    let read = read(Format::Cursor, format!("{line}\n").as_bytes());
    assert_eq!(read.slices.len(), 1);
    assert_eq!(read.state.counts().too_long, 0);
    assert!(
        read.slices
            .iter()
            .all(|slice| slice.text.len() < TEXT_MAX_BYTES)
    );
}

#[test]
fn what_is_unknown_is_told() {
    let line = "{\"type\":\"user\",\"version\":\"9.0.1\",\"message\":{\"content\":[{\"type\":\"hologram\"}]}}\n";
    let text = format!("{line}{{\"type\":\"teleport\"}}\nno json\n[1]\n");
    let read = read(Format::ClaudeCode, text.as_bytes());
    let counts = read.state.counts();
    let unknown: Vec<&str> = counts.unknown.keys().map(String::as_str).collect();
    assert_eq!(unknown, ["part hologram", "type teleport", "version 9.0.1"]);
    assert_eq!(counts.unreadable, 2);
    assert_eq!(counts.records, 4);
}

/// A session that is small in every format.
pub(crate) fn short() -> Session {
    Session::all()
        .into_iter()
        .find(|session| session.name == "refused-edit")
        .unwrap()
}

/// Reads in steps of which each gets as many bytes as `sizes` say, and more where that is too few.
fn read_in_pieces(format: Format, transcript: &[u8], sizes: &[usize]) -> Read {
    let reader = Reader::new(format, "t");
    let mut read = Read::default();
    for size in sizes.iter().cycle() {
        let offset = usize::try_from(read.cursor.offset).unwrap();
        let rest = transcript.get(offset..).unwrap();
        let mut size = (*size).min(rest.len());
        loop {
            let step = reader.step(rest.get(..size).unwrap(), read.cursor, read.state.clone());
            if step.cursor != read.cursor {
                read.take(step);
                break;
            }
            if size == rest.len() {
                return read;
            }
            size = (size * 2 + 1).min(rest.len());
        }
    }
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_pieces_give_the_same_slices(
        sizes in prop::collection::vec(1_usize..150_000, 1..8),
        number in 0_usize..12,
    ) {
        let sessions = Session::all();
        let session = sessions.iter().filter(|session| session.padded_to_bytes == 0).nth(number);
        let session = session.unwrap();
        for format in [Format::ClaudeCode, Format::Codex, Format::Gemini, Format::Cursor] {
            let transcript = session.rendered(format);
            let whole = read(format, &transcript);
            let pieces = read_in_pieces(format, &transcript, &sizes);
            prop_assert_eq!(&pieces.slices, &whole.slices);
            prop_assert_eq!(pieces.state.counts(), whole.state.counts());
        }
    }
}

#[test]
fn documents_that_grow_are_read_once() {
    for format in [Format::OpenCode, Format::GeminiDocument] {
        for session in Session::all()
            .iter()
            .filter(|session| session.padded_to_bytes == 0)
        {
            let whole = read(format, &session.rendered(format));
            let mut growing = Read::default();
            for steps in 1..=session.steps.len() {
                let mut part = session.clone();
                part.steps.truncate(steps);
                growing = growing.on(format, &part.rendered(format));
            }
            assert_eq!(
                said(&growing.slices),
                said(&whole.slices),
                "{} {format:?}",
                session.name
            );
        }
    }
}
