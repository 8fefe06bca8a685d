//! How fast memories are added.

use helix_memory::Timestamp;

/// Memories added in the recent past, and on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// In the last 24 hours.
    pub last_day: usize,
    /// In the last 7 days.
    pub last_week: usize,
    /// In the last 30 days.
    pub last_month: usize,
    /// A day, since the first; `None` before a day has passed.
    pub per_day: Option<f64>,
    /// A week, since the first; `None` before a week has passed.
    pub per_week: Option<f64>,
    /// When the first became true; `None` without memories.
    pub since: Option<Timestamp>,
}

/// Counts while rows pass.
#[derive(Debug, Default)]
pub(super) struct Counter {
    velocity: Velocity,
}

impl Counter {
    pub(super) fn add(&mut self, at: Timestamp, age_days: f64) {
        let velocity = &mut self.velocity;
        velocity.last_day += usize::from(age_days <= 1.0);
        velocity.last_week += usize::from(age_days <= 7.0);
        velocity.last_month += usize::from(age_days <= 30.0);
        velocity.since = Some(velocity.since.map_or(at, |first| first.min(at)));
    }

    /// The averages over the time since the first memory, where that is long enough to have any.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn finish(self, memories: usize, now: Timestamp) -> Velocity {
        let days = self.velocity.since.map_or(0.0, |first| first.age_days(now));
        let per = |span_days: f64| (days >= span_days).then(|| memories as f64 / days * span_days);
        Velocity {
            per_day: per(1.0),
            per_week: per(7.0),
            ..self.velocity
        }
    }
}
