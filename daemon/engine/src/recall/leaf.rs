//! Where the reading of a topic goes on: behind a memory, whatever was stored or forgotten since.

use std::fmt;

use helix_memory::MemoryNumber;

use super::cursor::CursorError;
use super::opaque::{In, Out};

/// Version of the text; it differs from that of a search's cursor.
const VERSION: u8 = 0x41;

/// The place behind a memory in what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The last memory that was shown.
    pub behind: MemoryNumber,
    asked: [u8; 4],
}

impl Leaf {
    /// The place behind a memory; `asked` is all that says which memories are read.
    #[must_use]
    pub fn new(behind: MemoryNumber, asked: &[&str]) -> Self {
        Self {
            behind,
            asked: digest(asked),
        }
    }

    /// Reads a place in the same question.
    ///
    /// # Errors
    /// `CursorError::Damaged` and `CursorError::OtherSearch`.
    pub fn parse(text: &str, asked: &[&str]) -> Result<Self, CursorError> {
        let read = || {
            let mut bytes = In::of(text.trim())?;
            (bytes.byte()? == VERSION).then_some(())?;
            let leaf = Self {
                behind: MemoryNumber(bytes.small()?),
                asked: bytes.four()?,
            };
            bytes.is_at_end().then_some(leaf)
        };
        let leaf = read()
            .filter(|leaf| leaf.to_string() == text.trim())
            .ok_or(CursorError::Damaged)?;
        if leaf.asked == digest(asked) {
            Ok(leaf)
        } else {
            Err(CursorError::OtherSearch)
        }
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out::default();
        out.byte(VERSION);
        out.number(self.behind.0.into());
        out.bytes(&self.asked);
        f.write_str(&out.text())
    }
}

fn digest(asked: &[&str]) -> [u8; 4] {
    let mut hasher = blake3::Hasher::new();
    for part in asked {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher
        .finalize()
        .as_bytes()
        .first_chunk()
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_leaf_belongs_to_its_question() {
        let leaf = Leaf::new(MemoryNumber(300), &["build", ""]);
        assert_eq!(
            Leaf::parse(&leaf.to_string(), &["build", ""]).unwrap(),
            leaf
        );
        assert!(leaf.to_string().len() <= 11, "{leaf}");
        assert!(matches!(
            Leaf::parse(&leaf.to_string(), &["buil", "d"]),
            Err(CursorError::OtherSearch)
        ));
    }

    proptest! {
        #[test]
        fn other_texts_are_damaged(text in "[A-Za-z0-9_-]{0,14}|\\PC{0,12}") {
            if let Ok(leaf) = Leaf::parse(&text, &[]) {
                prop_assert_eq!(leaf.to_string(), text.trim());
            }
        }
    }
}
