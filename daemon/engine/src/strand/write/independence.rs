//! Which requests may share a transaction.
//!
//! A request is decided from the catalog, which follows commits. So a request whose
//! decision depends on what an earlier one of the group does waits for the next group.

use hashbrown::HashSet;
use helix_memory::{Edit, MemoryNumber, WordSet};

use super::Request;
use super::tombstones::departure;
use crate::strand::Strand;

/// What the requests of a group do, as far as later ones depend on it.
#[derive(Default)]
pub(super) struct Independence {
    /// Texts, each with its scope, that a request adds, changes or takes away.
    texts: HashSet<(u64, String)>,
    /// A text becomes one that is not known yet.
    is_any_text: bool,
    /// The group has a request.
    is_begun: bool,
    /// The group's one request wants to be alone.
    is_closed: bool,
}

impl Independence {
    /// Whether a request can share a transaction with those admitted before; if so, it is admitted.
    pub(super) fn admits(&mut self, request: &Request, strand: &Strand) -> bool {
        let admits = !self.is_closed && self.is_independent(request, strand);
        self.is_begun |= admits;
        admits
    }

    fn is_independent(&mut self, request: &Request, strand: &Strand) -> bool {
        match request {
            Request::Store {
                admitted,
                force,
                corrects,
                ..
            } => {
                let is_first = self
                    .texts
                    .insert((admitted.text_hash, admitted.scope.to_string()));
                // A text that goes out of use is a new one to whoever stores it next.
                for replaced in corrects.iter().filter(|known| known.is_replaced) {
                    let scope = admitted.scope.to_string();
                    self.texts.insert((replaced.text_hash, scope));
                }
                *force || (is_first && !self.is_any_text)
            }
            // Its tombstone must not be set up where it is refused.
            Request::Edit {
                edit,
                expected: Some(_),
                ..
            } if departure(edit).is_some() => {
                self.is_closed = !self.is_begun;
                self.is_closed
            }
            Request::Edit { number, edit, .. } => {
                self.note_edit(*number, edit, strand);
                true
            }
            // The catalog does not have its text.
            Request::Mend(_) => {
                self.is_any_text = true;
                true
            }
            // Their members are those of the catalog.
            Request::EditTopic { .. }
            | Request::MergeDuplicates { .. }
            | Request::Together { .. }
            | Request::Split(_)
            | Request::Distil(_)
            | Request::SaveTombstones(_)
            | Request::Purge { .. } => {
                self.is_closed = !self.is_begun;
                self.is_closed
            }
            Request::Tombstones(_)
            | Request::States(..)
            | Request::Receipts(_)
            | Request::Checkpoint { .. }
            | Request::PurgeCheckpoints(_)
            | Request::Accesses => true,
        }
    }

    /// Edits are decided on the record inside the transaction, so that one may follow another; only
    /// stores of a text that comes or goes must wait.
    fn note_edit(&mut self, number: MemoryNumber, edit: &Edit, strand: &Strand) {
        let catalog = strand.catalog();
        let Some(row) = catalog.row(number) else {
            return;
        };
        let scope = catalog.scope_of(row);
        match edit {
            Edit::Append { .. } => self.is_any_text = true,
            Edit::Revise { text, .. } => {
                self.texts
                    .insert((WordSet::text_hash(text), scope.to_owned()));
            }
            Edit::Revert { to } => {
                self.texts
                    .insert((WordSet::text_hash(&to.text), scope.to_owned()));
            }
            Edit::Forget
            | Edit::Restore
            | Edit::Supersede { .. }
            | Edit::Archive
            | Edit::Prune
            | Edit::Approve { .. }
            | Edit::Withhold { .. }
            | Edit::Reject => {}
            Edit::Tag { .. }
            | Edit::Move { .. }
            | Edit::Set(_)
            | Edit::Absorb(_)
            | Edit::Repair { .. } => return,
        }
        self.texts.insert((row.text_hash, scope.to_owned()));
    }
}
