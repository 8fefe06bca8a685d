//! Words that carry no meaning of their own in a question.
//!
//! They are indexed, so that a query made of nothing else still finds something, and dropped from
//! every other query. `not` is missing deliberately: it turns a statement round.

use crate::index::lexical::LexicalQuery;

impl LexicalQuery {
    /// The lowercased stop words, sorted.
    pub const STOP_WORDS: &[&str] = &[
        "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
        "because", "been", "before", "being", "between", "but", "by", "can", "could", "did", "do",
        "does", "during", "each", "for", "from", "had", "has", "have", "he", "her", "here", "his",
        "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "must",
        "my", "of", "on", "or", "other", "our", "out", "she", "should", "so", "some", "still",
        "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
        "those", "to", "us", "using", "was", "we", "were", "what", "when", "where", "which",
        "while", "who", "why", "will", "with", "would", "you", "your",
    ];

    /// Tells whether a lowercased, unstemmed word is a stop word.
    #[must_use]
    pub fn is_stop_word(word: &str) -> bool {
        LexicalQuery::STOP_WORDS.binary_search(&word).is_ok()
    }

    /// Tells whether a word, as it is written, says anything by itself: it is neither a mark nor a
    /// stop word.
    #[must_use]
    pub fn is_telling(word: &str) -> bool {
        word.chars().any(char::is_alphanumeric) && !Self::is_stop_word(&word.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_lacks_not() {
        assert!(LexicalQuery::STOP_WORDS.is_sorted());
        assert!(
            LexicalQuery::is_stop_word("the")
                && LexicalQuery::is_stop_word("would")
                && LexicalQuery::is_stop_word("using")
        );
        assert!(!LexicalQuery::is_stop_word("not") && !LexicalQuery::is_stop_word("use"));
    }

    #[test]
    fn marks_and_stop_words_tell_nothing() {
        assert!(
            ["Port", "8081", "端口"]
                .into_iter()
                .all(LexicalQuery::is_telling)
        );
        assert!(!["The", "->", ""].into_iter().any(LexicalQuery::is_telling));
    }
}
