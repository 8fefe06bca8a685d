//! Finding a free handle: names are unique for good, also those that a memory no longer goes by.

use hashbrown::HashMap;
use helix_memory::{Handle, MemoryNumber};
use redb::ReadableTable;

use super::CommitError;

/// Attempts at finding a free handle; beyond it the memory's number is used.
const HANDLE_ATTEMPTS_MAX: u32 = 1_000;

/// Where the search for a common handle stopped within the group.
#[derive(Default)]
pub(super) struct Attempts(HashMap<Handle, u32>);

impl Attempts {
    /// Finds a handle that is free, or that the memory itself had before.
    pub(super) fn free(
        &mut self,
        handles: &impl ReadableTable<&'static str, u32>,
        plain: Handle,
        number: MemoryNumber,
    ) -> Result<Handle, CommitError> {
        let start = self.0.get(&plain).copied().unwrap_or(0);
        for attempt in start..HANDLE_ATTEMPTS_MAX {
            let handle = plain.numbered(attempt);
            if handles
                .get(handle.as_str())?
                .is_none_or(|found| found.value() == number.0)
            {
                self.0.insert(plain, attempt + 1);
                return Ok(handle);
            }
        }
        // Numbers are never reused, and a text that ends in one like this is as good as never
        // written.
        Ok(Handle::from_stored(format!(
            "{plain}-{HANDLE_ATTEMPTS_MAX}-{}",
            number.0
        )))
    }
}
