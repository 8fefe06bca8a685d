//! The four ways to name a memory: id, handle, number and sequence.

use std::fmt;

use super::{Timestamp, Topic};

/// Globally unique id of a memory: a `UUIDv7`, so ids sort by the time of storing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId([u8; 16]);

impl MemoryId {
    /// Makes an id from the time of storing and ten random bytes.
    #[must_use]
    pub fn new(at: Timestamp, entropy: &[u8; 10]) -> Self {
        let millis = u64::try_from(at.as_micros() / 1_000).unwrap_or(0);
        Self(
            *uuid::Builder::from_unix_timestamp_millis(millis, entropy)
                .as_uuid()
                .as_bytes(),
        )
    }

    /// Reads an id from its 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 16 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        uuid::Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

/// Dense number of a memory inside one strand: the index columns are addressed by it. Never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryNumber(pub u32);

/// Position of an operation in the strand's history; the first is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Returns the sequence that follows.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Readable, unique name of a memory: `topic/slug`, e.g. `build-gotchas/arch-arm64-required`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(String);

/// Words of the text that a slug takes.
const SLUG_WORDS_MAX: usize = 5;

/// Bytes of a slug, without the number that makes it unique.
const SLUG_MAX_BYTES: usize = 48;

/// Bytes of a slug that comes from elsewhere, with its number.
const KEPT_SLUG_MAX_BYTES: usize = 72;

/// Longest word before a colon that counts as a label, in bytes.
const LABEL_MAX_BYTES: usize = 16;

/// Marks of headings, lists, quotations, emphasis and the end of a label.
const DRESS: &[char] = &['#', '*', '_', '>', '-', ' ', '\t', ':'];

/// Words that say nothing in a name.
const SLUG_FILLERS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "has", "have",
    "in", "is", "it", "its", "must", "of", "on", "or", "should", "that", "the", "their", "there",
    "this", "to", "was", "we", "were", "when", "which", "with", "would", "you", "your",
];

impl Handle {
    /// Makes the handle that a text wants.
    #[must_use]
    pub fn propose(topic: &Topic, text: &str) -> Self {
        Self(format!("{topic}/{}", slug(text)))
    }

    /// Returns what to try when this handle is taken: attempt 0 is itself, later ones carry a
    /// number.
    #[must_use]
    pub fn numbered(&self, attempt: u32) -> Self {
        match attempt {
            0 => self.clone(),
            n => Self(format!("{self}-{}", n + 1)),
        }
    }

    /// Returns the handle that a memory wants in another topic: the same slug under the new name.
    #[must_use]
    pub fn moved(&self, topic: &Topic) -> Self {
        let slug = self
            .0
            .split_once('/')
            .map_or(self.0.as_str(), |(_, slug)| slug);
        Self(format!("{topic}/{slug}"))
    }

    /// Returns the handle that a memory had elsewhere, for it to keep in this topic; `None` for
    /// what is no handle of it.
    #[must_use]
    pub fn kept(text: &str, topic: &Topic) -> Option<Self> {
        let (own, slug) = text.split_once('/')?;
        let is_slug = |c: char| c == '-' || (c.is_alphanumeric() && !c.is_uppercase());
        let fits = own == topic.as_str() && !slug.is_empty() && slug.len() <= KEPT_SLUG_MAX_BYTES;
        (fits && slug.chars().all(is_slug)).then(|| Self(text.to_owned()))
    }

    /// Returns whether the handle is one of this topic.
    #[must_use]
    pub fn is_in(&self, topic: &Topic) -> bool {
        self.0
            .split_once('/')
            .is_some_and(|(own, _)| own == topic.as_str())
    }

    /// Trusts a handle that the store wrote.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the handle as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Drops a label such as `gotcha:` or `[gotcha]`, which the memory's tags and kind already say.
fn without_label(line: &str) -> &str {
    let line = line.trim().trim_start_matches(DRESS);
    let bracketed = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if bracketed.is_some_and(|(field, rest)| rest.trim().is_empty() && is_field(field)) {
        return "";
    }
    match bracketed.or_else(|| line.split_once(':')) {
        Some((label, rest))
            if is_label(label)
                && !rest.starts_with(|c: char| {
                    c == ':' || (!c.is_whitespace() && !DRESS.contains(&c))
                }) =>
        {
            rest.trim_start_matches(DRESS)
        }
        _ => line,
    }
}

/// Returns whether what stands in brackets is a field and its value, as in `[source: a.rs:3]`.
fn is_field(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(name, value)| is_label(name) && !value.trim().is_empty())
}

fn is_label(word: &str) -> bool {
    let word = word.trim_end_matches(DRESS);
    !word.is_empty()
        && word.len() <= LABEL_MAX_BYTES
        && word.chars().all(|c| c.is_alphabetic() || "-_".contains(c))
}

/// The words that a text's slug is made of: those of its first line that is more than a label, and
/// of the next one where that is a single word, as a heading often is.
fn slug_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let labelled = text
        .lines()
        .next()
        .filter(|_| text.lines().all(|line| !has_words(without_label(line))));
    for line in labelled.into_iter().chain(text.lines().map(without_label)) {
        let told = line
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase);
        let telling = told.filter(|word| !SLUG_FILLERS.contains(&word.as_str()));
        words.extend(telling.take(SLUG_WORDS_MAX));
        if words.len() > 1 {
            break;
        }
    }
    words.truncate(SLUG_WORDS_MAX);
    words
}

fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for word in slug_words(text) {
        if slug.len() + word.len() >= SLUG_MAX_BYTES {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    if slug.is_empty() {
        "note".to_owned()
    } else {
        slug
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ids_sort_by_time() {
        let early = MemoryId::new(Timestamp::from_micros(1_000_000), &[255; 10]);
        let late = MemoryId::new(Timestamp::from_micros(2_000_000), &[0; 10]);
        assert!(early < late);
        assert_eq!(MemoryId::from_bytes(*early.as_bytes()), early);
    }

    #[test]
    fn handles_read_like_the_text() {
        let topic = Topic::parse("build-gotchas").unwrap();
        let handle = Handle::propose(
            &topic,
            "Rust lib must use -arch arm64. Without it, linking fails.",
        );
        assert_eq!(handle.as_str(), "build-gotchas/rust-lib-use-arch-arm64");
        assert_eq!(
            Handle::propose(&topic, "gotcha: pass -arch arm64").as_str(),
            "build-gotchas/pass-arch-arm64"
        );
        for labelled in [
            "gotcha:\npass -arch arm64",
            "[gotcha] pass -arch arm64",
            "**Gotcha:**\n- pass -arch arm64",
        ] {
            assert_eq!(
                Handle::propose(&topic, labelled).as_str(),
                "build-gotchas/pass-arch-arm64",
                "{labelled}"
            );
        }
        assert_eq!(
            Handle::propose(&topic, "## Linking\n\nPass -arch").as_str(),
            "build-gotchas/linking-pass-arch"
        );
        assert_eq!(
            Handle::propose(&topic, "std::fs::read blocks").as_str(),
            "build-gotchas/std-fs-read-blocks"
        );
        assert_eq!(
            Handle::propose(&topic, "gotcha:").as_str(),
            "build-gotchas/gotcha"
        );
        assert_eq!(
            Handle::propose(&topic, "!!!").numbered(1).as_str(),
            "build-gotchas/note-2"
        );
        let kept = |text: &str| Handle::kept(text, &topic).map(|handle| handle.to_string());
        assert_eq!(
            kept("build-gotchas/arm64-2").as_deref(),
            Some("build-gotchas/arm64-2")
        );
        for no in [
            "other/arm64",
            "build-gotchas/",
            "build-gotchas",
            "build-gotchas/a b",
            "build-gotchas/a/b",
        ] {
            assert_eq!(kept(no), None);
        }
        let moved = handle.moved(&Topic::parse("linking").unwrap());
        assert_eq!(moved.as_str(), "linking/rust-lib-use-arch-arm64");
        assert!(handle.is_in(&topic) && !moved.is_in(&topic));
    }
}
