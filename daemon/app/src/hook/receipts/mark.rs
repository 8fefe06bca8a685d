//! Knowing an injection again in a transcript, without keeping its text.

use std::collections::HashMap;

use helix_redact::{Redact, Secrets};
use memchr::memmem;
use prost::Message;

use super::Fate;
use super::escapes::plain;

/// Characters of an injection by whose presence it is known that the rest was cut: so many at most,
/// and all but so many of a short one. The frame that all begin with has 70, so that fewer than so
/// many tell nothing.
const START_CHARS: usize = 200;
const END_CHARS: usize = 30;
const START_MIN_CHARS: usize = 100;

/// Bytes by which an injection is looked for.
const MARK_MAX_BYTES: usize = 64;

/// Knows a text again where it stands inside a JSON string, without keeping it.
#[derive(Clone, PartialEq, Message)]
pub(in crate::hook) struct Mark {
    /// How it begins.
    #[prost(string, tag = "1")]
    begins: String,
    /// All of it: its length in bytes, and a hash.
    #[prost(uint32, tag = "2")]
    bytes: u32,
    #[prost(fixed64, tag = "3")]
    hash: u64,
    /// Its first characters, by whose presence it is known that the rest was cut; 0 bytes for a
    /// text that has no more.
    #[prost(uint32, tag = "4")]
    start_bytes: u32,
    #[prost(fixed64, tag = "5")]
    start_hash: u64,
}

impl Redact for Mark {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            begins,
            bytes: _,
            hash: _,
            start_bytes: _,
            start_hash: _,
        } = self;
        secrets.said(begins);
    }
}

impl Mark {
    /// Knows this text again.
    pub(super) fn of(text: &str) -> Self {
        let all = in_json(text);
        let start = start(text).map(in_json).unwrap_or_default();
        Self {
            begins: all
                .get(..all.floor_char_boundary(MARK_MAX_BYTES))
                .unwrap_or_default()
                .to_owned(),
            bytes: u32::try_from(all.len()).unwrap_or(u32::MAX),
            hash: hash(all.as_bytes()),
            start_bytes: u32::try_from(start.len()).unwrap_or(u32::MAX),
            start_hash: hash(start.as_bytes()),
        }
    }

    /// Returns what became of a text that may begin at this place.
    fn fate_at(&self, at: usize, written: &str) -> Fate {
        let is_there = |bytes: u32, wanted: u64| {
            let found = written
                .as_bytes()
                .get(at..at.saturating_add(bytes as usize));
            bytes > 0 && found.is_some_and(|found| hash(found) == wanted)
        };
        if is_there(self.bytes, self.hash) {
            Fate::Delivered
        } else if is_there(self.start_bytes, self.start_hash) {
            Fate::Cut
        } else {
            Fate::Unknown
        }
    }
}

/// As much of a text as must be there for the rest to count as cut; `None` for one of which a part
/// tells nothing.
fn start(text: &str) -> Option<&str> {
    let all = text.chars().count();
    let chars = all.saturating_sub(END_CHARS).min(START_CHARS);
    let (end, _) = text
        .char_indices()
        .nth(chars)
        .filter(|_| chars >= START_MIN_CHARS)?;
    text.get(..end)
}

/// Looks for texts in what was written, once for all that begin alike. Returns what became of each.
pub(super) fn fates(marks: &[&Mark], written: &str) -> Vec<Fate> {
    let written = &*plain(written);
    let mut fates = vec![Fate::Unknown; marks.len()];
    let mut by_beginning: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, mark) in marks
        .iter()
        .enumerate()
        .filter(|(_, mark)| !mark.begins.is_empty())
    {
        by_beginning.entry(&mark.begins).or_default().push(place);
    }
    for (begins, places) in by_beginning {
        for at in memmem::find_iter(written.as_bytes(), begins) {
            for &place in &places {
                let fate = marks[place].fate_at(at, written);
                if fates[place] != Fate::Delivered && fate != Fate::Unknown {
                    fates[place] = fate;
                }
            }
        }
    }
    fates
}

fn hash(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(
        *blake3::hash(bytes)
            .as_bytes()
            .first_chunk()
            .unwrap_or(&[0; 8]),
    )
}

/// A text as it stands inside a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted
        .trim_start_matches('"')
        .strip_suffix('"')
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_tells_what_became_of_a_text() {
        let text = format!(
            "<helix-memory>\n- \"{}\" ä</helix-memory>",
            "word ".repeat(60)
        );
        let transcript = |content: &str| serde_json::json!({"content": [content]}).to_string();
        let cut: String = text.chars().take(250).collect();
        for (content, fate) in [
            (format!("Hook said: {text}"), Fate::Delivered),
            (cut, Fate::Cut),
            ("<helix-memory> something else".to_owned(), Fate::Unknown),
        ] {
            assert_eq!(
                fates(&[&Mark::of(&text)], &transcript(&content)),
                [fate],
                "{content}"
            );
        }
    }

    #[test]
    fn it_does_not_matter_what_a_client_escapes() {
        let text = format!(
            "<helix-memory>\n- \"{}\" ä 🦀 a/b</helix-memory>",
            "word ".repeat(60)
        );
        let mark = Mark::of(&text);
        let mut escaped = in_json(&text).replace('/', r"\/");
        for (plain, unicode) in [
            ("<", r"\u003c"),
            (">", r"\u003e"),
            ("ä", r"\u00E4"),
            ("🦀", r"\ud83e\udd80"),
        ] {
            escaped = escaped.replace(plain, unicode);
        }
        assert!(!escaped.contains('<') && escaped.is_ascii());
        assert_eq!(
            fates(&[&mark], &format!(r#"{{"content":"{escaped}"}}"#)),
            [Fate::Delivered]
        );
        let cut: String = escaped.chars().take(280).collect();
        assert_eq!(
            fates(&[&mark], &format!(r#"{{"content":"{cut}"}}"#)),
            [Fate::Cut]
        );
    }

    #[test]
    fn of_a_short_text_the_end_may_be_missing() {
        let text = "<helix-memory>\n".to_owned() + &"ä word ".repeat(18);
        let cut = |missing: usize| {
            in_json(
                &text
                    .chars()
                    .take(text.chars().count() - missing)
                    .collect::<String>(),
            )
        };
        let fate = |missing: usize| {
            fates(
                &[&Mark::of(&text)],
                &format!("{{\"content\":\"{}\"}}", cut(missing)),
            )[0]
        };
        assert!(text.chars().count() < START_CHARS);
        assert_eq!(
            [fate(0), fate(1), fate(END_CHARS)],
            [Fate::Delivered, Fate::Cut, Fate::Cut]
        );
        assert_eq!(
            fate(text.chars().count() - 70),
            Fate::Unknown,
            "all begin so"
        );
    }

    #[test]
    fn very_short_texts_are_whole_or_unknown() {
        assert_eq!(fates(&[&Mark::of("short")], "sho"), [Fate::Unknown]);
        assert_eq!(
            fates(&[&Mark::of("short")], "a short text"),
            [Fate::Delivered]
        );
    }
}
