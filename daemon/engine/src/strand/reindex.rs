//! Making the indexes anew from the store while the strand is in use.

use helix_memory::Sequence;

use super::open::document;
use super::{OpenError, Strand};
use crate::store::StoreError;

/// The result of making the indexes anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReindexReport {
    /// Memories that the word index was filled with.
    pub memories: u64,
    /// Everything up to here is in it.
    pub sequence: Sequence,
    /// Memories whose vector was missing or of another text, and which wait for a new one.
    pub vectors_missing: usize,
}

impl Strand {
    /// Fills the word index anew from the store and looks for memories without a vector, for as
    /// long as that is wanted. Searches and writes go on meanwhile; what is written stays
    /// findable throughout. `None` when it was given up.
    ///
    /// # Errors
    /// When the disk fails. The old word index stays in use then, as it does when this is given up.
    pub fn reindex(
        &self,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Option<ReindexReport>, OpenError> {
        let sequence = self.snapshot()?.sequence()?;
        let mut memories = 0;
        let mut ended = None;
        let is_filled = self.lexical.fill(sequence.0, |add| {
            // Taken only now that no flush can come between: what a flush committed, this snapshot
            // has.
            let fed = self.snapshot().map_err(Ended::from).and_then(|snapshot| {
                snapshot.for_each_memory(|memory| {
                    if !is_wanted() {
                        return Err(Ended::Unwanted);
                    }
                    if memory.status.is_indexed() {
                        add(&document(&memory));
                        memories += 1;
                    }
                    Ok(())
                })
            });
            ended = fed.err();
            ended.is_none()
        })?;
        match ended {
            Some(Ended::Failed(error)) => Err(error.into()),
            None if is_filled => Ok(Some(ReindexReport {
                memories,
                sequence,
                vectors_missing: self.check_vectors(),
            })),
            Some(Ended::Unwanted) | None => Ok(None),
        }
    }
}

/// Why the store was not read to its end.
enum Ended {
    Failed(StoreError),
    Unwanted,
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}
