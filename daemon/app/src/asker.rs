//! Who asks.

use std::path::PathBuf;
use std::sync::Arc;

use helix_memory::{Actor, Scope};
use jiff::tz::TimeZone;

use crate::project::Project;

/// Who asks, as the daemon sees it.
#[derive(Clone, Debug)]
pub struct Asker {
    /// Stamped into what it writes.
    pub actor: Actor,
    /// The project it works in.
    pub project: Arc<Project>,
    /// Where in it; empty when unknown.
    pub cwd: PathBuf,
    /// By which it reads and writes days.
    pub zone: TimeZone,
}

impl Asker {
    /// The scopes it sees, its own first.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        self.project.scopes()
    }
}
