//! Memories linked among themselves, outside of every lock and before they are committed, so that
//! taking them into the tail costs little more than copying: their tokens meet in lists that fit
//! into a core's cache, and only these meet the tail's.

use super::super::fields::SCORED_FIELDS;
use super::super::statistics::length_id;
use super::postings::{Posting, Postings};
use super::prepared::{Kept, Occurrences, Prepared};

/// Memories that are taken in together.
#[derive(Debug, Default)]
pub struct Linked {
    pub(super) kept: Vec<Kept>,
    pub(super) postings: Postings,
}

impl Linked {
    /// Links memories, in the order in which they will be stored.
    #[must_use]
    pub fn new(memories: impl IntoIterator<Item = Prepared>) -> Self {
        let mut linked = Self::default();
        for (slot, Prepared { kept, occurrences }) in (0..).zip(memories) {
            linked.postings.link(slot, &kept, &occurrences);
            linked.kept.push(kept);
        }
        linked
    }
}

impl Postings {
    /// Adds a memory's postings.
    pub(super) fn link(&mut self, slot: u32, kept: &Kept, occurrences: &Occurrences) {
        let length_ids = kept.tokens.map(length_id);
        for (token, hash, frequencies) in occurrences.iter() {
            // Lists are read the latest first, so the last field is linked in first.
            let fields = (0_u8..)
                .zip(frequencies.iter().zip(length_ids))
                .take(SCORED_FIELDS);
            let mut found: [Option<Posting>; SCORED_FIELDS] = [None; SCORED_FIELDS];
            for ((place, (&frequency, length_id)), posting) in fields.zip(found.iter_mut().rev()) {
                *posting = (frequency > 0).then_some(Posting {
                    slot,
                    frequency,
                    place,
                    length_id,
                });
            }
            self.add(token, hash, found.into_iter().flatten());
        }
    }
}
