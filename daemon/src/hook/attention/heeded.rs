//! Whether what somebody says, opens or runs takes up a memory. Pure.

use std::collections::HashSet;
use std::path::Path;

use helix_engine::code;
use helix_engine::model::Memory;

use crate::hook::ambient::mentions;
use crate::hook::exact::has_word;

/// Shortest identifier by which a memory is mentioned.
const IDENTIFIER_MIN_CHARS: usize = 5;

/// Words in a row that nobody has in common with a memory by chance.
const REPEATED_WORDS: usize = 8;

/// Bytes of what is said that are looked at; an agent's report is rarely longer.
const SAID_MAX_BYTES: usize = 64 * 1024;

/// What somebody said.
pub(super) struct Said<'s> {
    text: &'s str,
    words: HashSet<&'s str>,
    paths: Vec<&'s str>,
}

impl<'s> Said<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        let text = text.get(..text.floor_char_boundary(SAID_MAX_BYTES)).unwrap_or(text);
        Self { text, words: code::words(text).collect(), paths: mentions(text).collect() }
    }

    /// Those of the memories that it mentions: by their handle, an identifier or a path that they have, or in their own words.
    pub(super) fn mentioned<'m>(&self, memories: &'m [Memory]) -> Vec<&'m Memory> {
        let words = plain_words(self.text);
        let rows: HashSet<&[String]> = words.windows(REPEATED_WORDS).collect();
        let repeats = |memory: &Memory| plain_words(&memory.text).windows(REPEATED_WORDS).any(|row| rows.contains(row));
        memories.iter().filter(|memory| self.names(memory) || repeats(memory)).collect()
    }

    fn names(&self, memory: &Memory) -> bool {
        let is_said = |word: &str| is_identifier(word) && self.words.contains(word);
        // Between two words a slash is no path.
        let is_file = |path: &&str| path.contains('/') && Path::new(path).extension().is_some();
        let source = memory.source.as_ref().map(|source| source.path.as_str());
        let mut named = mentions(&memory.text).filter(is_file).chain(source);
        self.text.contains(memory.handle.as_str())
            || code::words(&memory.text).any(is_said)
            || named.any(|named| self.paths.iter().any(|said| is_same(said, named)))
    }
}

/// Whether a memory names a file of the project.
pub(super) fn names_file(memory: &Memory, file: &str) -> bool {
    mentions(&memory.text).any(|path| is_same(path, file))
}

/// Whether a shell line runs a command that a memory has between backticks. A single word is one only where it is a path.
pub(super) fn is_run_by(memory: &Memory, line: &str) -> bool {
    let line = one_spaced(line);
    let spans = memory.text.split('`').skip(1).step_by(2).map(one_spaced);
    spans.filter(|span| span.contains([' ', '/'])).any(|span| has_word(&line, &span))
}

/// Whether two paths are the same as far as both are written; names without a directory only where both have none.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || (one.contains('/') && other.contains('/') && {
            let (one, other) = (Path::new(one), Path::new(other));
            one.ends_with(other) || other.ends_with(one)
        })
}

fn plain_words(text: &str) -> Vec<String> {
    code::words(text).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a word is a name out of code: of several parts.
fn is_identifier(word: &str) -> bool {
    let inner = word.trim_matches('_');
    word.chars().count() >= IDENTIFIER_MIN_CHARS
        && (inner.contains('_') || inner.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_parts() {
        for word in ["load_rows", "RowSet", "loadRows", "utf8_lossy", "HLX1x"] {
            assert!(is_identifier(word), "{word}");
        }
        for word in ["store", "Words", "_rows", "a_b", "12"] {
            assert!(!is_identifier(word), "{word}");
        }
    }

    #[test]
    fn paths_are_the_same_as_far_as_they_are_written() {
        for (one, other) in [("data/tax.csv", "/w/data/tax.csv"), ("/w/data/tax.csv", "data/tax.csv"), ("a.rs", "a.rs")]
        {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [("a.rs", "src/a.rs"), ("data/tax.csv", "old/tax.csv"), ("data/tax.csv", "mydata/tax.csv")]
        {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
