//! Words that stand in what tools say of mistakes: `words.toml`, read once.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// The data. Additions belong there.
const DATA: &str = include_str!("words.toml");

/// Read once. A test reads the same text, so that it is valid here.
pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(DATA).unwrap_or_default());

/// The file, which says what each list is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) asides: Vec<String>,
    pub(super) asides_within: Vec<String>,
    pub(super) outcomes: HashSet<String>,
    pub(super) fillers: HashSet<String>,
    pub(super) before_names: HashSet<String>,
    pub(super) common_codes: HashSet<String>,
    pub(super) common_names: HashSet<String>,
    pub(super) homes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_valid() {
        assert!(toml::from_str::<Words>(DATA).is_ok());
    }
}
