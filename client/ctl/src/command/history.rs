//! The history: what was done, what it was like before, and how to go back.

mod diff;
mod log;
mod revert;
mod rollback;
mod undo;
mod why;

pub(crate) use diff::Diff;
pub(crate) use log::Log;
pub(crate) use rollback::Rollback;
pub(crate) use undo::Undo;
pub(crate) use why::Why;

use helix_client::v1::HistoryPoint;
use helix_client::v1::history_point::Point;

use crate::time;

/// A place in the history as it is typed: a sequence, `now`, a time, or a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Sequence(u64),
    Time(i64),
    Now,
}

impl Place {
    /// Reads where something begins: a day means its start.
    fn from(text: &str) -> Result<Self, String> {
        Self::read(text, time::from)
    }

    /// Reads where something ends: a day means its end.
    fn up_to(text: &str) -> Result<Self, String> {
        Self::read(text, time::up_to)
    }

    /// Reads up to where something is known: a day means its end, or now where it is not over.
    pub(super) fn as_of(text: &str) -> Result<Self, String> {
        Self::read(text, time::up_to_now)
    }

    fn read(text: &str, day: fn(&str) -> Result<i64, String>) -> Result<Self, String> {
        if text == "now" {
            return Ok(Self::Now);
        }
        if let Ok(sequence) = text.parse() {
            return Ok(Self::Sequence(sequence));
        }
        let at = day(text).map_err(|wrong| format!("neither a sequence nor now, and {wrong}"))?;
        Ok(Self::Time(at))
    }

    /// As the wire has it; absent for now.
    pub(super) fn point(self) -> Option<HistoryPoint> {
        let point = match self {
            Self::Sequence(sequence) => Point::Sequence(sequence),
            Self::Time(at_us) => Point::AtUs(at_us),
            Self::Now => return None,
        };
        Some(HistoryPoint { point: Some(point) })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn places_are_sequences_times_and_now() {
        assert_eq!(Place::from("17").unwrap(), Place::Sequence(17));
        assert_eq!(Place::from("now").unwrap(), Place::Now);
        let time = Place::from("1970-01-01T00:00:01Z").unwrap();
        assert_eq!(time, Place::Time(1_000_000));
        let said = Place::from("soon").unwrap_err();
        assert!(said.contains("not a date"), "{said}");
        let (start, end) = (Place::from("2026-01-31"), Place::up_to("2026-01-31"));
        assert_ne!(start.unwrap(), end.unwrap());
    }
}
