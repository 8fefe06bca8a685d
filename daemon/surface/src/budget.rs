//! Fitting hits into a budget of tokens: as much relevant text a token as there is.
//!
//! A hit that scores far below the best is left out. Each other one first gets the sentences around
//! the words that were asked for; room that is left then goes to the best.

use helix_engine::{Hit, LexicalQuery};
use helix_memory::Memory;

use super::snippet::{Snippet, snippet, width};
use crate::inject::CHARS_PER_TOKEN;

/// Share of the best hit's score below which an answer that is to be short ends.
///
/// Measured: of the answers among the first fifty hits it leaves out 2.8% on issue → fix, 1.2% on
/// question → function and 3.8% on question → turn, and with them 63%, 51% and 42% of all those
/// hits; 0.4 leaves out 5.9%, 2.7% and 11.5% of the answers.
const END_SHARE: f32 = 0.3;

/// Most characters of a hit's text while others wait: three sentences.
const SNIPPET_CHARS: usize = 320;

/// Fewest characters of a text that are worth a hit's heading.
const SNIPPET_MIN_CHARS: usize = 60;

/// Characters of a hit's heading beside its handle and tags: day, kind, scope, a mark, and what
/// stands between them.
const HEADING_CHARS: usize = 48;

/// A hit in a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// Its position among the hits.
    pub at: usize,
    /// The part of its text that is shown.
    pub snippet: Snippet,
}

/// The positions of the hits that are worth their room: none that scores far below
/// the best. Takes hits best first.
#[must_use]
pub fn worthwhile(hits: &[Hit]) -> Vec<usize> {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let is_worth = |hit: &Hit| hit.score >= best * END_SHARE;
    let placed = hits.iter().enumerate();
    placed
        .filter(|(_, hit)| is_worth(hit))
        .map(|(at, _)| at)
        .collect()
}

/// Characters of a hit's heading.
fn heading_chars(memory: &Memory) -> usize {
    let tags = memory.tags.iter().map(|tag| width(tag) + 2);
    HEADING_CHARS + width(memory.handle.as_str()) + tags.sum::<usize>()
}

/// Fits hits, given best first, into a budget of tokens.
#[must_use]
pub fn fit(hits: &[Hit], query: &LexicalQuery, budget_tokens: usize) -> Vec<Fitted> {
    let mut left = budget_tokens.saturating_mul(CHARS_PER_TOKEN);
    let mut fitted = Vec::new();
    for at in worthwhile(hits) {
        let Some(hit) = hits.get(at) else { continue };
        let heading = heading_chars(&hit.memory);
        let Some(room) = left.checked_sub(heading) else {
            break;
        };
        let room = room.min(SNIPPET_CHARS);
        if room < SNIPPET_MIN_CHARS.min(width(&hit.memory.text)) {
            continue;
        }
        let snippet = snippet(&hit.memory.text, Some(query), room);
        left -= heading + width(&snippet.text);
        fitted.push(Fitted { at, snippet });
    }
    for Fitted { at, snippet: short } in &mut fitted {
        let Some(hit) = hits.get(*at).filter(|_| !short.is_whole) else {
            continue;
        };
        let room = left + width(&short.text);
        *short = snippet(&hit.memory.text, Some(query), room);
        left = room - width(&short.text);
    }
    fitted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::{Evidence, Factors, WordsMode as Mode};
    use helix_memory::SourceState;
    use proptest::prelude::*;

    use super::*;
    use crate::inject::tests::memory;

    fn hit(number: u32, score: f32, text: &str) -> Hit {
        Hit {
            memory: memory(number, text),
            score,
            evidence: Evidence::default(),
            factors: Factors {
                confidence: 1.0,
                recency: 1.0,
                importance: 1.0,
                scope: 1.0,
                branch: 1.0,
            },
            likeness: 1.0,
            of_topic: 1.0,
            copies: Vec::new(),
            source_state: SourceState::Unknown,
            has_words: true,
            has_some_words: true,
            expansion: None,
        }
    }

    fn shown(hits: &[Hit], tokens: usize) -> Vec<(usize, bool)> {
        let query = LexicalQuery::parse("walrus", Mode::Any);
        let fitted = fit(hits, &query, tokens);
        fitted
            .iter()
            .map(|fitted| (fitted.at, fitted.snippet.is_whole))
            .collect()
    }

    #[test]
    fn the_answer_ends_where_hits_are_poor() {
        let hits = [
            hit(1, 0.9, "walrus pups"),
            hit(2, 0.35, "seals"),
            hit(3, 0.1, "tapirs"),
        ];
        assert_eq!(shown(&hits, 500), [(0, true), (1, true)]);
    }

    #[test]
    fn all_get_a_part_before_the_best_gets_all() {
        let long = "The walrus rests on the ice. ".repeat(30);
        let hits = [hit(1, 0.9, &long), hit(2, 0.8, &long), hit(3, 0.7, "seals")];
        assert_eq!(shown(&hits, 250), [(0, false), (1, false), (2, true)]);
        assert_eq!(shown(&hits, 400), [(0, true), (1, false), (2, true)]);
        assert_eq!(shown(&hits, 800), [(0, true), (1, true), (2, true)]);
        assert_eq!(shown(&hits, 10), []);
    }

    proptest! {
        #[test]
        fn a_budget_is_kept(texts in prop::collection::vec("[a-z .]{0,300}", 0..12), tokens in 0_usize..400) {
            let hits: Vec<Hit> = texts.iter().zip(0..).map(|(text, at)| hit(at, 0.9, text)).collect();
            let query = LexicalQuery::parse("walrus", Mode::Any);
            let fitted = fit(&hits, &query, tokens);
            let chars: usize = fitted
                .iter()
                .map(|one| heading_chars(&hits[one.at].memory) + width(&one.snippet.text))
                .sum();
            prop_assert!(chars <= tokens * CHARS_PER_TOKEN);
        }
    }
}
