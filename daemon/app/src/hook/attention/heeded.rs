//! Whether what somebody says, writes, opens or runs takes up a memory. Pure.

use std::collections::HashSet;
use std::path::Path;

use helix_memory::{Memory, MemoryNumber, SourceRef};

use crate::hook::ambient::mentions;
use crate::hook::exact::has_word;

/// Shortest identifier by which a memory is mentioned.
const IDENTIFIER_MIN_CHARS: usize = 5;

/// Words in a row that nobody has in common with a memory by chance.
const REPEATED_WORDS: usize = 8;

/// Bytes of what is said that are looked at; an agent's report is rarely longer.
const SAID_MAX_BYTES: usize = 64 * 1024;

/// Bytes of what is written into files that are looked at, while somebody waits.
const WRITTEN_MAX_BYTES: usize = 16 * 1024;

/// Commands behind which stands what somebody says to others.
const SAYING: [&str; 2] = ["git commit", "gh pr create"];

/// What somebody said, with accents on their letters.
pub(super) struct Said<'s> {
    text: &'s str,
    words: HashSet<&'s str>,
    paths: Vec<&'s str>,
}

impl<'s> Said<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        let text = start(text, SAID_MAX_BYTES);
        Self {
            text,
            words: helix_code::words(text).collect(),
            paths: mentions(text).collect(),
        }
    }

    /// Returns those of the memories that it mentions: by their handle, an identifier or a path
    /// that they have, or in their own words.
    pub(super) fn mentioned<'m>(&self, memories: &'m [Memory]) -> Vec<&'m Memory> {
        let rows: HashSet<u64> = rows(self.text).into_iter().collect();
        memories
            .iter()
            .filter(|memory| self.names(memory) || repeats(memory, &rows))
            .collect()
    }

    fn names(&self, memory: &Memory) -> bool {
        let is_said = |word: &str| is_identifier(word) && self.words.contains(word);
        // Between two words a slash is no path.
        let is_file = |path: &&str| path.contains('/') && Path::new(path).extension().is_some();
        let source = memory
            .source
            .as_ref()
            .map(|source| SourceRef::one_spelling(&source.path));
        let text = SourceRef::one_spelling(&memory.text);
        let mut named = mentions(&text).filter(is_file).chain(source.as_deref());
        self.text.contains(memory.handle.as_str())
            || helix_code::words(&memory.text).any(is_said)
            || named.any(|named| self.paths.iter().any(|said| is_same(said, named)))
    }
}

/// The numbers of those of the memories that what is written repeats in their own words, or names
/// by their handles. An identifier says nothing there: code has those of everything.
pub(super) fn repeated(memories: &[Memory], written: &[String]) -> Vec<MemoryNumber> {
    if memories.is_empty() || written.is_empty() {
        return Vec::new();
    }
    let written: Vec<&str> = written
        .iter()
        .map(|text| start(text, WRITTEN_MAX_BYTES))
        .collect();
    let rows: HashSet<u64> = written.iter().flat_map(|text| rows(text)).collect();
    let is_named = |memory: &Memory| {
        written
            .iter()
            .any(|text| text.contains(memory.handle.as_str()))
    };
    let found = memories
        .iter()
        .filter(|memory| repeats(memory, &rows) || is_named(memory));
    found.map(|memory| memory.number).collect()
}

/// Returns what a shell line says to others, as the message of a commit.
pub(super) fn said_by(line: &str) -> Option<&str> {
    let at = SAYING
        .iter()
        .filter_map(|command| line.find(command))
        .min()?;
    line.get(at..)
}

/// Returns whether a memory names a file of the project.
pub(super) fn names_file(memory: &Memory, file: &str) -> bool {
    let file = SourceRef::one_spelling(file);
    mentions(&SourceRef::one_spelling(&memory.text)).any(|path| is_same(path, &file))
}

/// Returns whether a shell line runs a command that a memory has between backticks. A single word
/// is one only where it is a path.
pub(super) fn is_run_by(memory: &Memory, line: &str) -> bool {
    let line = one_spaced(line);
    let spans = memory.text.split('`').skip(1).step_by(2).map(one_spaced);
    spans
        .filter(|span| span.contains([' ', '/']))
        .any(|span| has_word(&line, &span))
}

/// Returns whether two paths are the same as far as both are written; names without a directory
/// only where both have none.
fn is_same(one: &str, other: &str) -> bool {
    one == other
        || (one.contains('/') && other.contains('/') && {
            let (one, other) = (Path::new(one), Path::new(other));
            one.ends_with(other) || other.ends_with(one)
        })
}

/// Returns whether a memory has one of these rows of words.
fn repeats(memory: &Memory, known: &HashSet<u64>) -> bool {
    !known.is_empty() && rows(&memory.text).iter().any(|row| known.contains(row))
}

/// The hashes of all rows of words of a text, in lower case.
fn rows(text: &str) -> Vec<u64> {
    let words: Vec<u64> = helix_code::words(text)
        .filter(|word| !word.is_empty())
        .map(folded_hash)
        .collect();
    words
        .windows(REPEATED_WORDS)
        .map(|row| hash_of(row.iter().copied()))
        .collect()
}

fn folded_hash(word: &str) -> u64 {
    hash_of(word.chars().flat_map(char::to_lowercase).map(u64::from))
}

/// FNV-1a: an edit waits for thousands of these, and whoever makes two texts alike on purpose only
/// counts as heeding.
pub(super) fn hash_of(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        (hash ^ part).wrapping_mul(0x0100_0000_01b3)
    })
}

fn start(text: &str, most_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(most_bytes))
        .unwrap_or(text)
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a word is a name out of code: of several parts.
fn is_identifier(word: &str) -> bool {
    let inner = word.trim_matches('_');
    word.chars().count() >= IDENTIFIER_MIN_CHARS
        && (inner.contains('_')
            || inner
                .chars()
                .skip(1)
                .any(|c| c.is_uppercase() || c.is_ascii_digit()))
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
    fn rows_of_words_are_the_same_however_they_are_broken() {
        let known: HashSet<u64> = rows("one two three four five six seven eight nine")
            .into_iter()
            .collect();
        let has = |text: &str| rows(text).iter().any(|row| known.contains(row));
        assert!(
            has("// Two, three four\n// five SIX seven `eight` nine")
                && !has("one two three four five six seven")
        );
        assert!(!has("one two three four five six seven ate nine") && !has(""));
    }

    #[test]
    fn a_commit_says_its_message() {
        assert_eq!(
            said_by("git add a.rs && git commit -m 'say so'"),
            Some("git commit -m 'say so'")
        );
        assert_eq!(said_by("git log --oneline"), None);
    }

    #[test]
    fn paths_are_the_same_as_far_as_they_are_written() {
        for (one, other) in [
            ("data/tax.csv", "/w/data/tax.csv"),
            ("/w/data/tax.csv", "data/tax.csv"),
            ("a.rs", "a.rs"),
        ] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("a.rs", "src/a.rs"),
            ("data/tax.csv", "old/tax.csv"),
            ("data/tax.csv", "mydata/tax.csv"),
        ] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }
}
