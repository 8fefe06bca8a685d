//! Diversity: a text is shown once, and a topic's fourth hit steps back.
//!
//! A hit that says in nearly the same words what a better one says is a copy of that one, and takes
//! no place of its own. Nothing else is left out. A hit competes with its score times a factor, so that it
//! stands behind another topic's only where that one is about as good.
//!
//! Measured (R@5 / nDCG@10): 363 prompts over 484 memories .798 / .783 with the memories' own
//! topics, with a topic for each, and with two topics for all; three of a topic at most made it
//! .787 / .760 with two topics. A factor of 0.9 for a topic's fourth hit costs .004 there, 0.95
//! costs .001. Less for what is merely alike (from 0.9, or by a fifth instead of a tenth) changes
//! nothing.

use std::collections::HashMap;

use helix_memory::Saying;

use crate::index::vectors::Code;
use crate::recall::Search;

impl Search {
    /// Hits of one topic that stand where their scores put them; a brief of everything takes no more
    /// from a topic while others have some.
    pub const PER_TOPIC_FREE: usize = 3;
}

/// Factor of each further hit of a topic.
const FURTHER_OF_TOPIC: f32 = 0.95;

/// How much a hit loses that is as near in meaning to one before it as can be.
const LIKENESS_SHARE: f32 = 0.1;

/// Cosine below which two memories do not resemble each other.
const LIKE_FROM: f32 = 0.8;

/// Cosine below which two texts are not nearly the same words.
const REPEATS_FROM: f32 = 0.9;

/// A hit as the selection sees it.
pub(super) struct Candidate<'a> {
    pub(super) topic: u32,
    pub(super) score: f32,
    pub(super) text: &'a str,
    /// Its text is marked as looking like orders, and no hit without the mark stands for it.
    pub(super) is_suspect: bool,
    pub(super) code: Option<Code>,
}

/// What was selected.
pub(super) struct Selection {
    /// Positions in the order to show.
    pub(super) order: Vec<usize>,
    /// What each of them counts beside what was chosen before it, on the scale of the scores;
    /// never rises.
    pub(super) worth: Vec<f32>,
    /// The loss of each beside those that were chosen before it.
    pub(super) beside: Vec<Beside>,
    /// The positions of the candidates that say what each of them says.
    pub(super) copies: Vec<Vec<usize>>,
    /// How many of each topic there are now.
    pub(super) taken: Taken,
}

/// The share that is left of a hit beside those before it: two factors, at most 1 each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beside {
    /// For its likeness to one of them.
    pub(super) likeness: f32,
    /// For a topic that has several of them.
    pub(super) topic: f32,
}

impl Beside {
    /// Nothing is lost.
    const ALONE: Self = Self {
        likeness: 1.0,
        topic: 1.0,
    };

    /// Both together.
    fn product(self) -> f32 {
        self.likeness * self.topic
    }
}

/// How many hits each topic has.
pub(super) type Taken = HashMap<u32, usize>;

impl Selection {
    /// Returns whether it has as many as it should and none of them could be beaten by a candidate
    /// that scores at most `score`.
    pub(super) fn holds_against(&self, score: f32, limit: usize) -> bool {
        self.order.len() >= limit && self.worth.last().is_none_or(|weakest| *weakest > score)
    }
}

/// Which topics a selection spreads over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// All: a topic's further hits step back.
    Topics,
    /// None: topics were asked for.
    Asked,
}

/// Selects up to `limit` candidates, given best first, when so many of each topic are `taken`. A
/// longer selection starts with the shorter one.
pub(super) fn select(
    candidates: &[Candidate<'_>],
    limit: usize,
    spread: Spread,
    taken: Taken,
) -> Selection {
    let room = limit.min(candidates.len());
    let mut selection = Selection {
        order: Vec::with_capacity(room),
        worth: Vec::with_capacity(room),
        beside: Vec::with_capacity(room),
        copies: Vec::with_capacity(room),
        taken,
    };
    let mut rest: Vec<Waiting<'_>> = candidates.iter().enumerate().map(Waiting::new).collect();
    while selection.order.len() < limit {
        let Some(place) = best(&rest, spread, &selection.taken) else {
            break;
        };
        let mut chosen = rest.remove(place);
        selection.order.push(chosen.at);
        selection.worth.push(chosen.worth(spread, &selection.taken));
        selection
            .beside
            .push(chosen.beside(spread, &selection.taken));
        *selection.taken.entry(chosen.of.topic).or_default() += 1;
        let mut copies = Vec::new();
        rest.retain_mut(|waiting| {
            let is_copy = waiting.is_copy_behind(&mut chosen);
            if is_copy {
                copies.push(waiting.at);
            }
            !is_copy
        });
        selection.copies.push(copies);
    }
    selection
}

/// The place of the candidate that is worth most, the first of equals.
fn best(rest: &[Waiting<'_>], spread: Spread, taken: &Taken) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (place, waiting) in rest.iter().enumerate() {
        // Scores fall from here on, and nothing is worth more than its score.
        if best.is_some_and(|(_, worth)| worth >= waiting.of.score) {
            break;
        }
        let worth = waiting.worth(spread, taken);
        if best.is_none_or(|(_, most)| worth > most) {
            best = Some((place, worth));
        }
    }
    best.map(|(place, _)| place)
}

/// A candidate that has not been chosen.
struct Waiting<'a> {
    /// Its position among all.
    at: usize,
    of: &'a Candidate<'a>,
    /// What is left of its score beside what was chosen.
    novelty: f32,
    /// What its text says, once somebody asked; `Some(None)` for a text without words.
    saying: Option<Option<u64>>,
}

impl<'a> Waiting<'a> {
    fn new((at, of): (usize, &'a Candidate<'a>)) -> Self {
        Self {
            at,
            of,
            novelty: 1.0,
            saying: None,
        }
    }

    fn worth(&self, spread: Spread, taken: &Taken) -> f32 {
        self.of.score * self.beside(spread, taken).product()
    }

    fn beside(&self, spread: Spread, taken: &Taken) -> Beside {
        if helix_ablation::is_off("search/diversity") {
            return Beside::ALONE;
        }
        let of_topic = taken.get(&self.of.topic).copied().unwrap_or(0);
        let is_further = spread == Spread::Topics && of_topic >= Search::PER_TOPIC_FREE;
        Beside {
            likeness: self.novelty,
            topic: if is_further { FURTHER_OF_TOPIC } else { 1.0 },
        }
    }

    /// Returns whether it is a copy of a hit; loses how far it resembles that one.
    fn is_copy_behind(&mut self, chosen: &mut Self) -> bool {
        let codes = self.of.code.as_ref().zip(chosen.of.code.as_ref());
        let likeness = codes.map(|(own, other)| own.cosine(other));
        let novelty = 1.0 - LIKENESS_SHARE * excess(likeness.unwrap_or(0.0));
        self.novelty = self.novelty.min(novelty);
        helix_ablation::is_on("search/diversity") && self.repeats(chosen, likeness)
    }

    /// Returns whether it has the words of another, small words and dress apart.
    fn repeats(&mut self, other: &mut Self, likeness: Option<f32>) -> bool {
        let may_repeat = self.of.is_suspect == other.of.is_suspect
            && likeness.is_none_or(|likeness| likeness >= REPEATS_FROM)
            && are_of_like_length(self.of.text, other.of.text);
        may_repeat && self.saying().is_some_and(|own| other.saying() == Some(own))
    }

    fn saying(&mut self) -> Option<u64> {
        let text = self.of.text;
        *self
            .saying
            .get_or_insert_with(|| Saying::of(text).map(|saying| saying.roughly))
    }
}

/// How far a likeness is above the least that counts, from 0 to 1.
fn excess(likeness: f32) -> f32 {
    ((likeness - LIKE_FROM) / (1.0 - LIKE_FROM)).clamp(0.0, 1.0)
}

/// Returns whether the longer of two texts is at most half as long again.
fn are_of_like_length(one: &str, other: &str) -> bool {
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    long <= short + short / 2
}

#[cfg(test)]
#[path = "diversity_tests.rs"]
mod tests;
