//! Fading, computed when read from stored originals, never compounding.

use crate::model::{Kinds, Memory, Timestamp};

/// Recalls after which a memory fades half as fast.
const OFTEN_RECALLED: u64 = 10;

/// What a memory's fading depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fading {
    /// As stored, 0 to 1.
    pub confidence: f32,
    /// Of the memory's kind; `None` does not fade.
    pub half_life_days: Option<f64>,
    /// Never fades.
    pub pinned: bool,
    /// How often it was recalled or confirmed.
    pub access_count: u64,
    /// When it was last stored, recalled, confirmed or became true.
    pub seen_at: Timestamp,
}

impl Fading {
    /// Returns what is left of the confidence: `confidence · 0.5^(age / half_life)`, with the half-life doubled for what was
    /// recalled more than ten times.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn confidence_at(&self, now: Timestamp) -> f32 {
        let (false, Some(half_life_days)) = (self.pinned, self.half_life_days) else {
            return self.confidence;
        };
        let stretched = if self.access_count > OFTEN_RECALLED { half_life_days * 2.0 } else { half_life_days };
        self.confidence * 0.5_f64.powf(self.seen_at.age_days(now) / stretched) as f32
    }
}

/// Returns the confidence a memory has now, as [`Fading`] computes it; age counts from when it was last seen.
#[must_use]
pub fn effective_confidence(memory: &Memory, kinds: &Kinds, now: Timestamp) -> f32 {
    let fading = Fading {
        confidence: memory.confidence,
        half_life_days: kinds.spec(&memory.kind).and_then(|spec| spec.half_life_days),
        pinned: memory.pinned,
        access_count: memory.access_count,
        seen_at: memory.last_seen_at.max(memory.valid_from),
    };
    fading.confidence_at(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_US: i64 = 86_400_000_000;

    fn left(fading: Fading, days: i64) -> f32 {
        fading.confidence_at(Timestamp::from_micros(days * DAY_US))
    }

    #[test]
    fn confidence_halves_and_halves_later_for_the_often_recalled() {
        let fading = Fading {
            confidence: 0.8,
            half_life_days: Some(30.0),
            pinned: false,
            access_count: OFTEN_RECALLED,
            seen_at: Timestamp::default(),
        };
        assert!((left(fading, 30) - 0.4).abs() < 1e-6);
        assert!((left(Fading { access_count: OFTEN_RECALLED + 1, ..fading }, 60) - 0.4).abs() < 1e-6);
        assert!((left(Fading { pinned: true, ..fading }, 900) - 0.8).abs() < 1e-6);
        assert!((left(Fading { half_life_days: None, ..fading }, 900) - 0.8).abs() < 1e-6);
    }
}
