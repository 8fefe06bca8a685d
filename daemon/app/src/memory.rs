//! The knowledge base as the use cases see it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helix_engine::Strand;
use helix_memory::Timestamp;

use crate::outbox::Outbox;
use crate::ports::{Clock, Embedder, Projects, Randomness};
use crate::project::Project;
use crate::reach::Reach;
use crate::sources::Sources;
use crate::uncompared::Uncompared;

/// The knowledge base, and what is asked beside it.
pub struct Memory {
    /// The store and its indexes.
    pub strand: Arc<Strand>,
    /// States that wait for the writer.
    pub outbox: Outbox,
    /// Turns text into vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Which directory is which project.
    pub projects: Arc<dyn Projects>,
    /// Asks what may never answer.
    pub reach: Reach,
    /// The contents of the files that memories are about.
    pub sources: Sources,
    /// Held by the import that goes on.
    pub importing: Mutex<()>,
    /// Where the next search for duplicates goes on.
    pub uncompared: Uncompared,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives what ids are made of.
    pub randomness: Arc<dyn Randomness>,
}

impl Memory {
    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The project of a directory; `None` when nothing there answers in time.
    #[must_use]
    pub fn project(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>> {
        self.projects.project(directory, patience)
    }
}
