//! The gate: decides without a model whether a slice may hold a fact worth keeping.

use crate::{Novelty, Slice};

/// One sign that the gate weighed.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the sign, such as `cue`, for a person.
    pub name: &'static str,
    /// Share of the score that the sign adds; negative where it speaks against keeping.
    pub share: f64,
    /// The words or the figure that the sign stands on; may be empty.
    pub because: String,
}

/// The gate's answer for one slice.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// 0 to 1: how likely the slice holds a fact worth keeping.
    pub score: f64,
    /// The signs that make the score up, the strongest first.
    pub parts: Vec<Part>,
    /// Whether the score reaches the cutoff.
    pub is_kept: bool,
}

/// Drops slices that hold no fact worth keeping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    cutoff: f64,
}

impl Gate {
    /// The measured cutoff, committed in `gate.toml`.
    #[must_use]
    pub fn default_cutoff() -> f64 {
        0.5
    }

    /// Keeps slices that score at least `cutoff`, 0 to 1.
    #[must_use]
    pub fn new(cutoff: f64) -> Self {
        Self { cutoff }
    }

    /// Judges a slice by itself.
    #[must_use]
    pub fn judge(&self, slice: &Slice, known: &dyn Novelty) -> Verdict {
        let score = known.novelty(&slice.text);
        Verdict {
            score,
            parts: Vec::new(),
            is_kept: score >= self.cutoff,
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new(Self::default_cutoff())
    }
}
