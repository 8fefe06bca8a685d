//! The lists of `words.toml`, read once.

use std::sync::LazyLock;

use serde::Deserialize;

const DATA: &str = include_str!("words.toml");

/// Read once. A test reads the same text, so that it is valid here.
static LISTS: LazyLock<Lists> = LazyLock::new(|| toml::from_str(DATA).unwrap_or_default());

/// The file says what each list is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    pub(super) orders: Vec<String>,
    pub(super) questions: Vec<String>,
    pub(super) polite: Vec<String>,
    pub(super) asking: Vec<String>,
    pub(super) making: Vec<String>,
    pub(super) errands: Vec<String>,
    pub(super) general: Vec<String>,
    pub(super) definite: Vec<String>,
    pub(super) ours: Vec<String>,
    pub(super) how: Vec<String>,
}

pub(super) fn lists() -> &'static Lists {
    &LISTS
}

/// Returns whether a list has a word.
pub(super) fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_lists_are_valid() {
        let lists: Lists = toml::from_str(DATA).unwrap();
        for list in [
            &lists.orders,
            &lists.questions,
            &lists.polite,
            &lists.asking,
            &lists.making,
            &lists.errands,
            &lists.general,
            &lists.definite,
            &lists.ours,
            &lists.how,
        ] {
            assert!(!list.is_empty());
            assert!(list.iter().all(|word| *word == word.to_lowercase()));
        }
    }
}
