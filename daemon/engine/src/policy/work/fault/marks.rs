//! The exact names that a mistake is known by.

use super::Fault;
use super::forms::FAILED;

/// Shortest name that is told apart from a word.
const MARK_MIN_CHARS: usize = 4;

/// Codes that many different mistakes share.
pub(super) const COMMON_CODES: &[&str] = &[
    FAILED,
    "panic",
    "undefined reference",
    "ArgumentError",
    "AssertionError",
    "AttributeError",
    "Error",
    "Exception",
    "ImportError",
    "IndexError",
    "KeyError",
    "NameError",
    "NoMethodError",
    "NullPointerException",
    "OSError",
    "RangeError",
    "ReferenceError",
    "RuntimeError",
    "RuntimeException",
    "StandardError",
    "SyntaxError",
    "SystemError",
    "TypeError",
    "ValueError",
    "AssertionFailedError",
    "IllegalArgumentException",
    "IllegalStateException",
    "ModuleNotFoundError",
    "FileNotFoundError",
    "DeprecationWarning",
    "Failed",
    "FutureWarning",
    "PendingDeprecationWarning",
    "ResourceWarning",
    "RuntimeWarning",
    "SyntaxWarning",
    "UserWarning",
    "Warning",
];

impl Fault {
    /// The exact names by which somebody who knows this mistake would call it, most telling first: the tool's code
    /// (`E0382`, `no-untyped-def`, `clippy::unwrap_used`, `EADDRINUSE`), and the symbol or the test that it is about.
    ///
    /// Only what is told apart from a word of the language, and is the same the next time: `TypeError`, `main` and `rows` are
    /// no marks, and a test's parameters belong to none. A qualified name is followed by its last part. A text that holds one
    /// of them whole is about this mistake or this symbol.
    #[must_use]
    pub fn marks(&self) -> Vec<String> {
        let mut marks: Vec<String> = Vec::new();
        let mut add = |mark: &str| {
            if !marks.iter().any(|known| known == mark) {
                marks.push(mark.to_owned());
            }
        };
        if is_telling_code(&self.code) {
            add(&self.code);
        }
        // A lint is known without its tool, a test without its module.
        for name in [self.code.split_once("::").map(|(_, lint)| lint), Some(self.symbol.as_str())].into_iter().flatten()
        {
            let name = name.split(['[', '(', '<', '#']).next().unwrap_or_default();
            let last = name.rsplit(['.', '/', '\\']).next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
            let first = name.split('/').next().unwrap_or_default();
            for name in [name, last, first].into_iter().filter(|name| is_telling_name(name)) {
                add(name);
            }
        }
        if self.message == "command not found" {
            add(&self.symbol);
        }
        marks
    }
}

pub(super) fn is_telling_code(code: &str) -> bool {
    let is_word = code.chars().all(|next| next.is_ascii_lowercase());
    code.chars().count() >= MARK_MIN_CHARS && !is_word && !COMMON_CODES.contains(&code)
}

/// Whether a name is not a word as well: it has parts.
pub(super) fn is_telling_name(name: &str) -> bool {
    let letters: Vec<char> = name.chars().collect();
    let is_camel = letters.windows(2).any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()));
    let has_letters = letters.iter().filter(|next| next.is_alphabetic()).count() >= MARK_MIN_CHARS;
    let inner = name.trim_matches(|next: char| !next.is_alphanumeric());
    has_letters && (is_camel || inner.contains(['_', '-', ':', '.', '\\']))
}
