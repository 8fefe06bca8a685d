//! The lists of `wording.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// A replacement at the start of a statement, or within it.
#[derive(Debug, Deserialize)]
pub(crate) struct Replacement {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// How statements are made to stand alone.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wording {
    pub(crate) noise: Vec<String>,
    pub(crate) openers: Vec<String>,
    pub(crate) courtesies: Vec<String>,
    pub(crate) asking: Vec<String>,
    pub(crate) continuations: Vec<String>,
    pub(crate) expletives: Vec<String>,
    pub(crate) unresolvable: Vec<String>,
    pub(crate) pronoun: String,
    pub(crate) possessive: String,
    pub(crate) pointing: String,
    pub(crate) filler: String,
    pub(crate) demonstrative: String,
    pub(crate) place: String,
    pub(crate) clause: String,
    pub(crate) choice: String,
    pub(crate) own_change: String,
    pub(crate) owner: String,
    pub(crate) repair_tells: String,
    pub(crate) repair_dull: String,
    pub(crate) scopes: String,
    pub(crate) file_nouns: String,
    pub(crate) symbol_nouns: String,
    pub(crate) command_nouns: String,
    pub(crate) other_nouns: String,
    pub(crate) pronoun_verbs: String,
    pub(crate) form: String,
    pub(crate) rewrite: Vec<Replacement>,
    pub(crate) person: Vec<Replacement>,
}

/// The committed lists; a test reads them.
pub(crate) static WORDING: LazyLock<Wording> =
    LazyLock::new(|| toml::from_str(include_str!("wording.toml")).unwrap_or_default());

/// Whether a list of words has one.
pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::{Patterns, compile};

    #[test]
    fn every_list_is_read_and_every_pattern_compiles() {
        assert!(!WORDING.noise.is_empty(), "wording.toml is not read");
        for patterns in [
            &WORDING.noise,
            &WORDING.openers,
            &WORDING.courtesies,
            &WORDING.asking,
            &WORDING.continuations,
            &WORDING.expletives,
            &WORDING.unresolvable,
        ] {
            assert_eq!(
                Patterns::new(patterns).len(),
                patterns.len(),
                "{patterns:?}"
            );
        }
        for pattern in [
            &WORDING.pronoun,
            &WORDING.possessive,
            &WORDING.demonstrative,
            &WORDING.place,
            &WORDING.clause,
            &WORDING.choice,
            &WORDING.own_change,
            &WORDING.owner,
            &WORDING.repair_tells,
            &WORDING.repair_dull,
        ] {
            assert!(compile(pattern).is_some(), "{pattern}");
        }
        for replacement in WORDING.rewrite.iter().chain(&WORDING.person) {
            assert!(compile(&replacement.from).is_some(), "{}", replacement.from);
        }
    }
}
