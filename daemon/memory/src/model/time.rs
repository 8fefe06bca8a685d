//! Points in time.

use std::fmt;

use jiff::tz::TimeZone;

/// Microseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Microseconds of one day.
const DAY_MICROS: f64 = 86_400.0 * 1_000_000.0;

impl Timestamp {
    /// Makes a timestamp from microseconds since the epoch.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns microseconds since the epoch.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Days from `self` to `now`; 0 when `self` lies in the future.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn age_days(self, now: Self) -> f64 {
        (now.0.saturating_sub(self.0) as f64 / DAY_MICROS).max(0.0)
    }

    /// Returns the calendar day in a zone, as `2026-11-21`.
    #[must_use]
    pub fn day(self, zone: &TimeZone) -> String {
        jiff::Timestamp::from_microsecond(self.0).map_or_else(
            |_| "unknown".to_owned(),
            |at| at.to_zoned(zone.clone()).date().to_string(),
        )
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(at) => at.fmt(f),
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_is_never_negative() {
        let now = Timestamp::from_micros(86_400_000_000 * 3);
        assert!((Timestamp::from_micros(86_400_000_000).age_days(now) - 2.0).abs() < 1e-9);
        assert!(now.age_days(Timestamp::default()).abs() < 1e-9);
        assert_eq!(now.day(&TimeZone::UTC), "1970-01-04");
        assert_eq!(
            now.day(&TimeZone::fixed(jiff::tz::offset(-1))),
            "1970-01-03"
        );
        assert_eq!(
            Timestamp::from_micros(i64::MAX).day(&TimeZone::UTC),
            "unknown"
        );
    }
}
