//! The times of transcripts, as microseconds since 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use serde_json::Value;

/// A time as a client's JSON has it: text in ISO 8601, or milliseconds since 1970.
pub(super) fn of(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => of_text(text),
        Value::Number(number) => number.as_i64()?.checked_mul(1000),
        _ => None,
    }
}

/// A time in ISO 8601, or as Cursor writes it: `Thursday, Jun 18, 2026, 9:14 PM (UTC+1)`.
pub(super) fn of_text(text: &str) -> Option<i64> {
    let iso = text.parse::<Timestamp>().ok();
    iso.map(Timestamp::as_microsecond)
        .or_else(|| of_words(text))
}

/// Microseconds of the seconds that git prints.
pub(super) fn of_seconds(text: &str) -> Option<i64> {
    text.parse::<i64>().ok()?.checked_mul(1_000_000)
}

fn of_words(text: &str) -> Option<i64> {
    let (moment, zone) = text.trim().strip_suffix(')')?.split_once(" (UTC")?;
    let (_weekday, moment) = moment.split_once(", ")?;
    let moment = DateTime::strptime("%b %d, %Y, %I:%M %p", moment).ok()?;
    let zone = TimeZone::fixed(offset(zone)?);
    Some(moment.to_zoned(zone).ok()?.timestamp().as_microsecond())
}

/// An offset such as `-5`, `+5:30`, or nothing for UTC itself.
fn offset(text: &str) -> Option<Offset> {
    if text.is_empty() {
        return Some(Offset::UTC);
    }
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(sign * minutes.checked_mul(60)?)?;
    Offset::from_seconds(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let expected = expected
            .parse::<Timestamp>()
            .ok()
            .map(Timestamp::as_microsecond);
        assert!(expected.is_some(), "{text}");
        assert_eq!(of_text(text), expected, "{text}");
    }

    #[test]
    fn times_of_clients() {
        check("2026-11-24T06:34:22.236Z", "2026-11-24T06:34:22.236Z");
        check(
            "Thursday, Jun 18, 2026, 9:14 PM (UTC+1)",
            "2026-06-18T20:14:00Z",
        );
        check(
            "Friday, Jul 31, 2026, 5:10 PM (UTC-5)",
            "2026-07-31T22:10:00Z",
        );
        check(
            "Friday, Jul 31, 2026, 5:10 PM (UTC-3:30)",
            "2026-07-31T20:40:00Z",
        );
        check(
            "Friday, Jul 31, 2026, 5:10 PM (UTC)",
            "2026-07-31T17:10:00Z",
        );
        assert_eq!(of_text("Thu, Jun 18, 2026"), None);
        assert_eq!(
            of(&Value::from(1_795_502_132_089_i64)),
            Some(1_795_502_132_089_000)
        );
        assert_eq!(of(&Value::from(i64::MAX)), None);
        assert_eq!(of_seconds("99999999999999999"), None);
    }
}
