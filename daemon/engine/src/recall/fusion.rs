//! Fusing the lexical and the semantic list.

use std::collections::BTreeMap;

use crate::model::MemoryNumber;

/// Candidates taken from each list.
pub const FUSION_DEPTH: usize = 100;

/// Rank constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RRF_K: f32 = 60.0;

/// What the two lists say of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// 1-based rank in the lexical list; 0 when absent.
    pub lexical_rank: u32,
    /// BM25 score; 0 when absent.
    pub lexical_score: f32,
    /// 1-based rank in the semantic list; 0 when absent.
    pub semantic_rank: u32,
    /// Cosine similarity; 0 when absent.
    pub semantic_score: f32,
    /// The fused score, 1 for a memory that leads both lists.
    pub fused: f32,
}

/// Fuses two ranked lists of (memory, score), best first.
#[must_use]
pub(super) fn fuse(lexical: &[(MemoryNumber, f32)], semantic: &[(MemoryNumber, f32)]) -> Vec<(MemoryNumber, Evidence)> {
    let mut evidence: BTreeMap<MemoryNumber, Evidence> = BTreeMap::new();
    for (rank, &(number, score)) in (1..).zip(lexical) {
        let entry = evidence.entry(number).or_default();
        (entry.lexical_rank, entry.lexical_score) = (rank, score);
    }
    for (rank, &(number, score)) in (1..).zip(semantic) {
        let entry = evidence.entry(number).or_default();
        (entry.semantic_rank, entry.semantic_score) = (rank, score);
    }
    let lists = u8::from(!lexical.is_empty()) + u8::from(!semantic.is_empty());
    let best = f32::from(lists.max(1)) / (RRF_K + 1.0);
    let mut fused: Vec<(MemoryNumber, Evidence)> = evidence.into_iter().collect();
    for (_, evidence) in &mut fused {
        evidence.fused = (reciprocal(evidence.lexical_rank) + reciprocal(evidence.semantic_rank)) / best;
    }
    fused
}

#[allow(clippy::cast_precision_loss)]
fn reciprocal(rank: u32) -> f32 {
    if rank == 0 { 0.0 } else { 1.0 / (RRF_K + rank as f32) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn list(numbers: &[u32]) -> Vec<(MemoryNumber, f32)> {
        numbers.iter().map(|&number| (MemoryNumber(number), 1.0)).collect()
    }

    fn score(fused: &[(MemoryNumber, Evidence)], number: u32) -> f32 {
        fused.iter().find(|(n, _)| n.0 == number).unwrap().1.fused
    }

    #[test]
    fn agreement_wins_and_the_best_is_one() {
        let fused = fuse(&list(&[1, 2, 3]), &list(&[1, 3, 4]));
        assert!((score(&fused, 1) - 1.0).abs() < 1e-6);
        assert!(score(&fused, 3) > score(&fused, 2));
        assert!(score(&fused, 3) > score(&fused, 4));
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        let fused = fuse(&list(&[5, 6]), &[]);
        assert!((score(&fused, 5) - 1.0).abs() < 1e-6);
        assert!(score(&fused, 5) > score(&fused, 6));
    }
}
