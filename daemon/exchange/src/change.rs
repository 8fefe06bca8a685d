//! Changes to a memory between an export and the import of the same file: told by hashes that
//! travel with it, whatever the strand says meanwhile.

use serde_json::{Map, Value};

use super::entry::Rest;
use super::{Portable, entry};

/// A memory as it was exported, as far as the file says: what edits started from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    text_hash: String,
    fields_hash: String,
    rest_hash: String,
}

impl Base {
    pub(super) fn of(object: &Map<String, Value>) -> Self {
        let hash = |name| {
            object
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            text_hash: hash("text_hash"),
            fields_hash: hash("fields_hash"),
            rest_hash: hash("rest_hash"),
        }
    }

    /// Returns whether the file says what was exported.
    pub(super) fn is_known(&self) -> bool {
        !self.text_hash.is_empty()
    }

    /// Returns whether a memory has the text that was exported.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.text_hash == entry::text_hash(text)
    }

    /// Lists the changes to the rest since the export.
    #[must_use]
    pub fn edited(&self, memory: &Portable) -> Vec<Rest> {
        entry::edited(&self.rest_hash, memory)
    }

    /// Returns the change of a memory since it was exported. Where the file does not say what it
    /// was, nothing is known.
    #[must_use]
    pub fn change(&self, memory: &Portable) -> Change {
        let is_untouched = || {
            self.has_text(&memory.text) && self.has_fields(memory) && self.edited(memory).is_empty()
        };
        match memory.id {
            Some(_) if !self.is_known() => Change::New,
            Some(_) if is_untouched() => Change::Untouched,
            Some(_) => Change::Revised,
            None => Change::New,
        }
    }

    /// Returns whether a memory has the kind, tags, importance, confidence and pin that were
    /// exported.
    #[must_use]
    pub fn has_fields(&self, memory: &Portable) -> bool {
        self.fields_hash.is_empty() || self.fields_hash == entry::fields_hash(memory)
    }
}

/// The change of a memory since it was exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Untouched,
    /// Something of it was edited under its id.
    Revised,
    /// It was added, or never had an id, or the file does not say what it was.
    New,
}
