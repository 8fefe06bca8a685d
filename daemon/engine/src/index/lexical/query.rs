//! A query of the word index: tokens, and whether all or any of them must occur.

use std::collections::HashSet;

use rustc_hash::FxHashMap;

use super::fields::Document;
use super::tokenizer::{Token, TokenKind, tokenize, visit};

/// Most tokens of a query; later ones are dropped. A question has a dozen, a pasted error message a
/// hundred. The tail also keeps one bit of a `u64` for each.
pub const QUERY_TOKENS_MAX: usize = 64;

/// Most words of a query that names things.
const KEYWORDS_MAX: usize = 4;

/// Shortest word that is demanded: a single character is in too many memories by chance to say what
/// is meant.
const REQUIRED_MIN_BYTES: usize = 2;

/// Says whether one or every required term must occur in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Every required term must occur, in whichever field.
    All,
    /// One term suffices, required or optional.
    Any,
}

/// One term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The token that is looked up.
    pub token: String,
    /// The lowercased word as it was asked, for people to read.
    pub word: String,
    /// True if [`Mode::All`] demands it; whole identifiers of several parts, and lone digits, only
    /// raise the score.
    pub required: bool,
}

/// An analysed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexicalQuery {
    terms: Vec<Term>,
    mode: Mode,
    /// True if words were dropped because they are in every text.
    is_prose: bool,
}

impl LexicalQuery {
    /// Analyses free text. Stop words are dropped unless nothing else remains.
    #[must_use]
    pub fn parse(text: &str, mode: Mode) -> Self {
        let tokens = tokenize(text);
        let is_kept = |token: &Token| !LexicalQuery::is_stop_word(&token.word);
        let only_stop_words = !tokens.iter().any(is_kept);
        let is_prose = only_stop_words || !tokens.iter().all(is_kept);
        let mut builder = Builder::default();
        for token in tokens
            .into_iter()
            .filter(|token| only_stop_words || is_kept(token))
        {
            builder.add(token);
        }
        Self {
            is_prose,
            ..builder.build(mode)
        }
    }

    /// Analyses free text of which every word was asked for by name: single characters are demanded
    /// as well.
    #[must_use]
    pub fn parse_every(text: &str, mode: Mode) -> Self {
        let mut query = Self::parse(text, mode);
        for term in query
            .terms
            .iter_mut()
            .filter(|term| term.token.len() < REQUIRED_MIN_BYTES)
        {
            term.required = true;
        }
        query
    }

    /// Returns whether it names a few things instead of asking a question: each of its words was
    /// chosen, and is to be found.
    #[must_use]
    pub fn is_keywords(&self) -> bool {
        !self.is_prose && self.terms.iter().filter(|term| term.required).count() <= KEYWORDS_MAX
    }

    /// Asks for any of some code symbols: each as a whole, or as its stem when it has one part.
    #[must_use]
    pub fn identifiers<'a>(symbols: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = Builder::default();
        for symbol in symbols {
            // The parts of an identifier come before the whole, and are not asked for once the
            // whole is known.
            let mut parts = Vec::new();
            for token in tokenize(symbol) {
                if token.kind == TokenKind::Whole {
                    parts.retain(|part: &Token| !is_part_of(part, &token));
                }
                parts.push(token);
            }
            for part in parts {
                builder.add(part);
            }
        }
        builder.build(Mode::Any)
    }

    /// Tells whether the query asks for nothing, and therefore finds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The terms, required ones and others, in the order asked.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns whether all or any of the terms must occur.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The same terms under another mode: AND first, then OR.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The same query without the terms whose places in [`Self::terms`] are not wanted.
    pub(super) fn retain(mut self, is_wanted: impl Fn(usize) -> bool) -> Self {
        let mut place = 0;
        self.terms.retain(|_| {
            place += 1;
            is_wanted(place - 1)
        });
        self
    }

    /// Returns whether every term that [`Mode::All`] demands occurs in a document.
    #[must_use]
    pub fn has_all(&self, document: &Document<'_>) -> bool {
        let found = tokens_of(document);
        self.terms
            .iter()
            .filter(|term| term.required)
            .all(|term| found.contains(&term.token))
    }

    /// Returns the words of a text that this query's terms match, in lower case as they stand
    /// there, each once.
    #[must_use]
    pub fn matched_words(&self, text: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        visit(text, |token| {
            let is_new = !found.iter().any(|word| word == token.word);
            if is_new && self.terms.iter().any(|term| term.token == token.text) {
                found.push(token.word.to_owned());
            }
        });
        found
    }

    /// Returns the words of this query that occur in a document, as they were asked, to explain a
    /// hit.
    #[must_use]
    pub fn matched_terms(&self, document: &Document<'_>) -> Vec<String> {
        let found = tokens_of(document);
        self.terms
            .iter()
            .filter(|term| found.contains(&term.token))
            .map(|term| term.word.clone())
            .collect()
    }
}

fn tokens_of(document: &Document<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    for text in document.scored_texts() {
        visit(&text, |token| {
            if !found.contains(token.text) {
                found.insert(token.text.to_owned());
            }
        });
    }
    found
}

fn is_part_of(part: &Token, whole: &Token) -> bool {
    part.kind == TokenKind::Part && whole.word.contains(&part.word)
}

/// Collects distinct terms.
#[derive(Default)]
struct Builder {
    terms: Vec<Term>,
    /// Where each token stands in `terms`.
    seen: FxHashMap<String, usize>,
}

impl Builder {
    fn add(&mut self, token: Token) {
        let is_short = token.kind == TokenKind::Part && token.text.len() < REQUIRED_MIN_BYTES;
        let required = token.kind != TokenKind::Whole && !is_short;
        if let Some(&at) = self.seen.get(&token.text) {
            // The same token asked for as a word and as an identifier: the word's demand holds.
            if let Some(term) = self.terms.get_mut(at) {
                term.required |= required;
            }
        } else if self.terms.len() < QUERY_TOKENS_MAX {
            self.seen.insert(token.text.clone(), self.terms.len());
            self.terms.push(Term {
                token: token.text,
                word: token.word,
                required,
            });
        }
    }

    fn build(mut self, mode: Mode) -> LexicalQuery {
        // An identifier whose parts are single letters has nothing but the whole, and `7` nothing
        // but a digit.
        if !self.terms.iter().any(|term| term.required) {
            self.terms.iter_mut().for_each(|term| term.required = true);
        }
        LexicalQuery {
            terms: self.terms,
            mode,
            is_prose: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LexicalQuery, Mode, QUERY_TOKENS_MAX};
    use crate::index::lexical::fields::Document;

    /// Writes a query: required tokens plain, optional ones in brackets.
    fn render(query: &LexicalQuery) -> String {
        let show = |term: &super::Term| {
            if term.required {
                term.token.clone()
            } else {
                format!("({})", term.token)
            }
        };
        query.terms().iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn analyses_questions() {
        let table = [
            ("", ""),
            (
                "how do we run the builds on arm64?",
                "run build arm 64 (arm64)",
            ),
            ("what is it", "what is it"),
            ("FxHashSet set sets", "fx hash set (fxhashset)"),
            ("fxhashset FxHashSet", "fxhashset fx hash set"),
            ("do not deploy", "not deploy"),
            ("aB", "ab"),
            ("v2 endpoints", "v2 endpoint"),
            ("phase 3 of python3", "phase (3) python (python3)"),
            ("7", "7"),
        ];
        for (text, expected) in table {
            assert_eq!(
                render(&LexicalQuery::parse(text, Mode::All)),
                expected,
                "{text}"
            );
        }
        assert!(LexicalQuery::parse(" ?! ", Mode::Any).is_empty());
        assert_eq!(
            render(&LexicalQuery::parse_every("phase 3 of python3", Mode::All)),
            "phase 3 python (python3)"
        );
    }

    #[test]
    fn keywords_are_few_and_no_question() {
        let is_keywords = |text| LexicalQuery::parse(text, Mode::All).is_keywords();
        assert!(
            [
                "redb fsync",
                "FxHashSet capacity",
                "daemon socket file mode"
            ]
            .into_iter()
            .all(is_keywords)
        );
        let questions = [
            "how is the socket made",
            "what is it",
            "one two three four five",
        ];
        assert!(!questions.into_iter().any(is_keywords));
    }

    #[test]
    fn identifiers_are_whole() {
        let query = LexicalQuery::identifiers(["FxHashSet", "my_var", "running", "std::HashMap"]);
        assert_eq!(render(&query), "(fxhashset) (my_var) run std (hashmap)");
        assert_eq!(query.mode(), Mode::Any);
        assert_eq!(
            render(&LexicalQuery::identifiers(["FxHashSet"])),
            "fxhashset"
        );
    }

    #[test]
    fn bounds_the_tokens() {
        let text = (0..200)
            .map(|number| format!("w{number}"))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(
            LexicalQuery::parse(&text, Mode::Any).terms().len(),
            QUERY_TOKENS_MAX
        );
    }

    #[test]
    fn names_the_words_that_matched() {
        let tags = ["CI".to_owned()];
        let document = Document {
            number: 1,
            text: "Builds need arm64",
            topic: "gotchas",
            tags: &tags,
            source: None,
        };
        let query = LexicalQuery::parse("which gotcha breaks building in ci?", Mode::Any);
        assert_eq!(query.matched_terms(&document), ["gotcha", "building", "ci"]);
        assert_eq!(
            query.matched_words("It builds; the Build of CI."),
            ["builds", "build", "ci"]
        );
        assert!(!query.has_all(&document));
        assert!(LexicalQuery::parse("building for arm64 in the ci", Mode::All).has_all(&document));
    }
}
