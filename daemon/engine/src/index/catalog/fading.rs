//! How a memory fades where nobody asked for it, by its columns.

use helix_memory::{Fading, Recalls, Timestamp};

use super::Row;

impl Row {
    fn recalls(&self) -> Recalls {
        Recalls {
            count: self.access_count,
            known_at: self.recorded_at.max(self.valid_from),
            last_at: self.last_seen_at.max(self.valid_from),
        }
    }

    /// Returns how many of its recalls count now.
    #[must_use]
    pub fn recalls_at(&self, now: Timestamp) -> f64 {
        self.recalls().weight_at(now)
    }

    /// Returns what is left of its confidence, with the half-life of its kind; `None` does not fade.
    #[must_use]
    pub fn faded_at(&self, now: Timestamp, half_life_days: Option<f64>, centrality: f32) -> f32 {
        let fading = Fading {
            confidence: self.confidence,
            half_life_days,
            pinned: self.pinned,
            access_count: self.access_count,
            centrality,
            seen_at: self.recalls().seen_at(),
        };
        fading.confidence_at(now)
    }
}
