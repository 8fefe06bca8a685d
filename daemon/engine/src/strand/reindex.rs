//! Making the indexes anew from the store while the strand is in use.

use super::{OpenError, Strand};
use crate::model::Sequence;

/// What making the indexes anew did.
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
    /// Fills the word index anew from the store and looks for memories without a vector. Searches and writes go on
    /// meanwhile; what is written stays findable throughout.
    ///
    /// # Errors
    /// When the disk fails. The old word index stays in use then.
    pub fn reindex(&self) -> Result<ReindexReport, OpenError> {
        let sequence = self.snapshot()?.sequence()?;
        let mut memories = 0;
        let mut failure = None;
        self.lexical.fill(sequence.0, |add| {
            // Taken only now that no flush can come between: what a flush committed, this snapshot has.
            let fed = self.snapshot().and_then(|snapshot| Self::feed_words(&snapshot, add));
            match fed {
                Ok(fed) => memories = fed,
                Err(error) => failure = Some(error),
            }
            failure.is_none()
        })?;
        match failure {
            Some(error) => Err(error.into()),
            None => Ok(ReindexReport { memories, sequence, vectors_missing: self.check_vectors() }),
        }
    }
}
