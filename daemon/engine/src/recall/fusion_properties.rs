//! Properties that hold for whatever two lists are fused.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// Memories that the lists are made of.
const MEMORIES: u32 = 30;

/// Half of the lists have a best hit that counts in full.
const TELLING: Telling = Telling {
    needed: 5.0,
    known: 0.8,
};

type List = Vec<(MemoryNumber, f32)>;

/// A list of some of the memories with scores of which many are equal.
fn list(scores: std::ops::Range<i16>, unit: f32) -> impl Strategy<Value = List> {
    let entries = prop::collection::btree_map(0..MEMORIES, scores, 0..MEMORIES as usize);
    entries.prop_map(move |entries| {
        let mut list: List = entries
            .into_iter()
            .map(|(number, score)| (MemoryNumber(number), f32::from(score) * unit))
            .collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        list
    })
}

fn words() -> impl Strategy<Value = List> {
    list(1..40, 0.25)
}

fn meaning() -> impl Strategy<Value = List> {
    list(-4..19, 0.05)
}

fn fused(
    words: &[(MemoryNumber, f32)],
    meaning: &[(MemoryNumber, f32)],
) -> HashMap<MemoryNumber, Evidence> {
    let words = Lexical {
        list: words,
        telling: Some(TELLING),
    };
    let meaning: Vec<Near> = meaning.iter().copied().map(Near::uncrowded).collect();
    // Without a floor everything that is listed is fused.
    fuse(words, &meaning, f32::MIN, |_| false)
        .candidates
        .into_iter()
        .collect()
}

/// Whether the evidence of one memory is at least as good as another's in both lists.
fn is_as_good(one: &Evidence, other: &Evidence) -> bool {
    let is_as_near = match (one.semantic_rank, other.semantic_rank) {
        (_, 0) => true,
        (0, _) => false,
        _ => one.semantic_score >= other.semantic_score,
    };
    one.lexical_score >= other.lexical_score && is_as_near
}

proptest! {
    /// A better score in one list never ranks a memory behind one that is as good in the other.
    #[test]
    fn better_evidence_never_ranks_lower(words in words(), meaning in meaning()) {
        let fused = fused(&words, &meaning);
        for one in fused.values() {
            for other in fused.values() {
                if is_as_good(one, other) {
                    prop_assert!(one.fused >= other.fused, "{one:?} {other:?}");
                }
            }
        }
    }

    /// The order in which candidates come changes nothing, not even their ranks.
    #[test]
    fn the_order_of_the_candidates_does_not_matter(
        words in words(),
        meaning in meaning(),
        swaps in prop::collection::vec((any::<Index>(), any::<Index>()), 0..40),
    ) {
        let (mut mixed_words, mut mixed_meaning) = (words.clone(), meaning.clone());
        for (from, to) in swaps {
            for list in [&mut mixed_words, &mut mixed_meaning] {
                if !list.is_empty() {
                    let (from, to) = (from.index(list.len()), to.index(list.len()));
                    list.swap(from, to);
                }
            }
        }
        prop_assert_eq!(fused(&words, &meaning), fused(&mixed_words, &mixed_meaning));
    }

    /// Equal scores are ranked by number, and memories with equal scores are fused alike.
    #[test]
    fn ties_are_stable(words in words(), meaning in meaning()) {
        let fused = fused(&words, &meaning);
        for (number, one) in &fused {
            for (later, other) in &fused {
                if is_as_good(one, other) && is_as_good(other, one) {
                    prop_assert_eq!(one.fused.to_bits(), other.fused.to_bits());
                }
                let is_as_high = one.lexical_score.to_bits() == other.lexical_score.to_bits();
                let is_tied = one.lexical_rank > 0 && is_as_high;
                if is_tied && number < later {
                    prop_assert!(one.lexical_rank < other.lexical_rank);
                }
            }
        }
    }

    /// The best of both lists counts 1, and nothing counts more.
    #[test]
    fn scores_are_shares(words in words(), meaning in meaning()) {
        for evidence in fused(&words, &meaning).values() {
            prop_assert!((0.0..=1.0).contains(&evidence.fused), "{evidence:?}");
        }
    }
}
