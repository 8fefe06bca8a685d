//! One memory made from several episodes, in one transaction.

use helix_memory::{Actor, Admitted, MemoryNumber, Timestamp};

use crate::store::{Cause, Stamps, Write};
use crate::strand::Strand;
use helix_redact::{Redact, Secrets};

/// A memory that says what several episodes say, and cites them.
#[derive(Clone, Debug)]
pub struct Distil {
    /// What to store.
    pub admitted: Box<Admitted>,
    /// Where it comes from, and that it waits in the review.
    pub stamps: Box<Stamps>,
    /// What it is made from; not empty.
    pub episodes: Vec<MemoryNumber>,
    /// Random bytes for its id.
    pub entropy: [u8; 10],
    /// Who asked.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
}

impl Redact for Distil {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            admitted,
            stamps,
            episodes: _,
            entropy: _,
            actor,
            at: _,
        } = self;
        admitted.redact(secrets);
        stamps.redact(secrets);
        actor.redact(secrets);
    }
}

impl Strand {
    /// The writes of a distilled memory: it, and an edge to each episode. None where an episode is
    /// out of use or cited by now, or the text was forgotten: another run was faster, or somebody
    /// changed it.
    pub(super) fn distil(&self, distil: Distil) -> Vec<Write> {
        if !self.is_still_wanted(&distil) {
            return Vec::new();
        }
        let Distil {
            admitted,
            stamps,
            episodes,
            entropy,
            actor,
            at,
        } = distil;
        let reason = format!("made from {} episodes", episodes.len());
        let mut writes = vec![Write::Store {
            admitted,
            links: Vec::new(),
            stamps: Some(stamps),
            entropy,
            actor: actor.clone(),
            at,
            cause: Cause::because(reason.clone()),
        }];
        writes.extend(episodes.into_iter().map(|from| Write::Derive {
            from,
            actor: actor.clone(),
            at,
            cause: Cause::because(reason.clone()).continued(),
        }));
        writes
    }

    fn is_still_wanted(&self, distil: &Distil) -> bool {
        let scope = distil.admitted.scope.to_string();
        if self.forgotten(&distil.admitted.text, &scope).is_some() {
            return false;
        }
        let catalog = self.catalog();
        let is_free = |number: &MemoryNumber| {
            let row = catalog.row(*number);
            row.is_some_and(|row| self.is_free_episode(&catalog, *number, row))
        };
        !distil.episodes.is_empty() && distil.episodes.iter().all(is_free)
    }
}
