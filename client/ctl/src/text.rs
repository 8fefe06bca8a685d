//! Making stored text safe and small enough to show. Stored text is data: nothing in it may move a
//! cursor, change a colour, reverse the reading direction or hide between letters.

mod wrap;

use helix_neutral::is_active;

pub(crate) use wrap::{wrapped, wrapped_prose};

/// Escapes everything that a terminal would act on or not show, but keeps line ends, whichever way
/// they are written, and tabs.
pub(crate) fn neutral(text: &str) -> String {
    escape(&text.replace("\r\n", "\n"), |character| {
        matches!(character, '\n' | '\t')
    })
}

/// As [`neutral`], on one line: line ends and tabs become spaces.
pub(crate) fn one_line(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape(&spaced, |_| false)
}

/// Writes the same JSON document with every active character as the escape that JSON has for it.
pub(crate) fn neutral_json(document: &str) -> String {
    let mut shown = String::with_capacity(document.len());
    for character in document.chars() {
        if character == '\n' || !is_active(character) {
            shown.push(character);
        } else {
            let units = &mut [0; 2];
            shown.extend(
                character
                    .encode_utf16(units)
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        }
    }
    shown
}

/// Cuts a text to so many characters, the last of them an ellipsis when something is missing.
pub(crate) fn shorten(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => text
            .chars()
            .take(chars_max.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if keep(character) || !is_active(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nothing_active_reaches_a_terminal() {
        assert_eq!(neutral("a\u{1b}[31mb\tc\nd\r"), "a\\u{1b}[31mb\tc\nd\\u{d}");
        assert_eq!(
            neutral("EDITED first\r\nsecond\r\n"),
            "EDITED first\nsecond\n"
        );
        assert_eq!(
            neutral("x\u{202e}y\u{200b}z\u{e0041}"),
            "x\\u{202e}y\\u{200b}z\\u{e0041}"
        );
        assert_eq!(neutral("gewöhnlich 日本 🦀"), "gewöhnlich 日本 🦀");
    }

    #[test]
    fn json_means_the_same_and_holds_nothing_active() {
        let exact = "a\u{1b}[31m\u{202e}\u{7f}\u{9b}\u{e0041}\n日本 🦀";
        let document = serde_json::to_string_pretty(&[exact]).unwrap();
        let shown = neutral_json(&document);
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&shown).unwrap(),
            [exact]
        );
        assert!(
            !shown
                .chars()
                .any(|character| character != '\n' && is_active(character)),
            "{shown:?}"
        );
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line(" a\n\n b\tc\u{7} "), "a b c\\u{7}");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("日本語", 3), "日本語");
        assert_eq!(shorten("日本語文", 3), "日本…");
    }
}
