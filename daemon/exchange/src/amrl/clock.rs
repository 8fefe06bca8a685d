//! The log's clock: whole minutes since 2024-01-01 00:00 UTC.

use helix_memory::Timestamp;

/// 2024-01-01 00:00 UTC in minutes since 1970.
const EPOCH_MINUTES: i64 = 28_401_120;

const MINUTE_MICROS: i64 = 60 * 1_000_000;

/// The earliest time that the log knows of.
pub(super) const EPOCH: i32 = 0;

/// Reads the log's minutes. Negative ones are before 2024.
pub(super) fn read(minutes: i32) -> Timestamp {
    Timestamp::from_micros((EPOCH_MINUTES + i64::from(minutes)) * MINUTE_MICROS)
}

/// Returns the minute that a time lies in; `Err` with the nearest one when it does not fit.
pub(super) fn write(at: Timestamp) -> Result<i32, i32> {
    let minutes = at.as_micros().div_euclid(MINUTE_MICROS) - EPOCH_MINUTES;
    i32::try_from(minutes).map_err(|_| if minutes < 0 { i32::MIN } else { i32::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_epoch_is_the_start_of_2024_in_utc() {
        assert_eq!(read(EPOCH).to_string(), "2024-01-01T00:00:00Z");
        assert_eq!(read(-1).to_string(), "2023-12-31T23:59:00Z");
        // 2026-11-21 14:30: 1,055 days, 14 hours and a half.
        assert_eq!(read(1_520_070).to_string(), "2026-11-21T14:30:00Z");
    }

    #[test]
    fn minutes_round_trip_and_clamp() {
        for minutes in [i32::MIN, -1, 0, 1, i32::MAX] {
            assert_eq!(write(read(minutes)), Ok(minutes));
        }
        assert_eq!(
            write(Timestamp::from_micros(
                read(5).as_micros() + MINUTE_MICROS - 1
            )),
            Ok(5)
        );
        assert_eq!(write(Timestamp::from_micros(i64::MAX)), Err(i32::MAX));
        assert_eq!(write(Timestamp::from_micros(i64::MIN)), Err(i32::MIN));
    }
}
