//! Recognises the end of a JSON object or array, so that a parent that never closes the pipe costs no waiting.
//!
//! It knows brackets and strings and nothing else; whether the JSON is valid is the daemon's business.

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
                    if self.depth == 0 { State::Complete } else { State::Inside }
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
        for text in ["", "  ", "hello {}", "\"{}\"", "17", "}", "{\"a\":\"}\"", "{\"a\":\"\\\"}"] {
            assert_eq!(end_of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn what_follows_does_not_matter() {
        assert!(Scanner::default().completes(b" \n[{\"a\":[]}]\n{"));
    }

    proptest! {
        #[test]
        fn ends_at_the_last_byte_of_any_object(key in any::<String>(), value in any::<String>(), items in any::<Vec<String>>()) {
            let text = serde_json::json!({ key: { "value": value, "items": items } }).to_string();
            prop_assert_eq!(end_of(text.as_bytes()), Some(text.len() - 1));
            prop_assert!(Scanner::default().completes(text.as_bytes()));
        }
    }
}
