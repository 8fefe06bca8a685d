//! The patterns of `consolidate.toml`, compiled.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

use super::statement::stem;

static COMPILED: LazyLock<Option<Rules>> = LazyLock::new(|| Rules::read().ok());

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    departures: Vec<String>,
    denials: Vec<String>,
    elsewhere: String,
    changes: Vec<String>,
    negations: Vec<String>,
    predicates: Vec<String>,
    form: String,
    generic: String,
    antonyms: String,
}

/// Why the rules cannot be used; a test keeps such a build from being made.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    #[error("reading consolidate.toml: {0}")]
    Table(#[from] toml::de::Error),
    #[error("compiling a pattern of consolidate.toml: {0}")]
    Pattern(#[from] regex::Error),
}

/// The compiled rules.
pub(super) struct Rules {
    departures: Vec<Regex>,
    /// Which of them fit at all, in one pass.
    any_departure: RegexSet,
    denials: Vec<Regex>,
    any_denial: RegexSet,
    elsewhere: HashSet<String>,
    changes: RegexSet,
    negations: Vec<Regex>,
    predicates: RegexSet,
    form: HashSet<String>,
    /// Stems of words that say only of what sort a thing is.
    generic: HashSet<String>,
    /// Lower-case words of which only one can hold.
    antonyms: Vec<(String, String)>,
}

/// The rules; `None` in a build that cannot be used, where nothing is decided.
pub(super) fn rules() -> Option<&'static Rules> {
    COMPILED.as_ref()
}

impl Rules {
    pub(super) fn read() -> Result<Self, RuleError> {
        let table: Table = toml::from_str(include_str!("../consolidate.toml"))?;
        let one = |pattern: &String| RegexBuilder::new(pattern).case_insensitive(true).build();
        let set = |patterns: &[String]| {
            RegexSetBuilder::new(patterns)
                .case_insensitive(true)
                .build()
        };
        Ok(Self {
            departures: table.departures.iter().map(one).collect::<Result<_, _>>()?,
            any_departure: set(&table.departures)?,
            denials: table.denials.iter().map(one).collect::<Result<_, _>>()?,
            any_denial: set(&table.denials)?,
            elsewhere: words(&table.elsewhere).collect(),
            changes: set(&table.changes)?,
            negations: table.negations.iter().map(one).collect::<Result<_, _>>()?,
            predicates: set(&table.predicates)?,
            form: words(&table.form).collect(),
            generic: table.generic.split_whitespace().map(stem).collect(),
            antonyms: pairs(&table.antonyms),
        })
    }

    /// Lists the statements of a text that something has ended.
    pub(super) fn departures<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let fitting = self.any_departure.matches(text);
        let fitting = fitting
            .iter()
            .filter_map(|place| self.departures.get(place));
        self.gone(fitting, text)
    }

    /// Lists what a text says is not so.
    pub(super) fn denials<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let fitting = self.any_denial.matches(text);
        let fitting = fitting.iter().filter_map(|place| self.denials.get(place));
        self.gone(fitting, text)
    }

    fn gone<'r, 't>(
        &self,
        patterns: impl Iterator<Item = &'r Regex>,
        text: &'t str,
    ) -> Vec<&'t str> {
        let is_elsewhere = |gone: &str| {
            let first = gone.split_whitespace().next().unwrap_or_default();
            self.elsewhere.contains(&first.to_lowercase())
        };
        patterns
            .flat_map(|pattern| pattern.captures_iter(text))
            .filter_map(|captures| captures.name("gone"))
            .map(|gone| gone.as_str())
            .filter(|gone| !is_elsewhere(gone))
            .collect()
    }

    /// Returns whether a text says that something changed.
    pub(super) fn is_change(&self, text: &str) -> bool {
        self.changes.is_match(text)
    }

    /// Returns whether a text denies what its words say.
    pub(super) fn is_negated(&self, text: &str) -> bool {
        let negations = self.negations.iter();
        let count: usize = negations
            .map(|negation| negation.find_iter(text).count())
            .sum();
        count % 2 == 1
    }

    /// Returns whether a text ends where the only value of something is to follow.
    pub(super) fn ends_in_predicate(&self, text: &str) -> bool {
        self.predicates.is_match(text)
    }

    /// Returns whether a stem says only of what sort a thing is.
    pub(super) fn is_generic(&self, stem: &str) -> bool {
        self.generic.contains(stem)
    }

    /// Returns whether only one of two lower-case words can hold.
    pub(super) fn are_opposite(&self, one: &str, other: &str) -> bool {
        self.antonyms
            .iter()
            .any(|(left, right)| (left == one && right == other) || (left == other && right == one))
    }

    /// Returns whether a lower-case word has an opposite.
    pub(super) fn has_opposite(&self, word: &str) -> bool {
        self.antonyms
            .iter()
            .any(|(left, right)| left == word || right == word)
    }

    /// Returns whether a lower-case word carries nothing of what a statement says.
    pub(super) fn is_form(&self, word: &str) -> bool {
        self.form.contains(word)
    }
}

fn words(listed: &str) -> impl Iterator<Item = String> {
    listed.split_whitespace().map(str::to_owned)
}

/// Pairs of words with a colon between them.
fn pairs(listed: &str) -> Vec<(String, String)> {
    let pair = |pair: &str| {
        let (one, other) = pair.split_once(':')?;
        Some((one.to_owned(), other.to_owned()))
    };
    listed.split_whitespace().filter_map(pair).collect()
}
