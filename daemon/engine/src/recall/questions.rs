//! Questions made from memories: each should find the memory that it was made from.
//!
//! A question is the rarest words of a memory's text, in the order of the text. The words of its
//! topic are left out, because a topic is often named after what the memory says and would find it
//! alone. The same memory in the same strand always gives the same question.

use std::collections::HashSet;

use helix_memory::Memory;

use crate::index::lexical::{LexicalError, LexicalQuery, Mode};
use crate::strand::Strand;

/// Most words of a question: as many as a person types.
pub const QUESTION_WORDS_MAX: usize = 6;

/// Fewest words that can tell one memory from others.
pub const QUESTION_WORDS_MIN: usize = 2;

/// Makes a question of a text. `frequencies` says of each term of the text's query in how many
/// memories it occurs. `None` for a text that has too few words of its own.
#[must_use]
pub fn question(terms: &LexicalQuery, frequencies: &[u64], topic: &str) -> Option<String> {
    let of_topic = LexicalQuery::parse(topic, Mode::Any);
    let of_topic: HashSet<&str> = of_topic
        .terms()
        .iter()
        .map(|term| term.token.as_str())
        .collect();
    let mut rarest: Vec<(u64, usize, &str)> = Vec::new();
    for (place, (term, frequency)) in terms.terms().iter().zip(frequencies).enumerate() {
        if term.required
            && !LexicalQuery::is_stop_word(&term.word)
            && !of_topic.contains(term.token.as_str())
        {
            rarest.push((*frequency, place, &term.word));
        }
    }
    if rarest.len() < QUESTION_WORDS_MIN {
        return None;
    }
    rarest.sort_unstable();
    rarest.truncate(QUESTION_WORDS_MAX);
    rarest.sort_unstable_by_key(|(_, place, _)| *place);
    let words: Vec<&str> = rarest.into_iter().map(|(_, _, word)| word).collect();
    Some(words.join(" "))
}

impl Strand {
    /// Makes a question that should find a memory; `None` for a text that has too few words of its
    /// own.
    ///
    /// # Errors
    /// When the word index cannot be read.
    pub fn question(&self, memory: &Memory) -> Result<Option<String>, LexicalError> {
        let terms = LexicalQuery::parse(&memory.text, Mode::Any);
        let frequencies = self.lexical().frequencies(&terms)?;
        Ok(question(&terms, &frequencies, memory.topic.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question in a strand where long words are rare.
    fn asked(text: &str, topic: &str) -> Option<String> {
        let terms = LexicalQuery::parse(text, Mode::Any);
        let frequency = |word: &str| u64::MAX - word.len() as u64;
        let frequencies: Vec<u64> = terms
            .terms()
            .iter()
            .map(|term| frequency(&term.word))
            .collect();
        question(&terms, &frequencies, topic)
    }

    #[test]
    fn the_rarest_words_are_asked_in_the_order_of_the_text() {
        let text = "The nightly import of the warehouse stops when the certificate expired, so renew it on Monday.";
        let expected = "nightly import warehouse certificate expired monday";
        assert_eq!(asked(text, "ops").as_deref(), Some(expected));
        assert_eq!(asked(text, "ops"), asked(text, "ops"));
    }

    #[test]
    fn the_words_of_the_topic_are_left_out() {
        let expected = "import stops certificate expires";
        let text = "The import of the warehouses stops when the certificate expires.";
        assert_eq!(asked(text, "warehouse").as_deref(), Some(expected));
    }

    #[test]
    fn a_text_with_nothing_of_its_own_gives_no_question() {
        for text in ["", "of the", "linker", "The linker, the linker!"] {
            assert_eq!(asked(text, "build"), None, "{text}");
        }
    }
}
