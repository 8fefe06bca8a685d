//! Exchange formats: what they are called, and which one a file is in.

use std::path::Path;

use clap::ValueEnum;
use helix_client::v1::ExchangeFormat;

/// First bytes of an AMRL `data.log`.
const AMRL_MAGIC: &[u8] = b"AMRL";

/// First bytes of Markdown with front matter.
const FRONT_MATTER: &[u8] = b"---";

/// First bytes of a text that says it is UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A format that memories are exchanged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Helix's own, with every field
    Json,
    /// One file a topic, to be edited by hand
    Markdown,
    /// The `data.log` of AMRL
    Amrl,
}

impl Format {
    /// As the daemon knows it.
    pub(super) fn wire(self) -> ExchangeFormat {
        match self {
            Self::Json => ExchangeFormat::Json,
            Self::Markdown => ExchangeFormat::Markdown,
            Self::Amrl => ExchangeFormat::Amrl,
        }
    }

    /// As people write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Amrl => "amrl",
        }
    }

    /// Guesses from a name.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" | "jsonl" => Some(Self::Json),
            "md" | "markdown" => Some(Self::Markdown),
            "log" | "amrl" => Some(Self::Amrl),
            _ => None,
        }
    }

    /// Guesses from a file: its first bytes when they are a magic number, else its name, else what
    /// the bytes look like.
    pub(super) fn of(name: Option<&Path>, first: &[u8]) -> Option<Self> {
        let of_bytes = Self::of_bytes(first);
        of_bytes
            .filter(|format| *format == Self::Amrl)
            .or_else(|| name.and_then(Self::of_name))
            .or(of_bytes)
    }

    fn of_bytes(first: &[u8]) -> Option<Self> {
        let first = first.strip_prefix(BYTE_ORDER_MARK).unwrap_or(first);
        if first.starts_with(AMRL_MAGIC) {
            return Some(Self::Amrl);
        }
        if first.starts_with(FRONT_MATTER) {
            return Some(Self::Markdown);
        }
        match first.trim_ascii_start().first() {
            Some(b'{' | b'[') => Some(Self::Json),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_tell_their_format() {
        let table: [(&[u8], Option<Format>); 8] = [
            (b"AMRL\x01\0\0\0", Some(Format::Amrl)),
            (b"---\ntopic: a", Some(Format::Markdown)),
            (b"\n {\"version\"", Some(Format::Json)),
            (b"[", Some(Format::Json)),
            (b"\xef\xbb\xbf{", Some(Format::Json)),
            (b"# Title", None),
            (b"AMR", None),
            (b"", None),
        ];
        for (bytes, format) in table {
            assert_eq!(Format::of_bytes(bytes), format, "{bytes:?}");
        }
    }

    #[test]
    fn a_magic_number_counts_more_than_a_name_and_a_name_more_than_looks() {
        let guess = |name: &str, first: &[u8]| Format::of(Some(Path::new(name)), first);
        assert_eq!(guess("a.json", b"AMRL\x01"), Some(Format::Amrl));
        assert_eq!(guess("a.md", b"[link](x)"), Some(Format::Markdown));
        assert_eq!(guess("a.txt", b"[]"), Some(Format::Json));
        assert_eq!(Format::of(None, b"[]"), Some(Format::Json));
        assert_eq!(guess("a.txt", b"text"), None);
    }

    #[test]
    fn names_tell_their_format() {
        let table = [
            ("a.json", Some(Format::Json)),
            ("a.MD", Some(Format::Markdown)),
            ("x/data.log", Some(Format::Amrl)),
            ("a.txt", None),
            ("a", None),
        ];
        for (name, format) in table {
            assert_eq!(Format::of_name(Path::new(name)), format, "{name}");
        }
    }
}
