//! Stored text is data: what could steer a terminal, hide from a reader or fake our own layout is
//! taken out on the way out.

use helix_neutral::is_invisible;

/// Stands for a control character that was there.
const PLACEHOLDER: char = '\u{FFFD}';

/// Neutralises text of several lines: every kind of line end becomes `\n`, invisible characters go,
/// other controls become U+FFFD. Cleaning twice changes nothing.
#[must_use]
pub fn block(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            '\n' | '\t' => clean.push(character),
            hidden if is_invisible(hidden) => {}
            control if control.is_control() => clean.push(PLACEHOLDER),
            visible => clean.push(visible),
        }
    }
    clean
}

/// Neutralises text that must stay on one line.
#[must_use]
pub fn line(text: &str) -> String {
    block(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_untouched() {
        let text = "fn main() {\n\tlet grün = \"日本語 ❤\u{FE0F} 🙂\";\n}";
        assert_eq!(block(text), text);
    }

    #[test]
    fn controls_are_shown_and_invisible_characters_go() {
        assert_eq!(
            block("a\u{1b}[31mred\u{7}\u{0}\u{9b}z"),
            "a\u{FFFD}[31mred\u{FFFD}\u{FFFD}\u{FFFD}z"
        );
        assert_eq!(
            block("p\u{200b}a\u{202e}y\u{2066}p\u{feff}al\u{e0041}\u{e0100}"),
            "paypal"
        );
    }

    #[test]
    fn every_line_end_is_a_newline() {
        assert_eq!(block("a\r\nb\rc\u{2028}d\u{85}e"), "a\nb\nc\nd\ne");
        assert_eq!(line("a\r\n  b\u{2029}c\t d "), "a b c d");
    }

    #[test]
    fn cleaning_twice_changes_nothing() {
        let mixed: String = (0..0x3000).filter_map(char::from_u32).collect();
        assert_eq!(block(&block(&mixed)), block(&mixed));
    }
}
