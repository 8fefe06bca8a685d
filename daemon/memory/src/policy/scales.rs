//! The other scales of importance: priority 1 to 10 and weight 1 to 5, converted where they come
//! in.

use crate::error::{ErrorKind, Fault};

/// Lowest and highest priority; 5 is the usual one.
const PRIORITY: (i64, i64) = (1, 10);

/// Lowest and highest weight; 3 is the usual one.
const WEIGHT: (i64, i64) = (1, 5);

/// Why a number on another scale is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScaleError {
    /// A number outside of its scale.
    #[error("{scale} is {value}; give a whole number from {lowest} to {highest}")]
    Range {
        /// Which scale.
        scale: &'static str,
        /// The number.
        value: i64,
        /// The lowest.
        lowest: i64,
        /// The highest.
        highest: i64,
    },
    /// Two scales at once.
    #[error("importance, priority and weight are one thing on three scales; give one of them")]
    Several,
}

impl Fault for ScaleError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

/// Importance as somebody may state it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stated {
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 1 to 10.
    pub priority: Option<i64>,
    /// 1 to 5.
    pub weight: Option<i64>,
}

impl Stated {
    /// Converts what is stated to importance; `None` where nothing is.
    ///
    /// # Errors
    /// `ScaleError` for a number outside of its scale, or several scales.
    pub fn importance(self) -> Result<Option<f32>, ScaleError> {
        match (self.importance, self.priority, self.weight) {
            (importance, None, None) => Ok(importance),
            (None, Some(priority), None) => Stated::of_priority(priority).map(Some),
            (None, None, Some(weight)) => Stated::of_weight(weight).map(Some),
            _ => Err(ScaleError::Several),
        }
    }

    /// Converts a priority: `p / 10`.
    ///
    /// # Errors
    /// `ScaleError::Range`.
    #[allow(clippy::cast_precision_loss)]
    pub fn of_priority(priority: i64) -> Result<f32, ScaleError> {
        let priority = inside("priority", priority, PRIORITY)?;
        Ok(priority as f32 / 10.0)
    }

    /// Converts a weight: `(w - 1) / 4`.
    ///
    /// # Errors
    /// `ScaleError::Range`.
    #[allow(clippy::cast_precision_loss)]
    pub fn of_weight(weight: i64) -> Result<f32, ScaleError> {
        let weight = inside("weight", weight, WEIGHT)?;
        Ok((weight - 1) as f32 / 4.0)
    }
}

fn inside(
    scale: &'static str,
    value: i64,
    (lowest, highest): (i64, i64),
) -> Result<i64, ScaleError> {
    if (lowest..=highest).contains(&value) {
        return Ok(value);
    }
    Err(ScaleError::Range {
        scale,
        value,
        lowest,
        highest,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]
    use super::*;

    #[test]
    fn scales_are_converted_and_bounded() {
        assert_eq!(
            [1, 5, 10].map(|p| Stated::of_priority(p).unwrap()),
            [0.1, 0.5, 1.0]
        );
        assert_eq!(
            [1, 3, 5].map(|w| Stated::of_weight(w).unwrap()),
            [0.0, 0.5, 1.0]
        );
        for priority in [0, 11, -1] {
            let error = Stated::of_priority(priority).unwrap_err().to_string();
            assert!(error.contains("from 1 to 10"), "{error}");
        }
        let error = Stated::of_weight(6).unwrap_err().to_string();
        assert_eq!(error, "weight is 6; give a whole number from 1 to 5");
    }

    #[test]
    fn only_one_scale_may_be_stated() {
        let stated = Stated {
            priority: Some(3),
            weight: Some(3),
            ..Stated::default()
        };
        assert_eq!(stated.importance(), Err(ScaleError::Several));
        assert_eq!(Stated::default().importance(), Ok(None));
        let stated = Stated {
            importance: Some(0.3),
            ..Stated::default()
        };
        assert_eq!(stated.importance(), Ok(Some(0.3)));
    }
}
