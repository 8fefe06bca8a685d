//! Days and times: what `after`, `before`, `days` and `hours` mean, and how a memory's day is
//! written.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};

/// Shapes of a day or a time.
pub const DAY_SHAPE: &str = "a day like 2026-11-21, today, yesterday or this-week, or a time like \
                             2026-11-21T14:30, now or 2 days ago";

/// The name of the present.
const NOW: &str = "now";

/// Reads `after`, seen from `now`: the start of the day that `text` names, or its time.
#[must_use]
pub fn from(text: &str, now: &Zoned) -> Option<Zoned> {
    time(text, now).or_else(|| day_start(text, now))
}

/// Reads `before`, seen from `now`: the end of the day that `text` names, so that the day belongs
/// to it, or its time.
#[must_use]
pub fn up_to(text: &str, now: &Zoned) -> Option<Zoned> {
    time(text, now).or_else(|| day_end(text, now))
}

/// A time of day: in a zone that it names, or else in the reader's; or one that is seen from now.
fn time(text: &str, now: &Zoned) -> Option<Zoned> {
    if text == NOW {
        return Some(now.clone());
    }
    if let Ok(span) = text.parse::<Span>() {
        let is_ago = span.is_negative();
        return now.checked_add(span).ok().filter(|_| is_ago);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.to_zoned(now.time_zone().clone()));
    }
    let at = text.parse::<DateTime>().ok().filter(|_| has_time(text))?;
    at.to_zoned(now.time_zone().clone()).ok()
}

/// Returns whether more than a day is named: reading a day drops the rest.
fn has_time(text: &str) -> bool {
    text.contains([':', 'T', 't', ' '])
}

/// The start of the day that `text` names.
fn day_start(text: &str, now: &Zoned) -> Option<Zoned> {
    let today = now.date();
    let day = match text {
        "today" => today,
        "yesterday" => today.yesterday().ok()?,
        "this-week" => today
            .checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days())
            .ok()?,
        other => other.parse::<Date>().ok().filter(|_| !has_time(other))?,
    };
    day.to_zoned(now.time_zone().clone()).ok()
}

/// The end of the day that `text` names: the start of the next.
fn day_end(text: &str, now: &Zoned) -> Option<Zoned> {
    let start = if text == "this-week" {
        now.start_of_day().ok()?
    } else {
        day_start(text, now)?
    };
    start.tomorrow().ok()
}

/// The time `hours` ago.
#[must_use]
pub fn hours_ago(hours: u32, now: &Zoned) -> Option<Zoned> {
    now.checked_sub(SignedDuration::from_hours(i64::from(hours)))
        .ok()
}

/// The day of a wire time in `zone`.
#[must_use]
pub fn day_of(micros: i64, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown-date".to_owned(),
        |at| at.to_zoned(zone.clone()).date().to_string(),
    )
}

/// A wire time to the second, with the offset of `zone`.
#[must_use]
pub fn time_of(micros: i64, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown-time".to_owned(),
        |at| {
            at.to_zoned(zone.clone())
                .strftime("%Y-%m-%dT%H:%M:%S%:z")
                .to_string()
        },
    )
}

/// The day and minute of a wire time in `zone`.
#[must_use]
pub fn minute_of(micros: i64, zone: &TimeZone) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown-time".to_owned(),
        |at| {
            at.to_zoned(zone.clone())
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
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
        assert_eq!(
            start("yesterday"),
            "2026-11-20T00:00:00+01:00[Europe/Berlin]"
        );
        assert_eq!(
            start("this-week"),
            "2026-11-16T00:00:00+01:00[Europe/Berlin]"
        );
        assert_eq!(
            start("2026-02-28"),
            "2026-02-28T00:00:00+01:00[Europe/Berlin]"
        );
        assert!(day_start("last monday", &saturday()).is_none());
        assert!(day_start("2026-02-28T10:00", &saturday()).is_none());
    }

    #[test]
    fn a_time_is_taken_to_the_minute() {
        for read in [from, up_to] {
            let at = |text: &str| read(text, &saturday()).unwrap().to_string();
            assert_eq!(
                at("2026-11-20T10:30"),
                "2026-11-20T10:30:00+01:00[Europe/Berlin]"
            );
            assert_eq!(
                at("2026-11-20 10:30:05"),
                "2026-11-20T10:30:05+01:00[Europe/Berlin]"
            );
            assert_eq!(
                at("2026-11-20T10:30:00Z"),
                "2026-11-20T11:30:00+01:00[Europe/Berlin]"
            );
            assert_eq!(
                at("2026-11-20T10:30:00-05:00"),
                "2026-11-20T16:30:00+01:00[Europe/Berlin]"
            );
            for wrong in ["10:30", "2026-11-20T", "2 days", "2 walks ago", "ago"] {
                assert!(read(wrong, &saturday()).is_none(), "{wrong}");
            }
        }
        assert_eq!(
            from("2026-11-20", &saturday()),
            day_start("2026-11-20", &saturday())
        );
        assert_eq!(
            up_to("2026-11-20", &saturday()),
            day_end("2026-11-20", &saturday())
        );
    }

    #[test]
    fn a_time_may_be_seen_from_now() {
        for read in [from, up_to] {
            let at = |text: &str| read(text, &saturday()).unwrap().to_string();
            assert_eq!(at("now"), saturday().to_string());
            assert_eq!(at("2 days ago"), "2026-11-19T22:14:00+01:00[Europe/Berlin]");
            assert_eq!(at("90 min ago"), "2026-11-21T20:44:00+01:00[Europe/Berlin]");
            // The clocks went back in between.
            assert_eq!(
                at("1 month ago"),
                "2026-10-21T22:14:00+02:00[Europe/Berlin]"
            );
        }
    }

    #[test]
    fn a_day_ends_where_the_next_starts() {
        assert_eq!(
            day_end("2026-02-28", &saturday()),
            day_start("2026-03-01", &saturday())
        );
        assert_eq!(
            day_end("this-week", &saturday()),
            day_start("2026-11-22", &saturday())
        );
    }

    #[test]
    fn times_are_written_as_days() {
        assert_eq!(day_of(1_795_299_240_000_000, &TimeZone::UTC), "2026-11-21");
        assert_eq!(day_of(i64::MAX, &TimeZone::UTC), "unknown-date");
        assert_eq!(
            minute_of(1_795_299_240_000_000, &TimeZone::UTC),
            "2026-11-21 22:14"
        );
        assert_eq!(
            time_of(1_795_299_245_000_000, &TimeZone::UTC),
            "2026-11-21T22:14:05+00:00"
        );
    }
}
