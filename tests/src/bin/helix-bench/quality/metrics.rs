//! The measures of a ranking, defined as the scoring script of the sets defines them.

use std::collections::HashSet;

/// Ranks that are looked at; the reciprocal rank is cut here.
pub(super) const RANKS_MAX: usize = 100;

/// The measures of one ranking, or their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Metrics {
    /// Share of the relevant documents in the first five.
    pub(super) recall_5: f64,
    /// Share of the relevant documents in the first ten.
    pub(super) recall_10: f64,
    /// Discounted gain of the first ten over the best possible, with binary relevance (Järvelin
    /// and Kekäläinen 2002).
    pub(super) ndcg_10: f64,
    /// One over the rank of the first relevant document.
    pub(super) mrr: f64,
    /// Whether any of the first five is relevant.
    pub(super) hit_5: f64,
}

impl Metrics {
    /// Measures a ranking of distinct documents, best first.
    pub(super) fn of(relevant: &[String], ranking: &[(String, f32)]) -> Self {
        let relevant: HashSet<&str> = relevant.iter().map(String::as_str).collect();
        let mut seen = HashSet::new();
        let distinct = ranking
            .iter()
            .map(|(id, _)| id.as_str())
            .filter(|&id| seen.insert(id));
        let hits: Vec<bool> = distinct
            .take(RANKS_MAX)
            .map(|id| relevant.contains(id))
            .collect();
        let found_in = |depth: usize| hits.iter().take(depth).filter(|&&hit| hit).count();
        let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
        let gain: f64 = hits
            .iter()
            .take(10)
            .enumerate()
            .filter(|(_, hit)| **hit)
            .map(|(place, _)| discount(place))
            .sum();
        Self {
            recall_5: share(found_in(5), relevant.len()),
            recall_10: share(found_in(10), relevant.len()),
            ndcg_10: if ideal > 0.0 { gain / ideal } else { 0.0 },
            mrr: hits
                .iter()
                .position(|&hit| hit)
                .map_or(0.0, |place| share(1, place + 1)),
            hit_5: if found_in(5) > 0 { 1.0 } else { 0.0 },
        }
    }

    /// The means over queries.
    pub(super) fn mean(all: impl Iterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        let mut count = 0;
        for one in all {
            sum.recall_5 += one.recall_5;
            sum.recall_10 += one.recall_10;
            sum.ndcg_10 += one.ndcg_10;
            sum.mrr += one.mrr;
            sum.hit_5 += one.hit_5;
            count += 1;
        }
        let one = share(1, count);
        Self {
            recall_5: sum.recall_5 * one,
            recall_10: sum.recall_10 * one,
            ndcg_10: sum.ndcg_10 * one,
            mrr: sum.mrr * one,
            hit_5: sum.hit_5 * one,
        }
    }
}

/// Returns the weight of a relevant document at a place, from 0.
#[expect(clippy::cast_precision_loss, reason = "a place is at most a hundred")]
fn discount(place: usize) -> f64 {
    1.0 / (place as f64 + 2.0).log2()
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are small")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(relevant: &[&str], ranking: &[&str]) -> Metrics {
        let relevant: Vec<String> = relevant.iter().map(|&id| id.to_owned()).collect();
        let ranking: Vec<(String, f32)> = ranking.iter().map(|&id| (id.to_owned(), 0.0)).collect();
        Metrics::of(&relevant, &ranking)
    }

    fn close(measured: f64, expected: f64) -> bool {
        (measured - expected).abs() < 1e-9
    }

    #[test]
    fn one_relevant_document() {
        let first = measure(&["a"], &["a", "b"]);
        assert_eq!(
            first,
            Metrics {
                recall_5: 1.0,
                recall_10: 1.0,
                ndcg_10: 1.0,
                mrr: 1.0,
                hit_5: 1.0
            }
        );
        let third = measure(&["a"], &["b", "c", "a"]);
        assert!(
            close(third.ndcg_10, 0.5) && close(third.mrr, 1.0 / 3.0) && close(third.recall_5, 1.0)
        );
        let sixth = measure(&["a"], &["b", "c", "d", "e", "f", "a"]);
        assert!(
            close(sixth.recall_5, 0.0) && close(sixth.recall_10, 1.0) && close(sixth.hit_5, 0.0)
        );
        assert_eq!(measure(&["a"], &[]), Metrics::default());
    }

    #[test]
    fn several_relevant_documents_and_repetitions() {
        let measured = measure(&["a", "b"], &["a", "a", "x", "b"]);
        assert!(close(measured.recall_5, 1.0) && close(measured.mrr, 1.0));
        assert!(close(
            measured.ndcg_10,
            (1.0 + 0.5) / (1.0 + 1.0 / 3_f64.log2())
        ));
        assert!(close(
            measure(&["a", "b", "c", "d"], &["a"]).recall_10,
            0.25
        ));
    }

    #[test]
    fn means() {
        let mean = Metrics::mean([measure(&["a"], &["a"]), measure(&["a"], &["b"])].into_iter());
        assert_eq!(
            mean,
            Metrics {
                recall_5: 0.5,
                recall_10: 0.5,
                ndcg_10: 0.5,
                mrr: 0.5,
                hit_5: 0.5
            }
        );
        assert_eq!(Metrics::mean(std::iter::empty()), Metrics::default());
    }
}
