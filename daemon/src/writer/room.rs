//! Room for the writes that wait, by their bytes: four thousand small ones are nothing, four
//! thousand large ones are all the RAM.

use std::mem::size_of_val;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use helix_engine::Request;
use helix_memory::Edit;

/// Bytes of the writes that may wait, about: some batches of ordinary memories. One that is larger
/// waits alone.
const ROOM_BYTES: usize = 64 * 1024 * 1024;

/// What a stored text takes: itself, the copy for the word index, and its words with their places.
const TEXT_FACTOR: usize = 4;

/// How much of the room is taken.
#[derive(Debug, Default)]
pub(super) struct Room {
    state: Mutex<State>,
    /// Told when some is given back, or none ever will be.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    is_closed: bool,
}

impl Room {
    /// Takes room, where there is any.
    pub(super) fn take(&self, bytes: usize) -> bool {
        self.lock().take(bytes)
    }

    /// Takes room, and waits until there is any; false when there will be none.
    pub(super) fn wait_for(&self, bytes: usize) -> bool {
        let mut state = self.lock();
        while !state.is_closed {
            if state.take(bytes) {
                return true;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        false
    }

    /// Gives room back.
    pub(super) fn give(&self, bytes: usize) {
        let mut state = self.lock();
        state.taken = state.taken.saturating_sub(bytes);
        drop(state);
        self.changed.notify_all();
    }

    /// Ends all waiting: nobody writes any more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Returns whether nobody writes any more.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.taken == 0 || self.taken.saturating_add(bytes) <= ROOM_BYTES;
        let takes = fits && !self.is_closed;
        self.taken += if takes { bytes } else { 0 };
        takes
    }
}

/// Bytes that requests take while they wait, about.
pub(super) fn weight(requests: &[Request]) -> usize {
    size_of_val(requests) + requests.iter().map(content).sum::<usize>()
}

fn content(request: &Request) -> usize {
    match request {
        Request::Store {
            admitted,
            links,
            stamps,
            ..
        } => {
            let attributes = |all: &std::collections::BTreeMap<String, String>| -> usize {
                all.iter().map(|(key, value)| key.len() + value.len()).sum()
            };
            let stamps = stamps.as_ref().map_or(0, |stamps| {
                let of: usize = stamps
                    .provenance
                    .iter()
                    .map(|of| of.agent.len() + of.reference.len())
                    .sum();
                size_of_val(&**stamps)
                    + size_of_val(stamps.provenance.as_slice())
                    + of
                    + attributes(&stamps.attributes)
            });
            let named: usize = admitted
                .links
                .iter()
                .chain(&admitted.tags)
                .map(String::len)
                .sum();
            size_of_val(&**admitted)
                + TEXT_FACTOR * admitted.text.len()
                + named
                + attributes(&admitted.attributes)
                + size_of_val(links.as_slice())
                + stamps
        }
        Request::Edit { edit, .. } => match edit {
            Edit::Append { text } | Edit::Revise { text, .. } => TEXT_FACTOR * text.len(),
            Edit::Tag { add, remove } => add.iter().chain(remove).map(String::len).sum(),
            Edit::Absorb(absorbed) => {
                size_of_val(&**absorbed) + size_of_val(absorbed.links.as_slice())
            }
            Edit::Set(fields) => size_of_val(&**fields),
            Edit::Move { .. }
            | Edit::Forget
            | Edit::Restore
            | Edit::Supersede { .. }
            | Edit::Archive
            | Edit::Prune
            | Edit::Approve { .. }
            | Edit::Reject
            | Edit::Withhold { .. }
            | Edit::Repair { .. } => 0,
            Edit::Revert { to } => to.text.len(),
        },
        Request::EditTopic { scopes, .. } => size_of_val(scopes.as_slice()),
        Request::MergeDuplicates { pairs, .. } => size_of_val(pairs.as_slice()),
        Request::Together { steps, .. } => size_of_val(steps.as_slice()),
        Request::Split(split) => split
            .parts
            .iter()
            .map(|part| part.admitted.text.len())
            .sum(),
        Request::Distil(distil) => {
            distil.admitted.text.len() + size_of_val(distil.episodes.as_slice())
        }
        Request::Purge { .. } => 0,
        Request::PurgeCheckpoints(session) => session.len(),
        Request::Tombstones(tombstones) => size_of_val(tombstones.as_slice()),
        Request::SaveTombstones(ids) => size_of_val(ids.as_slice()),
        Request::States(_, rows) => rows
            .iter()
            .map(|(key, state)| key.len() + state.len())
            .sum(),
        Request::Receipts(rows) => rows.iter().map(|(_, state)| state.len()).sum(),
        Request::Checkpoint { checkpoint, .. } => checkpoint
            .as_ref()
            .map_or(0, |saved| saved.texts().map(str::len).sum()),
        Request::Mend(_) | Request::Accesses => 0,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use helix_engine::States;
    use helix_redact::{Redact, Secrets, State};

    use super::*;

    /// A state of some bytes and few more.
    #[derive(Clone, PartialEq, prost::Message)]
    struct Large {
        #[prost(bytes = "vec", tag = "1")]
        numbers: Vec<u8>,
    }

    impl Redact for Large {
        fn redact(&mut self, _: &mut Secrets) {}
    }

    pub(in crate::writer) fn large(bytes: usize) -> State {
        State::of_message(Large {
            numbers: vec![0; bytes],
        })
    }

    #[test]
    fn room_is_bounded_by_bytes_and_one_large_write_waits_alone() {
        let room = Room::default();
        assert!(room.take(ROOM_BYTES / 2));
        assert!(room.take(ROOM_BYTES / 2));
        assert!(!room.take(1));
        room.give(ROOM_BYTES / 2);
        assert!(room.take(1));
        room.give(ROOM_BYTES / 2 + 1);
        assert!(room.take(ROOM_BYTES * 3), "nothing else waits");
        assert!(!room.take(1));
        room.close();
        assert!(!room.wait_for(1));
    }

    #[test]
    fn a_state_weighs_what_it_has() {
        let of = |bytes: usize| {
            let rows = vec![(String::new(), large(bytes))];
            weight(&[Request::States(States::Sessions, rows)])
        };
        assert_eq!(of(1_100) - of(1_000), 100);
        assert!(weight(&[Request::Accesses]) < 1_024);
    }
}
