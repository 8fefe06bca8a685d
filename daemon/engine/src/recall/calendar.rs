//! Dates as people write them in a query, seen from a point in time in a time zone.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan, Zoned};

use helix_memory::Timestamp;

/// The day and zone from which a query's dates are seen.
#[derive(Clone, Debug)]
pub struct Calendar {
    now: Zoned,
}

impl Calendar {
    /// The calendar of a time zone at a point in time.
    #[must_use]
    pub fn new(zone: TimeZone, now: Timestamp) -> Self {
        let now = jiff::Timestamp::from_microsecond(now.as_micros()).unwrap_or_default();
        Self {
            now: now.to_zoned(zone),
        }
    }

    /// The day that it is.
    pub(super) fn today(&self) -> Date {
        self.now.date()
    }

    /// The day that a text names: a date, `today`, `yesterday`, or `this-week`, which is its
    /// Monday.
    fn day(&self, text: &str) -> Option<Date> {
        let today = self.now.date();
        match text {
            "today" => Some(today),
            "yesterday" => today.yesterday().ok(),
            "this-week" => today
                .checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())
                .ok(),
            // A time that is read as a day would lose its hours.
            date => date.parse().ok().filter(|_| !has_time(date)),
        }
    }

    /// The time that a text names: in a zone of its own, or else in the calendar's.
    fn time(&self, text: &str) -> Option<Timestamp> {
        let zone = || self.now.time_zone().clone();
        let named = || {
            text.parse::<DateTime>()
                .ok()
                .filter(|_| has_time(text))?
                .to_zoned(zone())
                .ok()
        };
        let at = text
            .parse::<jiff::Timestamp>()
            .ok()
            .or_else(|| Some(named()?.timestamp()))?;
        Some(Timestamp::from_micros(at.as_microsecond()))
    }

    /// The time that a text names, or the start of the day.
    pub(super) fn start_of(&self, text: &str) -> Option<Timestamp> {
        self.time(text)
            .or_else(|| self.start_of_day(self.day(text)?))
    }

    /// The time that a text names, or the start of the day after the one that it names; this week
    /// goes up to today.
    pub(super) fn end_of(&self, text: &str) -> Option<Timestamp> {
        if let Some(time) = self.time(text) {
            return Some(time);
        }
        let last = if text == "this-week" {
            self.now.date()
        } else {
            self.day(text)?
        };
        self.start_of_day(last.tomorrow().ok()?)
    }

    pub(super) fn start_of_day(&self, day: Date) -> Option<Timestamp> {
        let start = day.to_zoned(self.now.time_zone().clone()).ok()?;
        Some(Timestamp::from_micros(start.timestamp().as_microsecond()))
    }

    /// The time so many units of so many hours ago.
    pub(super) fn ago(&self, count: &str, unit_hours: i64) -> Option<Timestamp> {
        let hours = count.parse::<i64>().ok()?.checked_mul(unit_hours)?;
        let then = self
            .now
            .timestamp()
            .checked_sub(SignedDuration::try_from_hours(hours)?)
            .ok()?;
        Some(Timestamp::from_micros(then.as_microsecond()))
    }
}

/// Returns whether more than a day is named.
fn has_time(text: &str) -> bool {
    text.contains([':', 'T', 't', ' '])
}
