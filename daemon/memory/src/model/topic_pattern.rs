//! Patterns of topic names.

use std::fmt;

use wildmatch::WildMatch;

use super::{InvalidTopic, TOPIC_MAX_BYTES};

/// A topic name in which `*` stands for any run of characters and `?` for any one, as in `iris-*`.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicPattern {
    text: String,
    matcher: WildMatch,
}

impl TopicPattern {
    /// Reads a pattern. Everything but wildcards is sanitised as a topic's name is: lowercased,
    /// other runs become one dash.
    ///
    /// # Errors
    /// `InvalidTopic` when no letter, digit or wildcard is left, or too much is.
    pub fn parse(pattern: &str) -> Result<Self, InvalidTopic> {
        let mut text = String::with_capacity(pattern.len());
        for c in pattern.trim().chars().flat_map(char::to_lowercase) {
            if c.is_alphanumeric() || is_wildcard(c) {
                text.push(c);
            } else if !text.is_empty() && !text.ends_with('-') {
                text.push('-');
            }
        }
        if text.ends_with('-') {
            text.pop();
        }
        match text.len() {
            0 => Err(InvalidTopic::Empty(
                pattern.chars().take(TOPIC_MAX_BYTES).collect(),
            )),
            len if len > TOPIC_MAX_BYTES => Err(InvalidTopic::TooLong(len)),
            _ => Ok(Self {
                matcher: WildMatch::new(&text),
                text,
            }),
        }
    }

    /// Returns whether a text has a wildcard, so that it can only be meant as a pattern.
    #[must_use]
    pub fn is_glob(text: &str) -> bool {
        text.contains(is_wildcard)
    }

    /// Returns whether a topic's name fits the whole pattern.
    #[must_use]
    pub fn matches(&self, topic: &str) -> bool {
        self.matcher.matches(topic)
    }

    /// Returns the pattern as it was understood.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for TopicPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_wildcard(c: char) -> bool {
    matches!(c, '*' | '?')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::super::Topic;
    use super::*;

    #[test]
    fn wildcards_stand_for_runs_and_single_characters() {
        for (pattern, yes, no) in [
            ("iris-*", "iris-scanners", "iris"),
            ("*", "anything", ""),
            ("*-gotchas", "build-gotchas", "gotchas-build"),
            ("v?", "v1", "v10"),
            ("*scan*", "iris-scanners", "iris-engine"),
            ("Iris *", "iris-engine", "osiris-engine"),
            ("build_gotchas", "build-gotchas", "build-gotchas-2"),
        ] {
            let pattern = TopicPattern::parse(pattern).unwrap();
            assert!(pattern.matches(yes), "{pattern} should match {yes}");
            assert!(
                no.is_empty() || !pattern.matches(no),
                "{pattern} should not match {no}"
            );
        }
        assert!(
            TopicPattern::is_glob("iris-*")
                && TopicPattern::is_glob("v?")
                && !TopicPattern::is_glob("iris")
        );
        assert!(matches!(
            TopicPattern::parse(" - "),
            Err(InvalidTopic::Empty(_))
        ));
        assert!(matches!(
            TopicPattern::parse(&"x".repeat(300)),
            Err(InvalidTopic::TooLong(300))
        ));
    }

    proptest! {
        #[test]
        fn a_topic_matches_its_own_name_and_any_prefix_of_it(name in "[a-zA-Z0-9 _-]{0,40}", cut in 0_usize..40) {
            let Ok(topic) = Topic::parse(&name) else { return Ok(()) };
            prop_assert!(TopicPattern::parse(&name).unwrap().matches(topic.as_str()));
            let prefix: String = topic.as_str().chars().take(cut).collect();
            let pattern = TopicPattern::parse(&(prefix + "*")).unwrap();
            prop_assert!(pattern.matches(topic.as_str()));
        }
    }
}
