//! Sentences of a text, without what is quoted, logged or code.

use std::sync::LazyLock;

use regex::Regex;

use crate::patterns::Patterns;
use crate::wording::WORDING;

/// Bytes of one text that are looked at: a message that is longer pastes something.
const TEXT_MAX_BYTES: usize = 32 * 1024;

/// Sentences of one text that are looked at.
const SENTENCES_MAX: usize = 200;

/// Characters from which a line is taken to be wrapped, so that the next one continues it.
const WRAPPED_MIN_CHARS: usize = 50;

/// Words behind whose full stop no sentence ends.
const ABBREVIATIONS: &[&str] = &[
    "e.g.", "i.e.", "vs.", "etc.", "approx.", "z.B.", "d.h.", "bzw.", "ca.", "No.",
];

/// One sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// As it was written, in one line.
    pub(crate) text: String,
    /// The same with quotations and code blotted out, for looking at its words.
    pub(crate) masked: String,
    /// Lines of the text before it.
    pub(crate) line: u64,
}

impl Sentence {
    pub(crate) fn new(text: &str, line: u64) -> Self {
        let text = text.trim().replace(['\u{2019}', '\u{2018}'], "'");
        let masked = mask(&text);
        Self { text, masked, line }
    }
}

/// Splits a text into its sentences.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let end = text.floor_char_boundary(TEXT_MAX_BYTES);
    let text = text.get(..end).unwrap_or_default();
    let mut sentences = Vec::new();
    for block in blocks(text) {
        for sentence in split(&block.text) {
            sentences.push(Sentence::new(sentence, block.line));
        }
    }
    sentences.retain(|sentence| sentence.text.chars().any(char::is_alphanumeric));
    sentences.truncate(SENTENCES_MAX);
    sentences
}

/// Lines that belong together, as one.
struct Block {
    text: String,
    line: u64,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_code = false;
    let mut is_open = false;
    for (line, number) in text.lines().zip(0..) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            is_open = false;
            continue;
        }
        let (content, is_item) = without_mark(line);
        if is_code || content.is_empty() || NOISE.is_match(line) {
            is_open = false;
            continue;
        }
        match blocks.last_mut() {
            Some(block) if is_open && !is_item => {
                block.text.push(' ');
                block.text.push_str(content);
            }
            _ => blocks.push(Block {
                text: content.to_owned(),
                line: number,
            }),
        }
        is_open = line.chars().count() >= WRAPPED_MIN_CHARS && !ends_sentence(content);
    }
    blocks
}

static NOISE: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&WORDING.noise));

/// A line without the mark of a heading or an item, and whether it had one.
fn without_mark(line: &str) -> (&str, bool) {
    let line = line.trim();
    let bare = line.trim_start_matches('#');
    if bare.len() < line.len() && bare.starts_with(' ') {
        return (bare.trim(), true);
    }
    for mark in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• "] {
        if let Some(item) = line.strip_prefix(mark) {
            return (item.trim(), true);
        }
    }
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < line.len()
        && let Some(item) = number.strip_prefix(". ").or(number.strip_prefix(") "))
    {
        return (item.trim(), true);
    }
    (line, false)
}

fn ends_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?', ':', '。', '！', '？', '：'])
}

/// Splits one line behind the marks that end a sentence, outside of code.
fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_code = false;
    let mut marks = line.char_indices().peekable();
    while let Some((at, c)) = marks.next() {
        let next = marks.peek().map(|(_, next)| *next);
        let end = at + c.len_utf8();
        if c == '`' {
            is_code = !is_code;
        }
        if !is_code && is_end(line.get(start..end).unwrap_or_default(), c, next) {
            parts.push(line.get(start..end).unwrap_or_default());
            start = end;
        }
    }
    parts.push(line.get(start..).unwrap_or_default());
    parts
}

/// Returns whether a mark ends the sentence that is read up to it.
fn is_end(sentence: &str, mark: char, next: Option<char>) -> bool {
    match mark {
        '。' | '！' | '？' | '；' => true,
        '.' | '!' | '?' => {
            let is_gap = next.is_none_or(char::is_whitespace);
            let is_short = ABBREVIATIONS.iter().any(|word| sentence.ends_with(word));
            is_gap && !is_short
        }
        _ => false,
    }
}

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let marks = r#"`[^`]*`|"[^"]*"|“[^”]*”|„[^“”"]*[“”"]|«[^»]*»|「[^」]*」"#;
    Regex::new(marks).ok()
});

/// Blots out what stands in quotation marks or is code, and keeps the marks.
fn mask(text: &str) -> String {
    let Some(quoted) = QUOTED.as_ref() else {
        return text.to_owned();
    };
    let blot = |found: &regex::Captures<'_>| {
        let mark = found.get(0).map_or("", |found| found.as_str());
        if mark.starts_with('`') {
            "`_`"
        } else {
            "\"_\""
        }
    };
    quoted.replace_all(text, blot).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let texts = sentences(text).into_iter().map(|sentence| sentence.text);
        texts.collect()
    }

    #[test]
    fn sentences_end_at_their_marks() {
        assert_eq!(
            texts("One. Two e.g. three! `a. b` four"),
            ["One.", "Two e.g. three!", "`a. b` four"]
        );
        assert_eq!(texts("先这样。再那样"), ["先这样。", "再那样"]);
        assert_eq!(
            texts("see src/a.rs, v1.2 is out"),
            ["see src/a.rs, v1.2 is out"]
        );
    }

    #[test]
    fn code_quotations_and_logs_are_left_out() {
        let text =
            "Look:\n```\nnever do this\n```\n> always do that\n2026-01-01 10:00:00 WARN no\nDone";
        assert_eq!(texts(text), ["Look:", "Done"]);
    }

    #[test]
    fn wrapped_lines_are_one_sentence_and_items_are_their_own() {
        let text = "This line is long enough to have been wrapped by an editor\nand goes on here.\n- one\n- two";
        let found = sentences(text);
        assert_eq!(found.len(), 3);
        assert!(found[0].text.ends_with("goes on here."));
        assert_eq!(found[2].line, 3);
    }

    #[test]
    fn quotations_are_masked() {
        let sentence = Sentence::new("it says \"never stop\" in `always.rs`", 0);
        assert_eq!(sentence.masked, "it says \"_\" in `_`");
    }
}
