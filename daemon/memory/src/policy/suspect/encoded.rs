//! Orders in an encoding: Base64, digits of bytes, rot13, spaced or reversed letters, digits for
//! letters. Each is decoded and looked at as a text; what is nested, once more.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;

use super::Least;
use super::lexicon::Lexicon;
use super::sentence::Sentences;
use super::spellings::rotated;

/// Encodings in encodings that are looked into, encoded parts of a text, and the longest text that
/// is read as a whole in another way.
const DEPTH_MAX: usize = 2;
const PARTS_MAX: usize = 16;
const WHOLE_MAX_BYTES: usize = 4 * 1024;

/// Letters that stand one by one where a word is spelled so.
const SPACED_MIN: usize = 4;

/// Shortest decoded text, in characters.
const DECODED_MIN_CHARS: usize = 6;

/// Possible Base64, or the digits of bytes.
const PARTS: &str = r"(?:\\x[0-9A-Fa-f]{2}){4,}|(?:%[0-9A-Fa-f]{2}){4,}|(?:0x[0-9A-Fa-f]{2}[ ,]*){6,}|(?:[0-9A-Fa-f]{2}[ :]){6,}[0-9A-Fa-f]{2}|[A-Za-z0-9+/_-]{12,}={0,2}";

static PART: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PARTS).ok());

/// Letters one by one, with one mark between them: of words, `word` is the mark between words.
const SPACED: [(&str, &str); 4] = [(" ", "  "), (".", " "), (".", "-"), ("-", " ")];

/// Returns whether a text has an order in an encoding. `read` is what was found in it.
pub(super) fn has_order(lexicon: &Lexicon, text: &str, read: &Sentences) -> bool {
    has_encoded_part(lexicon, text, DEPTH_MAX) || is_order_in_whole(lexicon, text, read)
}

fn has_encoded_part(lexicon: &Lexicon, text: &str, depth: usize) -> bool {
    let Some(part) = PART.as_ref().filter(|_| depth > 0) else {
        return false;
    };
    let parts = part.find_iter(text).take(PARTS_MAX);
    parts.flat_map(|part| decoded(part.as_str())).any(|plain| {
        lexicon.is_order(&plain, "", Least::One) || has_encoded_part(lexicon, &plain, depth - 1)
    })
}

/// The two alphabets of Base64, read with and without padding.
static BASE64: LazyLock<[GeneralPurpose; 2]> = LazyLock::new(|| {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    [&STANDARD, &URL_SAFE].map(|alphabet| GeneralPurpose::new(alphabet, lenient))
});

/// The texts that an encoded part may stand for.
fn decoded(part: &str) -> Vec<String> {
    let [standard, url_safe] = &*BASE64;
    let base64 = |engine: &GeneralPurpose| engine.decode(part).ok();
    let candidates = [digits_decoded(part), base64(standard), base64(url_safe)];
    let texts = candidates.into_iter().flatten().map(String::from_utf8);
    texts.flatten().filter(|text| is_text(text)).collect()
}

/// The bytes whose digits these are.
fn digits_decoded(part: &str) -> Option<Vec<u8>> {
    let plain = part.replace("\\x", "").replace("0x", "");
    let digits: Vec<u8> = plain.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

fn is_text(text: &str) -> bool {
    let is_printed = |next: char| !next.is_control() || next.is_whitespace();
    text.chars().count() >= DECODED_MIN_CHARS && text.chars().all(is_printed)
}

/// Returns whether a whole text is an order when it is read in another way. What it takes to read
/// it so is done only where words of orders were found, or letters stand as they do then.
fn is_order_in_whole(lexicon: &Lexicon, text: &str, read: &Sentences) -> bool {
    let end = text.floor_char_boundary(WHOLE_MAX_BYTES);
    let text = text.get(..end).unwrap_or_default();
    let plain = read.all();
    let mut readings = Vec::new();
    if lexicon.may_be_order(read.rotated, plain) {
        readings.push(rotated(text));
    }
    if lexicon.may_be_order(read.reversed, plain) {
        readings.push(reversed(text));
    }
    readings.extend(unleeted(text));
    if has_spaced_letters(text) {
        let spaced = SPACED.iter();
        readings.extend(spaced.filter_map(|(mark, between)| joined(text, mark, between)));
    }
    readings
        .iter()
        .any(|reading| lexicon.is_order(reading, text, Least::Two))
}

/// Returns whether letters stand one by one, as those of a word that is spelled out.
fn has_spaced_letters(text: &str) -> bool {
    let (mut run, mut letters) = (0, 0);
    for next in text.chars() {
        if next.is_ascii_alphabetic() || (!next.is_ascii() && next.is_alphabetic()) {
            letters += 1;
            continue;
        }
        run = match letters {
            0 => run,
            1 => run + 1,
            _ => 0,
        };
        if run >= SPACED_MIN {
            return true;
        }
        letters = 0;
    }
    letters == 1 && run + 1 >= SPACED_MIN
}

/// Each line from its end to its beginning.
fn reversed(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.chars().rev().collect())
        .collect();
    lines.join("\n")
}

/// The text with letters for digits in words that have both; `None` when few have.
fn unleeted(text: &str) -> Option<String> {
    let is_mixed = |word: &&str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        word.chars().any(|next| next.is_ascii_alphabetic())
            && word.chars().any(|next| letter(next) != next)
            && word.chars().all(|next| letter(next).is_ascii_alphabetic())
    };
    if text.split_whitespace().filter(is_mixed).count() < 2 {
        return None;
    }
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().map(letter).collect())
        .collect();
    Some(words.join(" "))
}

/// The letter that a digit or a mark stands for.
fn letter(next: char) -> char {
    match next {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        other => other,
    }
}

/// The words whose letters stand one by one; `None` when there are none.
fn joined(text: &str, mark: &str, between: &str) -> Option<String> {
    let mut words = Vec::new();
    for word in text.split(between) {
        let letters: Vec<&str> = word
            .trim()
            .split(mark)
            .filter(|part| !part.is_empty())
            .collect();
        let is_spaced = letters.len() > 1 && letters.iter().all(|part| part.chars().count() == 1);
        if is_spaced || letters.len() == 1 {
            words.push(letters.concat());
        }
    }
    (words.len() > 2).then(|| words.join(" "))
}
