//! Words that tell nothing about a file, a search or a memory, because every project has them:
//! `words.toml`, read once.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

/// The data. Additions belong there.
const DATA: &str = include_str!("words.toml");

/// Read once. A test reads the same text, so that it is valid here.
static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(DATA).unwrap_or_default());

/// The file says what each list is.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    common_stems: HashSet<String>,
    common_words: HashSet<String>,
    usual_stems: HashSet<String>,
    everyday_words: HashSet<String>,
    parts: HashSet<String>,
    common_names: HashSet<String>,
}

/// Returns whether every project has files of a stem.
pub(super) fn is_common_stem(stem: &str) -> bool {
    WORDS.common_stems.contains(&stem.to_lowercase())
}

/// Returns whether a stem is a word that says of no memory by itself that the file is meant.
pub(super) fn is_usual_stem(stem: &str) -> bool {
    if helix_ablation::is_off("words/usual-stems") {
        return false;
    }
    WORDS.usual_stems.contains(&stem.to_lowercase()) || is_common_word(stem)
}

/// Returns whether a word is one that is searched for in every program.
pub(super) fn is_common_word(word: &str) -> bool {
    helix_ablation::is_on("words/common") && WORDS.common_words.contains(&word.to_lowercase())
}

/// Returns whether a stem is a word of any sentence: "report what you find" says nothing of the
/// file `report`.
pub(super) fn is_everyday_word(stem: &str) -> bool {
    WORDS.everyday_words.contains(&stem.to_lowercase())
}

/// Returns whether a part of a program is called so.
pub(super) fn is_part(word: &str) -> bool {
    WORDS.parts.contains(word)
}

/// Returns whether programs use a name everywhere.
pub(super) fn is_common_name(name: &str) -> bool {
    WORDS.common_names.contains(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_lists_are_valid() {
        let words: Words = toml::from_str(DATA).unwrap();
        for list in [&words.common_stems, &words.common_words, &words.usual_stems] {
            assert!(list.iter().all(|word| *word == word.to_lowercase()));
        }
        assert!(is_common_stem("Cargo"));
        assert!(is_usual_stem("Stack"));
        assert!(is_usual_stem("state"));
        assert!(!is_usual_stem("kernels"));
        assert!(is_common_word("TODO"));
        assert!(!is_common_word("ImportError"));
    }
}
