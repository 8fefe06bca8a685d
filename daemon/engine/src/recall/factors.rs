//! The bounded factors: they reorder what is about equally relevant and never carry a memory that
//! is not.

use super::search::Search;
use crate::index::catalog::{Catalog, Row};

/// Least of the confidence factor: a doubtful memory loses at most this share.
const CONFIDENCE_FLOOR: f32 = 0.7;

/// How much of the score recency can move; the rest an old decision keeps.
const RECENCY_SHARE: f32 = 0.06;

/// Days after which the recency term has halved: `1 / (1 + age / 30)`.
const RECENCY_DAYS: f64 = 30.0;

/// How much importance moves the score around its middle of 0.5.
const IMPORTANCE_SHARE: f32 = 0.1;

/// Gain of a memory of the caller's own project over a global one.
const PROJECT_FACTOR: f32 = 1.03;

/// Gain of a memory of the caller's own branch over those of others: less than scope's, since work
/// of other branches is merged.
const BRANCH_FACTOR: f32 = 1.02;

/// The factors of one hit, each around 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// From confidence after decay.
    pub confidence: f32,
    /// From age.
    pub recency: f32,
    /// From importance.
    pub importance: f32,
    /// From scope.
    pub scope: f32,
    /// From the branch on which it was said.
    pub branch: f32,
}

impl Factors {
    /// Computes the factors of a row for a search, from its confidence before decay.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn of(row: &Row, catalog: &Catalog, search: &Search) -> Self {
        let recency = (1.0 / (1.0 + row.valid_from.age_days(search.now) / RECENCY_DAYS)) as f32;
        let is_global = catalog.scope_of(row) == "global";
        // Branches of two repositories have nothing but their names in common.
        let is_of_branch = !is_global && catalog.is_of_branch(row, &search.branch);
        Self {
            confidence: Self::confidence_factor(row.confidence),
            recency: 1.0 - RECENCY_SHARE + RECENCY_SHARE * recency,
            importance: 1.0 + IMPORTANCE_SHARE * (row.importance - 0.5),
            scope: if is_global { 1.0 } else { PROJECT_FACTOR },
            branch: if is_of_branch { BRANCH_FACTOR } else { 1.0 },
        }
    }

    /// The factor of a confidence between 0 and 1.
    #[must_use]
    pub fn confidence_factor(confidence: f32) -> f32 {
        CONFIDENCE_FLOOR + (1.0 - CONFIDENCE_FLOOR) * confidence
    }

    /// Their product.
    #[must_use]
    pub fn product(&self) -> f32 {
        self.confidence * self.recency * self.importance * self.scope * self.branch
    }
}
