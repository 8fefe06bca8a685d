//! The successor of a superseded memory, so that links to the old one lead somewhere.

use helix_memory::{Memory, MemoryId, Status};

use super::Strand;
use crate::store::{Snapshot, StoreError};

/// Successors that are followed: merging keeps chains short, and a circle must end.
const SUCCESSORS_MAX: usize = 16;

impl Strand {
    /// The memory with an id, or what took its place where it was superseded by one that is there.
    /// `None` when nothing has it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn living(snapshot: &Snapshot, id: &MemoryId) -> Result<Option<Memory>, StoreError> {
        let Some(mut memory) = of_id(snapshot, id)? else {
            return Ok(None);
        };
        for _ in 0..SUCCESSORS_MAX {
            let Some(next) = successor(snapshot, &memory)? else {
                break;
            };
            memory = next;
        }
        Ok(Some(memory))
    }
}

/// The memory that superseded one.
fn successor(snapshot: &Snapshot, memory: &Memory) -> Result<Option<Memory>, StoreError> {
    let by = memory
        .attributes
        .get(Memory::ATTRIBUTE_SUPERSEDED_BY)
        .filter(|_| memory.status == Status::Superseded);
    let Some(id) = by.and_then(|by| uuid::Uuid::parse_str(by).ok()) else {
        return Ok(None);
    };
    of_id(snapshot, &MemoryId::from_bytes(*id.as_bytes()))
}

fn of_id(snapshot: &Snapshot, id: &MemoryId) -> Result<Option<Memory>, StoreError> {
    snapshot
        .number_of_id(id)?
        .map(|number| snapshot.memory(number))
        .transpose()
        .map(Option::flatten)
}
