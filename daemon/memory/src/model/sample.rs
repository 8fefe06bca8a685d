//! A memory for tests of the model and of the policies.
#![allow(clippy::unwrap_used)]

use super::{Handle, Kind, Memory, MemoryId, MemoryNumber, SourceRef, Timestamp, Topic};

pub(crate) fn memory(number: u32, text: &str) -> Memory {
    let at = Timestamp::from_micros(1_700_000_000_000_000);
    let id = MemoryId::new(at, &[7; 10]);
    let handle = Handle::from_stored(format!("build/note-{number}"));
    let topic = Topic::parse("build").unwrap();
    Memory {
        kind: Kind::from_stored("gotcha"),
        source: Some(SourceRef::parse("src/a.rs:3")),
        ..Memory::new(id, MemoryNumber(number), handle, topic, text.to_owned(), at)
    }
}
