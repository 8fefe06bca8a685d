//! Names in a text: files, symbols, commands, programs and people.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::language::Language;

/// The nature of a named thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    File,
    Symbol,
    Command,
    Name,
}

/// A name, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entity {
    pub(crate) text: String,
    pub(crate) class: Class,
    pub(crate) at: usize,
}

/// Entities of one text that are kept.
const ENTITIES_MAX: usize = 16;

#[derive(Debug, Deserialize)]
struct Form {
    class: Class,
    pattern: String,
}

#[derive(Debug, Default, Deserialize)]
struct Forms {
    no_names: String,
    form: Vec<Form>,
}

/// How names look, ready for use.
struct Compiled {
    /// Capitalised words that name nothing.
    no_names: String,
    patterns: Vec<(Class, Regex)>,
}

static FORMS: LazyLock<Compiled> = LazyLock::new(|| {
    let forms: Forms = toml::from_str(include_str!("entities.toml")).unwrap_or_default();
    let compiled = forms.form.into_iter().filter_map(|form| {
        let pattern = Regex::new(&form.pattern).ok()?;
        Some((form.class, pattern))
    });
    Compiled {
        patterns: compiled.collect(),
        no_names: forms.no_names,
    }
});

/// Latin words in a Chinese text are names.
static LATIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([A-Za-z][A-Za-z0-9+#./_-]*[A-Za-z0-9+#])").ok());

/// Finds the names in a text, in their order, each once.
pub(crate) fn entities(text: &str) -> Vec<Entity> {
    let language = Language::of(text);
    let mut found: Vec<Entity> = Vec::new();
    for (class, pattern) in &FORMS.patterns {
        let is_german_noun = *class == Class::Name && language == Language::German;
        if !is_german_noun {
            collect(text, *class, pattern, &mut found);
        }
    }
    if language == Language::Chinese
        && let Some(latin) = LATIN.as_ref()
    {
        collect(text, Class::Name, latin, &mut found);
    }
    found.sort_by_key(|entity| entity.at);
    found.truncate(ENTITIES_MAX);
    found
}

/// Takes the names of one form. Of two that overlap the longer one stays.
fn collect(text: &str, class: Class, pattern: &Regex, found: &mut Vec<Entity>) {
    for captures in pattern.captures_iter(text) {
        let Some(name) = captures.get(1) else {
            continue;
        };
        let entity = name.as_str().trim_end_matches(['.', ',', ':']);
        if entity.len() < 2 || crate::wording::has(&FORMS.no_names, entity) {
            continue;
        }
        let overlaps =
            |other: &Entity| name.start() < other.at + other.text.len() && other.at < name.end();
        let is_known = |other: &Entity| {
            other.text == entity || (overlaps(other) && other.text.len() >= entity.len())
        };
        if found.iter().any(is_known) {
            continue;
        }
        found.retain(|other| !overlaps(other));
        found.push(Entity {
            text: entity.to_owned(),
            class,
            at: name.start(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let found = entities(text).into_iter();
        found.map(|entity| entity.text).collect()
    }

    #[test]
    fn names_are_found() {
        for (text, expected) in [
            ("run `make lint` in src/gen", vec!["make lint", "src/gen"]),
            (
                "`DateTime::parse` and user.pb.go",
                vec!["DateTime::parse", "user.pb.go"],
            ),
            ("we took Postgres over MongoDB", vec!["Postgres", "MongoDB"]),
            (
                "set HELM_NAMESPACE or pass --no-sandbox",
                vec!["HELM_NAMESPACE", "--no-sandbox"],
            ),
            ("wir nehmen für das Lockfile yarn", vec![]),
            ("我们用 pnpm，不要用 npm", vec!["pnpm", "npm"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn every_form_compiles() {
        let forms: Forms = toml::from_str(include_str!("entities.toml")).unwrap_or_default();
        assert!(!forms.form.is_empty(), "entities.toml is not read");
        assert_eq!(FORMS.patterns.len(), forms.form.len());
    }
}
