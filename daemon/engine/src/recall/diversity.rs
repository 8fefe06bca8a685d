//! Diversity: near-identical hits step back, and no topic takes over.

use std::collections::HashMap;

use crate::index::vectors::Code;

/// Most hits of one topic, unless a topic was asked for or nothing else was found.
pub(super) const PER_TOPIC_MAX: usize = 3;

/// Weight of relevance against novelty in maximal marginal relevance (Carbonell and Goldstein 1998).
const RELEVANCE_WEIGHT: f32 = 0.9;

/// Similarity below which two memories do not repeat each other.
const REPEATS_FROM: f32 = 0.8;

/// A hit as the selection sees it.
pub(super) struct Candidate {
    pub(super) topic: u32,
    pub(super) score: f32,
    pub(super) code: Option<Code>,
}

/// Selects up to `limit` candidates, given best first; returns their positions, best first.
pub(super) fn select(candidates: &[Candidate], limit: usize, cap_topics: bool) -> Vec<usize> {
    let one_topic = candidates.windows(2).all(|pair| matches!(pair, [a, b] if a.topic == b.topic));
    let per_topic = if cap_topics && !one_topic { PER_TOPIC_MAX } else { usize::MAX };
    let mut taken: HashMap<u32, usize> = HashMap::new();
    let mut selected: Vec<usize> = Vec::with_capacity(limit);
    let mut rest: Vec<(usize, f32)> = candidates.iter().map(|_| 0.0).enumerate().collect();
    while selected.len() < limit {
        let best = rest
            .iter()
            .enumerate()
            .filter(|(_, (at, _))| {
                candidates.get(*at).is_some_and(|c| taken.get(&c.topic).copied().unwrap_or(0) < per_topic)
            })
            .map(|(place, &(at, repeats))| (place, at, marginal(candidates, at, repeats)))
            .max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)));
        let Some((place, at, _)) = best else { break };
        rest.remove(place);
        selected.push(at);
        if let Some(chosen) = candidates.get(at) {
            *taken.entry(chosen.topic).or_default() += 1;
            note_repeats(candidates, chosen, &mut rest);
        }
    }
    // Novelty decides what is shown; the order shown is that of the scores beside it.
    selected.sort_unstable();
    selected
}

fn marginal(candidates: &[Candidate], at: usize, repeats: f32) -> f32 {
    let score = candidates.get(at).map_or(0.0, |candidate| candidate.score);
    RELEVANCE_WEIGHT * score - (1.0 - RELEVANCE_WEIGHT) * repeats
}

/// Raises each remaining candidate's likeness to what is already selected.
fn note_repeats(candidates: &[Candidate], chosen: &Candidate, rest: &mut [(usize, f32)]) {
    let Some(chosen) = &chosen.code else { return };
    for (at, repeats) in rest {
        if let Some(code) = candidates.get(*at).and_then(|candidate| candidate.code.as_ref()) {
            let likeness = code.cosine(chosen);
            if likeness >= REPEATS_FROM {
                *repeats = repeats.max((likeness - REPEATS_FROM) / (1.0 - REPEATS_FROM));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn candidate(topic: u32, score: f32, direction: [f32; 2]) -> Candidate {
        Candidate { topic, score, code: Some(Code::quantize(&direction).unwrap()) }
    }

    #[test]
    fn a_topic_gives_three_unless_it_is_alone() {
        let mut candidates: Vec<Candidate> =
            [0.9, 0.8, 0.7, 0.6, 0.5].into_iter().map(|score| Candidate { topic: 1, score, code: None }).collect();
        assert_eq!(select(&candidates, 10, true), [0, 1, 2, 3, 4]);
        candidates.push(Candidate { topic: 2, score: 0.1, code: None });
        assert_eq!(select(&candidates, 10, true), [0, 1, 2, 5]);
        assert_eq!(select(&candidates, 10, false), [0, 1, 2, 3, 4, 5]);
        assert_eq!(select(&candidates, 2, true), [0, 1]);
    }

    #[test]
    fn a_repetition_steps_back() {
        let candidates =
            [candidate(1, 1.0, [1.0, 0.0]), candidate(2, 0.99, [1.0, 0.001]), candidate(3, 0.95, [0.0, 1.0])];
        assert_eq!(select(&candidates, 2, true), [0, 2]);
        assert_eq!(select(&candidates, 3, true), [0, 1, 2]);
    }
}
