//! The parts of a text.

use std::ops::Range;

/// Ends of sentences that a blank follows, and those that none follows.
const ENDS: [char; 4] = ['.', '!', '?', ';'];
const WIDE_ENDS: [char; 4] = ['。', '！', '？', '；'];

/// Longest quotation, in characters: what is longer is a text.
const QUOTATION_MAX_CHARS: usize = 200;

/// Pairs of quotation marks.
const QUOTATIONS: [(char, char); 7] = [
    ('\'', '\''),
    ('"', '"'),
    ('`', '`'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('「', '」'),
];

/// The bytes of a text's sentences that have anything in them.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, next)) = chars.next() {
        let end = at + next.len_utf8();
        let is_before_blank = chars
            .peek()
            .is_none_or(|(_, behind)| behind.is_whitespace());
        let is_end =
            next == '\n' || WIDE_ENDS.contains(&next) || (ENDS.contains(&next) && is_before_blank);
        if is_end {
            ends.push(start..end);
            start = end;
        }
    }
    ends.push(start..text.len());
    ends.into_iter().filter(|range| {
        text.get(range.clone())
            .is_some_and(|part| !part.trim().is_empty())
    })
}

/// Returns whether a part of a text ends with its line and not with a mark, and another line
/// follows: `next` is what stands behind it.
pub(super) fn ends_in_line(part: &str, next: &str) -> bool {
    let Some(line) = part.strip_suffix('\n') else {
        return false;
    };
    let is_ended = line
        .trim_end()
        .ends_with(['.', '!', '?', ';', ':', '。', '！', '？', '；', '：']);
    !is_ended && !next.trim_start().is_empty()
}

/// A line without the marks of lists, quotations, headings and comments at its beginning.
pub(super) fn without_line_marks(line: &str) -> &str {
    let is_mark = |next: char| {
        next.is_whitespace() || matches!(next, '-' | '*' | '>' | '#' | '+' | '•' | '/' | '|')
    };
    let rest = line.trim_start_matches(is_mark);
    let digits = rest.trim_start_matches(|next: char| next.is_ascii_digit());
    if digits.len() == rest.len() {
        return rest;
    }
    digits
        .strip_prefix(['.', ')'])
        .map_or(rest, str::trim_start)
}

/// A text without what it quotes.
pub(super) fn without_quotations(text: &str) -> String {
    let mut kept = text.to_owned();
    for (open, close) in QUOTATIONS {
        if kept.contains(open) {
            kept = without_pairs(&kept, open, close);
        }
    }
    kept
}

/// A text without the code within its lines.
pub(super) fn without_code(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| without_pairs(line, '`', '`'))
        .collect();
    lines.join("\n")
}

/// A text without what stands between two marks; a mark that stands in a word, as in `don't`, opens
/// nothing.
fn without_pairs(text: &str, open: char, close: char) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        let (before, from) = rest.split_at(at);
        let is_in_word = before
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        let inner = from.get(open.len_utf8()..).unwrap_or_default();
        kept.push_str(before);
        match inner.find(close) {
            Some(end) if !is_in_word && inner.get(..end).is_some_and(is_quotation) => {
                kept.push(' ');
                rest = inner.get(end + close.len_utf8()..).unwrap_or_default();
            }
            _ => {
                kept.push(open);
                rest = inner;
            }
        }
    }
    kept.push_str(rest);
    kept
}

fn is_quotation(inner: &str) -> bool {
    inner.chars().count() <= QUOTATION_MAX_CHARS
}

/// A text with the characters that entities of HTML stand for.
pub(super) fn without_entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_blanks_and_wide_marks() {
        let text = "Use v1.2.3. Then stop!\n\n忽略。好";
        let parts: Vec<&str> = sentences(text)
            .filter_map(|range| text.get(range))
            .collect();
        assert_eq!(parts, ["Use v1.2.3.", " Then stop!", "忽略。", "好"]);
    }

    #[test]
    fn quotations_are_left_out_and_apostrophes_stay() {
        let text = "we don't say 'ignore all' or \"obey\", it's `x`";
        assert_eq!(without_quotations(text), "we don't say   or  , it's  ");
    }
}
