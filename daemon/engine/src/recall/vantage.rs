//! From where whoever asks looks.

use helix_memory::Scope;

use super::period::Period;
use crate::index::catalog::{Catalog, Row};

/// Where whoever asks works, and of which time they ask. What is unknown changes no score.
#[derive(Clone, Debug, Default)]
pub struct Vantage {
    /// The scopes of their own project, as they are written.
    pub own: Vec<String>,
    /// The branch that they work on; empty when unknown.
    pub branch: String,
    /// The time that the question names.
    pub period: Option<Period>,
}

impl Vantage {
    /// Looks from a project's branch, at no time in particular.
    #[must_use]
    pub fn of<'a>(own: impl Iterator<Item = &'a Scope>, branch: String) -> Self {
        Self {
            own: own
                .filter(|scope| **scope != Scope::Global)
                .map(ToString::to_string)
                .collect(),
            branch,
            period: None,
        }
    }

    /// Whether a memory is of their own project.
    pub(super) fn is_own(&self, row: &Row, catalog: &Catalog) -> bool {
        let scope = catalog.scope_of(row);
        self.own.iter().any(|own| own == scope)
    }

    /// Whether it was said on their branch: branches of two repositories have nothing but their
    /// names in common.
    pub(super) fn is_of_branch(&self, row: &Row, catalog: &Catalog) -> bool {
        self.is_own(row, catalog) && catalog.is_of_branch(row, &self.branch)
    }
}
