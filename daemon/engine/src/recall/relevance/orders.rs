//! The words of orders: what people tell every agent in every project, "run the failing command
//! again".
//!
//! They say what is to be done and nothing of what it is about. In a small base few memories have
//! them, so that they look telling; in a question they are what it is about: "how do I run the
//! tests?".

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lists::{has, lists};
use crate::index::lexical::{LexicalQuery, Mode};

static TOKENS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    // Word by word: a query has fewer.
    let token = |word: &String| {
        LexicalQuery::parse(word, Mode::Any)
            .terms()
            .first()
            .map(|term| term.token.clone())
    };
    lists().orders.iter().filter_map(token).collect()
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

/// Returns whether a text asks something, by its first word or its end.
pub(super) fn is_question(text: &str) -> bool {
    let first = text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    text.contains('?') || has(&lists().questions, first.trim_end_matches([',', ':']))
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
