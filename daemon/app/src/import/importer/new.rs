//! What becomes of an entry that is not known.

use std::collections::BTreeMap;

use helix_engine::{Admitted, Draft, Handle, Origin, Stamps, Status, Strand, Timestamp, Tombstone};
use helix_exchange::Portable;
use helix_neutral::quoted;

use super::super::seen::Sighting;
use super::super::words::{Unread, Waiting};
use super::meet::FORGOTTEN_MAX;
use super::{Importer, Named};
use crate::forgotten;

/// What an entry says of when and where it was written.
struct Origins {
    /// Helix's own attributes, under their names of today.
    attributes: BTreeMap<String, String>,
    /// When its author last looked; `None` where it does not say.
    written_at: Option<Timestamp>,
    /// Whether it names no scope.
    is_homeless: bool,
}

/// A text without those of its sentences that were forgotten.
struct Shortened {
    text: String,
    /// What the others were.
    stones: Vec<Tombstone>,
}

/// Leaves out the sentences of a text that were forgotten; `None` where there are none.
fn shortened(strand: &Strand, text: &str, scope: &str) -> Option<Shortened> {
    let forgotten = strand.forgotten_sentences(text, scope);
    if forgotten.is_empty() {
        return None;
    }
    let (mut left, mut stones) = (text.to_owned(), Vec::new());
    for (said, stone) in forgotten {
        left = left.replacen(said, "", 1);
        stones.push(stone);
    }
    Some(Shortened {
        text: left.trim().to_owned(),
        stones,
    })
}

impl Importer<'_> {
    /// Stores an entry; `force` stores it beside others with the same text.
    pub(super) fn store(&mut self, mut memory: Portable, place: usize, force: bool) {
        // Before the draft is taken out of it.
        let origins = Origins {
            attributes: memory.stamped(),
            written_at: memory.written_at(),
            is_homeless: memory.scope.is_none(),
        };
        let draft = Draft {
            links: Vec::new(),
            ..memory.take_draft()
        };
        let strand = &self.app.memory.strand;
        let whole = strand.has_tombstones().then(|| draft.clone());
        let mut admitted = match Admitted::of(draft, &self.home, strand.kinds()) {
            Ok(admitted) => admitted,
            Err(error) => return self.refuse(&memory, &error),
        };
        let scope = admitted.scope.to_string();
        if let Some(stone) = strand.forgotten(&admitted.text, &scope) {
            return self.stays_forgotten(stone.handle);
        }
        let mut force = force;
        if let Some(Shortened { text, stones }) = shortened(strand, &admitted.text, &scope) {
            let first = stones.first().map(|stone| stone.handle.clone());
            let rest = whole.filter(|_| text.chars().any(char::is_alphanumeric));
            let Some(whole) = rest else {
                return self.stays_forgotten(first.unwrap_or_default());
            };
            admitted = match Admitted::of(Draft { text, ..whole }, &self.home, strand.kinds()) {
                Ok(admitted) => admitted,
                Err(error) => return self.refuse(&memory, &error),
            };
            self.left_out(&memory.topic, &stones);
            // An earlier import of the same file stored the rest.
            force = false;
        }
        self.problems.rename(&admitted.warnings);
        if self.dry_run {
            return self.foresee(&admitted, memory, place, force);
        }
        let is_decided = memory.id.is_some();
        let unread = self.unread(admitted, origins, &mut memory, force);
        let at = unread.at;
        self.waiting.push(Waiting::Unread(Box::new(unread)));
        let Portable {
            topic,
            handle,
            links,
            ..
        } = memory;
        self.names.push(Named {
            topic,
            place,
            handle,
            at,
            links: (!links.is_empty()).then_some(links),
            is_revision: false,
            rewords: false,
            is_decided,
        });
    }

    /// Says which sentences of an entry were left out.
    fn left_out(&mut self, topic: &str, stones: &[Tombstone]) {
        let count = stones.len();
        let how: Vec<String> = stones.iter().map(forgotten::left_out).collect();
        self.problems.add(|| {
            let what = if count == 1 {
                "a sentence"
            } else {
                "sentences"
            };
            let topic: String = topic.chars().take(80).collect();
            format!(
                "{what} of a memory of topic {} {}",
                quoted(&topic),
                how.join("; ")
            )
        });
    }

    /// Counts what somebody forgot, rejected or purged: no import brings it back.
    fn stays_forgotten(&mut self, handle: String) {
        self.progress.known += 1;
        self.progress.forgotten += 1;
        let has_room = self.progress.forgotten_handles.len() < FORGOTTEN_MAX;
        // Of what was purged no name is left.
        if has_room && !handle.is_empty() {
            self.progress.forgotten_handles.push(handle);
        }
    }

    /// The status that an entry is stored with: what nobody vouches for waits for the review.
    fn status_of(&self, memory: &Portable) -> Status {
        let status = memory.status.unwrap_or(Status::Active);
        if self.trust || !status.is_indexed() {
            return status;
        }
        Status::Quarantined
    }

    /// Counts what a dry run does not store.
    fn foresee(&mut self, admitted: &Admitted, memory: Portable, place: usize, force: bool) {
        if force {
            self.progress.stored += 1;
            let waits = self.status_of(&memory) == Status::Quarantined;
            self.progress.quarantined += u64::from(waits);
        } else {
            // A repeat finds the one before it.
            self.progress.known += 1;
        }
        let proposed = Handle::propose(&admitted.topic, &admitted.text);
        let proposed = proposed.as_str().to_owned();
        self.links
            .foresee(place, memory.handle, proposed, memory.links);
    }

    /// What is stored of an entry, whose words are yet to be read.
    fn unread(
        &mut self,
        mut admitted: Admitted,
        origins: Origins,
        memory: &mut Portable,
        force: bool,
    ) -> Unread {
        let Origins {
            mut attributes,
            written_at,
            is_homeless,
        } = origins;
        if let Some(source) = &mut admitted.source {
            self.seen.record(Sighting {
                source,
                attributes: &mut attributes,
                scope: &admitted.scope,
                is_homeless,
                at: written_at.unwrap_or_else(|| self.app.memory.now()),
            });
        }
        let stamps = Stamps {
            id: memory.id,
            handle: memory.handle.clone(),
            origin: self.trust.then(|| memory.origin.unwrap_or(Origin::User)),
            valid_to: memory.valid_to,
            recorded_at: memory.recorded_at.or(memory.valid_from),
            last_seen_at: memory.last_seen_at,
            access_count: memory.access_count,
            status: Some(self.status_of(memory)),
            attributes,
            provenance: std::mem::take(&mut memory.provenance),
        };
        Unread {
            admitted,
            stamps,
            force,
            at: self.began,
        }
    }
}
