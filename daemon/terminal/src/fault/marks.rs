//! The exact names that a mistake is known by.

use super::Fault;
use super::words::WORDS;

/// Shortest name that is told apart from a word.
const MARK_MIN_CHARS: usize = 4;

impl Fault {
    /// The exact names by which somebody who knows this mistake would call it, most telling first:
    /// the tool's code (`E0382`, `no-untyped-def`, `clippy::unwrap_used`, `EADDRINUSE`), and
    /// the symbol or the test that it is about.
    ///
    /// Only what is told apart from a word of the language, and is the same the next time:
    /// `TypeError`, `main` and `rows` are no marks, and a test's parameters belong to none. A
    /// qualified name is followed by its last part. A text that holds one of them whole is
    /// about this mistake or this symbol.
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
        // A compiler's warning is also called as it is made an error, and as it is switched off.
        if let Some(name) = self.code.strip_prefix("-W") {
            add(&format!("-Werror={name}"));
            add(&format!("-Wno-{name}"));
        }
        // A lint is known without its tool, a test without its module.
        let lint = self
            .code
            .split_once("::")
            .or_else(|| self.code.rsplit_once('/'))
            .map(|(_, lint)| lint);
        for name in lint.into_iter().chain([self.symbol.as_str()]) {
            let name = name.split(['[', '(', '<', '#']).next().unwrap_or_default();
            let last = name
                .rsplit(['.', '/', '\\'])
                .next()
                .unwrap_or_default()
                .rsplit("::")
                .next()
                .unwrap_or_default();
            let first = name.split('/').next().unwrap_or_default();
            for name in [name, last, first]
                .into_iter()
                .filter(|name| is_telling_name(name))
            {
                add(name);
            }
        }
        if self.message == "command not found" {
            add(&self.symbol);
        }
        marks
    }
}

fn is_telling_code(code: &str) -> bool {
    let is_word = code.chars().all(|next| next.is_ascii_lowercase());
    code.chars().count() >= MARK_MIN_CHARS && !is_word && !WORDS.common_codes.contains(code)
}

/// Returns whether a name is not a word as well: it has parts, and is not one that every program
/// uses.
pub(super) fn is_telling_name(name: &str) -> bool {
    if name.starts_with("std::") || WORDS.common_names.contains(name) {
        return false;
    }
    let letters: Vec<char> = name.chars().collect();
    let is_camel = letters
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()));
    let has_letters = letters.iter().filter(|next| next.is_alphabetic()).count() >= MARK_MIN_CHARS;
    let inner = name.trim_matches(|next: char| !next.is_alphanumeric());
    has_letters && (is_camel || inner.contains(['_', '-', ':', '.', '\\']))
}

#[cfg(test)]
mod tests {
    use super::super::faults;
    use super::*;

    fn marks(output: &str) -> Vec<String> {
        faults(output).iter().flat_map(Fault::marks).collect()
    }

    #[test]
    fn a_warning_is_known_by_its_flag() {
        let gcc = "/w/src/bits.cpp:27:24: error: conversion from ‘double’ to ‘float’ may change value \
                   [-Werror=float-conversion]\n   27 |     return x;\ncc1plus: all warnings being treated as errors\n";
        let found = faults(gcc);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].code.as_str(), found[0].message.as_str()),
            (
                "-Wfloat-conversion",
                "conversion from ‘double’ to ‘float’ may change value"
            )
        );
        assert_eq!(
            marks(gcc),
            [
                "-Wfloat-conversion",
                "-Werror=float-conversion",
                "-Wno-float-conversion"
            ]
        );
        let clang = "bits.cpp:27:24: error: implicit conversion loses integer precision [-Werror,-Wshorten-64-to-32]\n";
        assert_eq!(
            marks(clang).first().map(String::as_str),
            Some("-Wshorten-64-to-32")
        );
        let tidy = "bits.cpp:2:4: error: narrowing conversion [bugprone-narrowing-conversions,-warnings-as-errors]\n";
        assert_eq!(marks(tidy), ["bugprone-narrowing-conversions"]);
        assert!(
            faults("a.c:1:2: error: no member [3] of x[4]\n")
                .iter()
                .all(|fault| fault.code.is_empty())
        );
    }

    #[test]
    fn names_of_every_program_are_no_marks() {
        for name in ["uint32_t", "size_t", "std::string"] {
            assert!(
                marks(&format!("a.cpp:1:2: error: cannot convert to '{name}'\n")).is_empty(),
                "{name}"
            );
        }
        assert_eq!(
            marks("a.cpp:1:2: error: cannot convert to 'gauge_t'\n"),
            ["gauge_t"]
        );
    }
}
