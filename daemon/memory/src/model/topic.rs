//! Topic names.

use std::fmt;

use helix_neutral::quoted;

/// Longest topic name, in bytes: the AMRL log counts a topic's length in one byte.
pub const TOPIC_MAX_BYTES: usize = 255;

/// The named group a memory belongs to: lowercase letters, digits, single dashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(String);

/// A topic name that has no letter or digit, or too many.
#[derive(Debug, thiserror::Error)]
pub enum InvalidTopic {
    /// Nothing is left after sanitising.
    #[error("topic {} has no letter or digit; name it like `build-gotchas`", quoted(.0))]
    Empty(String),
    /// More than `TOPIC_MAX_BYTES`.
    #[error("topic of {0} bytes is longer than {TOPIC_MAX_BYTES}; shorten it")]
    TooLong(usize),
}

impl Topic {
    /// Sanitises a name: lowercases it and turns every run of other characters into one dash.
    ///
    /// # Errors
    /// `InvalidTopic` when nothing is left, or too much.
    pub fn parse(name: &str) -> Result<Self, InvalidTopic> {
        let mut topic = String::with_capacity(name.len());
        for c in name.chars().flat_map(char::to_lowercase) {
            if c.is_alphanumeric() {
                topic.push(c);
            } else if !topic.is_empty() && !topic.ends_with('-') {
                topic.push('-');
            }
        }
        if topic.ends_with('-') {
            topic.pop();
        }
        match topic.len() {
            0 => Err(InvalidTopic::Empty(
                name.chars().take(TOPIC_MAX_BYTES).collect(),
            )),
            len if len > TOPIC_MAX_BYTES => Err(InvalidTopic::TooLong(len)),
            _ => Ok(Self(topic)),
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sanitising_is_idempotent() {
        for (name, topic) in [
            ("Build Gotchas!", "build-gotchas"),
            ("--a__b--", "a-b"),
            ("iris-engine", "iris-engine"),
        ] {
            let parsed = Topic::parse(name).unwrap();
            assert_eq!(parsed.as_str(), topic);
            assert_eq!(Topic::parse(parsed.as_str()).unwrap(), parsed);
        }
        assert!(matches!(Topic::parse("!?"), Err(InvalidTopic::Empty(_))));
        assert!(matches!(
            Topic::parse(&"x".repeat(300)),
            Err(InvalidTopic::TooLong(300))
        ));
    }
}
