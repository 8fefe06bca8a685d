//! Where a session works, for people who look through several.

use helix_engine::model::Scope;
use prost::Message;

use crate::project::Project;

/// The project that a session works in, as its hooks named it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Place {
    /// Its scope, as text.
    #[prost(string, tag = "1")]
    pub(crate) scope: String,
    /// Its name for people.
    #[prost(string, tag = "2")]
    pub(crate) name: String,
}

impl Place {
    /// Describes a project; `None` outside of any.
    pub(super) fn of(project: &Project) -> Option<Self> {
        let Scope::Project(_) = project.scope else { return None };
        Some(Self { scope: project.scope.to_string(), name: project.name.clone() })
    }
}
