//! Passages as the classifier reads them: a few sentences with their classes of words, the reasons
//! that rules gave, and their words.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use super::lexicon::Classes;
use super::{Reason, Sentence, Suspicion};

/// Places for hashed words and pairs of words.
pub(super) const WORDS: usize = 1 << 16;

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
    pub(super) fn of(sentences: &[Sentence], text: &str, found: &[Suspicion]) -> Option<Self> {
        let range = sentences.first()?.range.start..sentences.last()?.range.end;
        let is_about =
            |one: &&Suspicion| one.range.start < range.end && range.start < one.range.end;
        let mut reasons: Vec<Reason> = found
            .iter()
            .filter(is_about)
            .map(|one| one.reason)
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        let all = sentences.iter().map(|sentence| sentence.all);
        Some(Self {
            classes: all.fold(Classes::default(), Classes::with),
            reasons,
            words: places(text.get(range.clone()).unwrap_or_default()),
            range,
        })
    }
}

/// The places of a text's words, of their beginnings and of pairs of words that are next to each
/// other or next but one. A number is like any other, a mark is a word, and so is a character of a
/// script without blanks.
fn places(text: &str) -> Vec<u16> {
    let mut places = Vec::new();
    let mut before = [0_u64; 2];
    for word in tokens(text) {
        places.push(place(word.whole));
        places.extend(word.beginning.map(place));
        places.push(place(word.whole ^ before[0].rotate_left(7)));
        places.push(place(word.whole ^ before[1].rotate_left(23)));
        before = [word.whole, before[0]];
    }
    places.sort_unstable();
    places.dedup();
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
    let mut tokens = Vec::new();
    let mut letters = 0;
    let mut word = FxHasher::default();
    let mut token = Token::default();
    let end = |tokens: &mut Vec<Token>, word: &mut FxHasher, token: &mut Token| {
        let whole = std::mem::take(word).finish();
        tokens.push(Token {
            whole,
            ..std::mem::take(token)
        });
    };
    for next in text.chars().flat_map(char::to_lowercase) {
        let is_letter = next.is_alphanumeric() && !is_unspaced(next);
        if !is_letter && letters > 0 {
            end(&mut tokens, &mut word, &mut token);
            letters = 0;
        }
        if is_letter {
            if letters == BEGINNING_LETTERS {
                token.beginning = Some(word.finish().rotate_left(41));
            }
            letters += 1;
            word.write_u32(if next.is_numeric() { 0 } else { next.into() });
        } else if !next.is_whitespace() {
            word.write_u32(next.into());
            end(&mut tokens, &mut word, &mut token);
        }
    }
    if letters > 0 {
        end(&mut tokens, &mut word, &mut token);
    }
    tokens
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
