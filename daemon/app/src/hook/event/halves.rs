//! Halves of characters: clients that cut a text by UTF-16 may leave one half of a character, which
//! no JSON may hold.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Digits and their sign of one unit of UTF-16: `\ud83d`.
const UNIT_BYTES: usize = 6;

/// The input with the sign for what cannot be shown in place of each half, escaped or not; `None`
/// when it has none.
pub(super) fn replaced(stdin: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stdin);
    let mut has_halves = matches!(text, Cow::Owned(_));
    let mut whole = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        let is_half = |at: usize, halves: RangeInclusive<u16>| {
            escape
                .get(at..)
                .and_then(unit)
                .is_some_and(|unit| halves.contains(&unit))
        };
        let is_pair = is_half(0, 0xD800..=0xDBFF) && is_half(UNIT_BYTES, 0xDC00..=0xDFFF);
        let is_alone = !is_pair && is_half(0, 0xD800..=0xDFFF);
        let length = match (is_pair, is_alone) {
            (true, _) => 2 * UNIT_BYTES,
            (_, true) => UNIT_BYTES,
            // A backslash, and what it escapes.
            _ => 2,
        };
        let (taken, behind) = escape.split_at(escape.ceil_char_boundary(length));
        whole.push_str(before);
        whole.push_str(if is_alone { "\u{FFFD}" } else { taken });
        has_halves |= is_alone;
        rest = behind;
    }
    whole.push_str(rest);
    has_halves.then_some(whole)
}

/// The unit that a text begins with as an escape.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_alone_are_replaced() {
        for (text, expected) in [
            (r#"{"a":"x\ud83d"}"#, Some("{\"a\":\"x\u{FFFD}\"}")),
            (r#"{"a":"\uDE00y"}"#, Some("{\"a\":\"\u{FFFD}y\"}")),
            (
                r#"{"a":"\ud83d\ud83d\ude00"}"#,
                Some("{\"a\":\"\u{FFFD}\\ud83d\\ude00\"}"),
            ),
            (
                r#"{"a":"\ud83d\u0041"}"#,
                Some("{\"a\":\"\u{FFFD}\\u0041\"}"),
            ),
            (r#"{"a":"\\ud83d"}"#, None),
            (r#"{"a":"\\\ud83d"}"#, Some("{\"a\":\"\\\\\u{FFFD}\"}")),
            (r#"{"a":"\ud83d\ude00 é\é"}"#, None),
            (r#"{"a":"\u00"#, None),
            ("\\", None),
            ("", None),
        ] {
            assert_eq!(replaced(text.as_bytes()).as_deref(), expected, "{text}");
        }
        assert_eq!(
            replaced(b"{\"a\":\"\xED\xA0\xBD\"}").as_deref(),
            Some("{\"a\":\"\u{FFFD}\u{FFFD}\u{FFFD}\"}")
        );
    }
}
