//! A memory for tests of the model and of the policies.
#![allow(clippy::unwrap_used)]
use std::collections::BTreeMap;

use super::{
    Handle, Kind, Memory, MemoryId, MemoryNumber, Origin, Scope, Sequence, SourceRef, Status,
    Timestamp, Topic,
};

pub(crate) fn memory(number: u32, text: &str) -> Memory {
    let at = Timestamp::from_micros(1_700_000_000_000_000);
    Memory {
        id: MemoryId::new(at, &[7; 10]),
        number: MemoryNumber(number),
        handle: Handle::from_stored(format!("build/note-{number}")),
        topic: Topic::parse("build").unwrap(),
        text: text.to_owned(),
        kind: Kind::from_stored("gotcha"),
        tags: Vec::new(),
        scope: Scope::Global,
        source: Some(SourceRef {
            path: "src/a.rs".into(),
            line: Some(3),
            ..SourceRef::default()
        }),
        links: Vec::new(),
        importance: 0.5,
        confidence: 1.0,
        pinned: false,
        origin: Origin::Agent,
        provenance: Vec::new(),
        attributes: BTreeMap::new(),
        summary: String::new(),
        suspicions: Vec::new(),
        valid_from: at,
        valid_to: None,
        recorded_at: at,
        last_seen_at: at,
        access_count: 0,
        status: Status::Active,
        sequence: Sequence(1),
    }
}
