//! Times that cannot be: in the future, or before any memory could have been recorded.

use crate::model::{Memory, Timestamp};
use crate::policy::edit::Edit;

/// The first moment of the year 2000, UTC: earlier times come from clocks that were not set, or
/// from formats without any.
pub const EARLIEST: Timestamp = Timestamp::from_micros(946_684_800_000_000);

/// The edit that puts a memory's times right; `None` when they can be.
///
/// What is known of the memory stands in for what is wrong: either time for the other, else when it
/// was last seen, else `now`.
#[must_use]
pub fn repair(memory: &Memory, now: Timestamp) -> Option<Edit> {
    let possible = |at: Timestamp| (EARLIEST..=now).contains(&at).then_some(at);
    if possible(memory.valid_from).is_some() && possible(memory.recorded_at).is_some() {
        return None;
    }
    let recorded_at = possible(memory.recorded_at)
        .or_else(|| possible(memory.valid_from))
        .or_else(|| possible(memory.last_seen_at))
        .unwrap_or(now);
    let valid_from = possible(memory.valid_from).unwrap_or(recorded_at);
    Some(Edit::Repair {
        valid_from,
        recorded_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample::memory;

    const NOW: Timestamp = Timestamp::from_micros(1_795_000_000_000_000);

    fn repaired(valid_from: i64, recorded_at: i64) -> Option<(i64, i64)> {
        let mut memory = memory(1, "x");
        memory.valid_from = Timestamp::from_micros(valid_from);
        memory.recorded_at = Timestamp::from_micros(recorded_at);
        memory.last_seen_at = NOW;
        match repair(&memory, NOW)? {
            Edit::Repair {
                valid_from,
                recorded_at,
            } => Some((valid_from.as_micros(), recorded_at.as_micros())),
            _ => None,
        }
    }

    #[test]
    fn impossible_times_are_replaced_by_possible_ones() {
        let (early, fine, now, late) = (5, 1_700_000_000_000_000, NOW.as_micros(), i64::MAX);
        assert_eq!(repaired(fine, now), None);
        assert_eq!(repaired(late, fine), Some((fine, fine)));
        assert_eq!(repaired(fine, early), Some((fine, fine)));
        assert_eq!(repaired(early, late), Some((now, now)));
    }
}
