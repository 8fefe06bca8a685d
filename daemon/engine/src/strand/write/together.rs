//! Several changes that are made in one transaction, all or none.

use helix_memory::{Actor, MemoryNumber, Timestamp};

use super::{Step, StepChange};
use crate::store::{Cause, Write, WriteError};
use crate::strand::Strand;

impl Strand {
    /// The writes of these steps, each tried on what is stored now, so that none is refused once
    /// the first is written.
    pub(super) fn together(
        &self,
        steps: Vec<Step>,
        actor: &Actor,
        at: Timestamp,
    ) -> Result<Vec<Write>, WriteError> {
        for step in &steps {
            self.try_step(&step.change, at)?;
        }
        let mut writes = Vec::with_capacity(steps.len());
        for (place, step) in steps.into_iter().enumerate() {
            let cause = Cause {
                reason: step.reason,
                reverts: step.reverts,
                is_continued: place > 0,
            };
            let tombstone = self.step_tombstone(&step.change, actor, at);
            writes.push(step_write(step.change, actor.clone(), at, cause));
            writes.extend(tombstone);
        }
        Ok(writes)
    }

    /// The write of the tombstone that a step sets up or takes away.
    fn step_tombstone(&self, change: &StepChange, actor: &Actor, at: Timestamp) -> Option<Write> {
        match change {
            StepChange::Edit {
                number,
                edit,
                expected,
            } => self.tombstone_write(*number, edit, *expected, actor, at),
            StepChange::Relate(_) | StepChange::Unrelate(_) => None,
        }
    }

    /// Says why a step cannot be done now.
    fn try_step(&self, change: &StepChange, at: Timestamp) -> Result<(), WriteError> {
        match change {
            StepChange::Edit {
                number,
                edit,
                expected,
            } => {
                // The disk failing here is met again by the commit.
                let found = self.memories(&[*number]).unwrap_or_default();
                let Some(mut memory) = found.into_iter().next() else {
                    return Err(WriteError::NoSuchMemory(number.0));
                };
                if let Some(expected) = expected.filter(|expected| *expected != memory.sequence) {
                    return Err(WriteError::Changed {
                        handle: memory.handle,
                        expected,
                        found: memory.sequence,
                    });
                }
                edit.apply(&mut memory, at)?;
                Ok(())
            }
            StepChange::Relate(edge) => {
                self.try_end(edge.key.from)?;
                self.try_end(edge.key.to)
            }
            StepChange::Unrelate(key) => {
                let catalog = self.catalog();
                let known = catalog.graph().edge(key);
                known.map(|_| ()).ok_or(WriteError::NoSuchEdge {
                    relation: key.relation,
                })
            }
        }
    }

    fn try_end(&self, number: MemoryNumber) -> Result<(), WriteError> {
        let is_there = self.catalog().row(number).is_some();
        is_there
            .then_some(())
            .ok_or(WriteError::NoSuchMemory(number.0))
    }
}

fn step_write(change: StepChange, actor: Actor, at: Timestamp, cause: Cause) -> Write {
    match change {
        StepChange::Edit {
            number,
            edit,
            expected,
        } => Write::Edit {
            number,
            edit,
            expected,
            actor,
            at,
            cause,
        },
        StepChange::Relate(edge) => Write::Relate {
            edge,
            actor,
            at,
            cause,
        },
        StepChange::Unrelate(key) => Write::Unrelate {
            key,
            actor,
            at,
            cause,
        },
    }
}
