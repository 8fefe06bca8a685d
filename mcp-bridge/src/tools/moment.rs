//! The moment that a tool looks at, and places in the history.

use helix_client::v1::history_point::Point;
use helix_client::v1::{HistoryPoint, Moment};
use jiff::Zoned;
use serde_json::Value;

use crate::arguments::{ArgumentError, Text};
use crate::dates::{self, DAY_SHAPE};

/// The newest place in the history, by its name.
const NOW: &str = "now";

/// Reads `as_of` and `valid_at`; `None` for now.
pub(super) fn moment(
    as_of: &Text,
    valid_at: &Text,
    now: &Zoned,
) -> Result<Option<Moment>, ArgumentError> {
    let moment = Moment {
        as_of: point(as_of, now)?,
        valid_at_us: match valid_at.trimmed() {
            text if text.is_empty() => None,
            text => Some(time("valid_at", &text, DAY_SHAPE, now)?),
        },
    };
    Ok(Some(moment).filter(|moment| *moment != Moment::default()))
}

fn point(as_of: &Text, now: &Zoned) -> Result<Option<HistoryPoint>, ArgumentError> {
    let text = as_of.trimmed();
    if text.is_empty() || text == NOW {
        return Ok(None);
    }
    let point = if let Ok(sequence) = text.parse() {
        Point::Sequence(sequence)
    } else {
        let expected = format!("a sequence, now, {DAY_SHAPE}");
        Point::AtUs(time("as_of", &text, &expected, now)?)
    };
    Ok(Some(HistoryPoint { point: Some(point) }))
}

/// Reads a time, or the end of a day; of a day that is not over yet, now.
fn time(name: &str, text: &str, expected: &str, now: &Zoned) -> Result<i64, ArgumentError> {
    let read = dates::from(text, now).zip(dates::up_to(text, now));
    let Some((start, end)) = read else {
        let given = Value::from(text).to_string();
        return Err(ArgumentError::wrong(name, expected, &given));
    };
    let at = if start <= *now {
        end.min(now.clone())
    } else {
        end
    };
    Ok(at.timestamp().as_microsecond())
}

/// Reads a place in the history; `None` when it is not given.
pub(super) fn place(
    name: &str,
    text: &Text,
    day: impl Fn(&str) -> Option<Zoned>,
) -> Result<Option<HistoryPoint>, ArgumentError> {
    let text = text.trimmed();
    let point = if text.is_empty() {
        return Ok(None);
    } else if text == NOW {
        Point::AtUs(i64::MAX)
    } else if let Some(sequence) = sequence(&text) {
        Point::Sequence(sequence)
    } else {
        let at = day(&text).ok_or_else(|| {
            let expected = format!("a sequence of action=log, now, {DAY_SHAPE}");
            ArgumentError::wrong(name, &expected, &text)
        })?;
        Point::AtUs(at.timestamp().as_microsecond())
    };
    Ok(Some(HistoryPoint { point: Some(point) }))
}

pub(super) fn sequence(text: &str) -> Option<u64> {
    text.parse().ok()
}
