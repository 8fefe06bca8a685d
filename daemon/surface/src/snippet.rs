//! Snippets: the sentences of a text around what was asked for.

use std::ops::Range;

use helix_engine::LexicalQuery;
use unicode_segmentation::UnicodeSegmentation;

/// Stands where something was left out.
const GAP: &str = "…";

/// Characters of the marks at both ends, with their blanks.
const GAPS_CHARS: usize = 4;

/// A text, or the part of it that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The text that is shown.
    pub text: String,
    /// True if it is all of it.
    pub is_whole: bool,
}

/// Takes the sentences around the words that were asked for, in at most `max_chars` characters:
/// first the one that has most of the words, then its neighbours on both sides. Without a query, or
/// where no sentence has any of the words, that is the opening. A sentence that is too long is cut
/// at a word.
#[must_use]
pub fn snippet(text: &str, query: Option<&LexicalQuery>, max_chars: usize) -> Snippet {
    let text = text.trim();
    if width(text) <= max_chars {
        return Snippet {
            text: text.to_owned(),
            is_whole: true,
        };
    }
    let sentences = sentences(text);
    let room = max_chars.saturating_sub(GAPS_CHARS);
    let around = grown(text, &sentences, densest(text, &sentences, query), room);
    let (start, end) = match (sentences.get(around.start), sentences.get(around.end - 1)) {
        (Some(first), Some(last)) => (first.start, last.end),
        _ => (0, text.len()),
    };
    let taken = text.get(start..end).unwrap_or(text).trim();
    let part = cut(taken, room);
    let opening = if start > 0 {
        format!("{GAP} ")
    } else {
        String::new()
    };
    let is_to_the_end = end == text.len() && part.len() == taken.len();
    let closing = if is_to_the_end {
        String::new()
    } else {
        format!(" {GAP}")
    };
    Snippet {
        text: format!("{opening}{part}{closing}"),
        is_whole: false,
    }
}

/// The bytes of each sentence and line.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let bounds = text.split_sentence_bound_indices();
    bounds
        .map(|(start, sentence)| start..start + sentence.len())
        .collect()
}

/// The first of the sentences that have most of the words.
fn densest(text: &str, sentences: &[Range<usize>], query: Option<&LexicalQuery>) -> usize {
    let Some(query) = query else { return 0 };
    let (mut densest, mut most) = (0, 0);
    for (at, sentence) in sentences.iter().enumerate() {
        let words = query.matched_words(text.get(sentence.clone()).unwrap_or_default());
        if words.len() > most {
            (densest, most) = (at, words.len());
        }
    }
    densest
}

/// Adds neighbours to a sentence, behind it and before it in turn, while all of them fit.
fn grown(text: &str, sentences: &[Range<usize>], at: usize, room: usize) -> Range<usize> {
    let fits = |range: &Range<usize>| {
        let parts = sentences.get(range.clone()).unwrap_or_default();
        let parts = parts.iter().filter_map(|part| text.get(part.clone()));
        range.end <= sentences.len() && parts.map(width).sum::<usize>() <= room
    };
    let mut taken = at..at + 1;
    loop {
        let behind = taken.start..taken.end + 1;
        let grows_behind = fits(&behind);
        if grows_behind {
            taken = behind;
        }
        let before = taken.start.saturating_sub(1)..taken.end;
        let grows_before = taken.start > 0 && fits(&before);
        if grows_before {
            taken = before;
        }
        if !grows_behind && !grows_before {
            return taken;
        }
    }
}

/// The beginning of a part that is too long, up to the last blank in it.
fn cut(part: &str, max_chars: usize) -> &str {
    let Some((end, _)) = part.char_indices().nth(max_chars) else {
        return part;
    };
    let beginning = part.get(..end).unwrap_or(part);
    match beginning.rfind(char::is_whitespace) {
        Some(blank) if blank > end / 2 => beginning.get(..blank).unwrap_or(beginning).trim_end(),
        _ => beginning,
    }
}

pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use helix_engine::WordsMode as Mode;
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "The import runs at night. It reads the ledger first. \
                        When the certificate expires it stops! Renew it with the script in ops. \
                        Nobody is told otherwise.";

    fn about(words: &str, max_chars: usize) -> String {
        let query = LexicalQuery::parse(words, Mode::Any);
        snippet(TEXT, Some(&query), max_chars).text
    }

    #[test]
    fn the_sentences_around_the_words_are_taken() {
        let expected = "… When the certificate expires it stops! …";
        assert_eq!(about("certificate expired", 50), expected);
        let expected =
            "… When the certificate expires it stops! Renew it with the script in ops. …";
        assert_eq!(about("certificate expired", 80), expected);
        let expected = "The import runs at night. It reads the ledger first. …";
        assert_eq!(about("kangaroo", 60), expected);
        assert_eq!(about("otherwise", 40), "… Nobody is told otherwise.");
    }

    #[test]
    fn what_fits_is_whole_and_a_long_sentence_is_cut_at_a_word() {
        let whole = snippet(TEXT, None, 500);
        assert!(whole.is_whole);
        assert_eq!(whole.text, TEXT);
        let cut = snippet(&"walrus ".repeat(30), None, 24);
        assert!(!cut.is_whole);
        assert_eq!(cut.text, "walrus walrus …");
    }

    proptest! {
        #[test]
        fn a_snippet_keeps_its_limit(text in "\\PC{0,200}", words in "\\PC{0,20}", max in 8_usize..120) {
            let query = LexicalQuery::parse(&words, Mode::Any);
            let snippet = snippet(&text, Some(&query), max);
            prop_assert!(width(&snippet.text) <= max, "{}", snippet.text);
            prop_assert_eq!(snippet.is_whole, snippet.text == text.trim());
        }
    }
}
