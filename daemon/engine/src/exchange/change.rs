//! What became of a memory between an export and the import of the same file: told by hashes that travel with it, whatever the
//! strand says meanwhile.

use serde_json::{Map, Value};

use super::{Portable, entry};

/// What a memory was like when it was exported, as far as the file says: what edits started from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    text_hash: String,
    /// Empty in files of an older Helix.
    fields_hash: String,
}

impl Base {
    pub(super) fn of(object: &Map<String, Value>) -> Self {
        let hash = |name| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { text_hash: hash("text_hash"), fields_hash: hash("fields_hash") }
    }

    /// Whether a memory has the text that was exported.
    #[must_use]
    pub fn has_text(&self, text: &str) -> bool {
        self.text_hash == entry::text_hash(text)
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
    /// Its text or its fields were edited under its id.
    Revised(Base),
    /// It was added, or never had an id, or the file does not say what it was.
    New,
}

impl Change {
    /// Compares a memory with the hashes beside it; without any nothing is known.
    pub(super) fn since_export(object: &Map<String, Value>, memory: &Portable) -> Self {
        let base = Base::of(object);
        match memory.id {
            Some(_) if base.text_hash.is_empty() => Self::New,
            Some(_) if base.has_text(&memory.text) && base.has_fields(memory) => Self::Untouched,
            Some(_) => Self::Revised(base),
            None => Self::New,
        }
    }
}
