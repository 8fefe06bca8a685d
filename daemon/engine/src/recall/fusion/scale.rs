//! How far each list is trusted, and its scores brought to one scale.
//!
//! The constants were fitted on the even half of each set; `tests/quality/RESULTS.md` has both
//! halves and each part switched off. Logistic models of fifteen features did better on the sets
//! that they were fitted to and far worse on one that was left out (decision 62).

use helix_memory::MemoryNumber;

use super::super::near::Near;
use crate::index::lexical::Telling;

/// Weight of a lexical list against a semantic one that stands out as far. BM25 has the longer
/// tail, so its best stands out by chance more often. Everything from 0.3 to 0.6 does about as well.
const LEXICAL_SHARE: f32 = 0.4;

/// Weight of the tokens against a semantic list that stands out as far. Everything from 0.5 to 1
/// does about as well.
const TOKEN_SHARE: f32 = 0.7;

/// Shares of the score that singles out one memory: below the first the best hit by words says
/// nothing, from the second on it counts in full.
///
/// Where a question shares one name with every tenth text, the shortest of these stands out far and
/// is no answer; nor is the one text with a common word, where the other words are in no text.
const UNTELLING_BELOW: f32 = 0.4;
const TELLING_FROM: f32 = 1.1;

/// Trust that is left in words that say nothing: enough to order what meaning does not know.
const TRUST_MIN: f32 = 0.02;

/// Cosine from which a list's best counts in full. A best below it is the least bad of what is
/// there.
pub(super) const MEANING_SURE: f32 = 0.4;

/// Deviation of the cosines of a list at which its best stands out as it seems to. In lists of
/// turns, which are all alike, it is .03, in those of functions .06: where cosines differ by a
/// hair, so does the best.
const COSINE_DEVIATION: f32 = 0.05;

/// Bounds of what cosines that are alike, or far apart, change.
const APARTNESS: (f32, f32) = (0.5, 2.0);

/// Deviation of a list's scores, in shares of its best, below which they are equal: some steps of a
/// 32-bit number.
const NO_SPREAD: f64 = 1e-6;

/// How a list's scores become comparable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    /// The score that counts 0, and the distance to the one that counts 1.
    zero: f32,
    span: f32,
    /// The list's total weight.
    pub(super) weight: f32,
}

impl Scale {
    /// BM25 has a zero of its own: what matches no word scores 0. Those count towards the list's
    /// mean, as many as the other list shows to be there, so that a lone match stands out the
    /// further the more it was chosen from.
    pub(super) fn of_words(
        list: &[(MemoryNumber, f32)],
        telling: Option<Telling>,
        seen: usize,
    ) -> Self {
        let Some(&(_, best)) = list.first() else {
            return Self::default();
        };
        let scores: Vec<f32> = list.iter().map(|(_, score)| *score).collect();
        let spread = Spread::of(&scores, list.len().max(seen));
        let trust = telling.map_or(1.0, |telling| trust(best, telling));
        Self {
            zero: 0.0,
            span: best,
            weight: LEXICAL_SHARE * trust * spread.stand_out(best),
        }
    }

    /// Cosines have none: even unrelated texts are alike to a degree, so the list's last counts 0.
    pub(super) fn of_meaning(list: &[Near]) -> Self {
        let (Some(best), Some(worst)) = (list.first(), list.last()) else {
            return Self::default();
        };
        let standings: Vec<f32> = list.iter().map(|near| near.standing).collect();
        let spread = Spread::of(&standings, list.len());
        let nearest = list.iter().map(|near| near.cosine).fold(-1.0, f32::max);
        let lacking = (MEANING_SURE - nearest).max(0.0);
        Self {
            zero: worst.standing,
            span: best.standing + lacking - worst.standing,
            weight: spread.stand_out(best.standing) * spread.apartness(best.standing),
        }
    }

    /// The tokens of the best candidates: the worst of them counts 0.
    pub(super) fn of_tokens(list: &[(MemoryNumber, f32)]) -> Self {
        let (Some(&(_, best)), Some(&(_, worst))) = (list.first(), list.last()) else {
            return Self::default();
        };
        let scores: Vec<f32> = list.iter().map(|(_, score)| *score).collect();
        Self {
            zero: worst,
            span: best - worst,
            weight: TOKEN_SHARE * Spread::of(&scores, scores.len()).stand_out(best),
        }
    }

    /// Brings a score to 0..1.
    pub(super) fn place(&self, score: f32) -> f32 {
        if self.span > 0.0 {
            ((score - self.zero) / self.span).clamp(0.0, 1.0)
        } else {
            1.0
        }
    }
}

/// How far to trust words whose best hit has a score, from a trace to 1.
fn trust(best: f32, telling: Telling) -> f32 {
    if telling.needed <= 0.0 || helix_ablation::is_off("search/trust") {
        return 1.0;
    }
    let said = best / telling.needed * telling.known.sqrt();
    let share = (said - UNTELLING_BELOW) / (TELLING_FROM - UNTELLING_BELOW);
    share.clamp(TRUST_MIN, 1.0)
}

/// Mean and deviation of a list's scores.
#[derive(Clone, Copy, Debug)]
struct Spread {
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// Of `count` scores, those beyond the list being 0.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a list has at most some hundred entries"
    )]
    fn of(scores: &[f32], count: usize) -> Self {
        let count = count.max(1) as f64;
        let mean = scores.iter().copied().map(f64::from).sum::<f64>() / count;
        let absent = (count - scores.len() as f64).max(0.0) * mean * mean;
        let mut present = 0.0;
        for &score in scores {
            present += (f64::from(score) - mean).powi(2);
        }
        Self {
            mean,
            deviation: ((present + absent) / count).sqrt(),
        }
    }

    /// Whether scores of which this is the best differ by more than how they were rounded.
    fn is_real(self, best: f32) -> bool {
        self.deviation > f64::from(best).abs() * NO_SPREAD
    }

    /// How many standard deviations the best lies above the mean. A list without spread says
    /// nothing about itself and counts 1.
    #[allow(clippy::cast_possible_truncation, reason = "a ratio is small")]
    fn stand_out(self, best: f32) -> f32 {
        if self.is_real(best) {
            ((f64::from(best) - self.mean) / self.deviation) as f32
        } else {
            1.0
        }
    }

    /// How much a best that stands out among cosines stands out in fact: less where all are alike.
    #[allow(clippy::cast_possible_truncation, reason = "a deviation is small")]
    fn apartness(self, best: f32) -> f32 {
        if !self.is_real(best) || helix_ablation::is_off("search/apartness") {
            return 1.0;
        }
        let (least, most) = APARTNESS;
        (self.deviation as f32 / COSINE_DEVIATION)
            .sqrt()
            .clamp(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_KNOWN: Telling = Telling {
        needed: 6.8,
        known: 1.0,
    };

    #[test]
    fn words_are_trusted_the_more_the_more_their_best_says() {
        let shares = [0.5, 2.0, 4.0, 6.0, 6.8, 9.0].map(|best| trust(best, ALL_KNOWN));
        assert!(shares.is_sorted(), "{shares:?}");
        assert!(shares.iter().all(|share| (TRUST_MIN..=1.0).contains(share)));
        assert!(trust(9.0, ALL_KNOWN) >= 1.0);
        let nothing_needed = Telling {
            needed: 0.0,
            known: 1.0,
        };
        assert!(trust(0.1, nothing_needed) >= 1.0);
    }

    #[test]
    fn words_are_trusted_less_where_others_are_in_no_memory() {
        let half_known = Telling {
            known: 0.5,
            ..ALL_KNOWN
        };
        assert!(trust(6.0, half_known) < trust(6.0, ALL_KNOWN));
    }

    #[test]
    fn cosines_that_are_alike_weigh_less() {
        let weight = |step: f32| {
            let list: Vec<Near> = (0..20_u8)
                .map(|at| (MemoryNumber(at.into()), 0.7 - step * f32::from(at)))
                .map(Near::uncrowded)
                .collect();
            Scale::of_meaning(&list).weight
        };
        let weights = [0.001, 0.004, 0.01, 0.03].map(weight);
        assert!(weights.is_sorted(), "{weights:?}");
        assert!(weights[0] < weights[3]);
    }
}
