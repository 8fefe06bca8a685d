//! One memory made into several, in one transaction.

use helix_memory::{Actor, Admitted, Edit, MemoryId, MemoryNumber, Sequence, Timestamp};
use helix_redact::{Redact, Secrets};

use crate::store::{Cause, Write, WriteError};
use crate::strand::Strand;

/// A memory that several take the place of.
#[derive(Clone, Debug)]
pub struct Split {
    /// Which.
    pub number: MemoryNumber,
    /// The operation that changed it last, as the asker read it.
    pub expected: Sequence,
    /// What takes its place; not empty.
    pub parts: Vec<Part>,
    /// Who asked.
    pub actor: Actor,
    /// When.
    pub at: Timestamp,
}

/// One of the memories that take a memory's place.
#[derive(Clone, Debug)]
pub struct Part {
    /// What to store.
    pub admitted: Box<Admitted>,
    /// Random bytes for its id.
    pub entropy: [u8; 10],
}

impl Redact for Split {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            number: _,
            expected: _,
            parts,
            actor,
            at: _,
        } = self;
        for part in parts {
            part.admitted.redact(secrets);
        }
        actor.redact(secrets);
    }
}

impl Strand {
    /// The writes of a split: each part and the edge to the original, then the supersession, which
    /// is tried first.
    pub(super) fn split(&self, split: Split) -> Result<Vec<Write>, WriteError> {
        let Split {
            number,
            expected,
            parts,
            actor,
            at,
        } = split;
        let Some(first) = parts.first() else {
            return Ok(Vec::new());
        };
        let by = MemoryId::new(at, &first.entropy);
        self.try_supersede(number, expected, by, at)?;
        let reason = format!("split from #{}", number.0);
        let mut writes = Vec::with_capacity(parts.len() * 2 + 1);
        for part in parts {
            let cause = Cause {
                is_continued: !writes.is_empty(),
                ..Cause::because(reason.clone())
            };
            writes.push(Write::Store {
                admitted: part.admitted,
                links: Vec::new(),
                stamps: None,
                entropy: part.entropy,
                actor: actor.clone(),
                at,
                cause,
            });
            writes.push(Write::Derive {
                from: number,
                actor: actor.clone(),
                at,
                cause: Cause::because(reason.clone()).continued(),
            });
        }
        writes.push(Write::Edit {
            number,
            edit: Edit::Supersede { by },
            expected: Some(expected),
            actor,
            at,
            cause: Cause::because("split into parts".to_owned()).continued(),
        });
        Ok(writes)
    }

    fn try_supersede(
        &self,
        number: MemoryNumber,
        expected: Sequence,
        by: MemoryId,
        at: Timestamp,
    ) -> Result<(), WriteError> {
        // The disk failing here is met again by the commit.
        let found = self.memories(&[number]).unwrap_or_default();
        let Some(mut memory) = found.into_iter().next() else {
            return Err(WriteError::NoSuchMemory(number.0));
        };
        if memory.sequence != expected {
            return Err(WriteError::Changed {
                handle: memory.handle,
                expected,
                found: memory.sequence,
            });
        }
        Edit::apply(&Edit::Supersede { by }, &mut memory, at)?;
        Ok(())
    }
}
