//! Paths as memories name files, made plain without looking at the disk.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::model::SourceRef;

/// Mark of an address, which no path has.
const ADDRESS_MARK: &str = "://";

impl SourceRef {
    /// A path without `.` and without `..` where that leads back out of a part of it:
    /// `src/deep/../a.rs` is `src/a.rs`. What leads out of the path itself stays, a slash at its end
    /// too, and an address is left alone.
    #[must_use]
    pub fn plain_path(path: &str) -> Cow<'_, str> {
        let is_plain = path.split('/').all(|part| !matches!(part, "." | ".."));
        if is_plain || path.contains(ADDRESS_MARK) {
            return Cow::Borrowed(path);
        }
        let is_absolute = path.starts_with('/');
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match (part, parts.last()) {
                ("" | ".", _) => {}
                ("..", Some(&last)) if last != ".." => {
                    parts.pop();
                }
                ("..", None) if is_absolute => {}
                (part, _) => parts.push(part),
            }
        }
        let mut plain = String::with_capacity(path.len());
        plain.push_str(if is_absolute { "/" } else { "" });
        plain.push_str(&parts.join("/"));
        match plain.as_str() {
            "" => plain.push('.'),
            "/" => {}
            _ if path.ends_with('/') => plain.push('/'),
            _ => {}
        }
        Cow::Owned(plain)
    }

    /// A text with each accent on its letter: some systems write them apart in the names of files, and
    /// both are one name.
    #[must_use]
    pub fn one_spelling(text: &str) -> Cow<'_, str> {
        if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.nfc().collect())
    }
}

/// The ways in which systems write a path, each once: as it is, and where it has accents, with them
/// on their letters and apart.
#[must_use]
pub fn spellings(path: &str) -> Vec<Cow<'_, str>> {
    let mut all = vec![Cow::Borrowed(path)];
    if !path.is_ascii() {
        for other in [
            SourceRef::one_spelling(path),
            Cow::Owned(path.nfd().collect()),
        ] {
            if !all.contains(&other) {
                all.push(other);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_apart_are_the_same_name() {
        let (joined, apart) = ("src/caf\u{e9}.rs", "src/cafe\u{301}.rs");
        assert_eq!(
            (
                SourceRef::one_spelling(apart),
                SourceRef::one_spelling(joined)
            ),
            (joined.into(), joined.into())
        );
        assert_eq!(
            (spellings(joined), spellings(apart)),
            (
                vec![joined.into(), apart.into()],
                vec![apart.into(), joined.into()]
            )
        );
        assert_eq!(spellings("src/a.rs"), ["src/a.rs"]);
        assert_eq!(spellings("\u{4e2d}.rs"), ["\u{4e2d}.rs"]);
    }

    #[test]
    fn what_leads_back_is_taken_out() {
        for (given, plain) in [
            ("src/a.rs", "src/a.rs"),
            ("src/deep/../a.rs", "src/a.rs"),
            ("src/deep/../../a.rs", "a.rs"),
            ("./src/./a.rs", "src/a.rs"),
            ("src/a/..", "src"),
            ("src/a/../", "src/"),
            ("src/..", "."),
            ("../a.rs", "../a.rs"),
            ("../../b/../a.rs", "../../a.rs"),
            ("src/../../a.rs", "../a.rs"),
            ("/p/src/../a.rs", "/p/a.rs"),
            ("/../a.rs", "/a.rs"),
            ("/..", "/"),
            ("src/", "src/"),
            ("a..b/.c/...", "a..b/.c/..."),
            ("", ""),
            ("https://example.org/a/../b", "https://example.org/a/../b"),
        ] {
            assert_eq!(SourceRef::plain_path(given), plain, "{given}");
            assert_eq!(
                SourceRef::plain_path(plain),
                plain,
                "{plain} is plain already"
            );
        }
    }
}
