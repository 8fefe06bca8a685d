//! The fields beside text, kind, tags, importance, confidence and pin: each with a hash of its own,
//! so that it is known which of them somebody changed in a file.

use helix_memory::{Origin, Status};
use serde_json::{Value, json};

use super::text_hash;
use super::write::{Step, written_time};
use crate::Portable;

/// A field that a person may have changed in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Its topic.
    Topic,
    /// Path and line of its source.
    Source,
    /// Its links.
    Links,
    /// When the fact became true.
    ValidFrom,
    /// When it ceased to be.
    ValidTo,
    /// Where it is in its life.
    Status,
    /// Who it applies to.
    Scope,
    /// Its handle.
    Handle,
    /// Who said it.
    Origin,
    /// All other fields.
    Attributes,
    /// Who told it to whom.
    Provenance,
    /// When it was recorded.
    RecordedAt,
    /// When it was last confirmed.
    LastSeenAt,
    /// How often it was recalled.
    AccessCount,
}

/// Hexadecimal digits of one field's hash: enough to notice an edit.
const DIGITS: usize = 6;

impl Rest {
    /// In the order of the hashes, which is for good: new ones come last.
    pub(super) const ALL: [Self; 14] = [
        Self::Topic,
        Self::Source,
        Self::Links,
        Self::ValidFrom,
        Self::ValidTo,
        Self::Status,
        Self::Scope,
        Self::Handle,
        Self::Origin,
        Self::Attributes,
        Self::Provenance,
        Self::RecordedAt,
        Self::LastSeenAt,
        Self::AccessCount,
    ];

    /// Returns the field's name in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Source => "source",
            Self::Links => "links",
            Self::ValidFrom => "valid_from",
            Self::ValidTo => "valid_to",
            Self::Status => "status",
            Self::Scope => "scope",
            Self::Handle => "handle",
            Self::Origin => "origin",
            Self::Attributes => "attributes",
            Self::Provenance => "provenance",
            Self::RecordedAt => "recorded_at",
            Self::LastSeenAt => "last_seen_at",
            Self::AccessCount => "access_count",
        }
    }

    /// The field as it is written, however the file lays it out.
    fn written(self, memory: &Portable) -> Value {
        match self {
            Self::Topic => json!(memory.topic),
            Self::Source => json!(
                memory
                    .source
                    .as_ref()
                    .map(|source| (&source.path, source.line))
            ),
            Self::Links => json!(memory.links),
            Self::ValidFrom => json!(written_time(memory.valid_from)),
            Self::ValidTo => json!(written_time(memory.valid_to)),
            Self::Status => json!(memory.status.map(Status::name)),
            Self::Scope => json!(memory.scope.as_ref().map(ToString::to_string)),
            Self::Handle => json!(memory.handle),
            Self::Origin => json!(memory.origin.map(Origin::name)),
            Self::Attributes => json!(memory.attributes),
            Self::Provenance => json!(memory.provenance.iter().map(Step::new).collect::<Vec<_>>()),
            Self::RecordedAt => json!(written_time(memory.recorded_at)),
            Self::LastSeenAt => json!(written_time(memory.last_seen_at)),
            Self::AccessCount => json!(memory.access_count),
        }
    }

    fn hash(self, memory: &Portable) -> String {
        let mut hash = text_hash(&self.written(memory).to_string());
        hash.truncate(DIGITS);
        hash
    }
}

/// The hashes of all of them, one behind the other.
pub(crate) fn rest_hash(memory: &Portable) -> String {
    Rest::ALL
        .into_iter()
        .map(|field| field.hash(memory))
        .collect()
}

/// The fields of a memory that are not as the hashes say; none without hashes.
pub(crate) fn edited(hashes: &str, memory: &Portable) -> Vec<Rest> {
    let of = |place: usize| hashes.get(place * DIGITS..(place + 1) * DIGITS);
    let fields = Rest::ALL.into_iter().enumerate();
    let changed =
        fields.filter(|(place, field)| of(*place).is_some_and(|hash| hash != field.hash(memory)));
    changed.map(|(_, field)| field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_was_changed_is_named_and_nothing_else() {
        let memory = Portable::from_memory(&samples::memory(), |_| Some("other/one".to_owned()));
        let hashes = rest_hash(&memory);
        assert_eq!(hashes.len(), Rest::ALL.len() * DIGITS);
        assert!(edited(&hashes, &memory).is_empty());
        assert!(edited("", &Portable::default()).is_empty());
        let other = Portable {
            topic: "other".to_owned(),
            links: Vec::new(),
            access_count: 1_000,
            ..memory.clone()
        };
        assert_eq!(
            edited(&hashes, &other),
            [Rest::Topic, Rest::Links, Rest::AccessCount]
        );
        let text = Portable {
            text: "another".to_owned(),
            tags: Vec::new(),
            ..memory
        };
        assert!(edited(&hashes, &text).is_empty());
    }
}
