//! Fusing the lexical and the semantic list, and what the tokens of their best say.
//!
//! Each list's scores are brought to 0..1 and weighted by how far the list's best stands out, in
//! standard deviations above the list's mean, and by how far the list is to be trusted
//! (`fusion/scale.rs`): a list that knows the answer has an outlier on top, one that guesses is
//! flat. So words lead where a rare name decides and meaning leads where the words fail, query by
//! query, which ranks alone cannot tell: reciprocal rank fusion with equal weights loses to the
//! better list wherever the other one is poor.
//!
//! Measured with `MiniLM` (R@5 / nDCG@10): issue → fix .848 / .759 (words .768 / .691, meaning .835
//! / .743, RRF with k = 60 .829 / .747); question → function .876 / .740 (.612 / .517, .848 / .738,
//! RRF .784 / .657); questions that hold a rare identifier .904 / .850 (.989 / .962, .669 / .579,
//! RRF .858 / .787). With vectors made poor on purpose (texts cut to 24 tokens, .384 / .315) issue
//! → fix keeps .701 / .601, where RRF keeps .622 / .521. The same weights on reciprocal ranks
//! instead of scores lose up to .04.

mod scale;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use helix_memory::MemoryNumber;
use scale::Scale;

use super::near::Near;
use crate::index::lexical::Telling;
use crate::recall::Search;

impl Search {
    /// Candidates taken from each list.
    pub const FUSION_DEPTH: usize = 100;
}

/// Candidates whose tokens are compared with the question's.
const TOKEN_DEPTH: usize = 64;

/// Cosine from which two texts are near in meaning, and the least of a hit that has none of the
/// words.
///
/// Measured with `MiniLM` (int8) on the 188 memories of `tests/fixtures/corpus/helix.json`. Of 32
/// questions in other words than the memory's ("protect against prompt injection") the memory that
/// answers has .185 to .547, median .34; seven are below .26. Of 40 queries about other things the
/// nearest memory has at most .30, median .19: nonsense ("zzzz" .175, "asdf jkl" .254, "foo" .256),
/// everyday matters ("banana" below .15, "flight to Lisbon" .243) and other people's software
/// ("terraform state" .204) all stay below; only four that share a word with the memory they find
/// ("stock market crash" .300, "aws lambda cold start" .282) do not.
pub const MEANING_FLOOR: f32 = 0.26;

/// Least cosine where meaning alone is asked for: whoever does wants the nearest, but below it
/// texts have nothing to do with each other.
pub(super) const UNRELATED_BELOW: f32 = 0.15;

/// The evidence of the two lists for a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// 1-based rank in the lexical list; 0 when absent.
    pub lexical_rank: u32,
    /// BM25 score; 0 when absent.
    pub lexical_score: f32,
    /// 1-based rank in the semantic list; 0 when absent.
    pub semantic_rank: u32,
    /// Cosine similarity; 0 when absent. The rank is by what it counts beside those of the others.
    pub semantic_score: f32,
    /// How near its tokens are to those of the question, the weighed mean of the best cosines; 0
    /// where nobody compared them.
    pub token_score: f32,
    /// The fused score from 0 to 1, 1 for a memory that leads everywhere.
    pub fused: f32,
}

impl Evidence {
    /// Returns whether it is near in meaning to what was asked.
    #[must_use]
    pub fn is_near(&self) -> bool {
        self.semantic_rank > 0 && self.semantic_score >= MEANING_FLOOR
    }
}

/// The list by words, in whatever order, and how much the words can say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexical<'a> {
    /// Memories and their BM25 scores.
    pub(super) list: &'a [(MemoryNumber, f32)],
    /// `None` when the list counts in full.
    pub(super) telling: Option<Telling>,
}

/// Fuses two lists, in whatever order. What is in the semantic list alone needs
/// a cosine of `floor`. What `lacks_vector` could not be in it, so that its meaning is taken to be
/// as good as its words.
#[must_use]
pub(super) fn fuse(
    words: Lexical<'_>,
    semantic: &[Near],
    floor: f32,
    lacks_vector: impl Fn(MemoryNumber) -> bool,
) -> Fused {
    let (lexical, semantic) = (&best_first(words.list), &nearest_first(semantic));
    let mut evidence: BTreeMap<MemoryNumber, Evidence> = BTreeMap::new();
    for (rank, &(number, score)) in (1..).zip(lexical) {
        let entry = evidence.entry(number).or_default();
        (entry.lexical_rank, entry.lexical_score) = (rank, score);
    }
    let mut standings: HashMap<MemoryNumber, f32> = HashMap::with_capacity(semantic.len());
    for (rank, near) in (1..).zip(semantic) {
        let entry = evidence.entry(near.number).or_default();
        (entry.semantic_rank, entry.semantic_score) = (rank, near.cosine);
        standings.insert(near.number, near.standing);
    }
    let words = Scale::of_words(lexical, words.telling, semantic.len());
    let meaning = Scale::of_meaning(semantic);
    let (of_words, of_meaning) = weights(words.weight, meaning.weight);
    // The best of one list alone gets its share only; the best of both gets 1.
    let whole = (of_words + of_meaning).max(f32::MIN_POSITIVE);
    let is_related =
        |evidence: &Evidence| evidence.lexical_rank > 0 || evidence.semantic_score >= floor;
    let mut fused: Vec<(MemoryNumber, Evidence)> = evidence
        .into_iter()
        .filter(|(_, evidence)| is_related(evidence))
        .collect();
    for (number, evidence) in &mut fused {
        let by_words = if evidence.lexical_rank > 0 {
            words.place(evidence.lexical_score)
        } else {
            0.0
        };
        let by_meaning = match standings.get(number) {
            // Without a list by meaning, meaning weighs nothing.
            None if !semantic.is_empty() && lacks_vector(*number) => by_words,
            None => 0.0,
            Some(standing) => meaning.place(*standing),
        };
        evidence.fused = (of_words * by_words + of_meaning * by_meaning) / whole;
    }
    Fused {
        candidates: fused,
        weight: whole,
    }
}

/// Two lists made one.
#[derive(Clone, Debug, Default)]
pub(super) struct Fused {
    /// The candidates, by ascending number.
    pub(super) candidates: Vec<(MemoryNumber, Evidence)>,
    /// The weight of both lists together.
    weight: f32,
}

impl Fused {
    /// The candidates that are worth comparing token by token.
    pub(super) fn best(&self) -> Vec<MemoryNumber> {
        let mut best: Vec<(MemoryNumber, f32)> = self
            .candidates
            .iter()
            .map(|(number, evidence)| (*number, evidence.fused))
            .collect();
        best = best_first(&best);
        best.truncate(TOKEN_DEPTH);
        best.into_iter().map(|(number, _)| number).collect()
    }

    /// Weighs the candidates once more by how near their tokens are to those of the question, which
    /// counts like a third list: by how far its best stands out. What has no tokens yet is taken to
    /// be as good by them as it is otherwise; what nobody compared was too far behind.
    pub(super) fn weigh_tokens(&mut self, scores: &HashMap<MemoryNumber, Option<f32>>) {
        let list: Vec<(MemoryNumber, f32)> = scores
            .iter()
            .filter_map(|(number, score)| Some((*number, (*score)?)))
            .collect();
        if list.is_empty() {
            return;
        }
        let tokens = Scale::of_tokens(&best_first(&list));
        let whole = self.weight + tokens.weight;
        for (number, evidence) in &mut self.candidates {
            let by_tokens = match scores.get(number) {
                Some(Some(score)) => {
                    evidence.token_score = *score;
                    tokens.place(*score)
                }
                Some(None) => evidence.fused,
                None => 0.0,
            };
            evidence.fused = (self.weight * evidence.fused + tokens.weight * by_tokens) / whole;
        }
        self.weight = whole;
    }
}

/// A list by its scores, equal ones by number, so that no rank depends on how candidates came.
fn best_first(list: &[(MemoryNumber, f32)]) -> Vec<(MemoryNumber, f32)> {
    let mut list = list.to_vec();
    list.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    list
}

/// A list by what its cosines count, equal ones by number.
fn nearest_first(list: &[Near]) -> Vec<Near> {
    let mut list = list.to_vec();
    list.sort_by(|one, other| {
        let by_standing = other.standing.total_cmp(&one.standing);
        by_standing.then(one.number.cmp(&other.number))
    });
    list
}

/// The weights of both lists: their own, or the fixed ones that a benchmark compares them with.
fn weights(words: f32, meaning: f32) -> (f32, f32) {
    match helix_ablation::instead_of("search/weights") {
        Some(share) if words > 0.0 && meaning > 0.0 => (share, 1.0 - share),
        _ => (words, meaning),
    }
}

#[cfg(test)]
#[path = "fusion_properties.rs"]
mod properties;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::scale::MEANING_SURE;
    use super::*;

    /// A list of numbers, best first, by their scores.
    fn list(scores: &[(u32, f32)]) -> Vec<(MemoryNumber, f32)> {
        scores
            .iter()
            .map(|&(number, score)| (MemoryNumber(number), score))
            .collect()
    }

    /// A list in which nothing stands out: memories 100, 101 and so on, scores falling evenly.
    fn flat(best: f32, count: u8) -> Vec<(MemoryNumber, f32)> {
        (0..count)
            .map(|at| {
                (
                    MemoryNumber(100 + u32::from(at)),
                    best * (1.0 - 0.5 * f32::from(at) / f32::from(count)),
                )
            })
            .collect()
    }

    /// Hits by meaning whose cosines count as they are.
    fn near(list: &[(MemoryNumber, f32)]) -> Vec<Near> {
        list.iter().copied().map(Near::uncrowded).collect()
    }

    /// Words of which every hit counts in full.
    fn all_sure(list: &[(MemoryNumber, f32)]) -> Lexical<'_> {
        Lexical {
            list,
            telling: None,
        }
    }

    /// Fuses lists of memories that all have vectors.
    fn fused(
        lexical: &[(MemoryNumber, f32)],
        semantic: &[(MemoryNumber, f32)],
        floor: f32,
    ) -> Vec<(MemoryNumber, Evidence)> {
        fuse(all_sure(lexical), &near(semantic), floor, |_| false).candidates
    }

    fn order(lexical: &[(MemoryNumber, f32)], semantic: &[(MemoryNumber, f32)]) -> Vec<u32> {
        let mut fused = fused(lexical, semantic, MEANING_FLOOR);
        fused.sort_by(|a, b| b.1.fused.total_cmp(&a.1.fused).then(a.0.cmp(&b.0)));
        fused.iter().map(|(number, _)| number.0).collect()
    }

    fn score(fused: &[(MemoryNumber, Evidence)], number: u32) -> f32 {
        fused.iter().find(|(n, _)| n.0 == number).unwrap().1.fused
    }

    #[test]
    fn agreement_wins_and_the_best_is_one() {
        let meaning = list(&[(1, 0.7), (3, 0.5), (4, 0.4)]);
        let fused = fused(
            &list(&[(1, 9.0), (2, 5.0), (3, 4.0)]),
            &meaning,
            MEANING_FLOOR,
        );
        assert!((score(&fused, 1) - 1.0).abs() < 1e-6);
        assert!(score(&fused, 3) > score(&fused, 2));
        assert!(score(&fused, 3) > score(&fused, 4));
        assert!(
            fused
                .iter()
                .all(|(_, evidence)| (0.0..=1.0).contains(&evidence.fused))
        );
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        let scores = list(&[(5, 3.0), (6, 2.0), (7, 1.0)]);
        assert_eq!(order(&scores, &[]), [5, 6, 7]);
        assert_eq!(order(&[], &scores), [5, 6, 7]);
        assert!((score(&fused(&scores, &[], MEANING_FLOOR), 5) - 1.0).abs() < 1e-6);
        assert!(fused(&[], &[], MEANING_FLOOR).is_empty());
    }

    #[test]
    fn the_list_that_knows_leads() {
        // One memory has the rare name that was asked for; the cosines do not tell the memories
        // apart.
        assert_eq!(order(&list(&[(1, 8.0)]), &flat(0.4, 50)).first(), Some(&1));
        // The words are common ones that fifty memories have; one memory means what was asked.
        let mut meaning = vec![(MemoryNumber(2), 0.7)];
        meaning.extend(flat(0.3, 49));
        assert_eq!(order(&flat(4.0, 50), &meaning).first(), Some(&2));
    }

    #[test]
    fn a_chance_word_among_few_memories_does_not_outweigh_meaning() {
        let meaning = list(&[(1, 0.6), (2, 0.3), (3, 0.1)]);
        assert_eq!(order(&list(&[(3, 1.2)]), &meaning).first(), Some(&1));
    }

    #[test]
    fn a_name_that_many_have_does_not_outweigh_meaning() {
        // The shortest text that has the name stands out among those that have it.
        let mut words = vec![(MemoryNumber(1), 2.4)];
        words.extend(flat(1.0, 50));
        let mut meaning = vec![(MemoryNumber(2), 0.52)];
        let others = flat(0.5, 50).into_iter();
        meaning.extend(others.map(|(number, cosine)| (MemoryNumber(number.0 + 100), cosine)));
        let first = |needed, known| {
            let words = Lexical {
                list: &words,
                telling: Some(Telling { needed, known }),
            };
            let mut fused = fuse(words, &near(&meaning), MEANING_FLOOR, |_| false).candidates;
            fused.sort_by(|a, b| b.1.fused.total_cmp(&a.1.fused));
            fused.first().map(|(number, _)| number.0)
        };
        assert_eq!(first(2.0, 1.0), Some(1));
        assert_eq!(first(6.8, 1.0), Some(2));
        // Most of what was asked for is in words that no memory has.
        assert_eq!(first(2.0, 0.2), Some(2));
    }

    #[test]
    fn a_hit_that_is_near_to_everything_stands_behind() {
        let hit = |number, cosine, standing| Near {
            number: MemoryNumber(number),
            cosine,
            standing,
        };
        let meaning = [hit(1, 0.6, 0.4), hit(2, 0.55, 0.5), hit(3, 0.3, 0.2)];
        let fused = fuse(all_sure(&[]), &meaning, MEANING_FLOOR, |_| false);
        let evidence = |number| {
            fused
                .candidates
                .iter()
                .find(|(n, _)| n.0 == number)
                .unwrap()
                .1
        };
        assert!(evidence(2).fused > evidence(1).fused);
        assert_eq!(evidence(2).semantic_rank, 1);
        assert!(evidence(1).semantic_score > evidence(2).semantic_score);
    }

    #[test]
    fn a_missing_vector_is_no_bad_one() {
        // Memory 9 was just stored and has the words; the others are the least bad of what has
        // vectors.
        let (words, meaning) = (
            list(&[(9, 6.0), (3, 1.0)]),
            list(&[(1, 0.36), (2, 0.3), (3, 0.28), (4, 0.1)]),
        );
        assert_eq!(order(&words, &meaning).first(), Some(&1));
        let pending = fuse(all_sure(&words), &near(&meaning), MEANING_FLOOR, |number| {
            number.0 == 9
        })
        .candidates;
        assert!(
            pending
                .iter()
                .all(|(number, evidence)| number.0 == 9 || evidence.fused < score(&pending, 9))
        );
    }

    #[test]
    fn equal_scores_that_were_rounded_differently_are_equal() {
        for best in [1.7_f32, 3.100_000_4, 9.3, 0.009] {
            for count in 1..60_u32 {
                let words: Vec<_> = (0..count)
                    .map(|at| {
                        (
                            MemoryNumber(at),
                            if at == 0 { best } else { best.next_down() },
                        )
                    })
                    .collect();
                let fused = fused(&words, &[], MEANING_FLOOR);
                assert!(
                    fused
                        .iter()
                        .all(|(_, evidence)| (0.999..=1.0).contains(&evidence.fused)),
                    "{best} {fused:?}"
                );
            }
        }
    }

    #[test]
    fn tokens_are_a_third_list() {
        let (words, meaning) = (flat(4.0, 50), flat(0.5, 50));
        let mut fused = fuse(all_sure(&words), &near(&meaning), MEANING_FLOOR, |_| false);
        let best = fused.best();
        let (wanted, unread) = (MemoryNumber(120), MemoryNumber(101));
        let scores: HashMap<MemoryNumber, Option<f32>> = best
            .iter()
            .map(|number| {
                let score = if *number == wanted { 0.8 } else { 0.3 };
                (*number, (*number != unread).then_some(score))
            })
            .collect();
        fused.weigh_tokens(&scores);
        let of = |number| score(&fused.candidates, number);
        assert!(
            fused
                .candidates
                .iter()
                .all(|(_, evidence)| (0.0..=1.0).contains(&evidence.fused))
        );
        assert!(of(120) > of(100), "its tokens are the nearest by far");
        assert!(
            of(101) > of(102),
            "what has no tokens yet stands where it stood"
        );
    }

    #[test]
    fn odd_lists_give_finite_scores() {
        let alone = list(&[(1, 0.5)]);
        let equal = list(&[(1, 0.5), (2, 0.5)]);
        let below_zero = list(&[(1, -0.1), (2, -0.3)]);
        for semantic in [&alone, &equal, &below_zero] {
            for lexical in [&alone, &equal] {
                let fused = fused(lexical, semantic, MEANING_FLOOR);
                assert!(
                    fused
                        .iter()
                        .all(|(_, evidence)| (0.0..=1.0).contains(&evidence.fused)),
                    "{fused:?}"
                );
                let is_sure = semantic.iter().any(|&(_, cosine)| cosine >= MEANING_SURE);
                assert!(!is_sure || (score(&fused, 1) - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn what_has_neither_words_nor_meaning_in_common_is_left_out() {
        let nearest = list(&[(1, 0.25), (2, 0.01)]);
        assert!(fused(&[], &nearest, MEANING_FLOOR).is_empty());
        // Whoever asks for meaning alone gets the nearest there is.
        assert_eq!(fused(&[], &nearest, UNRELATED_BELOW).len(), 1);
        // A memory that has the words but no vector yet leads the least bad of the others.
        assert_eq!(
            order(&list(&[(3, 2.0)]), &list(&[(1, 0.27), (2, 0.25)])),
            [3, 1]
        );
    }
}
