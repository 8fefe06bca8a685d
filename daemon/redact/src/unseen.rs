//! A text as somebody sees it: a character that nobody sees, put between the letters of a secret,
//! hides it from the rules and from nobody who copies it.

use std::ops::Range;

use helix_neutral::is_invisible;

/// A text without its invisible characters.
pub(super) struct Seen {
    pub(super) text: String,
    /// Where each stretch begins, here and in the text that it is of.
    stretches: Vec<(usize, usize)>,
}

impl Seen {
    /// `None` where all of the text is seen.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.is_ascii() || !text.contains(is_invisible) {
            return None;
        }
        let mut seen = Self {
            text: String::with_capacity(text.len()),
            stretches: Vec::new(),
        };
        let mut start = 0;
        for stretch in text.split_inclusive(is_invisible) {
            let plain = stretch.trim_end_matches(is_invisible);
            if !plain.is_empty() {
                seen.stretches.push((seen.text.len(), start));
                seen.text.push_str(plain);
            }
            start += stretch.len();
        }
        Some(seen)
    }

    /// Where in the text it is of a part of this one stands, which is not empty.
    pub(super) fn whole(&self, part: &Range<usize>) -> Range<usize> {
        self.origin(part.start)..self.origin(part.end.saturating_sub(1)) + 1
    }

    fn origin(&self, at: usize) -> usize {
        let behind = self.stretches.partition_point(|(start, _)| *start <= at);
        let stretch = behind.checked_sub(1).and_then(|of| self.stretches.get(of));
        stretch.map_or(at, |(start, origin)| origin + (at - start))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_part_is_found_in_the_text_it_is_of() {
        let text = "\u{200b}a\u{200b}\u{2060}bé\u{feff}c d\u{200b}";
        let seen = Seen::of(text).unwrap();
        assert_eq!(seen.text, "abéc d");
        let part = seen.text.find("bé").unwrap();
        let whole = seen.whole(&(part..part + "béc".len()));
        assert_eq!(text.get(whole), Some("bé\u{feff}c"));
        assert_eq!(text.get(seen.whole(&(0..1))), Some("a"));
        assert!(Seen::of("plain, größer").is_none());
    }
}
