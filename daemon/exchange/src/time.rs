//! Times in the text formats: RFC 3339 in UTC with microseconds when written, what people and tools
//! write when read.

use helix_memory::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Numbers below this are seconds since 1970; up to [`MILLIS_BELOW`] they are milliseconds. It is
/// the year 5138 in seconds.
const SECONDS_BELOW: i64 = 100_000_000_000;

/// Numbers from here on are microseconds.
const MILLIS_BELOW: i64 = SECONDS_BELOW * 1_000;

/// Written for times outside of the years that RFC 3339 knows, so that even those round trip.
const MICROS_SUFFIX: &str = "us";

/// Writes a time with six digits of fraction.
pub(super) fn write(at: Timestamp) -> String {
    match jiff::Timestamp::from_microsecond(at.as_micros()) {
        Ok(stamp) if is_rfc3339(stamp) => format!("{stamp:.6}"),
        _ => format!("{}{MICROS_SUFFIX}", at.as_micros()),
    }
}

/// RFC 3339 has years of four digits and no sign.
fn is_rfc3339(stamp: jiff::Timestamp) -> bool {
    (0..=9999).contains(&TimeZone::UTC.to_datetime(stamp).year())
}

/// Reads a time: RFC 3339, `2026-11-21`, `2026-11-21 14:30` and `2026-11-21 14:30:05` in UTC, or a
/// number since 1970 in seconds, milliseconds or microseconds, told apart by size.
pub(super) fn read(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => read_text(text.trim()),
        Value::Number(number) => number.as_i64().and_then(read_number),
        _ => None,
    }
}

fn read_text(text: &str) -> Option<Timestamp> {
    if let Some(micros) = text.strip_suffix(MICROS_SUFFIX) {
        return micros.parse().ok().map(Timestamp::from_micros);
    }
    let stamp = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let civil = text
            .parse::<DateTime>()
            .ok()
            .or_else(|| Some(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
        civil
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|zoned| zoned.timestamp())
    })?;
    Some(Timestamp::from_micros(stamp.as_microsecond()))
}

fn read_number(number: i64) -> Option<Timestamp> {
    let micros_each = match number.checked_abs()? {
        ..SECONDS_BELOW => 1_000_000,
        SECONDS_BELOW..MILLIS_BELOW => 1_000,
        MILLIS_BELOW.. => 1,
    };
    number.checked_mul(micros_each).map(Timestamp::from_micros)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn six_digits_are_written_and_many_forms_read() {
        let at = Timestamp::from_micros(1_795_271_405_000_700);
        assert_eq!(write(at), "2026-11-21T14:30:05.000700Z");
        let second = Timestamp::from_micros(1_795_271_405_000_000);
        for form in [
            json!("2026-11-21T14:30:05Z"),
            json!("2026-11-21T16:30:05+02:00"),
            json!("2026-11-21 14:30:05"),
            json!(1_795_271_405),
            json!(1_795_271_405_000_i64),
            json!(1_795_271_405_000_000_i64),
        ] {
            assert_eq!(read(&form), Some(second), "{form}");
        }
        assert_eq!(
            read(&json!("2026-11-21 14:30")).map(write).unwrap(),
            "2026-11-21T14:30:00.000000Z"
        );
        assert_eq!(
            read(&json!("2026-11-21")).map(write).unwrap(),
            "2026-11-21T00:00:00.000000Z"
        );
        for wrong in [json!("soon"), json!(true), json!(""), json!(1.5)] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_time_round_trips(micros in any::<i64>()) {
            let at = Timestamp::from_micros(micros);
            prop_assert_eq!(read(&json!(write(at))), Some(at));
        }

        #[test]
        fn times_of_these_centuries_round_trip(micros in -9_000_000_000_000_000_i64..9_000_000_000_000_000) {
            let at = Timestamp::from_micros(micros);
            prop_assert!(write(at).ends_with('Z'));
            prop_assert_eq!(read(&json!(write(at))), Some(at));
        }
    }
}
