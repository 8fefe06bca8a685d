//! What is looked for around a line that tells of a mistake, and within its message:
//! `patterns.toml`, read once.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::pattern::Pattern;

/// The data. Additions belong there.
const DATA: &str = include_str!("patterns.toml");

/// Read once. A test reads the same text, so that it is valid here.
pub(super) static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| toml::from_str(DATA).unwrap_or_default());

/// The file, which says what each is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Patterns {
    pub(super) echo: Pattern,
    pub(super) arrow: Pattern,
    pub(super) frame: Pattern,
    pub(super) short_frame: Pattern,
    pub(super) section: Pattern,
    pub(super) heading: Pattern,
    pub(super) quoted: Pattern,
    pub(super) escapes: Pattern,
    pub(super) paths: Pattern,
    pub(super) numbers: Pattern,
    pub(super) lint: Pattern,
    pub(super) named: Pattern,
    pub(super) peer: Pattern,
    pub(super) java_symbol: Pattern,
    pub(super) placed: Pattern,
    pub(super) judged: Pattern,
    pub(super) unit: Pattern,
    pub(super) volatile: Pattern,
    pub(super) line: Pattern,
    pub(super) assertion: Pattern,
    pub(super) call: Pattern,
    pub(super) test: Pattern,
    pub(super) numbered: Pattern,
    pub(super) speaker: Pattern,
    pub(super) barred: Pattern,
    pub(super) label: Pattern,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert!(toml::from_str::<Patterns>(DATA).is_ok());
    }
}
