//! Reads the names that a source file declares, with a grammar where one is linked and line by line
//! elsewhere.
//!
//! Pure, and bounded in what it reads and in how long it looks, because a hook waits for it. A text
//! need not be whole: grammars recover from what they do not understand, and fragments are read
//! both ways.
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//!
//! let source = "pub struct Ledger;\n\npub fn post_entry(ledger: &mut Ledger) {}\n";
//! let names = helix_code::declared(Path::new("src/ledger.rs"), source);
//! assert_eq!(names, ["Ledger", "post_entry"]);
//! ```

mod grammar;
mod lines;
mod summary;

use std::path::Path;

use grammar::Language;
pub use summary::summary;

/// Lines of a file that are looked at.
pub const SYMBOL_LINES_MAX: usize = 500;

/// Names taken from a file.
pub const SYMBOLS_MAX: usize = 20;

/// Bytes of a part of a file that are read.
const PART_MAX_BYTES: usize = 32 * 1024;

/// Shortest name that says anything.
const SYMBOL_MIN_CHARS: usize = 3;

/// Names that every file of a language has.
const COMMONPLACE: &[&str] = &[
    "main",
    "new",
    "test",
    "tests",
    "init",
    "setup",
    "run",
    "default",
    "from",
    "into",
    "fmt",
    "constructor",
];

/// Makes every grammar ready, which takes some hundred milliseconds of CPU, so that no file waits
/// for its own.
pub fn warm_up() {
    Language::ALL.into_iter().for_each(Language::warm_up);
}

/// Finds the names that a file declares in its first lines, each once, at most [`SYMBOLS_MAX`]:
/// types first, then functions, then constants, each in the order of the file. The path says which
/// language it is.
#[must_use]
pub fn declared(path: &Path, text: &str) -> Vec<String> {
    let head = head(text);
    let names = Language::of(path).and_then(|language| language.declared(head));
    finish(names.unwrap_or_else(|| lines::declared(head)), SYMBOLS_MAX)
}

/// Finds all names that a part of a file declares, which may begin and end anywhere.
#[must_use]
pub fn declared_in_part(path: Option<&Path>, text: &str) -> Vec<String> {
    let text = text
        .get(..text.floor_char_boundary(PART_MAX_BYTES))
        .unwrap_or(text);
    let mut names = path
        .and_then(Language::of)
        .and_then(|language| language.declared(text))
        .unwrap_or_default();
    names.extend(lines::declared(text));
    finish(names, usize::MAX)
}

/// The words of a text as code has them: letters, digits and underscores; empty ones between them.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// Keeps names that tell something, each once.
fn finish(names: Vec<String>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if kept.len() == most {
            break;
        }
        if is_telling(&name) && !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn is_telling(name: &str) -> bool {
    name.chars().count() >= SYMBOL_MIN_CHARS && !COMMONPLACE.contains(&name)
}

/// The first [`SYMBOL_LINES_MAX`] lines, as far as they are of ordinary length.
fn head(text: &str) -> &str {
    let end = text
        .match_indices('\n')
        .nth(SYMBOL_LINES_MAX - 1)
        .map_or(text.len(), |(at, _)| at);
    text.get(..end.min(text.floor_char_boundary(PART_MAX_BYTES)))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests;
