//! Places in the history, as they are named.

use helix_engine::Snapshot;
use helix_memory::{Sequence, Timestamp};

use crate::Refusal;

/// A place in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// After this operation; 0 is before the first.
    Sequence(Sequence),
    /// After the newest operation committed by then.
    Time(Timestamp),
    /// After the newest operation.
    Now,
}

impl Point {
    /// The operation after which it is.
    ///
    /// # Errors
    /// When there is no such operation yet, or the disk fails.
    pub fn sequence(self, snapshot: &Snapshot) -> Result<Sequence, Refusal> {
        let newest = snapshot.sequence()?;
        match self {
            Self::Now => Ok(newest),
            Self::Time(at) => Ok(snapshot.sequence_at(at)?),
            Self::Sequence(sequence) if sequence <= newest => Ok(sequence),
            Self::Sequence(sequence) => Err(Refusal::invalid(format!(
                "there is no operation {} yet; the newest is {}",
                sequence.0, newest.0
            ))),
        }
    }
}
