//! Memories for tests of briefs.

use helix_memory::{Handle, Memory, MemoryId, MemoryNumber, Timestamp, Topic};

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
    let id = MemoryId::new(at, &entropy);
    let number = u32::from_le_bytes(std::array::from_fn(|at| hash.as_bytes()[at + 10]));
    let handle = Handle::propose(&topic, text);
    Memory::new(id, MemoryNumber(number), handle, topic, text.to_owned(), at)
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
