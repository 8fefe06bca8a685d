//! Where a session works, for people who look through several.

use std::path::Path;

use helix_memory::Scope;
use helix_redact::{Redact, Secrets};
use prost::Message;

use crate::project::Project;

/// The project that a session works in, as its hooks named it.
#[derive(Clone, PartialEq, Message)]
pub struct Place {
    /// Its scope, as text.
    #[prost(string, tag = "1")]
    pub scope: String,
    /// Its name for people.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The directory in which its hooks run.
    #[prost(string, tag = "3")]
    pub(super) directory: String,
}

impl Redact for Place {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            scope,
            name,
            directory,
        } = self;
        secrets.all_said([scope, name, directory]);
    }
}

impl Place {
    /// Describes a directory of a project; `None` outside of any.
    pub(super) fn of(project: &Project, directory: &Path) -> Option<Self> {
        let Scope::Project(_) = project.scope else {
            return None;
        };
        let directory = directory.to_string_lossy().into_owned();
        Some(Self {
            scope: project.scope.to_string(),
            name: project.name.clone(),
            directory,
        })
    }
}
