#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice)]
use std::convert::Infallible;

use helix_memory::{Admitted, ErrorKind};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Change, Flaw, Place, Portable, Problem, Report, entry, samples};

fn written(memories: &[Portable]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for memory in memories {
        writer.write(memory).unwrap();
    }
    assert_eq!(writer.written(), memories.len() as u64);
    writer.finish().unwrap()
}

fn read_all(bytes: &[u8]) -> (Vec<Portable>, Result<Report, ReadError<Infallible>>) {
    let mut memories = Vec::new();
    let result = read(bytes, |memory| {
        memories.push(memory);
        Ok(())
    });
    (memories, result)
}

/// The memories of a document that is read to its end, and the report.
fn read_whole(bytes: &[u8]) -> (Vec<Portable>, Report) {
    let (memories, result) = read_all(bytes);
    (memories, result.unwrap())
}

proptest! {
    #[test]
    fn memories_round_trip(memories in vec(samples::portable(), 0..5)) {
        let bytes = written(&memories);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        let (back, report) = read_whole(&bytes);
        prop_assert!(report.is_whole());
        prop_assert_eq!(report.read, memories.len() as u64);
        prop_assert_eq!(back, memories);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        drop(read_all(&bytes));
    }

    #[test]
    fn a_flipped_bit_never_panics(memory in samples::portable(), at in any::<prop::sample::Index>(), bit in 0..8) {
        let mut bytes = written(&[memory.clone(), memory]);
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        drop(read_all(&bytes));
    }
}

/// A document as version 1 writes it; it must be read for good.
const GOLDEN: &str = concat!(
    "{\"format\":\"helix-export\",\"version\":1,\"topics\":[\n",
    "{\"topic\":\"build-gotchas\",\"entries\":[\n",
    "{\"id\":\"019fd8e7-0e00-7101-8101-010101010101\",\"handle\":\"build-gotchas/arm64\",\"kind\":\"gotcha\",",
    "\"tags\":[\"build\"],\"confidence\":0.85,\"recorded_at\":\"2026-11-21T14:30:05.000700Z\",\"text\":\"Use \\\"arm64\\\".\\n\"},\n",
    "{\"text\":\"Two.\"}\n",
    "]},\n",
    "{\"topic\":\"other\",\"entries\":[\n",
    "{\"text\":\"Three.\"}\n",
    "]}\n",
    "]}\n",
);

#[test]
fn version_1_reads_and_writes_as_ever() {
    let (memories, report) = read_whole(GOLDEN.as_bytes());
    assert!(report.is_whole());
    let texts: Vec<(&str, &str)> = memories
        .iter()
        .map(|one| (one.topic.as_str(), one.text.as_str()))
        .collect();
    assert_eq!(
        texts,
        [
            ("build-gotchas", "Use \"arm64\".\n"),
            ("build-gotchas", "Two."),
            ("other", "Three.")
        ]
    );
    assert_eq!(memories[0].confidence, Some(0.85));
    // What has an id is written with the hashes of what people edit.
    let (text, fields) = (
        entry::text_hash(&memories[0].text),
        entry::fields_hash(&memories[0]),
    );
    let rest = entry::rest_hash(&memories[0]);
    let hashes =
        format!(",\"text_hash\":\"{text}\",\"fields_hash\":\"{fields}\",\"rest_hash\":\"{rest}\"");
    let golden = GOLDEN.replace(".\\n\"}", &format!(".\\n\"{hashes}}}"));
    assert_eq!(String::from_utf8(written(&memories)).unwrap(), golden);
}

#[test]
fn what_was_edited_since_the_export_is_known() {
    let memory = Portable {
        tags: vec!["build".to_owned()],
        ..read_whole(GOLDEN.as_bytes()).0.remove(0)
    };
    let file = String::from_utf8(written(std::slice::from_ref(&memory))).unwrap();
    let read = |file: &str| {
        let mut found = Vec::new();
        let taken = read_with_bases(file.as_bytes(), |memory, base| {
            found.push((base.change(&memory), base));
            Ok::<(), Infallible>(())
        });
        taken.unwrap();
        found.pop().unwrap()
    };
    assert_eq!(read(&file).0, Change::Untouched);
    for (from, to) in [
        ("Use ", "Never use "),
        ("\"build\"]", "\"build\",\"ci\"]"),
        ("0.85", "0.9"),
    ] {
        let (change, base) = read(&file.replace(from, to));
        assert_eq!(change, Change::Revised, "{from}");
        assert!(base.has_text(&memory.text) && base.has_fields(&memory));
    }
    let (_, base) = read(&file.replace("\"build-gotchas\"", "\"builds\""));
    assert_eq!(
        base.edited(&Portable {
            topic: "builds".to_owned(),
            ..memory.clone()
        }),
        [crate::Rest::Topic]
    );
    // Nobody knows what an older export was.
    let older = file.replace("text_hash", "other");
    assert_eq!(read(&older).0, Change::New);
}

#[test]
fn flat_lists_say_where_each_memory_stands() {
    let list = json!([{"topic": "t", "text": "a", "links": [1]}, {"topic": "t"}, {"topic": "t", "text": "b", "links": "0 t:0"}]);
    for document in [list.clone(), json!({"entries": list})] {
        let (memories, _) = read_whole(document.to_string().as_bytes());
        assert_eq!(
            memories
                .iter()
                .map(|memory| memory.index)
                .collect::<Vec<_>>(),
            [Some(0), Some(2)],
            "{document}"
        );
        let links: Vec<&[String]> = memories
            .iter()
            .map(|memory| memory.links.as_slice())
            .collect();
        assert_eq!(
            links,
            [
                &["1".to_owned()][..],
                &["0".to_owned(), "t:0".to_owned()][..]
            ]
        );
    }
    for document in [
        json!({"topics": {"t": list}}),
        json!([{"topic": "t", "entries": list}]),
    ] {
        let (memories, _) = read_whole(document.to_string().as_bytes());
        assert!(
            memories.len() == 2 && memories.iter().all(|memory| memory.index.is_none()),
            "{document}"
        );
    }
}

#[test]
fn a_cut_document_gives_the_whole_memories_before() {
    for cut in 0..GOLDEN.len() - 1 {
        let (memories, result) = read_all(&GOLDEN.as_bytes()[..cut]);
        let expected = ["\\n\"}", "Two.\"}", "Three.\"}"]
            .iter()
            .filter(|end| GOLDEN[..cut].contains(**end))
            .count();
        assert_eq!(memories.len(), expected, "cut at {cut}");
        assert!(
            matches!(result, Err(ReadError::Truncated { .. })),
            "cut at {cut}"
        );
    }
}

#[test]
fn other_arrangements_are_recognised() {
    let one = json!({"body": "[tags: a]\n[source: x.rs:1]\ntext", "timestamp": "2026-02-15 10:30", "tags": ["b"]});
    for document in [
        json!({"version": "4.0.0", "topics": [{"topic": "t", "entries": [one]}]}),
        json!({"topics": [{"entries": [one], "topic": "t"}]}),
        json!({"topics": {"t": [one]}, "sessions": [[1, 2], {"a": "b"}]}),
        json!({"topics": {"t": {"entries": [one]}}}),
        json!([{"name": "t", "memories": [one]}]),
    ] {
        let (memories, report) = read_whole(document.to_string().as_bytes());
        assert!(report.is_whole(), "{document}: {report:?}");
        let [memory] = memories.as_slice() else {
            panic!("{document}")
        };
        assert_eq!(
            (memory.topic.as_str(), memory.text.as_str()),
            ("t", "text"),
            "{document}"
        );
        assert_eq!(memory.tags, ["b", "a"]);
        assert_eq!(
            memory.recorded_at.unwrap().to_string(),
            "2026-02-15T10:30:00Z"
        );
        assert_eq!(memory.source.as_ref().unwrap().line, Some(1));
    }
    for flat in [
        json!([{"topic": "t", "text": "a"}]),
        json!({"entries": [{"topic": "t", "content": "a"}]}),
        json!({"topics": {"t": ["a"]}}),
    ] {
        let (memories, report) = read_whole(flat.to_string().as_bytes());
        assert!(report.is_whole(), "{flat}");
        assert_eq!(
            (memories[0].topic.as_str(), memories[0].text.as_str()),
            ("t", "a"),
            "{flat}"
        );
    }
}

#[test]
fn unusable_entries_are_named_by_line() {
    let long = "x".repeat(Admitted::TEXT_MAX_BYTES + 1);
    let document = format!(
        "{{\"topics\":[\n{{\"topic\":\"t\",\"entries\":[\n7,\n{{}},\n{{\"text\":\"{long}\"}},\n\"ok\"]}},\n{{\"text\":\"lost\"}}]}}"
    );
    let (memories, report) = read_whole(document.as_bytes());
    assert_eq!(memories.len(), 1);
    let flaws: Vec<(Place, Problem)> = report
        .flaws
        .iter()
        .map(|flaw| (flaw.at, flaw.problem.clone()))
        .collect();
    assert_eq!(
        flaws,
        [
            (Place::Line(3), Problem::NotAnEntry),
            (Place::Line(4), Problem::NoText),
            (
                Place::Line(5),
                Problem::Oversized {
                    bytes: long.len() as u64
                }
            ),
            (Place::Line(7), Problem::NoTopic),
        ]
    );
}

#[test]
fn an_entry_that_names_another_topic_is_named() {
    let entries =
        json!([{"topic": "other-one", "text": "a"}, {"topic": "Grp", "text": "b"}, {"text": "c"}]);
    for document in [
        json!({"topics": [{"topic": "grp", "entries": entries}]}),
        json!({"topics": {"grp": entries}}),
    ] {
        let (memories, report) = read_whole(document.to_string().as_bytes());
        assert!(
            memories.len() == 3 && memories.iter().all(|memory| memory.topic == "grp"),
            "{document}"
        );
        let told: Vec<String> = report.flaws.iter().map(ToString::to_string).collect();
        let [told] = told.as_slice() else {
            panic!("{document}: {told:?}")
        };
        assert!(
            told.contains("names the topic \"other-one\" and stands under \"grp\""),
            "{told}"
        );
    }
}

#[test]
fn an_unreadable_time_is_named_as_the_file_has_it() {
    let document = r#"[{"topic":"imp","text":"a","at":"yesterday"},
{"topic":"imp","text":"b","valid_from":"soon","type":3}]"#;
    let (memories, report) = read_whole(document.as_bytes());
    assert_eq!(memories.len(), 2);
    let told: Vec<String> = report.flaws.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "line 1: the time `at` is \"yesterday\", which is not understood: write it like 2026-11-21T14:30:00Z (ISO 8601); \
             the memory was taken without it",
            "line 2: the field `type` is not understood and was left out; the memory was taken without it",
            "line 2: the time `valid_from` is \"soon\", which is not understood: write it like 2026-11-21T14:30:00Z (ISO \
             8601); the memory was taken without it",
        ]
    );
    let long = format!(
        r#"[{{"topic":"imp","text":"a","at":"{}"}}]"#,
        "y".repeat(500)
    );
    let (_, report) = read_whole(long.as_bytes());
    let told = report
        .flaws
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    assert!(told.contains("yyy…, which") && told.len() < 250, "{told}");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let document = "[{\"topic\":\"a\",\"text\":\"b\"}]";
    let (memories, report) = read_whole(format!("\u{feff}{document}").as_bytes());
    assert_eq!((memories.len(), report.is_whole()), (1, true));
    let twice = read_all(format!("\u{feff}\u{feff}{document}").as_bytes()).1;
    assert!(matches!(twice, Err(ReadError::Syntax { line: 1, .. })));
    assert!(matches!(
        read_all("\u{feff}".as_bytes()).1,
        Err(ReadError::Truncated { .. })
    ));
}

#[test]
fn what_is_no_text_costs_only_itself() {
    let (memories, report) =
        read_whole(b"{\"topics\":{\"t\":[\n\"caf\xe9\",\n\"ok\",\"\xef\xbf\xbd\"]}}");
    let texts: Vec<&str> = memories.iter().map(|memory| memory.text.as_str()).collect();
    assert_eq!(texts, ["caf\u{fffd}", "ok", "\u{fffd}"]);
    assert_eq!(
        report.flaws.first(),
        Some(&Flaw {
            at: Place::Line(2),
            problem: Problem::NotUtf8
        })
    );
    let (_, report) = read_whole("{\"topics\":{\"t\":[\"caf\u{fffd}\"]}}".as_bytes());
    assert!(report.is_whole(), "{report:?}");
}

#[test]
fn refusals_say_what_to_do() {
    let kind_of = |document: &str| {
        let error = read_all(document.as_bytes()).1.unwrap_err();
        let shown = error.to_string();
        assert!(!shown.contains("secret"), "{shown}");
        (error.kind().unwrap(), shown)
    };
    assert_eq!(
        kind_of("{\"format\":\"helix-export\",\"version\":2,\"topics\":[]}").0,
        ErrorKind::Newer
    );
    for document in [
        "\"secret\"",
        "{}",
        "{\"topics\":\"secret\"}",
        "[] secret",
        "{\"topics\":[7]}",
        "nonsense",
        "",
        "[{]",
    ] {
        assert_eq!(kind_of(document).0, ErrorKind::Invalid, "{document}");
    }
    let (kind, shown) = kind_of("{\n\"topics\":[,]}");
    assert!(
        kind == ErrorKind::Invalid && shown.contains("line 2"),
        "{shown}"
    );
}

#[test]
fn one_entry_cannot_fill_the_memory() {
    let huge = usize::try_from(ENTRY_MAX_BYTES).unwrap();
    let document = format!(
        "{{\"ignored\":\"{0}\",\"topics\":{{\"t\":[\"ok\",\"{0}\"]}}}}",
        "x".repeat(huge)
    );
    let (memories, result) = read_all(document.as_bytes());
    assert_eq!(memories.len(), 1);
    assert!(matches!(result, Err(ReadError::EntryTooLarge { line: 1 })));
}

#[test]
fn the_taker_can_stop() {
    let error = read(GOLDEN.as_bytes(), |_| Err("full")).unwrap_err();
    assert!(matches!(error, ReadError::Stopped("full")));
}

#[test]
fn a_field_that_means_nothing_is_named_once() {
    let document = r#"[{"topic": "a", "text": "b", "colour": "red", "created": "2026-01-01"},
        {"topic": "a", "text": "c", "colour": "blue", "mood": 3}]"#;
    let (memories, report) = read_whole(document.as_bytes());
    assert_eq!(memories.len(), 2);
    let named: Vec<(Place, &str)> = report
        .unknown_fields
        .iter()
        .map(|(at, field)| (*at, field.as_str()))
        .collect();
    assert_eq!(
        named,
        [(Place::Line(1), "colour"), (Place::Line(2), "mood")]
    );
    assert!(report.flaws.is_empty() && !report.is_whole());
}
