//! The words of orders: what people tell every agent in every project, "run the failing command
//! again".
//!
//! They say what is to be done and nothing of what it is about. In a small base few memories have
//! them, so that they look telling; in a question they are what it is about: "how do I run the
//! tests?".

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::index::lexical::{LexicalQuery, Mode};

/// In one form each: they are compared as they are looked up, without their endings.
const ORDERS: &str = "add again append apply ask bug change check clean code command comment commit complete copy create debug \
    delete describe diff directory docstring document edit error execute explain fail file finish first fix folder format function help hint \
    implement import improve insert install last line lint list look make message move name new old open output paste path print \
    problem project pull push read refactor remove rename repeat replace repository report rerun result retry return revert \
    review rewrite run save say script search see send show simplify small sort split start step stop suggest summarise \
    summarize summary task tell test tidy try type undo update use verify view wait work write one two three four five six seven eight nine ten";

/// What begins a question, or ends it.
const QUESTIONS: &[&str] = &[
    "how", "why", "what", "what's", "where", "which", "who", "when", "is", "are", "does", "do",
    "did", "can", "could", "should",
];

static TOKENS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    // Word by word: a query has fewer.
    let token = |word| {
        LexicalQuery::parse(word, Mode::Any)
            .terms()
            .first()
            .map(|term| term.token.clone())
    };
    ORDERS.split_whitespace().filter_map(token).collect()
});

/// The tokens of a text, as an analysed query has them, that orders are made of. A part of an
/// identifier is none: who writes `VerifyToken` orders nothing.
pub(super) fn of_order(text: &str) -> HashSet<String> {
    if helix_ablation::is_off("factor/orders") {
        return HashSet::new();
    }
    let of_word = |word: &str| match LexicalQuery::parse(word, Mode::Any).terms() {
        [term] => Some(term.token.clone()),
        _ => None,
    };
    text.split_whitespace()
        .filter_map(of_word)
        .filter(|token| TOKENS.contains(token))
        .collect()
}

/// Whether a text asks something, by its first word or its end.
pub(super) fn is_question(text: &str) -> bool {
    let first = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    text.contains('?') || QUESTIONS.contains(&first.trim_end_matches([',', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_known_in_every_form_and_questions_by_their_ends() {
        let all_of_order = |text: &str| {
            let of_order = of_order(text);
            LexicalQuery::parse(text, Mode::Any)
                .terms()
                .iter()
                .all(|term| of_order.contains(&term.token))
        };
        for text in [
            "Run failing commands",
            "reading files: \"edited\" tests.",
            "format code",
        ] {
            assert!(all_of_order(text), "{text}");
        }
        assert!(!all_of_order("run the linker"));
        assert_eq!(
            of_order("write docs for VerifyToken and run_file"),
            of_order("write")
        );
        for text in [
            "How do I run the tests",
            "the tests run how?",
            "what's failing",
        ] {
            assert!(is_question(text), "{text}");
        }
        assert!(!is_question("Run the tests and show me what fails"));
    }
}
