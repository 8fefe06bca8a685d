//! Fading, computed when read from stored originals, never compounding.

use crate::model::{Kinds, Memory, Timestamp};

/// Recalls after which a memory fades half as fast.
const OFTEN_RECALLED: u64 = 10;

/// Centrality above which a memory fades half as fast: more than half of the most that lead to any.
pub const CENTRAL: f32 = 0.5;

/// The inputs of a memory's fading.
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
    /// In-degree beside the largest in-degree, 0 to 1.
    pub centrality: f32,
    /// When it was last stored, recalled, confirmed or became true.
    pub seen_at: Timestamp,
}

impl Fading {
    /// Returns what is left of the confidence: `confidence · 0.5^(age / half_life)`.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn confidence_at(&self, now: Timestamp) -> f32 {
        let Some(stretched) = self.stretched_half_life_days() else {
            return self.confidence;
        };
        self.confidence * 0.5_f64.powf(self.seen_at.age_days(now) / stretched) as f32
    }

    /// The half-life, doubled for what was recalled more than ten times and again for a hub of the
    /// graph; `None` for what does not fade.
    #[must_use]
    pub fn stretched_half_life_days(&self) -> Option<f64> {
        if self.pinned {
            return None;
        }
        let mut half_life_days = self.half_life_days?;
        if self.access_count > OFTEN_RECALLED {
            half_life_days *= 2.0;
        }
        if self.centrality > CENTRAL {
            half_life_days *= 2.0;
        }
        Some(half_life_days)
    }
}

/// Recalls that are as good as knowing that a memory is needed: a search counts as one for all that
/// it shows, most of which nobody looked for.
const RECALLS_BELIEVED: f64 = 3.0;

/// Days after which half of what recalls say is forgotten.
const RECALLS_HALF_LIFE_DAYS: f64 = 7.0;

/// Recalls of a memory, as far as they say that it is needed where nobody asked for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recalls {
    /// How often.
    pub count: u64,
    /// When it was stored, or became true.
    pub known_at: Timestamp,
    /// When it was last recalled, or changed.
    pub last_at: Timestamp,
}

impl Recalls {
    /// How much the last one is believed, 0 to 1. Who changed it and did not search for it meant
    /// it.
    #[allow(clippy::cast_precision_loss)]
    fn belief(self) -> f64 {
        let count = self.count as f64;
        if self.count == 0 {
            1.0
        } else {
            count / (count + RECALLS_BELIEVED)
        }
    }

    /// Since when it fades: the last time that it was seen as far as that is believed, else since
    /// it is known.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    pub fn seen_at(self) -> Timestamp {
        let known_at = self.known_at.as_micros().min(self.last_at.as_micros());
        let since = self.last_at.as_micros().saturating_sub(known_at);
        Timestamp::from_micros(known_at.saturating_add((since as f64 * self.belief()) as i64))
    }

    /// How many of them count now.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn weight_at(self, now: Timestamp) -> f64 {
        self.count as f64
            * self.belief()
            * 0.5_f64.powf(self.last_at.age_days(now) / RECALLS_HALF_LIFE_DAYS)
    }
}

/// Returns the confidence a memory of this centrality has now, as [`Fading`] computes it; age counts
/// from when it was last seen.
#[must_use]
pub fn effective_confidence(
    memory: &Memory,
    kinds: &Kinds,
    centrality: f32,
    now: Timestamp,
) -> f32 {
    let fading = Fading {
        confidence: memory.confidence,
        half_life_days: kinds
            .spec(&memory.kind)
            .and_then(|spec| spec.half_life_days),
        pinned: memory.pinned,
        access_count: memory.access_count,
        centrality,
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
            centrality: CENTRAL,
            seen_at: Timestamp::default(),
        };
        assert!((left(fading, 30) - 0.4).abs() < 1e-6);
        assert!(
            (left(
                Fading {
                    access_count: OFTEN_RECALLED + 1,
                    ..fading
                },
                60
            ) - 0.4)
                .abs()
                < 1e-6
        );
        let hub = Fading {
            access_count: OFTEN_RECALLED + 1,
            centrality: 0.6,
            ..fading
        };
        assert!((left(hub, 120) - 0.4).abs() < 1e-6);
        assert!(
            (left(
                Fading {
                    pinned: true,
                    ..fading
                },
                900
            ) - 0.8)
                .abs()
                < 1e-6
        );
        assert!(
            (left(
                Fading {
                    half_life_days: None,
                    ..fading
                },
                900
            ) - 0.8)
                .abs()
                < 1e-6
        );
    }

    #[test]
    fn one_recall_is_believed_little_and_forgotten() {
        let day = |day: i64| Timestamp::from_micros(day * DAY_US);
        let of = |count| Recalls {
            count,
            known_at: day(0),
            last_at: day(40),
        };
        assert_eq!(
            [0, 1, 3].map(|count| of(count).seen_at()),
            [day(40), day(10), day(20)]
        );
        assert!(of(99).seen_at() > day(38));
        assert_eq!(
            Recalls {
                last_at: day(-3),
                ..of(5)
            }
            .seen_at(),
            day(-3)
        );
        for (count, days, weight) in [(0, 40, 0.0), (1, 40, 0.25), (3, 40, 1.5), (1, 47, 0.125)] {
            assert!(
                (of(count).weight_at(day(days)) - weight).abs() < 1e-9,
                "{count}"
            );
        }
    }
}
