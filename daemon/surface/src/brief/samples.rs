//! Memories for tests of briefs.

use std::collections::BTreeMap;

use helix_engine::{
    Handle, Kind, Memory, MemoryId, MemoryNumber, Origin, Scope, Sequence, Status, Timestamp, Topic,
};

use super::{Input, Selected};

/// When tests brief: 2026-11-21 09:00 UTC.
pub(super) const NOW: Timestamp = Timestamp::from_micros(1_795_251_600_000_000);

const DAY_MICROS: i64 = 86_400_000_000;

pub(super) fn days_ago(days: i64) -> Timestamp {
    Timestamp::from_micros(NOW.as_micros() - days * DAY_MICROS)
}

/// A memory of today.
pub(super) fn memory(topic: &str, text: &str) -> Memory {
    aged(topic, text, 0)
}

/// A memory of some days ago. The number is made of everything, so that memories differ unless they
/// are the same.
pub(super) fn aged(topic: &str, text: &str, days: i64) -> Memory {
    let topic = Topic::parse(topic).unwrap_or_else(|error| unreachable!("{error}"));
    let hash = blake3::hash(format!("{topic} {text} {days}").as_bytes());
    let entropy: [u8; 10] = std::array::from_fn(|at| hash.as_bytes()[at]);
    let at = days_ago(days);
    Memory {
        id: MemoryId::new(at, &entropy),
        number: MemoryNumber(u32::from_le_bytes(std::array::from_fn(|at| {
            hash.as_bytes()[at + 10]
        }))),
        handle: Handle::propose(&topic, text),
        topic,
        text: text.to_owned(),
        kind: Kind::from_stored("fact"),
        tags: Vec::new(),
        scope: Scope::Global,
        source: None,
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

/// Selects memories that no search has scored.
pub(super) fn selected(memories: &[Memory]) -> Vec<Selected<'_>> {
    memories.iter().map(Selected::of).collect()
}

/// An input without query, links and focus.
pub(super) fn input<'a>(selected: &'a [Selected<'a>]) -> Input<'a> {
    Input {
        selected,
        linked: &[],
        left_out: &[],
        query: "",
        focus: &[],
        is_compact: false,
        now: NOW,
    }
}
