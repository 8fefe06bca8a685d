//! The words of the table, found where words begin: in a text as it stands, and in the same pass as
//! they would stand there in rot13 or backwards.

use rustc_hash::FxHashMap;

use super::lexicon::Classes;

/// Bytes by which spellings are looked up; shorter ones are padded.
const KEY_BYTES: usize = 4;

/// Shortest spelling that is looked for in another reading: shorter ones stand there by chance.
const READING_MIN_BYTES: usize = 4;

/// A way to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it stands.
    Plain,
    /// With each letter of ASCII thirteen places on.
    Rotated,
    /// From the end to the beginning.
    Reversed,
}

impl Reading {
    pub(super) const COUNT: usize = 3;
    const ALL: [Self; Self::COUNT] = [Self::Plain, Self::Rotated, Self::Reversed];

    fn of(self, word: &str) -> String {
        match self {
            Self::Plain => word.to_owned(),
            Self::Rotated => rotated(word),
            Self::Reversed => word.chars().rev().collect(),
        }
    }
}

/// A word of a class.
#[derive(Debug)]
struct Spelling {
    text: String,
    class: Classes,
    /// True if any ending may follow.
    is_stem: bool,
    reading: Reading,
}

/// All words of all classes, by their first bytes.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    by_key: FxHashMap<u32, Vec<Spelling>>,
}

impl Spellings {
    /// Adds a word in every reading that it is found in. `is_order` says whether it is looked for in
    /// others than the plain one.
    pub(super) fn add(&mut self, word: &str, class: Classes, is_order: bool) {
        let stem = word.strip_suffix('*').filter(|stem| !stem.is_empty());
        let is_stem = stem.is_some();
        let text = stem.unwrap_or(word);
        let is_read_otherwise =
            is_order && text.len() >= READING_MIN_BYTES && text.is_ascii() && !is_stem;
        for reading in Reading::ALL {
            if reading != Reading::Plain && !is_read_otherwise {
                continue;
            }
            let spelling = Spelling {
                text: reading.of(text),
                class,
                is_stem,
                reading,
            };
            let known = self.by_key.entry(key(spelling.text.as_bytes()));
            known.or_default().push(spelling);
        }
    }

    /// Calls `found` with the place, the class and the reading of each word in a lowercase text, in
    /// the order of their places.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(usize, Classes, Reading)) {
        let mut is_behind_letter = false;
        for (at, next) in text.char_indices() {
            let joins = is_joined(next);
            let may_begin = !(is_behind_letter && joins) && next != ' ';
            is_behind_letter = joins;
            if !may_begin {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            let whole = key(rest.as_bytes());
            for bytes in (2..=KEY_BYTES).rev() {
                let key = whole & mask(bytes);
                if key & !mask(bytes - 1) == 0 {
                    // The text ends before.
                    continue;
                }
                let spellings = self.by_key.get(&key);
                for spelling in spellings.into_iter().flatten() {
                    let is_short = spelling.text.len() < KEY_BYTES;
                    let is_of_key = if is_short {
                        spelling.text.len() == bytes
                    } else {
                        bytes == KEY_BYTES
                    };
                    if is_of_key && spelling.is_at(rest) {
                        found(at, spelling.class, spelling.reading);
                    }
                }
            }
        }
    }
}

impl Spelling {
    fn is_at(&self, rest: &str) -> bool {
        let Some(behind) = rest.strip_prefix(self.text.as_str()) else {
            return false;
        };
        if self.is_stem {
            return true;
        }
        let ends_in_letter = self.text.chars().next_back().is_some_and(is_joined);
        !(ends_in_letter && behind.chars().next().is_some_and(is_joined))
    }
}

/// The first bytes of a text, the first one lowest; 0 where it has none.
fn key(bytes: &[u8]) -> u32 {
    let mut key = [0; KEY_BYTES];
    for (to, from) in key.iter_mut().zip(bytes) {
        *to = *from;
    }
    u32::from_le_bytes(key)
}

const fn mask(bytes: usize) -> u32 {
    if bytes >= KEY_BYTES {
        return u32::MAX;
    }
    (1 << (bytes * 8)) - 1
}

/// Each letter of ASCII thirteen places on.
pub(super) fn rotated(text: &str) -> String {
    let rotate = |next: char, first: u8| {
        let place = (u32::from(next) - u32::from(first) + 13) % 26;
        char::from_u32(u32::from(first) + place).unwrap_or(next)
    };
    text.chars()
        .map(|next| match next {
            'a'..='z' => rotate(next, b'a'),
            'A'..='Z' => rotate(next, b'A'),
            _ => next,
        })
        .collect()
}

/// Whether a character is joined to letters next to it: those of scripts that put no blanks between
/// words are not.
fn is_joined(next: char) -> bool {
    if next.is_ascii() {
        return next.is_ascii_alphanumeric();
    }
    next.is_alphanumeric() && !is_unspaced(next)
}

/// Thai, kana, Chinese and Korean, whose particles follow their words without a blank.
fn is_unspaced(next: char) -> bool {
    matches!(next, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
