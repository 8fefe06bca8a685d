//! The gate: decides without a model whether a slice may hold a fact worth keeping.
//!
//! A slice is worth as much as its best sentence. The score is a sum of shares, each of which says
//! why; the weights are data (`gate.toml`).

mod weigh;

use std::sync::LazyLock;

use serde::Deserialize;

pub(crate) use self::weigh::{Weighed, weigh};
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

impl Part {
    pub(crate) fn new(name: &'static str, share: f64, because: &str) -> Self {
        let because = because.to_owned();
        Self {
            name,
            share,
            because,
        }
    }
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
        WEIGHTS.cutoff
    }

    /// Keeps slices that score at least `cutoff`, 0 to 1.
    #[must_use]
    pub fn new(cutoff: f64) -> Self {
        Self { cutoff }
    }

    /// Judges a slice by itself. Asks what is known only where the rest would keep the slice.
    #[must_use]
    pub fn judge(self, slice: &Slice, known: &dyn Novelty) -> Verdict {
        self.judge_weighed(&weigh(slice), &slice.text, known)
    }

    /// Judges a slice whose sentences are weighed.
    pub(crate) fn judge_weighed(
        self,
        weighed: &[Weighed],
        text: &str,
        known: &dyn Novelty,
    ) -> Verdict {
        let best = weighed
            .iter()
            .max_by(|one, other| one.score.total_cmp(&other.score));
        let mut parts = best.map(|best| best.parts.clone()).unwrap_or_default();
        let mut score = best.map_or(0.0, |best| best.score);
        if score >= self.cutoff
            && let Some(part) = known_part(known.novelty(text))
        {
            score = (score + part.share).clamp(0.0, 1.0);
            parts.push(part);
        }
        parts.sort_by(|one, other| other.share.abs().total_cmp(&one.share.abs()));
        Verdict {
            score,
            parts,
            is_kept: score >= self.cutoff,
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new(Self::default_cutoff())
    }
}

/// The share of what is known already; `None` for what is new.
pub(crate) fn known_part(novelty: f64) -> Option<Part> {
    let missing = (WEIGHTS.novel_from - novelty) / WEIGHTS.novel_from;
    let because = format!("novelty {novelty:.2}");
    (missing > 0.0).then(|| Part::new("known", WEIGHTS.known * missing, &because))
}

/// The numbers of `gate.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Weights {
    cutoff: f64,
    cue: f64,
    entity: f64,
    figure: f64,
    reason: f64,
    correction: f64,
    user: f64,
    deed: f64,
    note: f64,
    commit: f64,
    commit_repair: f64,
    commit_unexplained: f64,
    short: f64,
    long: f64,
    veto: f64,
    known: f64,
    novel_from: f64,
    words_min: usize,
    words_max: usize,
}

pub(crate) static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| toml::from_str(include_str!("gate.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::turn;
    use crate::{KnownTexts, Speaker};

    #[test]
    fn a_convention_is_kept_and_says_why() {
        let slice = turn(
            Speaker::User,
            "never log the IBAN, legal was clear about that",
        );
        let verdict = Gate::default().judge(&slice, &KnownTexts::default());
        assert!(verdict.is_kept, "{verdict:?}");
        assert_eq!(verdict.parts[0].name, "cue");
        assert_eq!(verdict.parts[0].because, "never");
    }

    #[test]
    fn chatter_is_dropped() {
        for text in ["ok go ahead", "thanks!", "can you always add a test?", ""] {
            let verdict = Gate::default().judge(&turn(Speaker::User, text), &KnownTexts::default());
            assert!(!verdict.is_kept, "{text}: {verdict:?}");
        }
    }

    #[test]
    fn what_is_known_is_dropped() {
        let text = "never log the IBAN of a customer";
        let slice = turn(Speaker::User, text);
        let verdict = Gate::default().judge(&slice, &KnownTexts::new([text]));
        assert!(!verdict.is_kept, "{verdict:?}");
    }
}
