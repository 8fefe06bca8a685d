//! The language of a text, as far as capture needs it.

/// A language that cues are known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, and what is neither of the others.
    English,
    /// German.
    German,
    /// Chinese.
    Chinese,
}

/// Words that German texts have and English ones do not.
const GERMAN: &str = "der das und nicht wir ist ich mit auf für ein eine einen dem den des zu im von sich \
bitte auch noch oder wenn weil dass nur immer nein kein keine alle sind wird vor nach bei aus über danke \
vielen dank als lass mir es ab sofort du statt";

/// German words from which a text is German.
const GERMAN_MIN: usize = 2;

impl Language {
    /// Tells the language of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text.chars().any(is_han) {
            return Self::Chinese;
        }
        let words = text.split(|c: char| !c.is_alphabetic());
        let german = words.filter(|word| is_german(&word.to_lowercase()));
        if german.take(GERMAN_MIN).count() == GERMAN_MIN {
            return Self::German;
        }
        Self::English
    }
}

fn is_german(word: &str) -> bool {
    !word.is_empty() && (word.contains(['ä', 'ö', 'ü', 'ß']) || crate::wording::has(GERMAN, word))
}

/// Returns whether a character is Chinese, which is written without blanks.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Words of a text: runs of letters and digits, and each Chinese character by itself.
pub(crate) fn word_count(text: &str) -> usize {
    let mut words = 0;
    let mut is_inside = false;
    for c in text.chars() {
        let is_part = c.is_alphanumeric() && !is_han(c);
        words += usize::from(is_han(c) || (is_part && !is_inside));
        is_inside = is_part;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(Language::of("we use pnpm in the docs"), Language::English);
        assert_eq!(
            Language::of("wir nehmen hier yarn, nicht npm"),
            Language::German
        );
        assert_eq!(Language::of("我们用 pnpm"), Language::Chinese);
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(word_count("use `src/a.rs`, please"), 5);
        assert_eq!(word_count("我们用 pnpm"), 4);
    }
}
