//! The fields beside text, kind, tags, importance, confidence and pin: each with a hash of its own, so that it is known which of
//! them somebody changed in a file.

use super::text_hash;
use crate::exchange::Portable;

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
    /// What else is known.
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

    /// What the field is called in a file.
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

    fn hash(self, memory: &Portable) -> String {
        let written = match self {
            Self::Topic => memory.topic.clone(),
            Self::Source => {
                let source = memory.source.as_ref();
                format!("{:?}", source.map(|source| (source.path.as_str(), source.line)))
            }
            Self::Links => format!("{:?}", memory.links),
            Self::ValidFrom => format!("{:?}", memory.valid_from),
            Self::ValidTo => format!("{:?}", memory.valid_to),
            Self::Status => format!("{:?}", memory.status),
            Self::Scope => format!("{:?}", memory.scope),
            Self::Handle => format!("{:?}", memory.handle),
            Self::Origin => format!("{:?}", memory.origin),
            Self::Attributes => format!("{:?}", memory.attributes),
            Self::Provenance => format!("{:?}", memory.provenance),
            Self::RecordedAt => format!("{:?}", memory.recorded_at),
            Self::LastSeenAt => format!("{:?}", memory.last_seen_at),
            Self::AccessCount => memory.access_count.to_string(),
        };
        text_hash(&written).chars().take(DIGITS).collect()
    }
}

/// The hashes of all of them, one behind the other.
pub(in crate::exchange) fn rest_hash(memory: &Portable) -> String {
    Rest::ALL.into_iter().map(|field| field.hash(memory)).collect()
}

/// The fields of a memory that are not as the hashes say; none without hashes.
pub(in crate::exchange) fn edited(hashes: &str, memory: &Portable) -> Vec<Rest> {
    let of = |place: usize| hashes.get(place * DIGITS..(place + 1) * DIGITS);
    let fields = Rest::ALL.into_iter().enumerate();
    let changed = fields.filter(|(place, field)| of(*place).is_some_and(|hash| hash != field.hash(memory)));
    changed.map(|(_, field)| field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::samples;

    #[test]
    fn what_was_changed_is_named_and_nothing_else() {
        let memory = Portable::from_memory(&samples::memory(), |_| Some("other/one".to_owned()));
        let hashes = rest_hash(&memory);
        assert_eq!(hashes.len(), Rest::ALL.len() * DIGITS);
        assert!(edited(&hashes, &memory).is_empty());
        assert!(edited("", &Portable::default()).is_empty());
        let other = Portable { topic: "other".to_owned(), links: Vec::new(), access_count: 1_000, ..memory.clone() };
        assert_eq!(edited(&hashes, &other), [Rest::Topic, Rest::Links, Rest::AccessCount]);
        let text = Portable { text: "another".to_owned(), tags: Vec::new(), ..memory };
        assert!(edited(&hashes, &text).is_empty());
    }
}
