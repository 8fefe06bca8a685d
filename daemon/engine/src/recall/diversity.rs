//! Diversity: near-identical hits step back, and no topic takes over.

use std::collections::HashMap;

use crate::index::vectors::Code;

/// Most hits of one topic, unless a topic was asked for; a brief of everything keeps to it, too,
/// while other topics have some.
pub const PER_TOPIC_MAX: usize = 3;

/// Weight of relevance against novelty in maximal marginal relevance (Carbonell and Goldstein
/// 1998).
const RELEVANCE_WEIGHT: f32 = 0.9;

/// Similarity below which two memories do not repeat each other.
const REPEATS_FROM: f32 = 0.8;

/// A hit as the selection sees it.
pub(super) struct Candidate {
    pub(super) topic: u32,
    pub(super) score: f32,
    pub(super) code: Option<Code>,
}

/// What was selected.
pub(super) struct Selection {
    /// Positions in the order to show.
    pub(super) order: Vec<usize>,
    /// What each of them counts beside what was chosen before it, on the scale of the scores;
    /// never rises, never below 0.
    pub(super) worth: Vec<f32>,
    /// The least that one of them was worth when it was chosen; infinite without any.
    pub(super) weakest: f32,
    /// How many of each topic there are now.
    pub(super) taken: Taken,
}

/// How many hits each topic has.
pub(super) type Taken = HashMap<u32, usize>;

impl Selection {
    /// Whether it has as many as it should and none of them could be beaten by a candidate that
    /// scores at most `score`.
    pub(super) fn holds_against(&self, score: f32, limit: usize) -> bool {
        self.order.len() >= limit && self.weakest > RELEVANCE_WEIGHT * score
    }
}

/// Selects up to `limit` candidates, given best first, when so many of each topic are `taken`. A
/// longer selection starts with the shorter one.
pub(super) fn select(
    candidates: &[Candidate],
    limit: usize,
    per_topic: usize,
    taken: Taken,
) -> Selection {
    let room = limit.min(candidates.len());
    let (order, worths) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut selection = Selection {
        order,
        worth: worths,
        weakest: f32::INFINITY,
        taken,
    };
    let mut rest: Vec<(usize, f32)> = candidates.iter().map(|_| 0.0).enumerate().collect();
    while selection.order.len() < limit {
        let best = rest
            .iter()
            .enumerate()
            .filter(|(_, (at, _))| {
                candidates.get(*at).is_some_and(|c| {
                    selection.taken.get(&c.topic).copied().unwrap_or(0) < per_topic
                })
            })
            .map(|(place, &(at, repeats))| (place, at, marginal(candidates, at, repeats)))
            .max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)));
        let Some((place, at, worth)) = best else {
            break;
        };
        rest.remove(place);
        selection.order.push(at);
        selection.worth.push((worth / RELEVANCE_WEIGHT).max(0.0));
        selection.weakest = selection.weakest.min(worth);
        if let Some(chosen) = candidates.get(at) {
            *selection.taken.entry(chosen.topic).or_default() += 1;
            note_repeats(candidates, chosen, &mut rest);
        }
    }
    selection
}

fn marginal(candidates: &[Candidate], at: usize, repeats: f32) -> f32 {
    let score = candidates.get(at).map_or(0.0, |candidate| candidate.score);
    RELEVANCE_WEIGHT * score - (1.0 - RELEVANCE_WEIGHT) * repeats
}

/// Raises each remaining candidate's likeness to what is already selected.
fn note_repeats(candidates: &[Candidate], chosen: &Candidate, rest: &mut [(usize, f32)]) {
    let Some(chosen) = &chosen.code else { return };
    for (at, repeats) in rest {
        if let Some(code) = candidates
            .get(*at)
            .and_then(|candidate| candidate.code.as_ref())
        {
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
        Candidate {
            topic,
            score,
            code: Some(Code::quantize(&direction).unwrap()),
        }
    }

    fn order(candidates: &[Candidate], limit: usize, per_topic: usize) -> Vec<usize> {
        select(candidates, limit, per_topic, Taken::new()).order
    }

    #[test]
    fn a_topic_gives_no_more_than_its_share() {
        let mut candidates: Vec<Candidate> = [0.9, 0.8, 0.7, 0.6, 0.5]
            .into_iter()
            .map(|score| Candidate {
                topic: 1,
                score,
                code: None,
            })
            .collect();
        candidates.push(Candidate {
            topic: 2,
            score: 0.1,
            code: None,
        });
        assert_eq!(order(&candidates, 10, 3), [0, 1, 2, 5]);
        assert_eq!(order(&candidates, 10, usize::MAX), [0, 1, 2, 3, 4, 5]);
        assert_eq!(order(&candidates, 2, 3), [0, 1]);
        assert_eq!(
            select(&candidates, 10, 3, Taken::from([(1, 2)])).order,
            [0, 5]
        );
    }

    #[test]
    fn what_repeats_and_is_worth_little_is_worth_nothing() {
        let twice = [
            candidate(1, 0.05, [1.0, 0.0]),
            candidate(2, 0.05, [1.0, 0.0]),
        ];
        assert_eq!(select(&twice, 2, 3, Taken::new()).worth, [0.05, 0.0]);
    }

    #[test]
    fn a_repetition_steps_back() {
        let candidates = [
            candidate(1, 1.0, [1.0, 0.0]),
            candidate(2, 0.99, [1.0, 0.001]),
            candidate(3, 0.95, [0.0, 1.0]),
        ];
        assert_eq!(order(&candidates, 3, 3), [0, 2, 1]);
    }

    #[test]
    fn a_selection_knows_what_could_beat_it() {
        let candidates = [candidate(1, 1.0, [1.0, 0.0]), candidate(2, 0.5, [0.0, 1.0])];
        let selection = select(&candidates, 2, usize::MAX, Taken::new());
        assert!(selection.holds_against(0.49, 2));
        assert!(!selection.holds_against(0.5, 2), "what ties may come first");
        assert!(!selection.holds_against(0.1, 3), "it lacks one");
    }
}
