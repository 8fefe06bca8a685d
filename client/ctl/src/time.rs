//! Times at the edge: microseconds on the wire, RFC 3339 in JSON, days for people.

use std::time::{SystemTime, UNIX_EPOCH};

use helix_client::text::dates;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Microseconds of one second.
const SECOND_US: i64 = 1_000_000;

/// Microseconds of one hour.
pub(crate) const HOUR_US: i64 = 3_600 * SECOND_US;

/// Microseconds of one day.
pub(crate) const DAY_US: i64 = 24 * HOUR_US;

/// Writes a time as RFC 3339 in UTC, always with microseconds, so that texts compare as times do.
pub(crate) fn rfc3339(at_us: i64) -> String {
    Timestamp::from_microsecond(at_us)
        .map_or_else(|_| format!("{at_us}us"), |at| format!("{at:.6}"))
}

/// Writes the day of a time, in the local time zone.
pub(crate) fn day(at_us: i64) -> String {
    written(at_us, TimeZone::system(), "%Y-%m-%d")
}

/// Writes a time to the second, in the local time zone, with its offset.
pub(crate) fn second(at_us: i64) -> String {
    dates::time_of(at_us, &TimeZone::system())
}

/// Writes a time to the minute, in the local time zone, as people read a list.
pub(crate) fn minute(at_us: i64) -> String {
    written(at_us, TimeZone::system(), "%Y-%m-%d %H:%M")
}

fn written(at_us: i64, zone: TimeZone, format: &str) -> String {
    let at =
        Timestamp::from_microsecond(at_us).map(|at| at.to_zoned(zone).strftime(format).to_string());
    at.unwrap_or_else(|_| format!("{at_us}us"))
}

/// Returns the present in microseconds since the epoch.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Writes a span in its two largest units.
pub(crate) fn span(us: i64) -> String {
    let seconds = (us / SECOND_US).max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// Reads a day's start in the local time zone, as in a query, or a time. A day may be named: today,
/// yesterday, this-week.
pub(crate) fn from(text: &str) -> Result<i64, String> {
    parse_in(text, &Zoned::now(), dates::from)
}

/// Reads a day's end, so that the day is included as it is in a query, or a time.
pub(crate) fn up_to(text: &str) -> Result<i64, String> {
    parse_in(text, &Zoned::now(), dates::up_to)
}

/// Reads a day's end or a time; of a day that is not over yet, now.
pub(crate) fn up_to_now(text: &str) -> Result<i64, String> {
    let (start, end, now) = (from(text)?, up_to(text)?, now_us());
    Ok(if start <= now { end.min(now) } else { end })
}

fn parse_in(
    text: &str,
    now: &Zoned,
    read: fn(&str, &Zoned) -> Option<Zoned>,
) -> Result<i64, String> {
    let at = read(text, now).map(|at| at.timestamp().as_microsecond());
    at.ok_or_else(|| format!("not a date; write {}", dates::DAY_SHAPE))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_are_written_with_microseconds() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(
            rfc3339(1_700_000_000_123_456),
            "2023-11-14T22:13:20.123456Z"
        );
        assert_eq!(day(1_700_000_000_123_456), "2023-11-14");
        assert_eq!(
            written(1_700_000_000_123_456, TimeZone::UTC, "%H:%M"),
            "22:13"
        );
        let west = TimeZone::fixed(jiff::tz::offset(-8));
        assert_eq!(
            written(1_700_000_000_123_456 + 4 * HOUR_US, west, "%Y-%m-%d %H:%M"),
            "2023-11-14 18:13"
        );
    }

    #[test]
    fn days_and_times_are_read() {
        // A Thursday, at ten.
        let now: Zoned = "1970-01-08T10:00[UTC]".parse().unwrap();
        let table = [
            ("1970-01-02", DAY_US),
            ("1970-01-01T01:00:00+01:00", 0),
            ("today", 7 * DAY_US),
            ("yesterday", 6 * DAY_US),
            ("this-week", 4 * DAY_US),
        ];
        for (text, expected) in table {
            assert_eq!(
                parse_in(text, &now, dates::from).unwrap(),
                expected,
                "{text}"
            );
        }
        assert!(
            parse_in("soon", &now, dates::from)
                .unwrap_err()
                .contains("2026-11-21")
        );
        let ends = [
            ("1970-01-02", 2 * DAY_US),
            ("today", 8 * DAY_US),
            ("1970-01-02T00:00:00Z", DAY_US),
        ];
        for (text, expected) in ends {
            assert_eq!(
                parse_in(text, &now, dates::up_to).unwrap(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn spans_name_two_units() {
        let table = [
            (59, "59 s"),
            (61, "1 min 1 s"),
            (7_260, "2 h 1 min"),
            (90_000, "1 d 1 h"),
            (-5, "0 s"),
        ];
        for (seconds, text) in table {
            assert_eq!(span(seconds * SECOND_US), text);
        }
    }
}
