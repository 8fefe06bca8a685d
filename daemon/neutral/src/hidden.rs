//! Characters that are not seen: what could hide between letters, turn the reading direction or
//! carry a message of its own.

/// Invisible characters, as inclusive ranges in their order: Unicode's
/// `Default_Ignorable_Code_Point` (zero-width, bidi controls, tags, variation selectors, fillers),
/// line and paragraph separator, the interlinear annotations, format controls of single scripts,
/// and the private planes. The two selectors that choose between text and emoji stay.
const INVISIBLE: [(char, char); 19] = [
    ('\u{00AD}', '\u{00AD}'),
    ('\u{034F}', '\u{034F}'),
    ('\u{061C}', '\u{061C}'),
    ('\u{115F}', '\u{1160}'),
    ('\u{17B4}', '\u{17B5}'),
    ('\u{180B}', '\u{180F}'),
    ('\u{200B}', '\u{200F}'),
    ('\u{2028}', '\u{202E}'),
    ('\u{2060}', '\u{206F}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{FE00}', '\u{FE0D}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFA0}', '\u{FFA0}'),
    ('\u{FFF0}', '\u{FFFB}'),
    ('\u{13430}', '\u{13440}'),
    ('\u{1BCA0}', '\u{1BCA3}'),
    ('\u{1D173}', '\u{1D17A}'),
    ('\u{E0000}', '\u{E0FFF}'),
    ('\u{F0000}', '\u{10FFFD}'),
];

/// Returns whether nobody sees the character, which is no control character.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    INVISIBLE
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&character))
}

/// Returns whether the character must not be shown as it is: a control character, line ends and
/// tabs among them, or an invisible one.
#[must_use]
pub fn is_active(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order() {
        assert!(INVISIBLE.iter().all(|(first, last)| first <= last));
        assert!(
            INVISIBLE
                .iter()
                .zip(INVISIBLE.iter().skip(1))
                .all(|((_, last), (first, _))| last < first)
        );
    }

    #[test]
    fn letters_and_emoji_are_seen() {
        assert!(!"grün 日本語 ❤\u{FE0F} 🙂 \u{e0b0}".chars().any(is_active));
        assert!(
            "\u{200b}\u{202e}\u{2029}\u{e0041}\u{fe00}\u{34f}"
                .chars()
                .all(is_invisible)
        );
        assert!("\u{1b}\u{7f}\u{9b}\n\t".chars().all(is_active));
    }
}
