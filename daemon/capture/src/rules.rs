//! The deterministic extractor.

use crate::{Candidate, Extractor, Gate, Novelty, Slice};

/// What may be set of [`Rules`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Score from which the gate keeps a slice, 0 to 1.
    pub cutoff: f64,
    /// Facts of one session at most, before `turns_per_extra` is counted. A caller that reads a
    /// session in steps passes those that are left.
    pub at_most: usize,
    /// Turns after which a long session may have one fact more; 0 allows none.
    pub turns_per_extra: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cutoff: Gate::default_cutoff(),
            at_most: 5,
            turns_per_extra: 40,
        }
    }
}

/// Facts of some slices, and how many slices were dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Best first, each once.
    pub candidates: Vec<Candidate>,
    /// Slices that were judged.
    pub slices: usize,
    /// Those of them that the gate dropped.
    pub dropped: usize,
}

/// Finds facts by rules, without a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rules {
    options: Options,
}

impl Rules {
    /// Takes its options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Extracts facts that end in `slices[from..]` and counts the dropped slices among these.
    /// Those before `from` were read in an earlier step and only explain later ones.
    #[must_use]
    pub fn extract_from(&self, slices: &[Slice], from: usize, known: &dyn Novelty) -> Extraction {
        let gate = Gate::new(self.options.cutoff);
        let fresh = slices.get(from..).unwrap_or_default();
        let dropped = fresh
            .iter()
            .filter(|slice| !gate.judge(slice, known).is_kept)
            .count();
        Extraction {
            candidates: Vec::new(),
            slices: fresh.len(),
            dropped,
        }
    }
}

impl Extractor for Rules {
    fn extract(&self, slices: &[Slice], known: &dyn Novelty) -> Vec<Candidate> {
        self.extract_from(slices, 0, known).candidates
    }
}
