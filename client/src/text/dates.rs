//! Days: what `after`, `before`, `days` and `hours` mean, and how a memory's day is written.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan, Zoned};

/// What a day may look like.
pub const DAY_SHAPE: &str = "a day like 2026-11-21, today, yesterday or this-week";

/// The start of the day that `text` names, seen from `now`.
#[must_use]
pub fn day_start(text: &str, now: &Zoned) -> Option<Zoned> {
    let today = now.date();
    let day = match text {
        "today" => today,
        "yesterday" => today.yesterday().ok()?,
        "this-week" => today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?,
        other => other.parse::<Date>().ok()?,
    };
    day.to_zoned(now.time_zone().clone()).ok()
}

/// The end of the day that `text` names: the start of the next.
#[must_use]
pub fn day_end(text: &str, now: &Zoned) -> Option<Zoned> {
    let start = if text == "this-week" { now.start_of_day().ok()? } else { day_start(text, now)? };
    start.tomorrow().ok()
}

/// The time `hours` ago.
#[must_use]
pub fn hours_ago(hours: u32, now: &Zoned) -> Option<Zoned> {
    now.checked_sub(SignedDuration::from_hours(i64::from(hours))).ok()
}

/// The day of a wire time in `zone`.
#[must_use]
pub fn day_of(micros: i64, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(micros)
        .map_or_else(|_| "unknown-date".to_owned(), |at| at.to_zoned(zone.clone()).date().to_string())
}

/// The day and minute of a wire time in `zone`.
#[must_use]
pub fn minute_of(micros: i64, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown-time".to_owned(),
        |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn saturday() -> Zoned {
        "2026-11-21T22:14:00+01:00[Europe/Berlin]".parse().unwrap()
    }

    #[test]
    fn named_days_are_days_of_the_readers_zone() {
        let start = |text: &str| day_start(text, &saturday()).unwrap().to_string();
        assert_eq!(start("today"), "2026-11-21T00:00:00+01:00[Europe/Berlin]");
        assert_eq!(start("yesterday"), "2026-11-20T00:00:00+01:00[Europe/Berlin]");
        assert_eq!(start("this-week"), "2026-11-16T00:00:00+01:00[Europe/Berlin]");
        assert_eq!(start("2026-02-28"), "2026-02-28T00:00:00+01:00[Europe/Berlin]");
        assert!(day_start("last monday", &saturday()).is_none());
    }

    #[test]
    fn a_day_ends_where_the_next_starts() {
        assert_eq!(day_end("2026-02-28", &saturday()), day_start("2026-03-01", &saturday()));
        assert_eq!(day_end("this-week", &saturday()), day_start("2026-11-22", &saturday()));
    }

    #[test]
    fn times_are_written_as_days() {
        assert_eq!(day_of(1_795_299_240_000_000, &TimeZone::UTC), "2026-11-21");
        assert_eq!(day_of(i64::MAX, &TimeZone::UTC), "unknown-date");
        assert_eq!(minute_of(1_795_299_240_000_000, &TimeZone::UTC), "2026-11-21 22:14");
    }
}
