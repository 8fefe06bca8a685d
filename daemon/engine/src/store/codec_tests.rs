#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;

prop_compose! {
    fn memory()(
        (id, topic, text, kind) in (any::<[u8; 16]>(), "[a-z]{1,8}(-[a-z0-9]{1,8}){0,2}", "\\PC{1,200}", "[a-z_]{1,12}"),
        (tags, project, links) in (prop::collection::vec("[a-z]{1,9}", 0..4), "[a-z/.]{1,20}", prop::collection::vec(any::<[u8; 16]>(), 0..3)),
        (importance, confidence, pinned) in (0.0_f32..=1.0, 0.0_f32..=1.0, any::<bool>()),
        (origin, status) in (0_usize..4, 0_usize..6),
        attributes in prop::collection::btree_map("[a-z]{1,5}", "\\PC{0,9}", 0..3),
        (valid_from, valid_to, recorded_at) in (any::<i64>(), any::<Option<i64>>(), any::<i64>()),
        (line, content_hash, git_blob) in (any::<Option<u32>>(), any::<Option<[u8; 32]>>(), any::<Option<[u8; 20]>>()),
        (sequence, number) in (any::<u64>(), any::<u32>()),
    ) -> Memory {
        Memory {
            id: MemoryId::from_bytes(id),
            number: MemoryNumber(number),
            handle: Handle::from_stored(format!("{topic}/x")),
            topic: Topic::parse(&topic).unwrap(),
            text,
            kind: Kind::from_stored(&kind),
            tags,
            scope: Scope::Project(project),
            source: Some(SourceRef { path: "a".into(), line, content_hash, git_blob }),
            links: links.into_iter().map(MemoryId::from_bytes).collect(),
            importance,
            confidence,
            pinned,
            origin: *Origin::ALL.get(origin).unwrap(),
            provenance: vec![Provenance {
                agent: "a".into(), reference: "r".into(), extractor: String::new(), origin: Origin::User,
                at: Timestamp::from_micros(valid_from),
                git: GitContext { branch: topic.clone(), commit: String::new() },
            }],
            attributes,
            summary: topic,
            suspicions: pinned.then(|| "orders".to_owned()).into_iter().collect(),
            valid_from: Timestamp::from_micros(valid_from),
            valid_to: valid_to.map(Timestamp::from_micros),
            recorded_at: Timestamp::from_micros(recorded_at),
            last_seen_at: Timestamp::from_micros(recorded_at),
            access_count: 0,
            status: *Status::ALL.get(status).unwrap(),
            sequence: Sequence(sequence),
        }
    }
}

proptest! {
    #[test]
    fn records_round_trip(memory in memory()) {
        prop_assert_eq!(decode(memory.number, &encode(&memory)).unwrap(), memory);
    }

    #[test]
    fn columns_are_those_of_the_memory(memory in memory()) {
        let scope = memory.scope.to_string();
        let record = encode(&memory);
        prop_assert_eq!(Columns::decode(&record).unwrap(), Columns::of(&memory, &scope));
    }

    #[test]
    fn garbage_has_no_columns_and_does_not_crash(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Columns::decode(&bytes).is_err());
    }

    #[test]
    fn a_cut_or_changed_record_does_not_crash(memory in memory(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut record = encode(&memory);
        let at = cut.index(record.len());
        record[at] = byte;
        Columns::decode(&record).ok();
        record.truncate(at);
        Columns::decode(&record).ok();
    }

    #[test]
    fn garbage_is_an_error_not_a_crash(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(memory) = decode(MemoryNumber(0), &bytes) {
            prop_assert_eq!(decode(MemoryNumber(0), &encode(&memory)).unwrap(), memory);
        }
    }
}

#[test]
fn newer_versions_are_refused() {
    let error = decode(MemoryNumber(0), &[RECORD_VERSION + 1, 0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Newer);
}

/// The bytes of version 1, so that a change of the format cannot pass unnoticed.
#[test]
fn version_one_is_golden() {
    let golden = include_bytes!("codec_golden_v1.bin");
    let memory = decode(MemoryNumber(3), golden).unwrap();
    assert_eq!(memory.handle.as_str(), "build-gotchas/pass-arch-arm64");
    assert_eq!(memory.source.as_ref().unwrap().line, Some(42));
    assert_eq!(encode(&memory), golden);
}
