//! A copy of the catalog at another moment.

use helix_memory::{Memory, MemoryNumber, Status, Timestamp};

use super::{Catalog, Differs, Row};

impl Row {
    /// Returns whether the fact was true at a time, as far as it is known.
    fn held_at(&self, at: Timestamp) -> bool {
        self.valid_from <= at && self.valid_to.is_none_or(|until| at < until)
    }

    /// The status that it has for who looks at what held at a time; `None` for what did not hold.
    /// A memory that was replaced held until then.
    fn status_at(&self, at: Timestamp) -> Option<Status> {
        match self.status {
            Status::Active | Status::Superseded => self.held_at(at).then_some(Status::Active),
            Status::Archived | Status::Quarantined | Status::Forgotten | Status::Pruned => {
                Some(self.status)
            }
        }
    }
}

impl Catalog {
    /// Puts an earlier version in place of a memory's row. Its accesses are those of the version.
    pub(crate) fn put_back(&mut self, memory: &Memory) -> Differs {
        if let Some(Some(row)) = self.rows.get_mut(memory.number.0 as usize) {
            row.access_count = 0;
            row.last_seen_at = memory.last_seen_at;
        }
        self.apply(memory)
    }

    /// Forgets the accesses that no commit has written yet: they are the original's to write.
    pub(crate) fn leave_touched(&mut self) {
        self.touched.clear();
    }

    /// Keeps what held at a time. What was superseded after that is active.
    pub(crate) fn keep_held_at(&mut self, at: Timestamp) {
        let changed: Vec<(MemoryNumber, Option<Status>)> = self
            .rows()
            .map(|(number, row)| (number, row.status, row.status_at(at)))
            .filter(|(_, now, then)| Some(*now) != *then)
            .map(|(number, _, then)| (number, then))
            .collect();
        for (number, status) in changed {
            match status {
                Some(status) => self.set_status(number, status),
                None => self.remove(number),
            }
        }
    }

    fn set_status(&mut self, number: MemoryNumber, status: Status) {
        let at = number.0 as usize;
        let Some(mut row) = self.rows.get_mut(at).and_then(Option::take) else {
            return;
        };
        self.unlink(number.0, &row);
        row.status = status;
        self.link(number.0, &row);
        if let Some(slot) = self.rows.get_mut(at) {
            *slot = Some(row);
        }
    }
}
