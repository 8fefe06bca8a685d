//! Whether a memory is about another missing module than a failure: how to get `yaml` helps nobody
//! who lacks `numpy`. Pure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::hook::exact::has_word;

/// What stands around names.
const MARKS: [char; 9] = ['`', '\'', '"', '‘', '’', '“', '”', ':', '('];

/// Shortest name that says something inside of another one.
const AKIN_MIN_CHARS: usize = 3;

/// How missing modules are named.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    missing: Vec<String>,
    errors: Vec<String>,
    linking: Vec<String>,
    installing: Vec<String>,
    words: Vec<String>,
}

static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| toml::from_str(include_str!("module.toml")).unwrap_or_default());

/// Returns whether a text names missing modules and none of those that a failure, in lower case
/// here, says are missing. A text that names none may help with any.
pub(super) fn is_about_another(text: &str, said: &str) -> bool {
    if helix_ablation::is_off("failure/another-module") {
        return false;
    }
    let missing = named(said, &PHRASES.missing);
    if missing.is_empty() {
        return false;
    }
    let text = text.to_lowercase();
    if missing.iter().any(|module| is_named(&text, module)) {
        return false;
    }
    let mut others = named(&text, &PHRASES.missing);
    others.extend(named(&text, &PHRASES.installing));
    others.extend(linked(&text));
    let is_akin = |other: &&str| missing.iter().any(|module| are_akin(module, other));
    !others.is_empty() && !others.iter().any(is_akin)
}

/// Returns whether a package may hold a module, by their names: `pyyaml` and `yaml`.
fn are_akin(module: &str, package: &str) -> bool {
    let top = module.split(['.', '/']).next().unwrap_or(module);
    top.chars().count() >= AKIN_MIN_CHARS && (package.contains(top) || top.contains(package))
}

/// Returns whether a text has a module, or the package that it is in.
fn is_named(text: &str, module: &str) -> bool {
    let package = module.split(['.', '/']).next().unwrap_or(module);
    has_word(text, module) || (!package.is_empty() && has_word(text, package))
}

/// The names that follow one of these phrases.
fn named<'t>(text: &'t str, phrases: &[String]) -> BTreeSet<&'t str> {
    phrases
        .iter()
        .flat_map(|phrase| behind(text, phrase))
        .filter_map(name)
        .collect()
}

/// The names that follow the name of an error behind a word that leads to them, or in quotes.
fn linked(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for rest in PHRASES.errors.iter().flat_map(|error| behind(text, error)) {
        let rest = rest.strip_prefix('`').unwrap_or(rest);
        let rest = rest.trim_start_matches([':', ' ', ')']);
        let is_quoted = rest.starts_with(['\'', '"', '‘', '“', '`']);
        let linking = PHRASES.linking.iter();
        let led = linking.filter_map(|word| rest.strip_prefix(word.as_str())?.strip_prefix(' '));
        let quoted = is_quoted.then_some(rest);
        names.extend(led.chain(quoted).filter_map(name));
    }
    names
}

/// What stands behind each occurrence of a phrase as whole words.
fn behind<'t>(text: &'t str, phrase: &str) -> Vec<&'t str> {
    let ends = text
        .match_indices(phrase)
        .map(|(at, found)| at + found.len());
    let rests = ends.filter_map(|end| text.get(end..));
    rests
        .filter(|rest| !rest.starts_with(char::is_alphanumeric))
        .collect()
}

/// The name at the beginning of a text; `None` for a word that is no name, and for an option.
fn name(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    let begun = line.trim_start_matches(|c: char| c == ' ' || MARKS.contains(&c));
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    let end = begun.find(|c: char| !is_of_name(c)).unwrap_or(begun.len());
    let name = begun.get(..end)?.trim_end_matches(['.', '/']);
    let is_name = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '.'));
    (is_name && !PHRASES.words.iter().any(|word| word == name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMPY: &str = "modulenotfounderror: no module named 'numpy'";
    const EXPRESS: &str = "error: cannot find module 'express'\nrequire stack:\n- /p/app.js";

    #[test]
    fn the_phrases_are_read() {
        assert!(!PHRASES.missing.is_empty());
        let lists = [&PHRASES.missing, &PHRASES.errors, &PHRASES.installing];
        for phrase in lists.into_iter().flatten() {
            assert_eq!(*phrase, phrase.to_lowercase());
        }
    }

    #[test]
    fn a_note_about_one_module_is_not_about_another() {
        for text in [
            "gotcha: ModuleNotFoundError: No module named 'yaml' means that pyyaml is missing.",
            "`No module named yaml`: install PyYAML, not yaml.",
            "ModuleNotFoundError for yaml: run `pip install pyyaml`.",
            "The module comes with `uv add pyyaml`; a ModuleNotFoundError says it is missing.",
            "ModuleNotFoundError 'yaml' is solved by the dev group.",
        ] {
            assert!(is_about_another(text, NUMPY), "{text}");
            assert!(!is_about_another(text, "no module named 'yaml'"), "{text}");
        }
        let lodash = "Cannot find module 'lodash' after a pull: run npm ci.";
        assert!(is_about_another(lodash, EXPRESS));
        assert!(!is_about_another(
            lodash,
            "error: cannot find module 'lodash/fp'"
        ));
    }

    #[test]
    fn a_note_about_any_module_is_about_each() {
        for text in [
            "On a ModuleNotFoundError run `uv sync`: the environment is stale.",
            "ModuleNotFoundError means that the virtual environment is not active.",
            "ModuleNotFoundError after a pull: `pip install -r requirements.txt`.",
            "ModuleNotFoundError for any of our packages: set PYTHONPATH.",
            "numpy is pinned to 1.26. pip install pyyaml is another thing.",
            "Cannot find module: run npm ci.",
        ] {
            assert!(!is_about_another(text, NUMPY), "{text}");
        }
        let own = "No module named 'app': start it from the root.";
        assert!(!is_about_another(own, "no module named 'app.models'"));
        assert!(!is_about_another(own, "valueerror: no rows"));
    }
}
