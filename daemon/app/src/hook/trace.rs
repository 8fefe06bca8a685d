//! Why an event was answered as it was: what each step of the decision found, in words. Only a dry
//! run is traced, so that no agent waits for it.

use std::sync::{Mutex, PoisonError};

use helix_memory::{Memory, MemoryNumber};

use super::Context;

/// A step of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What looked, e.g. `layer/source`.
    pub part: &'static str,
    /// What it found, and why.
    pub found: String,
}

/// The steps of one decision, as far as somebody asks for them.
#[derive(Debug, Default)]
pub(super) struct Trace(Option<Mutex<Vec<Step>>>);

impl Trace {
    /// One that keeps its steps where somebody asks for them.
    pub(super) fn new(is_asked: bool) -> Self {
        Self(is_asked.then(Mutex::default))
    }

    /// Notes what a part found.
    pub(super) fn note(&self, part: &'static str, found: impl FnOnce() -> String) {
        let Some(steps) = &self.0 else { return };
        let found = found();
        steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Step { part, found });
    }

    /// The steps in their order.
    pub(super) fn into_steps(self) -> Vec<Step> {
        self.0
            .map(|steps| steps.into_inner().unwrap_or_else(PoisonError::into_inner))
            .unwrap_or_default()
    }
}

impl Context<'_> {
    /// The handles of memories, for a trace.
    pub(super) fn handles_of(&self, numbers: &[MemoryNumber]) -> String {
        let memories = self.app.memory.strand.memories(numbers).unwrap_or_default();
        handles(&memories)
    }
}

/// The handles of memories, for a trace.
pub(super) fn handles(memories: &[Memory]) -> String {
    let all: Vec<&str> = memories
        .iter()
        .map(|memory| memory.handle.as_str())
        .collect();
    if all.is_empty() {
        "nothing".to_owned()
    } else {
        all.join(", ")
    }
}
