//! Versions of memories that a search finds in place of those that are indexed.

use super::fields::Document;
use super::tail::{Generation, Prepared};

/// Versions of some memories, inverted as the tail is, over everything that is indexed of them.
#[derive(Debug, Default)]
pub struct Instead(Generation);

impl Instead {
    /// Makes a memory found by another version of it.
    pub fn put(&mut self, document: &Document<'_>) {
        self.0.upsert(0, document.number, Prepared::new(document));
    }

    /// Makes a memory unfindable.
    pub fn hide(&mut self, number: u32) {
        self.0.hide(0, number);
    }

    pub(super) fn generation(&self) -> &Generation {
        &self.0
    }
}
