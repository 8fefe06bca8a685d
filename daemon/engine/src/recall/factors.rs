//! The bounded factors: they reorder what is about equally relevant and never carry a memory that
//! is not.

use helix_memory::Timestamp;

use super::search::Search;
use super::vantage::Vantage;
use crate::index::catalog::{Catalog, Row};

/// Least of the confidence factor: a doubtful memory loses at most this share.
const CONFIDENCE_FLOOR: f32 = 0.7;

/// How much of the score recency can move; the rest an old decision keeps.
const RECENCY_SHARE: f32 = 0.06;

/// Days after which the recency term has halved: `1 / (1 + age / 30)`.
const RECENCY_DAYS: f64 = 30.0;

/// How much importance moves the score around its middle of 0.5.
const IMPORTANCE_SHARE: f32 = 0.1;

/// Gain of a memory of the caller's own project over a global one, and loss of one of another
/// project.
const PROJECT_FACTOR: f32 = 1.03;
const FOREIGN_FACTOR: f32 = 0.97;

/// Gain of what was said at the time that the question names, or says so itself.
const PERIOD_FACTOR: f32 = 1.4;

/// Gain of a memory of the caller's own branch over those of others: less than scope's, since work
/// of other branches is merged.
const BRANCH_FACTOR: f32 = 1.02;

/// The factors of one hit, each around 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// From confidence after decay.
    pub confidence: f32,
    /// From age, or from whether it was said at the time that the question names.
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
    pub(super) fn of(row: &Row, catalog: &Catalog, search: &Search) -> Self {
        Self {
            confidence: Self::confidence_factor(row.confidence),
            recency: recency(row.valid_from, search),
            importance: 1.0 + IMPORTANCE_SHARE * (row.importance - 0.5),
            scope: scope(&search.vantage, row, catalog),
            branch: if search.vantage.is_of_branch(row, catalog) {
                BRANCH_FACTOR
            } else {
                1.0
            },
        }
    }

    /// The most that the age can be worth.
    pub(super) const RECENCY_MAX: f32 = PERIOD_FACTOR;

    /// The most that the product can become when the memory's text is read.
    pub(super) fn most(&self, search: &Search) -> f32 {
        let recency = match search.vantage.period {
            Some(_) => Self::RECENCY_MAX,
            None => self.recency,
        };
        Self { recency, ..*self }.product()
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
        self.confidence * self.recency * self.importance * self.scope * self.branch
    }
}

/// The newer the better, unless the question names a time.
#[allow(clippy::cast_possible_truncation)]
fn recency(at: Timestamp, search: &Search) -> f32 {
    match search.vantage.period {
        Some(period) if period.holds(at) => PERIOD_FACTOR,
        Some(_) => 1.0,
        None => {
            let newness = 1.0 / (1.0 + at.age_days(search.now) / RECENCY_DAYS);
            1.0 - RECENCY_SHARE + RECENCY_SHARE * newness as f32
        }
    }
}

fn scope(vantage: &Vantage, row: &Row, catalog: &Catalog) -> f32 {
    let is_global = catalog.scope_of(row) == "global";
    if is_global || vantage.own.is_empty() {
        1.0
    } else if vantage.is_own(row, catalog) {
        PROJECT_FACTOR
    } else {
        FOREIGN_FACTOR
    }
}
