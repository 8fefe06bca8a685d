//! The one tokenizer of the lexical index: the same pure function reads memories for the tail,
//! memories for tantivy, and queries, so that the three always agree.
//!
//! Text is brought to NFKC and cut into runs of letters, digits and underscores. A run is an
//! identifier: it is split at case changes, underscores and digits *before* lowercasing, its parts
//! are stemmed, and when there is more than one part the whole run is kept too, read like the
//! lower-case word that somebody may type for it (`FxHashSet` gives `fx hash set` and `fxhashset`).
//! Runs of Han, Kana and Hangul become overlapping bigrams, since they are written without spaces.
//!
//! A change of what this file answers is a change of format: see `FORMAT` in the storage module.

mod adapter;
mod split;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub(super) use adapter::TantivyTokenizer;
use split::Parts;

/// Longest token in bytes; what is longer is cut here, at a character's boundary. No word is
/// longer, encoded blobs are.
pub const TOKEN_MAX_BYTES: usize = 64;

/// Most tokens of one field: more than a memory of the largest size holds in prose, so only dense
/// data is cut short.
pub const FIELD_TOKENS_MAX: usize = 20_000;

/// Fewest characters of a word that is stemmed: shorter ones are mostly names and abbreviations.
const STEM_MIN_CHARS: usize = 4;

/// The meaning of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word, or one part of an identifier, stemmed.
    Part,
    /// A whole identifier of several parts, stemmed when it has letters alone.
    Whole,
    /// One or two characters of a script written without spaces.
    Gram,
}

/// One token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The indexed text, which is looked up.
    pub text: String,
    /// The lowercased word it came from, before stemming.
    pub word: String,
    /// Its meaning.
    pub kind: TokenKind,
}

/// A token lent to a visitor.
#[derive(Debug, Clone, Copy)]
pub struct TokenRef<'a> {
    /// The indexed text, which is looked up.
    pub text: &'a str,
    /// The lowercased word it came from, before stemming.
    pub word: &'a str,
    /// Its meaning.
    pub kind: TokenKind,
}

/// Returns the tokens of a text in their order, at most [`FIELD_TOKENS_MAX`].
#[must_use]
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    visit(text, |token| {
        tokens.push(Token {
            text: token.text.to_owned(),
            word: token.word.to_owned(),
            kind: token.kind,
        });
    });
    tokens
}

/// Calls `each` with every token of a text in its order, at most [`FIELD_TOKENS_MAX`] times,
/// without allocating for each.
///
/// White space ends every run and is composed with nothing, so a text is read in the pieces
/// between; those that are plain ASCII, which most are, are read as bytes.
pub fn visit(text: &str, each: impl FnMut(TokenRef<'_>)) {
    let mut scanner = Scanner::new(each);
    for piece in text
        .split(|character: char| character.is_ascii_whitespace())
        .filter(|piece| !piece.is_empty())
    {
        if scanner.left == 0 {
            return;
        }
        if piece.is_ascii() && !piece.contains('\'') {
            scanner.read_ascii(piece);
        } else {
            scanner.read_any(piece);
        }
    }
}

fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    }
}

/// Which kind of run is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Identifier,
    Grams,
}

/// Collects runs of characters and hands their tokens on.
struct Scanner<F> {
    each: F,
    left: usize,
    kind: Run,
    run: Vec<char>,
    /// Where in the run an apostrophe stood, which is not part of the run.
    apostrophe: Option<usize>,
    word: String,
}

impl<F: FnMut(TokenRef<'_>)> Scanner<F> {
    fn new(each: F) -> Self {
        Self {
            each,
            left: FIELD_TOKENS_MAX,
            kind: Run::Identifier,
            run: Vec::new(),
            apostrophe: None,
            word: String::new(),
        }
    }

    /// Reads a piece in which an apostrophe never stands.
    fn read_ascii(&mut self, piece: &str) {
        for run in
            piece.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        {
            if run.bytes().all(|byte| byte.is_ascii_lowercase()) {
                if run.len() > 1 {
                    self.emit_ascii(TokenKind::Part, run);
                }
                continue;
            }
            let (mut parts, bytes) = (0, run.as_bytes());
            for part in Parts::of(bytes) {
                parts += 1;
                if part.len() > 1 || part.iter().any(u8::is_ascii_digit) {
                    self.emit_ascii(
                        TokenKind::Part,
                        std::str::from_utf8(part).unwrap_or_default(),
                    );
                }
            }
            if parts > 1 {
                self.emit_ascii(TokenKind::Whole, run.trim_matches('_'));
            }
        }
    }

    fn emit_ascii(&mut self, kind: TokenKind, run: &str) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        self.word.clear();
        self.word
            .push_str(run.get(..TOKEN_MAX_BYTES).unwrap_or(run));
        self.word.make_ascii_lowercase();
        self.hand_on(kind);
    }

    /// Reads a piece of any script.
    fn read_any(&mut self, piece: &str) {
        for character in normalize(piece).chars() {
            if self.left == 0 {
                return;
            }
            self.read(character);
        }
        self.end_run();
    }

    fn read(&mut self, character: char) {
        if is_gram(character) {
            self.extend(Run::Grams, character);
        } else if character.is_alphanumeric() || character == '_' {
            self.extend(Run::Identifier, character);
        } else if is_combining_mark(character) && !self.run.is_empty() {
            self.extend(self.kind, character);
        } else if is_apostrophe(character)
            && self.kind == Run::Identifier
            && self.may_take_apostrophe()
        {
            self.apostrophe = Some(self.run.len());
        } else {
            self.end_run();
        }
    }

    fn extend(&mut self, kind: Run, character: char) {
        if self.kind != kind {
            self.end_run();
            self.kind = kind;
        }
        self.run.push(character);
    }

    fn may_take_apostrophe(&self) -> bool {
        self.apostrophe.is_none() && self.run.last().is_some_and(|last| last.is_alphabetic())
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        match (self.kind, self.apostrophe.take()) {
            (Run::Grams, _) => self.emit_grams(&run),
            (Run::Identifier, None) => self.emit_identifier(&run),
            (Run::Identifier, Some(at)) => self.emit_around_apostrophe(&run, at),
        }
        // The allocation is kept for the next run.
        self.run = run;
        self.run.clear();
    }

    /// `server's` is `server`, `don't` is `dont`, and anything else (`b'x'`) is two runs.
    fn emit_around_apostrophe(&mut self, run: &[char], at: usize) {
        let (before, after) = run.split_at(at);
        match after {
            ['s' | 'S'] => self.emit_identifier(before),
            ['t' | 'd' | 'm' | 'T' | 'D' | 'M']
            | ['l' | 'L', 'l' | 'L']
            | ['r' | 'R' | 'v' | 'V', 'e' | 'E'] => {
                self.emit_identifier(run);
            }
            _ => {
                self.emit_identifier(before);
                self.emit_identifier(after);
            }
        }
    }

    fn emit_grams(&mut self, run: &[char]) {
        if let [alone] = run {
            self.emit(TokenKind::Gram, &[*alone]);
        }
        for pair in run.windows(2) {
            self.emit(TokenKind::Gram, pair);
        }
    }

    fn emit_identifier(&mut self, run: &[char]) {
        let mut parts = 0;
        for part in Parts::of(run) {
            parts += 1;
            if part.len() > 1 || part.iter().any(|character| character.is_numeric()) {
                self.emit(TokenKind::Part, part);
            }
        }
        if parts > 1 {
            self.emit(TokenKind::Whole, trim_underscores(run));
        }
    }

    fn emit(&mut self, kind: TokenKind, characters: &[char]) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        self.word.clear();
        for lower in characters
            .iter()
            .flat_map(|character| character.to_lowercase())
        {
            if self.word.len() + lower.len_utf8() > TOKEN_MAX_BYTES {
                break;
            }
            self.word.push(lower);
        }
        self.hand_on(kind);
    }

    /// Hands the word on, stemmed where words are.
    fn hand_on(&mut self, kind: TokenKind) {
        let word = self.word.as_str();
        match kind {
            TokenKind::Part | TokenKind::Whole if is_stemmed(word) => {
                let text = helix_memory::stem(word);
                (self.each)(TokenRef {
                    text: &text,
                    word,
                    kind,
                });
            }
            TokenKind::Part | TokenKind::Whole | TokenKind::Gram => (self.each)(TokenRef {
                text: word,
                word,
                kind,
            }),
        }
    }
}

fn is_stemmed(word: &str) -> bool {
    word.len() >= STEM_MIN_CHARS && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn trim_underscores(run: &[char]) -> &[char] {
    let start = run
        .iter()
        .position(|&character| character != '_')
        .unwrap_or(run.len());
    let end = run
        .iter()
        .rposition(|&character| character != '_')
        .map_or(start, |last| last + 1);
    run.get(start..end).unwrap_or_default()
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

/// Tells whether a character belongs to a script that is written without spaces and therefore read
/// as bigrams.
fn is_gram(character: char) -> bool {
    matches!(character,
        '\u{2E80}'..='\u{2FDF}' // radicals
        | '\u{3005}'..='\u{3007}' // iteration mark, closing mark, zero
        | '\u{3041}'..='\u{309F}' // Hiragana
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' // Katakana
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' // Hangul
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' // Han
    )
}
