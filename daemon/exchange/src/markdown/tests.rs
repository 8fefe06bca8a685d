#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice)]
use helix_memory::{Admitted, MemoryId};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::entry::{fields_hash, rest_hash};
use crate::{Change, Place, Portable, Problem, Rest, samples};

fn written(topic: &str, memories: &[Portable]) -> Vec<u8> {
    let topic = Topic::parse(topic).unwrap();
    let mut writer = Writer::new(Vec::new(), &topic, memories.len() as u64).unwrap();
    for memory in memories {
        writer.write(memory).unwrap();
    }
    writer.finish().unwrap()
}

fn sections(file: &[u8]) -> Vec<Section> {
    Reader::new(file, "from-the-name")
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn texts(file: &str) -> Vec<String> {
    sections(file.as_bytes())
        .into_iter()
        .map(|section| section.memory.text)
        .collect()
}

fn memory(text: &str) -> Portable {
    let id = Some(MemoryId::from_bytes([7; 16]));
    Portable {
        id,
        topic: "t".to_owned(),
        text: text.to_owned(),
        ..Portable::default()
    }
}

/// A file as the first Helix wrote it; it must be read for good.
const GOLDEN: &str = "---\ntopic: t\nformat: helix-markdown\nversion: 1\ncount: 2\n---\n\n\
    <!-- helix: {\"id\":\"07070707-0707-0707-0707-070707070707\",\"text_hash\":\"f2648a6ab64dbe24\"} -->\nOne.\n\n<!-- /helix -->\n\n\
    <!-- helix: {\"tags\":[\"a-\\u003eb\"],\"text_hash\":\"85dc3d6730c989cb\"} -->\n\\<!-- /helix -->\n<!-- /helix -->\n";

/// Returns the hashes that are written beside the first Helix's fields.
fn hashes_of(memory: &Portable) -> String {
    format!(
        ",\"fields_hash\":\"{}\",\"rest_hash\":\"{}\"",
        fields_hash(memory),
        rest_hash(memory)
    )
}

#[test]
fn version_1_reads_and_writes_as_ever() {
    let read = sections(GOLDEN.as_bytes());
    let changes: Vec<Change> = read
        .iter()
        .map(|section| section.base.change(&section.memory))
        .collect();
    assert_eq!(texts(GOLDEN), ["One.\n", "<!-- /helix -->"]);
    assert_eq!(changes, [Change::Untouched, Change::New]);
    assert_eq!(
        (read[0].line, read[1].line, read[1].memory.tags[0].as_str()),
        (8, 13, "a->b")
    );
    let memories: Vec<Portable> = read.into_iter().map(|section| section.memory).collect();
    let hashes: Vec<String> = memories.iter().map(hashes_of).collect();
    let written = String::from_utf8(written("t", &memories)).unwrap();
    assert_eq!(
        hashes
            .iter()
            .fold(written, |file, hash| file.replacen(hash, "", 1)),
        GOLDEN
    );
}

#[test]
fn an_edited_text_is_a_revision() {
    let file = String::from_utf8(written("t", &[memory("first line\nsecond")])).unwrap();
    let edited = file.replace("second", "changed  \n\n");
    let [section] = &sections(edited.as_bytes())[..] else {
        panic!("{edited}")
    };
    let base = &section.base;
    assert_eq!(base.change(&section.memory), Change::Revised);
    assert_eq!(section.memory.text, "first line\nchanged");
    assert!(base.has_text("first line\nsecond") && !base.has_text(&section.memory.text));
    assert!(base.has_fields(&section.memory));
    assert_eq!(section.memory.id, memory("").id);
    let tagged = file.replace("\"text_hash\"", "\"tags\":\"by, hand\",\"text_hash\"");
    let [section] = &sections(tagged.as_bytes())[..] else {
        panic!("{tagged}")
    };
    let base = &section.base;
    assert_eq!(base.change(&section.memory), Change::Revised);
    assert!(base.has_text(&section.memory.text) && !base.has_fields(&section.memory));
    assert_eq!(section.memory.tags.len(), 2);
}

#[test]
fn what_stands_outside_of_markers_is_new() {
    let exported = String::from_utf8(written("t", &[memory("kept")])).unwrap();
    let file = exported
        + "\nAdded by hand.\n\n[tags: gotcha]\n\n## A heading\n\nwith text\n```sh\n## no heading\n---\n```\n\n---\n\nlast\n<!-- helix: -->\nbare\n<!-- /helix -->\n";
    let read = sections(file.as_bytes());
    let found: Vec<(&str, Change)> = read
        .iter()
        .map(|one| (one.memory.text.trim_end(), one.base.change(&one.memory)))
        .collect();
    assert_eq!(
        found,
        [
            ("kept", Change::Untouched),
            ("Added by hand.", Change::New),
            (
                "## A heading\n\nwith text\n```sh\n## no heading\n---\n```",
                Change::New
            ),
            ("last", Change::New),
            ("bare", Change::New),
        ]
    );
    assert_eq!(read[1].memory.tags, ["gotcha"]);
    assert!(read.iter().all(|one| one.memory.topic == "t"));
}

#[test]
fn any_markdown_file_can_be_imported() {
    let read =
        sections(b"\xEF\xBB\xBF# Build gotchas\n\n## 2026-02-15 10:30\n[tags: a]\nUse arm64.\n\n## Two\nText.\n");
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].memory.topic, "from-the-name");
    assert_eq!(texts(""), Vec::<String>::new());
    assert_eq!(texts("---\ntopic: x"), ["topic: x"]);
    assert_eq!(texts("---\ntitle: x\n---\nbody"), ["body"]);
    let quoted = Reader::new("---\ntopic: \"Build Gotchas\"\n---\n".as_bytes(), "x").unwrap();
    assert_eq!(quoted.topic(), "Build Gotchas");
}

#[test]
fn line_ends_of_windows_do_no_harm() {
    let file = String::from_utf8(written("t", &[memory("one\n\ntwo")]))
        .unwrap()
        .replace('\n', "\r\n");
    let [section] = &sections(file.as_bytes())[..] else {
        panic!("{file}")
    };
    assert_eq!(
        (
            section.base.change(&section.memory),
            section.memory.text.as_str()
        ),
        (Change::Untouched, "one\n\ntwo")
    );
}

#[test]
fn mistakes_of_an_editor_are_survived_and_reported() {
    let long = "x".repeat(Admitted::TEXT_MAX_BYTES + 1);
    let file = format!(
        "<!-- helix: {{broken -->\nstill a memory\n<!-- /helix -->\n<!-- /helix -->\n<!-- helix: {{}} -->\nnot closed\n\n\
         <!-- helix: {{}} -->\n{long}\n<!-- /helix -->\n<!-- helix: {{\"confidence\":\"high\"}} -->\nok\n<!-- /helix -->\n"
    );
    let mut reader = Reader::new(file.as_bytes(), "t").unwrap();
    let texts: Vec<String> = reader
        .by_ref()
        .map(|section| section.unwrap().memory.text)
        .collect();
    assert_eq!(texts, ["still a memory", "not closed", "ok"]);
    let flaws: Vec<(Place, Problem)> = reader
        .report()
        .flaws
        .iter()
        .map(|flaw| (flaw.at, flaw.problem.clone()))
        .collect();
    assert_eq!(
        flaws,
        [
            (Place::Line(1), Problem::Metadata),
            (
                Place::Line(8),
                Problem::Oversized {
                    bytes: long.len() as u64
                }
            ),
            (
                Place::Line(11),
                Problem::Field {
                    field: "confidence"
                }
            ),
        ]
    );
    let latin = sections(b"caf\xe9\n");
    assert_eq!(latin[0].memory.text, "caf\u{fffd}");
}

#[test]
fn a_line_without_end_cannot_fill_the_memory() {
    let file = [vec![b'x'; 3 * SECTION_MAX_BYTES], b"\n---\nnext\n".to_vec()].concat();
    let mut reader = Reader::new(file.as_slice(), "t").unwrap();
    let texts: Vec<String> = reader
        .by_ref()
        .map(|section| section.unwrap().memory.text)
        .collect();
    assert_eq!(texts, ["next"]);
    let bytes = 3 * SECTION_MAX_BYTES as u64 + 1;
    assert_eq!(
        reader
            .report()
            .flaws
            .first()
            .map(|flaw| flaw.problem.clone()),
        Some(Problem::Oversized { bytes })
    );
}

#[test]
fn later_versions_are_refused() {
    let file = GOLDEN.replace("version: 1", "version: 2");
    let error = Reader::new(file.as_bytes(), "t").err().unwrap();
    assert_eq!(error.kind(), helix_memory::ErrorKind::Newer);
}

#[test]
fn a_cut_file_loses_nothing_but_the_end() {
    for cut in 0..GOLDEN.len() {
        let read = sections(&GOLDEN.as_bytes()[..cut]);
        let whole = GOLDEN[..cut].contains("One.\n\n<!-- /helix -->");
        assert_eq!(
            read.first()
                .is_some_and(|section| section.base.change(&section.memory) == Change::Untouched),
            whole,
            "cut at {cut}"
        );
    }
}

#[test]
fn a_cut_file_says_what_it_lost() {
    let file =
        String::from_utf8(written("t", &[memory("kept"), memory("cut in the middle")])).unwrap();
    let read = |end: &str| {
        let cut = file.find(end).unwrap() + end.len();
        let mut reader = Reader::new(&file.as_bytes()[..cut], "t").unwrap();
        let texts: Vec<String> = reader
            .by_ref()
            .map(|section| section.unwrap().memory.text)
            .collect();
        (
            texts,
            reader
                .report()
                .flaws
                .iter()
                .map(|flaw| flaw.problem.clone())
                .collect::<Vec<_>>(),
        )
    };
    let missing = Problem::Missing {
        stated: 2,
        present: 1,
    };
    let kept = || vec!["kept".to_owned()];
    assert_eq!(
        read("cut in the"),
        (kept(), vec![Problem::Cut, missing.clone()])
    );
    assert_eq!(
        read("cut in the middle\n<!-- /"),
        (kept(), vec![Problem::Cut, missing.clone()])
    );
    assert_eq!(
        read("kept\n<!-- /helix -->\n\n<!-- helix: {\"id\""),
        (kept(), vec![Problem::Marker, missing.clone()])
    );
    assert_eq!(
        read("kept\n<!-- /helix -->\n\n<!-- he"),
        (kept(), vec![Problem::Marker, missing])
    );
    // The text is the one that was exported, so nothing is lost.
    assert_eq!(read("cut in the middle").0.len(), 2);
    // Somebody may have taken the other out.
    assert_eq!(read("kept\n<!-- /helix -->\n"), (kept(), Vec::new()));
}

#[test]
fn what_is_changed_in_a_marker_is_known_or_named() {
    let file = String::from_utf8(written("t", &[memory("kept")])).unwrap();
    let moved = file
        .replace("topic: t", "topic: u")
        .replace("\"id\"", "\"colour\":\"red\",\"id\"");
    let mut reader = Reader::new(moved.as_bytes(), "t").unwrap();
    let section = reader.next().unwrap().unwrap();
    let base = &section.base;
    assert_eq!(base.change(&section.memory), Change::Revised);
    assert_eq!(base.edited(&section.memory), [Rest::Topic]);
    assert!(reader.next().is_none());
    assert_eq!(
        reader.report().unknown_fields,
        [(Place::Line(8), "colour".to_owned())]
    );
}

#[test]
fn the_front_matter_says_kind_and_tags_of_what_does_not() {
    let list =
        "---\ntags:\n  - build\n  - \"ci\"\nkind: gotcha\n---\none\n\n---\n[tags: own]\ntwo\n";
    let flow = "---\ntype: gotcha\ntags: [build, 'ci']\n---\none\n\n---\n[tags: own]\ntwo\n";
    for file in [list, flow] {
        let read = sections(file.as_bytes());
        let kinds: Vec<_> = read
            .iter()
            .map(|section| section.memory.kind.as_deref())
            .collect();
        assert_eq!(kinds, [Some("gotcha"), Some("gotcha")], "{file}");
        assert_eq!(
            (&read[0].memory.tags[..], &read[1].memory.tags[..]),
            (
                &["build".to_owned(), "ci".to_owned()][..],
                &["own".to_owned(), "build".to_owned(), "ci".to_owned()][..]
            ),
            "{file}"
        );
    }
}

#[test]
fn the_front_matter_is_taken_or_named() {
    let file = "---\ntopic: fq\nconfidence: 0.4\nbogus: 1\nsource: s.rs:3\n---\none\n\n---\n[confidence: 0.9]\ntwo\n";
    let mut reader = Reader::new(file.as_bytes(), "x").unwrap();
    let read: Vec<Section> = reader.by_ref().map(Result::unwrap).collect();
    assert_eq!(
        read.iter()
            .map(|section| section.memory.confidence)
            .collect::<Vec<_>>(),
        [Some(0.4), Some(0.9)]
    );
    assert!(read.iter().all(|section| {
        section
            .memory
            .source
            .as_ref()
            .is_some_and(|source| source.line == Some(3))
    }));
    assert_eq!(
        reader.report().unknown_fields,
        [(Place::Line(4), "bogus".to_owned())]
    );
    // Without its end it is a text like any other.
    let mut reader = Reader::new("---\nbogus: 1\nconfidence: high\n".as_bytes(), "x").unwrap();
    assert!(reader.by_ref().all(|section| section.is_ok()) && reader.report().is_whole());
}

#[test]
fn file_names_fit_every_file_system() {
    assert_eq!(
        file_name(&Topic::parse("build-gotchas").unwrap()),
        "build-gotchas.md"
    );
    let [one, two] = ["a", "b"]
        .map(|end| file_name(&Topic::parse(&format!("{}{end}", "ü".repeat(127))).unwrap()));
    assert!(
        one.len() <= FILE_NAME_MAX_BYTES && one != two,
        "{one} {two}"
    );
}

proptest! {
    #[test]
    fn memories_round_trip(topic in samples::topic(), memories in vec(samples::portable(), 0..4)) {
        let memories: Vec<Portable> =
            memories.into_iter().map(|memory| Portable { topic: topic.clone(), ..memory }).collect();
        let file = written(&topic, &memories);
        let mut reader = Reader::new(file.as_slice(), "other").unwrap();
        let read: Vec<Section> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        prop_assert!(reader.report().is_whole(), "{:?}", reader.report());
        for section in &read {
            let expected = if section.memory.id.is_some() { Change::Untouched } else { Change::New };
            prop_assert_eq!(section.base.change(&section.memory), expected);
        }
        let back: Vec<Portable> = read.into_iter().map(|section| section.memory).collect();
        prop_assert_eq!(back, memories);
    }

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..300), lines in vec(samples::text(), 0..6)) {
        drop(sections(&bytes));
        drop(sections(lines.join("\n").as_bytes()));
    }
}
