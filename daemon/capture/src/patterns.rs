//! Regular expressions that are data.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Bytes that one compiled set may take; the longest list needs a tenth.
const COMPILED_MAX_BYTES: usize = 64 << 20;

/// Patterns read without regard to case, each of them or all at once.
#[derive(Debug)]
pub(crate) struct Patterns {
    set: RegexSet,
    each: Vec<Regex>,
}

impl Patterns {
    /// Compiles patterns. One that is broken finds nothing; a test reads all that are committed.
    pub(crate) fn new<T: AsRef<str>>(patterns: &[T]) -> Self {
        let each: Vec<Regex> = patterns
            .iter()
            .filter_map(|pattern| compile(pattern.as_ref()))
            .collect();
        let sources = each.iter().map(Regex::as_str);
        let set = RegexSetBuilder::new(sources)
            .case_insensitive(true)
            .size_limit(COMPILED_MAX_BYTES)
            .build()
            .unwrap_or_default();
        Self { set, each }
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.set.is_match(text)
    }

    /// Places of the patterns that are found in a text.
    pub(crate) fn found(&self, text: &str) -> Vec<usize> {
        self.set.matches(text).into_iter().collect()
    }

    /// The words that the pattern at a place stands for in a text.
    pub(crate) fn words<'t>(&self, at: usize, text: &'t str) -> &'t str {
        let found = self.each.get(at).and_then(|pattern| pattern.find(text));
        found.map_or("", |found| found.as_str())
    }

    /// Patterns that compiled.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.set.len()
    }
}

/// Compiles one pattern, read without regard to case.
pub(crate) fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .ok()
}
