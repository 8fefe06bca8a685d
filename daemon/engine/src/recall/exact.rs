//! Exact tokens of a question: codes, numbers and names in programs. Where hardly any memory has
//! one, to have it says more than to be near in meaning.

use std::collections::HashMap;

use helix_memory::MemoryNumber;

use super::fusion::Evidence;
use super::search::{Retriever, Search};
use crate::index::lexical::{LexicalQuery, Mode as WordMode, Restriction};
use crate::strand::{ReadError, Strand};

/// Most memories with a token that tells them from all others.
const HOLDERS_MAX: usize = 3;

/// Tokens of a question that are looked for.
const TOKENS_MAX: usize = 4;

/// Characters of the shortest token with a digit.
const NUMBER_MIN_CHARS: usize = 3;

/// How much a memory with all rare tokens gains, as a share of what it lacks.
const SHARE: f32 = 0.7;

/// The exact tokens of a question, as they are written.
fn tokens(words: &str) -> impl Iterator<Item = &str> {
    let written = words
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    written.filter(|word| is_exact(word)).take(TOKENS_MAX)
}

/// Returns whether a word has a digit, or parts as a name in a program has: `lock_timeout`,
/// `max.poll`, `LinkRouter`.
fn is_exact(word: &str) -> bool {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let is_long = word.chars().count() >= NUMBER_MIN_CHARS;
    let joins = |c: char| matches!(c, '_' | '.' | ':' | '/');
    let has_hump = word
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    is_long && (has_digit || has_hump || word.contains(joins))
}

impl Strand {
    /// The memories that have the rare ones of a question's exact tokens, and which share of them.
    pub(super) fn exact_holders(
        &self,
        search: &Search,
        passes: &impl Fn(u32) -> bool,
    ) -> Result<HashMap<MemoryNumber, f32>, ReadError> {
        let mut held: HashMap<MemoryNumber, f32> = HashMap::new();
        if search.retriever != Retriever::Hybrid || helix_ablation::is_off("search/exact") {
            return Ok(held);
        }
        let restriction = Restriction {
            topics: &search.filter.topics,
            tags: &search.filter.tags,
        };
        let mut rare = 0.0;
        for token in tokens(&search.words) {
            // A memory with both parts of `old_table` need not name it.
            let query = LexicalQuery::identifiers([token]).with_mode(WordMode::All);
            let hits = self.search_words(&query, HOLDERS_MAX + 1, &restriction, passes)?;
            if !(1..=HOLDERS_MAX).contains(&hits.len()) {
                continue;
            }
            rare += 1.0;
            for hit in hits {
                *held.entry(MemoryNumber(hit.number)).or_default() += 1.0;
            }
        }
        for count in held.values_mut() {
            *count /= rare;
        }
        Ok(held)
    }
}

/// Lifts the memories that have rare exact tokens, by the share of them that they have.
pub(super) fn lift(found: &mut [(MemoryNumber, Evidence)], held: &HashMap<MemoryNumber, f32>) {
    for (number, evidence) in found {
        if let Some(share) = held.get(number) {
            evidence.fused += SHARE * share * (1.0 - evidence.fused);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_numbers_and_names_in_programs_are_exact() {
        let exact = |words| tokens(words).collect::<Vec<_>>();
        assert_eq!(
            exact("what does the exporter do at 4809?"),
            ["4809"],
            "a number"
        );
        assert_eq!(
            exact("is `lock_timeout` in max.poll.ms or LinkRouter; see E0432."),
            ["lock_timeout", "max.poll.ms", "LinkRouter", "E0432"]
        );
        assert_eq!(exact("Why is the API slow? It's the 2 workers."), [""; 0]);
    }

    #[test]
    fn what_has_a_rare_token_is_lifted_and_stays_within_one() {
        let evidence = |fused| Evidence {
            fused,
            ..Evidence::default()
        };
        let mut found = [1, 2, 3].map(|number| (MemoryNumber(number), evidence(0.5)));
        let held = HashMap::from([(MemoryNumber(2), 1.0), (MemoryNumber(3), 0.5)]);
        lift(&mut found, &held);
        let [one, two, three] = found.map(|(_, evidence)| evidence.fused);
        assert!(one < three && three < two && two < 1.0);
    }
}
