//! `<private>…</private>`: what an author marks as private is never kept.

use std::io::{self, BufRead, Read};
use std::sync::LazyLock;

use regex::Regex;

use super::{RULE_OF_PRIVATE, placeholder};

/// Either tag, in any case, with or without attributes.
const TAG: &str = r"(?i)<[ \t]*(/?)[ \t]*private(?:\s+[\w-]+\s*=[^<>]*|\s*)>";

/// Longest line of a document, in bytes. A longer one is read in pieces.
const LINE_MAX_BYTES: u64 = 1 << 20;

static TAGS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TAG).ok());

/// The text without its private parts, and how many there were; `None` when there are none.
pub(super) fn without(text: &str) -> Option<(String, usize)> {
    if !text.contains('<') {
        return None;
    }
    let mut filter = Filter::default();
    let kept = filter.kept(text);
    (filter.count > 0).then_some((kept, filter.count))
}

/// Leaves the private parts out of a text that comes in pieces. A part that nothing closes goes on
/// to the end. Parts may stand in parts.
#[derive(Debug, Default)]
struct Filter {
    /// Tags that are open.
    depth: usize,
    count: usize,
}

impl Filter {
    /// Returns the part of a piece that is kept.
    fn kept(&mut self, text: &str) -> String {
        let Some(tags) = TAGS.as_ref() else {
            return String::new();
        };
        let (mut kept, mut from) = (String::new(), 0);
        for tag in tags.captures_iter(text) {
            let Some(whole) = tag.get(0) else { continue };
            if self.depth == 0 {
                kept.push_str(text.get(from..whole.start()).unwrap_or_default());
                from = whole.start();
            }
            let is_inside = self.depth > 0;
            if tag.get(1).is_none_or(|slash| slash.is_empty()) {
                self.open(&mut kept);
            } else {
                self.depth = self.depth.saturating_sub(1);
            }
            if is_inside || self.depth > 0 {
                from = whole.end();
            }
        }
        if self.depth == 0 {
            kept.push_str(text.get(from..).unwrap_or_default());
        }
        kept
    }

    fn open(&mut self, kept: &mut String) {
        if self.depth == 0 {
            kept.push_str(&placeholder(RULE_OF_PRIVATE));
            self.count += 1;
        }
        self.depth += 1;
    }
}

/// A document without its private parts, for what reads it in pieces of which each may hold a tag
/// without the other.
#[derive(Debug)]
pub struct Public<R> {
    document: R,
    filter: Filter,
    line: Vec<u8>,
    /// Bytes of the line that were read.
    read: usize,
}

impl<R: BufRead> Public<R> {
    /// Reads a document.
    pub fn new(document: R) -> Self {
        let filter = Filter::default();
        let line = Vec::new();
        Self {
            document,
            filter,
            line,
            read: 0,
        }
    }

    /// Reads on to the next line that has something to keep, or to the end.
    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.read = 0;
        while self.line.is_empty() {
            let mut whole = Vec::new();
            let mut limited = self.document.by_ref().take(LINE_MAX_BYTES);
            if limited.read_until(b'\n', &mut whole)? == 0 {
                return Ok(());
            }
            self.line = match String::from_utf8(whole) {
                Ok(line) => self.filter.kept(&line).into_bytes(),
                Err(_) if self.filter.depth > 0 => Vec::new(),
                // Its reader refuses it.
                Err(error) => error.into_bytes(),
            };
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Public<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

impl<R: BufRead> BufRead for Public<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read >= self.line.len() {
            self.next_line()?;
        }
        Ok(self.line.get(self.read..).unwrap_or_default())
    }

    fn consume(&mut self, bytes: usize) {
        self.read += bytes;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &str) {
        let kept = without(text).map_or_else(|| text.to_owned(), |(kept, _)| kept);
        assert_eq!(kept, expected, "of {text}");
        let mut read = String::new();
        Public::new(text.as_bytes())
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, expected, "read from {text}");
    }

    #[test]
    fn private_parts_are_left_out() {
        check("a <private>b</private> c", "a [redacted:private] c");
        check("a <PRIVATE>b\nc</Private> d", "a [redacted:private] d");
        check("a < private >b</ private > d", "a [redacted:private] d");
        check(
            "a <private reason=\"pay\">b</private> c",
            "a [redacted:private] c",
        );
        check(
            "a <private>b, and\n\nthe rest\n\n</other>",
            "a [redacted:private]",
        );
        check(
            "<private>a</private>b<private>c",
            "[redacted:private]b[redacted:private]",
        );
        check(
            "<private>a<private>b</private>c</private>d",
            "[redacted:private]d",
        );
        check(
            "a\n<private>\nb\n</private>\nc\n",
            "a\n[redacted:private]\nc\n",
        );
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "a </private> b",
            "use <private key> here",
            "private: a\n\nb",
            "Vec<Private<T>>",
        ] {
            check(text, text);
        }
    }
}
