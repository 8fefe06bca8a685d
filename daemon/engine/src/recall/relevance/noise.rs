//! Judges whether the best hit found by meaning alone is no nearer than chance.
//!
//! A vector is near something whatever it is made of. What that is worth depends on the strand:
//! notes about one matter are near each other, those about many are not. So a search of which no
//! memory has any word is held against pairs of memories chosen at random.
//!
//! Measured with `MiniLM` (int8) on the 188 memories of `tests/fixtures/corpus/helix.json`: of 60
//! queries of random letters the best cosine is .17 to .34, 22 of them above [`MEANING_FLOOR`]; one
//! of twenty pairs of memories has more than .36. Of questions in other words than the memory's the
//! best has .27 to .58, median .38; what of them counts as chance still shows its nearest.

use super::super::fusion::MEANING_FLOOR;
use super::super::search::Hit;
use crate::recall::relevance::Weigher;
use crate::strand::Strand;

/// Pairs that are compared: some tenth of a millisecond, and only where no word was found.
const PAIRS: usize = 400;

/// Memories with vectors from which pairs of them say anything.
const VECTORS_MIN: usize = 30;

/// The share of the pairs that are nearer than what counts as chance.
const NEARER_SHARE: usize = 20;

/// Nearest that counts as chance in any strand: gibberish is never nearer, however alike the
/// memories are.
const CHANCE_MAX: f32 = 0.35;

impl Weigher<'_> {
    /// Returns whether none of the hits, which have none of the words, is near in meaning, or
    /// nearer than memories are by chance.
    #[must_use]
    pub fn is_noise(strand: &Strand, hits: &[Hit]) -> bool {
        let best = hits
            .iter()
            .map(|hit| hit.evidence.semantic_score)
            .fold(0.0, f32::max);
        let is_chance = || {
            chance(strand.random_nearness(PAIRS, VECTORS_MIN)).is_some_and(|chance| best < chance)
        };
        !hits.is_empty() && (best < MEANING_FLOOR || is_chance())
    }
}

/// The cosine up to which a strand's memories are near by chance; `None` where too few are known.
fn chance(mut cosines: Vec<f32>) -> Option<f32> {
    cosines.sort_by(|a, b| b.total_cmp(a));
    let nearer = cosines.get(cosines.len() / NEARER_SHARE)?;
    Some(nearer.clamp(MEANING_FLOOR, CHANCE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_what_one_pair_in_twenty_exceeds() {
        let near = |one: Option<f32>, other: f32| one.is_some_and(|one| (one - other).abs() < 1e-6);
        let mut cosines = vec![0.1; 96];
        cosines.extend([0.3, 0.31, 0.9, 0.95]);
        assert!(near(chance(cosines.clone()), MEANING_FLOOR));
        cosines.extend([0.3; 10]);
        assert!(near(chance(cosines), 0.3));
        assert!(near(chance(vec![0.8; 50]), CHANCE_MAX));
        assert_eq!(chance(Vec::new()), None);
    }
}
