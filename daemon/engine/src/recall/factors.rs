//! The bounded factors: they reorder what is about equally relevant and never carry a memory that
//! is not.

use crate::index::catalog::{Catalog, Row};
use crate::model::Timestamp;

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
}

impl Factors {
    /// Computes the factors of a row whose confidence after decay is `confidence`.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn of(row: &Row, catalog: &Catalog, confidence: f32, now: Timestamp) -> Self {
        let recency = (1.0 / (1.0 + row.valid_from.age_days(now) / RECENCY_DAYS)) as f32;
        let is_global = catalog.scope_of(row) == "global";
        Self {
            confidence: Self::confidence_factor(confidence),
            recency: 1.0 - RECENCY_SHARE + RECENCY_SHARE * recency,
            importance: 1.0 + IMPORTANCE_SHARE * (row.importance - 0.5),
            scope: if is_global { 1.0 } else { PROJECT_FACTOR },
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
        if helix_ablation::is_off("search/factors") {
            return 1.0;
        }
        self.confidence * self.recency * self.importance * self.scope
    }
}
