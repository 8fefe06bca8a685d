//! A snapshot that is read as it was after an earlier operation.

use std::collections::BTreeMap;
use std::sync::Arc;

use helix_memory::{Memory, MemoryNumber, Sequence};

use super::Snapshot;
use crate::store::StoreError;

/// The memories that were changed since then, each with the operation that left the version of
/// then; `None` where there was no such memory.
pub(crate) type Earlier = BTreeMap<MemoryNumber, Option<Sequence>>;

impl Snapshot {
    /// Reads memories as they were: these versions stand for those that were changed.
    pub(crate) fn seen_earlier(self, earlier: Arc<Earlier>) -> Self {
        Self {
            earlier: Some(earlier),
            ..self
        }
    }

    /// The version that stands for a memory; `None` where its record does.
    pub(super) fn earlier(&self, number: MemoryNumber) -> Option<Option<Sequence>> {
        self.earlier.as_ref()?.get(&number).copied()
    }

    pub(super) fn earlier_version(
        &self,
        version: Option<Sequence>,
    ) -> Result<Option<Memory>, StoreError> {
        version.map_or(Ok(None), |sequence| self.version(sequence))
    }
}
