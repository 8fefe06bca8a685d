//! Passages as the classifier reads them: a few sentences with their classes of words, the reasons
//! that rules gave, and their words.

use std::collections::BTreeSet;
use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use super::lexicon::Classes;
use super::sentence::{Sentence, all_of, range_of};
use super::{Reason, Suspicion};

/// Places for hashed words and pairs of words.
pub(super) const WORDS: usize = 1 << 16;

/// Sentences of a passage.
const PASSAGE_SENTENCES: usize = 3;

/// Letters by which words of one stem are alike, whatever their endings.
const BEGINNING_LETTERS: usize = 5;

/// A few sentences of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// Classes of its words.
    pub(super) classes: Classes,
    /// Reasons of rules, each once.
    pub reasons: Vec<Reason>,
    /// Places of its words and pairs of words, each once.
    pub words: Vec<u16>,
}

impl Passage {
    fn of(text: &str, sentences: &[Sentence], found: &[Suspicion]) -> Self {
        let part = |sentence: &Sentence| text.get(sentence.range.clone()).unwrap_or_default();
        let words = sentences.iter().map(part).flat_map(places);
        let words: BTreeSet<u16> = words.collect();
        Self {
            range: range_of(sentences),
            classes: all_of(sentences),
            reasons: reasons_of(sentences, found),
            words: words.into_iter().collect(),
        }
    }

    /// The passages of a text.
    pub(super) fn all(text: &str, sentences: &[Sentence], found: &[Suspicion]) -> Vec<Self> {
        let passages = sentences.windows(passage_len(sentences));
        passages
            .map(|sentences| Self::of(text, sentences, found))
            .collect()
    }
}

/// Sentences of a passage, over which the parts of an order may be spread: fewer where the text has
/// not as many.
pub(super) fn passage_len(sentences: &[Sentence]) -> usize {
    PASSAGE_SENTENCES.min(sentences.len()).max(1)
}

/// The reasons that rules gave for what is in a passage, each once.
pub(super) fn reasons_of(passage: &[Sentence], found: &[Suspicion]) -> Vec<Reason> {
    let range = range_of(passage);
    let is_about = |one: &&Suspicion| one.range.start < range.end && range.start < one.range.end;
    let reasons = found.iter().filter(is_about).map(|one| one.reason);
    reasons.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The places of a sentence's words, of their beginnings and of pairs of words that are next to
/// each other or next but one. A number is like any other, a mark is a word, and so is a
/// character of a script without blanks.
pub(super) fn places(text: &str) -> Vec<u16> {
    let mut places = Vec::with_capacity(text.len());
    let mut before = [0_u64; 2];
    for word in tokens(text) {
        places.push(place(word.whole));
        places.extend(word.beginning.map(place));
        places.push(place(word.whole ^ before[0].rotate_left(7)));
        places.push(place(word.whole ^ before[1].rotate_left(23)));
        before = [word.whole, before[0]];
    }
    places
}

/// The hashes of a word.
#[derive(Clone, Copy, Debug, Default)]
struct Token {
    whole: u64,
    /// That of its first letters, where it has more.
    beginning: Option<u64>,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader::default();
    for next in text.chars() {
        if next.is_ascii() {
            reader.read(next.to_ascii_lowercase());
        } else {
            next.to_lowercase().for_each(|next| reader.read(next));
        }
    }
    reader.end_word();
    reader.tokens
}

/// The words read so far, and the one that is being read.
#[derive(Default)]
struct Reader {
    tokens: Vec<Token>,
    letters: usize,
    word: FxHasher,
    beginning: Option<u64>,
}

impl Reader {
    fn read(&mut self, next: char) {
        if is_letter(next) {
            if self.letters == BEGINNING_LETTERS {
                self.beginning = Some(self.word.finish().rotate_left(41));
            }
            self.letters += 1;
            let letter = if next.is_numeric() { 0 } else { next.into() };
            self.word.write_u32(letter);
            return;
        }
        self.end_word();
        if !next.is_whitespace() {
            self.word.write_u32(next.into());
            self.end();
        }
    }

    fn end_word(&mut self) {
        if self.letters > 0 {
            self.end();
        }
    }

    fn end(&mut self) {
        self.letters = 0;
        self.tokens.push(Token {
            whole: std::mem::take(&mut self.word).finish(),
            beginning: self.beginning.take(),
        });
    }
}

fn is_letter(next: char) -> bool {
    if next.is_ascii() {
        return next.is_ascii_alphanumeric();
    }
    next.is_alphanumeric() && !is_unspaced(next)
}

/// Folds a hash into the places there are.
fn place(hash: u64) -> u16 {
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
    u16::try_from(mixed).unwrap_or_default()
}

fn is_unspaced(next: char) -> bool {
    matches!(next, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_and_numbers_are_not() {
        assert_eq!(places("Run A 12"), places("run a 47"));
        assert_ne!(places("run a"), places("a run"));
        assert_eq!(places(" \n"), Vec::<u16>::new());
    }
}
