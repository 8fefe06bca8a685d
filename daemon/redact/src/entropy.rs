//! Random tokens: what no shape and no place tells, and only a machine writes.
//!
//! A token is random where its characters change their class as often as chance has it, and no
//! character comes back too often. Hashes, UUIDs, integrity strings, names and paths are spared.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use serde::Deserialize;

use super::named::WordIn;
use super::rules::Found;
use super::value::is_id;

/// Shortest random token beside a telling name, and shortest one anywhere.
const BESIDE_MIN_CHARS: usize = 20;
const ANYWHERE_MIN_CHARS: usize = 32;

/// Longest random token: longer ones are images, certificates and other data.
const MAX_CHARS: usize = 200;

/// Bytes between a telling name and a token behind it, and before it, in one line.
const BEHIND_MAX_BYTES: usize = 48;
const BEFORE_MAX_BYTES: usize = 24;

/// Fewest bits a character, by how often each comes: a random token of 20 of 62 characters has 4.0,
/// one of 36 has 3.8.
const MIN_BITS: f64 = 3.4;

/// Least share of neighbours that are of different classes. By chance .62 are in tokens of small
/// and large letters and digits, and .40 in those of one case and digits; in names .2 are.
const MIN_CHANGES_OF_THREE: f64 = 0.38;
const MIN_CHANGES_OF_TWO: f64 = 0.25;

/// Most separators in a token: one in so many characters.
const SEPARATOR_EVERY: usize = 12;

/// Shortest digest that is told from a part of a random token.
const DIGEST_MIN_CHARS: usize = 12;

/// The tier of this process.
static TIER: AtomicU8 = AtomicU8::new(Entropy::Careful as u8);

/// How far random tokens are taken for secrets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Entropy {
    /// Nowhere.
    Off = 0,
    /// Beside a telling name.
    #[default]
    Careful = 1,
    /// Everywhere.
    Strict = 2,
}

impl Entropy {
    /// Sets the tier of this process. It has one for all of its parts, so that no part keeps what
    /// another takes out.
    pub fn set(self) {
        TIER.store(self as u8, Ordering::Relaxed);
    }

    /// The tier of this process.
    pub(super) fn of_process() -> Self {
        match TIER.load(Ordering::Relaxed) {
            0 => Self::Off,
            1 => Self::Careful,
            _ => Self::Strict,
        }
    }
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RandomnessTable {
    pub(super) name: String,
    spared_behind: Vec<String>,
    spared_beginnings: Vec<String>,
    pub(super) canary: String,
    pub(super) innocent: Vec<String>,
}

/// Finds random tokens.
pub(super) struct Randomness {
    name: String,
    spared_behind: Vec<String>,
    spared_beginnings: Vec<String>,
}

impl Randomness {
    pub(super) fn of(table: RandomnessTable) -> Self {
        Self {
            name: table.name,
            spared_behind: table.spared_behind,
            spared_beginnings: table.spared_beginnings,
        }
    }

    /// Finds the random tokens of a text whose telling words are `words`.
    pub(super) fn find<'r>(
        &'r self,
        text: &str,
        words: &[WordIn],
        entropy: Entropy,
        found: &mut Vec<Found<'r>>,
    ) {
        match entropy {
            Entropy::Off => {}
            Entropy::Careful => {
                for word in words {
                    self.find_in(text, beside(text, &word.range), BESIDE_MIN_CHARS, found);
                }
            }
            Entropy::Strict => self.find_in(text, 0..text.len(), ANYWHERE_MIN_CHARS, found),
        }
    }

    /// Finds the random tokens that begin in a part of a text.
    fn find_in<'r>(
        &'r self,
        text: &str,
        part: Range<usize>,
        min_chars: usize,
        found: &mut Vec<Found<'r>>,
    ) {
        for token in tokens(text, part) {
            let Some(value) = text.get(token.clone()) else {
                continue;
            };
            let is_sized = (min_chars..=MAX_CHARS).contains(&value.len());
            if is_sized && is_random(value) && !self.is_spared(text, &token) {
                let end = token.end + padding(text, token.end);
                found.push(Found::new(token.start..end, &self.name));
            }
        }
    }

    /// Returns whether a token, or what stands before it, says that it is no secret.
    fn is_spared(&self, text: &str, token: &Range<usize>) -> bool {
        let before = text.as_bytes().get(..token.start).unwrap_or_default();
        let rest = text.get(token.start..).unwrap_or_default();
        let begins = |beginning: &String| rest.starts_with(beginning.as_str());
        self.spared_beginnings.iter().any(begins)
            || self
                .spared_behind
                .iter()
                .any(|marker| ends_in(before, marker))
            || is_in_address(text, token.start)
    }
}

fn ends_in(text: &[u8], marker: &str) -> bool {
    let start = text.len().checked_sub(marker.len());
    start
        .and_then(|start| text.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(marker.as_bytes()))
}

/// The part of a word's line in which a token stands beside it. It begins where a token begins.
fn beside(text: &str, word: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_same_line = |byte: &&u8| **byte != b'\n';
    let before = bytes.get(..word.start).unwrap_or_default();
    let behind = bytes.get(word.end..).unwrap_or_default();
    let near = before
        .iter()
        .rev()
        .take(BEFORE_MAX_BYTES)
        .take_while(is_same_line)
        .count();
    let cut = before.get(..word.start - near).unwrap_or_default();
    let rest_of_token = cut
        .iter()
        .rev()
        .take(MAX_CHARS)
        .take_while(|byte| is_of_token(byte))
        .count();
    let after = behind
        .iter()
        .take(BEHIND_MAX_BYTES)
        .take_while(is_same_line)
        .count();
    word.start - near - rest_of_token..word.end + after
}

/// The runs of characters that tokens are made of which begin in a part of a text.
fn tokens(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = part.start;
    std::iter::from_fn(move || {
        while at < part.end && !bytes.get(at).is_some_and(is_of_token) {
            at += 1;
        }
        if at >= part.end {
            return None;
        }
        let whole = at..at + run(bytes, at);
        at = whole.end;
        Some(trimmed(bytes, whole))
    })
}

/// How many characters of a token stand at a byte.
fn run(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| is_of_token(byte)).count()
}

/// How many bytes of Base64's padding stand at a byte.
fn padding(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    rest.iter()
        .take(2)
        .take_while(|byte| **byte == b'=')
        .count()
}

/// A run without the separators at its ends.
fn trimmed(bytes: &[u8], run: Range<usize>) -> Range<usize> {
    let token = bytes.get(run.clone()).unwrap_or_default();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric();
    let first = token.iter().position(is_inner).unwrap_or(token.len());
    let last = token
        .iter()
        .rposition(is_inner)
        .map_or(first, |last| last + 1);
    run.start + first..run.start + last
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "iterators hand over references"
)]
fn is_of_token(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'.' | b'~')
}

/// Returns whether a token stands in an address or a path behind a place: `https://host/a1B2…`.
fn is_in_address(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let chunk = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    chunk.contains("://") || chunk.ends_with('/') || chunk.ends_with('@')
}

/// Returns whether chance made a token.
fn is_random(token: &str) -> bool {
    !is_id(token)
        && !has_digest(token)
        && !has_many_separators(token)
        && bits_of_character(token) >= MIN_BITS
        && changes_by_chance(token)
}

/// Returns whether a part of a token is a digest: `linux-x64-4f2d1c…`, `0x4f2d1c…`, `I4f2d1c…`.
fn has_digest(token: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut parts = token.split(|next: char| !next.is_ascii_alphanumeric());
    parts.any(|part| {
        let digits = part.trim_start_matches("0x").trim_start_matches(['I', 'x']);
        digits.len() >= DIGEST_MIN_CHARS && is_hex(digits)
    })
}

/// Returns whether a token has the parts of a name or a path.
fn has_many_separators(token: &str) -> bool {
    let separators = token
        .bytes()
        .filter(|byte| !byte.is_ascii_alphanumeric())
        .count();
    separators * SEPARATOR_EVERY > token.len()
}

/// Shannon's entropy of a token's characters.
fn bits_of_character(token: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in token.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = counts.iter().map(|count| f64::from(*count)).sum::<f64>();
    let bits = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

/// The class of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Small,
    Large,
    Digit,
    Other,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Small,
            b'A'..=b'Z' => Self::Large,
            b'0'..=b'9' => Self::Digit,
            _ => Self::Other,
        }
    }
}

/// Returns whether neighbours differ in class as often as by chance.
fn changes_by_chance(token: &str) -> bool {
    let classes: Vec<Class> = token.bytes().map(Class::of).collect();
    let has = |class| classes.contains(&class);
    let has_letters = [has(Class::Small), has(Class::Large)];
    let least = match (has_letters, has(Class::Digit)) {
        ([true, true], true) => MIN_CHANGES_OF_THREE,
        ([true, false] | [false, true], true) => MIN_CHANGES_OF_TWO,
        _ => return false,
    };
    let pairs = classes.windows(2);
    let all = f64::from(u32::try_from(pairs.len()).unwrap_or(u32::MAX));
    let changes = pairs.filter(|pair| pair.first() != pair.last()).count();
    f64::from(u32::try_from(changes).unwrap_or(0)) >= least * all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_chance_are_told_from_names_and_ids() {
        for token in [
            "q7Rk2Zp9Lx4Wm8Tn3Vb6Yc1Hd5Jf0Gs",
            "9k2j7x4m8q1w6z3p5t0v8n2b4c7d9f1h",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzx8Kq2Lm9Z",
        ] {
            assert!(is_random(token), "{token}");
        }
        for name in [
            "getUserProfileByAccountIdentifier2",
            "4f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0",
            "123e4567-e89b-12d3-a456-426614174000",
            "registry-catalog-session-v2-2024-05-01",
            "SHARD_VECTOR_WIDGET_ORDER_CATALOG_1",
            "aaaaaaaaaaaaaaaaaaaaaaaa1A",
        ] {
            assert!(!is_random(name), "{name}");
        }
    }
}
