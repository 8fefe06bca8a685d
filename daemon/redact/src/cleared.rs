//! Short texts in which nothing was found.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

/// Texts that are remembered, and the longest of them, in bytes.
const TEXTS_MAX: usize = 1_024;
const BYTES_MAX: usize = 64;

/// Remembers the latest short texts in which nothing was found: names, tags and places come again
/// and again, and looking at one takes longer than finding it here.
#[derive(Debug, Default)]
pub struct Cleared(HashSet<String, FxBuildHasher>);

impl Cleared {
    /// Returns whether a text was cleared before.
    #[must_use]
    pub fn has(&self, text: &str) -> bool {
        text.len() <= BYTES_MAX && self.0.contains(text)
    }

    /// Clears a text.
    pub fn add(&mut self, text: &str) {
        if text.len() > BYTES_MAX {
            return;
        }
        if self.0.len() >= TEXTS_MAX {
            self.0.clear();
        }
        self.0.insert(text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_short_texts_are_remembered() {
        let mut cleared = Cleared::default();
        let long = "a".repeat(BYTES_MAX + 1);
        cleared.add("ci");
        cleared.add(&long);
        assert!(cleared.has("ci") && !cleared.has("build") && !cleared.has(&long));
        for number in 0..TEXTS_MAX {
            cleared.add(&number.to_string());
        }
        assert!(!cleared.has("ci") && cleared.has(&(TEXTS_MAX - 1).to_string()));
    }
}
