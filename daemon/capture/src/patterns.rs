//! Regular expressions that are data.
//!
//! Each is looked for by itself. One automaton of all of them is no faster: bounded repetitions make
//! a state of nearly every byte of a text that it has not seen, and word boundaries outside of ASCII
//! have it fall back to simulation, ten times slower than the literals that most patterns begin with.

use regex::{Regex, RegexBuilder};

/// Patterns read without regard to case.
#[derive(Debug)]
pub(crate) struct Patterns(Vec<Regex>);

impl Patterns {
    /// Compiles patterns. One that is broken finds nothing; a test reads all that are committed.
    pub(crate) fn new<T: AsRef<str>>(patterns: &[T]) -> Self {
        let compiled = patterns.iter();
        Self(
            compiled
                .filter_map(|pattern| compile(pattern.as_ref()))
                .collect(),
        )
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(text))
    }

    /// Places of the patterns that are found in a text.
    pub(crate) fn found(&self, text: &str) -> Vec<usize> {
        let patterns = self.0.iter().enumerate();
        let found = patterns.filter(|(_, pattern)| pattern.is_match(text));
        found.map(|(at, _)| at).collect()
    }

    /// The words that the pattern at a place stands for in a text.
    pub(crate) fn words<'t>(&self, at: usize, text: &'t str) -> &'t str {
        let found = self.0.get(at).and_then(|pattern| pattern.find(text));
        found.map_or("", |found| found.as_str())
    }

    /// Where the first pattern that is found ends.
    pub(crate) fn end(&self, text: &str) -> Option<usize> {
        let mut found = self.0.iter().filter_map(|pattern| pattern.find(text));
        found.next().map(|found| found.end())
    }

    /// Patterns that compiled.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Compiles one pattern, read without regard to case.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .ok()
}
