//! The shim's part of JSON: where an object or array ends, so that a parent that never closes the
//! pipe costs no waiting, and which members an object has.
//!
//! It knows brackets and strings and nothing else; whether the JSON is valid is the daemon's
//! business.

/// Follows one JSON text through its chunks.
#[derive(Default)]
pub(crate) struct Scanner {
    depth: u32,
    state: State,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    #[default]
    Before,
    /// Between the brackets, outside of any string.
    Inside,
    /// Inside a string.
    Quoted,
    /// Behind a backslash inside a string.
    Escaped,
    /// The outermost bracket is closed.
    Complete,
    /// Starts with neither bracket: its end cannot be recognised.
    Unknown,
}

impl Scanner {
    /// Reads the next chunk; true once the outermost bracket has been closed.
    pub(crate) fn completes(&mut self, chunk: &[u8]) -> bool {
        for &byte in chunk {
            self.state = match (self.state, byte) {
                (State::Before, b' ' | b'\t' | b'\r' | b'\n') => State::Before,
                (State::Before | State::Inside, b'{' | b'[') => {
                    self.depth = self.depth.saturating_add(1);
                    State::Inside
                }
                (State::Before | State::Unknown, _) => State::Unknown,
                (State::Inside, b'}' | b']') => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        State::Complete
                    } else {
                        State::Inside
                    }
                }
                (State::Inside, b'"') | (State::Escaped, _) => State::Quoted,
                (State::Inside, _) | (State::Quoted, b'"') => State::Inside,
                (State::Quoted, b'\\') => State::Escaped,
                (State::Quoted, _) => State::Quoted,
                (State::Complete, _) => State::Complete,
            };
            if matches!(self.state, State::Complete | State::Unknown) {
                break;
            }
        }
        self.state == State::Complete
    }
}

/// The members of an object, each a key as it is written and a value as JSON. `None` for what is no
/// such member, after which nothing follows: an object that is cut off or followed by something, a
/// key with an escape, nesting that is too deep.
pub(crate) struct Members<'a> {
    rest: &'a [u8],
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Opened,
    BehindMember,
    Ended,
}

/// The next thing at a place between two members.
enum Next<'a> {
    Member(&'a [u8], &'a [u8]),
    /// The object's end, and nothing behind it.
    End,
}

impl<'a> Members<'a> {
    /// The members of this text, if it begins as an object does.
    pub(crate) fn of(text: &'a [u8]) -> Option<Self> {
        Some(Self {
            rest: text.trim_ascii().strip_prefix(b"{")?,
            place: Place::Opened,
        })
    }

    fn read(&mut self) -> Option<Next<'a>> {
        let mut rest = self.rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"}") {
            return after.is_empty().then_some(Next::End);
        }
        if self.place == Place::BehindMember {
            rest = rest.strip_prefix(b",")?.trim_ascii_start();
        }
        let (key, rest) = string(rest)?;
        let (value, rest) = value(
            rest.trim_ascii_start()
                .strip_prefix(b":")?
                .trim_ascii_start(),
        )?;
        self.rest = rest;
        self.place = Place::BehindMember;
        (!key.contains(&b'\\')).then_some(Next::Member(key, value))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Option<(&'a [u8], &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.place == Place::Ended {
            return None;
        }
        match self.read() {
            Some(Next::Member(key, value)) => Some(Some((key, value))),
            Some(Next::End) => {
                self.place = Place::Ended;
                None
            }
            None => {
                self.place = Place::Ended;
                Some(None)
            }
        }
    }
}

/// The content of the string that the text begins with, and what follows it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let content = text.strip_prefix(b"\"")?;
    let mut is_escaped = false;
    for (at, &byte) in content.iter().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some((content.get(..at)?, content.get(at + 1..)?)),
            byte => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    None
}

/// The value that the text begins with, and what follows it.
fn value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = match text.first()? {
        b'"' => string(text)?.0.len() + 2,
        b'{' | b'[' => nested(text)?,
        _ => text
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())?,
    };
    (length > 0).then(|| text.split_at_checked(length))?
}

/// Length of the object or array that the text begins with.
fn nested(text: &[u8]) -> Option<usize> {
    // One bit for each level, set for an object.
    let (mut open, mut depth) = (0_u64, 0);
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => at += string(text.get(at..)?)?.0.len() + 1,
            bracket @ (b'{' | b'[') => {
                depth += 1;
                if depth > u64::BITS {
                    return None;
                }
                open = open << 1 | u64::from(*bracket == b'{');
            }
            bracket @ (b'}' | b']') => {
                if (open & 1 == 1) != (*bracket == b'}') {
                    return None;
                }
                open >>= 1;
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn end_of(text: &[u8]) -> Option<usize> {
        let mut scanner = Scanner::default();
        (0..text.len()).find(|&at| scanner.completes(&text[at..=at]))
    }

    #[test]
    fn text_without_brackets_never_completes() {
        for text in [
            "",
            "  ",
            "hello {}",
            "\"{}\"",
            "17",
            "}",
            "{\"a\":\"}\"",
            "{\"a\":\"\\\"}",
        ] {
            assert_eq!(end_of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_follows_does_not_matter() {
        assert!(Scanner::default().completes(b" \n[{\"a\":[]}]\n{"));
    }

    proptest! {
        #[test]
        fn members_are_those_that_a_parser_finds(object in any::<std::collections::BTreeMap<String, Vec<String>>>()) {
            let text = serde_json::to_string_pretty(&object).unwrap_or_default();
            let found: Option<Vec<_>> = Members::of(text.as_bytes()).into_iter().flatten().collect();
            let is_plain = |key: &String| !serde_json::to_string(key).unwrap_or_default().contains('\\');
            prop_assert_eq!(found.is_some(), object.keys().all(is_plain));
            for ((key, value), (expected, list)) in found.unwrap_or_default().into_iter().zip(&object) {
                prop_assert_eq!(key, expected.as_bytes());
                prop_assert_eq!(&serde_json::from_slice::<Vec<String>>(value).unwrap_or_default(), list);
            }
        }

        #[test]
        fn any_text_is_read_without_harm(text in any::<Vec<u8>>()) {
            let text = [b"{".as_slice(), &text].concat();
            prop_assert!(Members::of(&text).into_iter().flatten().count() <= text.len());
        }

        #[test]
        fn ends_at_the_last_byte_of_any_object(key in any::<String>(), value in any::<String>(), items in any::<Vec<String>>()) {
            let text = serde_json::json!({ key: { "value": value, "items": items } }).to_string();
            prop_assert_eq!(end_of(text.as_bytes()), Some(text.len() - 1));
            prop_assert!(Scanner::default().completes(text.as_bytes()));
        }
    }
}
