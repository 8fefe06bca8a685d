//! The vectors of a memory's text.

use helix_engine::TextVectors;
use helix_memory::Memory;

use super::pooling::normalise;

/// Names how texts are divided before they are embedded, behind the model's name: vectors that were
/// made otherwise are made again.
pub(super) const SPACE_SUFFIX: &str = "+windows";

/// Bytes up to which a text is embedded as one. Models read some 256 tokens and nothing behind them.
const WHOLE_BYTES: usize = 800;

/// Bytes of a window, and of what it repeats of the one before.
const WINDOW_BYTES: usize = 640;
const OVERLAP_BYTES: usize = 80;

/// Windows of a text, at most: what follows is found by words only.
const WINDOWS_MAX: usize = 40;

/// The texts whose vectors make up a memory's: the sentences of a turn, windows over a long text,
/// else the whole.
///
/// Measured on 529 questions about conversations, by meaning alone (R@5 / nDCG@10): .405 / .345 by
/// the whole turn, .519 / .452 by the mean of its sentences. Other texts lose up to .02 by it.
pub(super) fn parts(text: &str) -> Vec<String> {
    let utterances = Memory::utterances(text);
    if !utterances.is_empty() {
        return utterances;
    }
    windows(text).into_iter().map(str::to_owned).collect()
}

/// Windows over a text that begin and end between words.
fn windows(text: &str) -> Vec<&str> {
    if text.len() <= WHOLE_BYTES {
        return vec![text];
    }
    let mut windows = Vec::new();
    let mut start = 0;
    while windows.len() < WINDOWS_MAX {
        let end = between_words(text, start + WINDOW_BYTES);
        windows.extend(text.get(start..end));
        if end == text.len() {
            break;
        }
        start = between_words(text, end - OVERLAP_BYTES);
    }
    windows
}

/// The last place between words up to so many bytes; between characters where there is no such
/// place near by.
fn between_words(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let at = text.floor_char_boundary(at);
    let near = text.floor_char_boundary(at.saturating_sub(OVERLAP_BYTES / 2));
    let blank = text
        .get(near..at)
        .and_then(|end| end.rfind(char::is_whitespace));
    blank.map_or(at, |blank| near + blank)
}

/// The vectors of a text from those of its parts: the mean of the wholes, of unit length, one alone
/// as it is; and all tokens.
pub(super) fn joined(parts: impl Iterator<Item = TextVectors>) -> TextVectors {
    let mut all = TextVectors::default();
    let mut count = 0;
    for part in parts {
        count += 1;
        all.whole.resize(part.whole.len(), 0.0);
        for (sum, value) in all.whole.iter_mut().zip(part.whole) {
            *sum += value;
        }
        all.tokens.extend(part.tokens);
    }
    if count > 1 {
        normalise(&mut all.whole);
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_text_is_embedded_as_one() {
        assert_eq!(parts("Retries five times."), ["Retries five times."]);
    }

    proptest! {
        #[test]
        fn windows_hold_the_whole_text(text in "[a-z äé中文。\n]{0,4000}") {
            let windows = windows(&text);
            prop_assert!(windows.iter().all(|window| window.len() <= WHOLE_BYTES));
            let held = |at: usize| {
                windows.iter().any(|window| {
                    let start = window.as_ptr().addr() - text.as_ptr().addr();
                    (start..start + window.len()).contains(&at)
                })
            };
            prop_assert!((0..text.len()).all(held));
        }
    }
}
