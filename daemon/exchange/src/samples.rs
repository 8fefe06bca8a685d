//! Memories for the tests of the formats.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use helix_memory::{
    Handle, Kind, Memory, MemoryId, MemoryNumber, Origin, Provenance, Scope, Sequence, SourceRef,
    Status, Timestamp, Topic,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::Portable;

/// A memory with something in every field.
pub(super) fn memory() -> Memory {
    let topic = Topic::parse("build-gotchas").unwrap();
    let at = Timestamp::from_micros(1_790_000_000_123_456);
    let attributes = [("file", "a.rs"), ("helix.stamp", "1")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let id = MemoryId::new(at, &[1; 10]);
    let handle = Handle::propose(&topic, "use arm64");
    let text = "gotcha: use arm64".to_owned();
    Memory {
        kind: Kind::from_stored("gotcha"),
        tags: vec!["build".to_owned(), "gotcha".to_owned()],
        scope: Scope::Project("github.com/a/b".to_owned()),
        source: Some(SourceRef {
            content_hash: Some([7; 32]),
            ..SourceRef::parse("src/a.rs:42")
        }),
        links: vec![MemoryId::from_bytes([2; 16]), MemoryId::from_bytes([3; 16])],
        confidence: 0.85,
        pinned: true,
        attributes: BTreeMap::from(attributes),
        access_count: 4,
        sequence: Sequence(9),
        ..Memory::new(id, MemoryNumber(3), handle, topic, text, at)
    }
}

/// Texts of any kind, those that are hard on the formats among them.
pub(super) fn text() -> impl Strategy<Value = String> {
    let hard = select(vec![
        "---",
        "# heading",
        "## heading",
        "```",
        "<!-- helix: {} -->",
        "\\<!-- helix: {} -->",
        "<!-- /helix -->",
        "\\\\<!-- /helix -->",
        "<!--helix-->",
        "-->",
        "trailing  ",
        "crlf\r",
        "",
        "\u{feff}bom",
        "[tags: x, y]",
        "[source: a.rs:3]",
        "[confidence: 0.5]",
        "[links: a:1]",
        "[modified: 2026-02-15]",
        "[helix: text]",
        "[helix: end of text]",
        "日本語 ünï",
        "\u{2028}",
        "\0",
    ]);
    let line = prop_oneof![hard.prop_map(str::to_owned), "\\PC{0,20}", ".{0,20}"];
    vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

pub(super) fn topic() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9]{1,8}(-[a-z0-9]{1,5}){0,2}", "[äöü日本]{1,5}"]
        .prop_map(|name| Topic::parse(&name).unwrap().to_string())
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp::from_micros)
}

fn fraction() -> impl Strategy<Value = f32> {
    prop_oneof![
        0.0_f32..=1.0,
        select(vec![0.0, 0.1, 0.85, 1.0, f32::MIN_POSITIVE])
    ]
}

fn source() -> impl Strategy<Value = SourceRef> {
    let hashes = (option::of(any::<[u8; 32]>()), option::of(any::<[u8; 20]>()));
    (".{1,20}", option::of(any::<u32>()), hashes).prop_map(
        |(path, line, (content_hash, git_blob))| SourceRef {
            path,
            line,
            content_hash,
            git_blob,
        },
    )
}

fn provenance() -> impl Strategy<Value = Provenance> {
    (
        ".{0,8}",
        ".{0,8}",
        ".{0,8}",
        select(Origin::ALL.to_vec()),
        timestamp(),
    )
        .prop_map(|(agent, reference, extractor, origin, at)| Provenance {
            agent,
            reference,
            extractor,
            origin,
            at,
            ..Provenance::default()
        })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        Just(Scope::Global),
        ".{1,12}".prop_map(Scope::Project),
        ".{1,12}".prop_map(Scope::Session)
    ]
}

/// Any memory that may travel.
pub(super) fn portable() -> impl Strategy<Value = Portable> {
    let names = (
        option::of(any::<[u8; 16]>()),
        option::of(".{1,20}"),
        topic(),
        text(),
        option::of("[a-z_]{1,9}"),
    );
    let marks = (
        vec(".{0,9}", 0..4),
        option::of(scope()),
        option::of(source()),
        vec(".{0,9}", 0..4),
        any::<bool>(),
    );
    let numbers = (option::of(fraction()), option::of(fraction()), any::<u64>());
    let past = (
        option::of(select(Origin::ALL.to_vec())),
        vec(provenance(), 0..3),
        btree_map(".{0,8}", ".{0,8}", 0..3),
        option::of(select(Status::ALL.to_vec())),
    );
    let times = || option::of(timestamp());
    (
        names,
        marks,
        numbers,
        past,
        (times(), times(), times(), times()),
    )
        .prop_map(|parts| {
            let (
                (id, handle, topic, text, kind),
                (tags, scope, source, links, pinned),
                numbers,
                past,
                times,
            ) = parts;
            let ((importance, confidence, access_count), (origin, provenance, attributes, status)) =
                (numbers, past);
            let (valid_from, valid_to, recorded_at, last_seen_at) = times;
            let id = id.map(MemoryId::from_bytes);
            Portable {
                id,
                handle,
                topic,
                text,
                kind,
                tags,
                scope,
                source,
                links,
                index: None,
                importance,
                confidence,
                pinned,
                origin,
                provenance,
                attributes,
                valid_from,
                valid_to,
                recorded_at,
                last_seen_at,
                access_count,
                status,
                summary: String::new(),
            }
        })
}
