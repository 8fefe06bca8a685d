//! What became of a memory between an export and the import of the same file: told by hashes that travel with it, whatever the
//! strand says meanwhile.

use serde_json::{Map, Value};

use super::entry::Rest;
use super::{Portable, entry};

/// What a memory was like when it was exported, as far as the file says: what edits started from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    text_hash: String,
    /// Empty in files of an older Helix.
    fields_hash: String,
    /// Empty in files of an older Helix.
    rest_hash: String,
}

impl Base {
    pub(super) fn of(object: &Map<String, Value>) -> Self {
        let hash = |name| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { text_hash: hash("text_hash"), fields_hash: hash("fields_hash"), rest_hash: hash("rest_hash") }
    }

    /// Whether the file says what was exported.
    pub(super) fn is_known(&self) -> bool {
        !self.text_hash.is_empty()
    }

    /// Whether a memory has the text that was exported.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.text_hash == entry::text_hash(text)
    }

    /// Whether the file says what the rest was, which one of an older Helix does not.
    #[must_use]
    pub fn knows_rest(&self) -> bool {
        !self.rest_hash.is_empty()
    }

    /// What of the rest is not as it was exported.
    #[must_use]
    pub fn edited(&self, memory: &Portable) -> Vec<Rest> {
        entry::edited(&self.rest_hash, memory)
    }

    /// Whether a memory is as it was exported.
    pub(super) fn is_untouched(&self, memory: &Portable) -> bool {
        self.has_text(&memory.text) && self.has_fields(memory) && self.edited(memory).is_empty()
    }

    /// Whether a memory has the kind, tags, importance, confidence and pin that were exported.
    #[must_use]
    pub fn has_fields(&self, memory: &Portable) -> bool {
        self.fields_hash.is_empty() || self.fields_hash == entry::fields_hash(memory)
    }
}

/// What happened to a memory since it was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Untouched,
    /// Something of it was edited under its id.
    Revised(Base),
    /// It was added, or never had an id, or the file does not say what it was.
    New,
}

impl Change {
    /// Compares a memory, whose topic is known by now, with what the file says it was; where that is not said, nothing is known.
    pub(super) fn since_export(base: Base, memory: &Portable) -> Self {
        match memory.id {
            Some(_) if !base.is_known() => Self::New,
            Some(_) if base.is_untouched(memory) => Self::Untouched,
            Some(_) => Self::Revised(base),
            None => Self::New,
        }
    }
}
