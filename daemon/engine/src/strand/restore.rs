//! Going back to a backup without bringing back what was forgotten since.
//!
//! The backup is opened in a directory of its own, the present tombstones are applied to it, and
//! what results is written row by row into a new file: nothing that was purged is in it, not even
//! in its free room.

use std::collections::BTreeMap;

use helix_memory::{
    Actor, Departure, Edit, Kinds, MemoryId, MemoryNumber, Origin, Sequence, Status, Timestamp,
    Tombstone,
};

use super::{OpenError, Outcome, Request, Step, StepChange, Strand, StrandWriter};
use crate::ports::Storage;
use crate::store::{BackupError, CommitError, StoreError, WriteError};

/// Said in the history of what is forgotten again.
const REASON: &str = "forgotten after this backup was made";

/// Who does it.
const AGENT: &str = "helix-restore";

/// Why a backup was not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Forgotten memories could not be forgotten again.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A memory could not be forgotten again.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The new file could not be written.
    #[error(transparent)]
    Backup(#[from] BackupError),
}

/// The result of a restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Memories in the backup, of any status.
    pub memories: u64,
    /// The newest operation of the backup.
    pub sequence: Sequence,
    /// Memories that were forgotten or refused since and stay so.
    pub forgotten: usize,
    /// Memories that were purged since and are purged again.
    pub purged: usize,
}

impl Restored {
    /// Writes the store in `backup` into the file `name` of `target`, without what the `present`
    /// tombstones are for. The store in `backup` is changed and is to be thrown away.
    ///
    /// # Errors
    /// `RestoreError`; nothing is left of the new file then.
    pub fn from_backup(
        backup: &dyn Storage,
        present: &[(MemoryId, Tombstone)],
        target: (&dyn Storage, &str),
        now: Timestamp,
    ) -> Result<Restored, RestoreError> {
        let (strand, mut writer, report) = Strand::open(backup, None, Kinds::default())?;
        let (forgotten, purged) = strand.forget_again(&mut writer, present, now)?;
        let (storage, name) = target;
        strand.snapshot()?.copy_to(storage, name, || true)?;
        Ok(Restored {
            memories: report.memories,
            sequence: report.sequence,
            forgotten,
            purged,
        })
    }
}

impl Strand {
    /// Forgets and purges what the tombstones are for, and keeps the tombstones.
    fn forget_again(
        &self,
        writer: &mut StrandWriter,
        present: &[(MemoryId, Tombstone)],
        now: Timestamp,
    ) -> Result<(usize, usize), RestoreError> {
        let snapshot = self.snapshot()?;
        let mut left: BTreeMap<MemoryNumber, Departure> = BTreeMap::new();
        for (id, tombstone) in present {
            let Some(number) = snapshot.number_of_id(id)? else {
                continue;
            };
            let status = snapshot.memory(number)?.map(|memory| memory.status);
            if tombstone.departure == Departure::Purged || status != Some(Status::Forgotten) {
                left.insert(number, tombstone.departure);
            }
        }
        drop(snapshot);
        let (mut forgotten, mut purged) = (0, 0);
        let mut requests = Vec::with_capacity(left.len() + 1);
        for (number, departure) in left {
            match departure {
                Departure::Purged => purged += 1,
                Departure::Forgotten | Departure::Rejected => forgotten += 1,
            }
            requests.push(request(number, departure, now));
        }
        requests.push(Request::Tombstones(present.to_vec()));
        let outcomes: Vec<Result<Outcome, WriteError>> = writer.commit(requests)?;
        outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok((forgotten, purged))
    }
}

fn request(number: MemoryNumber, departure: Departure, at: Timestamp) -> Request {
    let actor = Actor {
        origin: Origin::User,
        agent: AGENT.to_owned(),
        ..Actor::default()
    };
    let edit = match departure {
        Departure::Purged => return Request::Purge { number, actor, at },
        Departure::Forgotten => Edit::Forget,
        Departure::Rejected => Edit::Reject,
    };
    let change = StepChange::Edit {
        number,
        edit,
        expected: None,
    };
    Request::Together {
        steps: vec![Step::new(change, REASON)],
        actor,
        at,
    }
}
