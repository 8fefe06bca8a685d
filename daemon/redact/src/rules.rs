//! The rules of `rules/*.toml`, compiled: all of them, or an error that keeps the daemon from
//! starting.
//!
//! A text is first looked through for key words, in one pass, and only rules with a key in it are
//! tried: hardly any text has one, and hundreds of expressions would take a thousand times as long.

mod found;
mod keys;
mod place;
mod shape;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

pub(super) use self::found::Found;
pub(super) use self::keys::automaton;
pub(super) use self::place::{BARE, line_at, whole_value};

use self::found::merged;
use self::keys::Keys;
use self::place::{Context, Place, PlacesTable};
use self::shape::{Shape, ShapesTable};
use super::columns;
use super::entropy::{Entropy, Randomness, RandomnessTable};
use super::lists::{Lists, ListsTable};
use super::named::{NameRow, Names, Said, Says};
use super::unseen::Seen;
use super::value::{Values, ValuesTable};
use super::{PLACEHOLDER_START, RULE_OF_PRIVATE};

/// The data. Shapes of the first file win where two rules find the same.
static RULES: Sources<'static> = Sources {
    shapes: [
        include_str!("rules/clouds.toml"),
        include_str!("rules/forges.toml"),
        include_str!("rules/models.toml"),
        include_str!("rules/services.toml"),
        include_str!("rules/personal.toml"),
    ],
    places: include_str!("rules/places.toml"),
    names: include_str!("rules/names.toml"),
    random: include_str!("rules/random.toml"),
};

/// Bytes that one compiled expression may take: far above the largest, so that a slip in the data
/// is told.
const COMPILED_MAX_BYTES: usize = 4 << 20;

/// The compiled rules, or why there are none.
static COMPILED: LazyLock<Result<Rules, RuleError>> = LazyLock::new(|| Rules::read(&RULES));

/// The rules, or why there are none.
pub(super) fn rules() -> Result<&'static Rules, &'static RuleError> {
    COMPILED.as_ref()
}

/// An error that points into a pattern, whose lines a program that reports the last one would lose.
fn in_one_line(error: &regex::Error) -> String {
    let written = error.to_string();
    let lines: Vec<&str> = written.lines().map(str::trim).collect();
    lines.join(" ")
}

/// A rule that cannot be used. Without all of them no secret is looked for.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The table is not what it should be.
    #[error("reading the rules that find secrets: {0}; this build cannot be used, install another")]
    Table(#[from] toml::de::Error),
    /// A pattern does not compile.
    #[error(
        "compiling the rule {rule:?} that finds secrets: {}; this build cannot be used, install another",
        in_one_line(error)
    )]
    Pattern {
        /// The rule's name.
        rule: String,
        /// Its error.
        error: Box<regex::Error>,
    },
    /// A rule that would never be tried, or would find nothing.
    #[error(
        "the rule {rule:?} that finds secrets has no {lacks}; this build cannot be used, install another"
    )]
    Useless {
        /// The rule's name.
        rule: String,
        /// The thing that it lacks.
        lacks: &'static str,
    },
    /// The key words do not compile.
    #[error("compiling the key words of secrets: {0}; this build cannot be used, install another")]
    Keys(#[from] aho_corasick::BuildError),
}

/// The files.
#[derive(Clone, Copy)]
struct Sources<'s> {
    shapes: [&'s str; 5],
    places: &'s str,
    names: &'s str,
    random: &'s str,
}

/// The file of names and values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesTable {
    names: Vec<NameRow>,
    values: ValuesTable,
    said: Said,
    lists: ListsTable,
}

/// A rule as tests need it: its name, a generator of secrets that it finds, and texts in which it
/// finds none.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// The rule's name, which stands in the placeholder.
    pub rule: String,
    /// An expression that makes texts with a secret, which stands between « and » unless it is the
    /// whole text.
    pub canary: String,
    /// Texts without a secret.
    pub innocent: Vec<String>,
}

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// A program, or it was given to one.
    Program,
    /// A person or an agent.
    Author,
}

/// All rules.
pub(super) struct Rules {
    keys: Keys,
    shapes: Vec<Shape>,
    places: Vec<Place>,
    names: Names,
    values: Values,
    lists: Lists,
    randomness: Randomness,
    /// The name of every rule.
    rules: HashSet<String>,
}

impl Rules {
    /// Compiles the rules of the files.
    fn read(sources: &Sources<'_>) -> Result<Self, RuleError> {
        let mut shapes = Vec::new();
        for source in sources.shapes {
            shapes.extend(toml::from_str::<ShapesTable>(source)?.shapes);
        }
        let PlacesTable { places } = toml::from_str(sources.places)?;
        let NamesTable {
            names,
            values,
            said,
            lists,
        } = toml::from_str(sources.names)?;
        let random: RandomnessTable = toml::from_str(sources.random)?;
        let mut rules = set(Says::ALL.map(|says| says.rule().to_owned()).to_vec());
        rules.extend(shapes.iter().map(|row| row.name.clone()));
        rules.extend(places.iter().map(|row| row.name.clone()));
        rules.extend([random.name.clone(), RULE_OF_PRIVATE.to_owned()]);
        let names = Names::of(names, &values.never_behind, &said)?;
        Ok(Self {
            rules,
            keys: Keys::of(
                shapes.iter().map(|row| (&row.name, &row.keys)),
                places.iter().map(|row| (&row.name, &row.keys)),
                names.spellings(),
            )?,
            shapes: shapes
                .into_iter()
                .map(Shape::of)
                .collect::<Result<_, _>>()?,
            places: places
                .into_iter()
                .map(Place::of)
                .collect::<Result<_, _>>()?,
            names,
            values: Values::of(values),
            lists: Lists::of(&lists)?,
            randomness: Randomness::of(random),
        })
    }

    /// The secrets of a text, in order; none overlaps another. Also those that invisible characters
    /// would hide.
    pub(super) fn secrets(&self, text: &str, by: By, entropy: Entropy) -> Vec<Found<'_>> {
        let mut found = self.written(text, by, entropy);
        if let Some(seen) = Seen::of(text) {
            let hidden = self.written(&seen.text, by, entropy);
            found.extend(hidden.into_iter().map(|secret| Found {
                range: seen.whole(&secret.range),
                ..secret
            }));
        }
        merged(found)
    }

    /// The secrets of a text as it is written.
    fn written(&self, text: &str, by: By, entropy: Entropy) -> Vec<Found<'_>> {
        let taken_out = self.placeholders_in(text);
        let is_taken_out = |range: &Range<usize>| {
            taken_out
                .iter()
                .any(|taken| taken.start <= range.start && range.end <= taken.end)
        };
        let mut found = Vec::new();
        let met = self.keys.met_in(text);
        for at in &met.shapes {
            if let Some(shape) = self.shapes.get(*at) {
                shape.find(text, &mut found);
            }
        }
        let mut words = self.names.words_of(text, met.names);
        words.retain(|word| !is_taken_out(&word.range));
        let context = Context {
            names: &self.names,
            values: &self.values,
            by,
        };
        for of_place in met.places.chunk_by(|one, next| one.0 == next.0) {
            if let Some((at, _)) = of_place.first()
                && let Some(place) = self.places.get(*at)
            {
                let keys = of_place.iter().map(|(_, start)| *start);
                place.find(text, keys, &words, context, &mut found);
            }
        }
        if !words.is_empty() {
            self.names.find(text, &words, by, &self.values, &mut found);
            let rule_of =
                |name: &str, cell: &str| self.names.rule_of_cell(name, cell, by, &self.values);
            columns::find(text, &words, rule_of, &mut found);
        }
        self.lists.find(text, &mut found);
        self.randomness.find(text, &words, entropy, &mut found);
        found.retain(|secret| !is_taken_out(&secret.range));
        found
    }

    /// Finds the placeholders of secrets that were taken out before. A bracket with another word
    /// than a rule's name stands for none.
    fn placeholders_in(&self, text: &str) -> Vec<Range<usize>> {
        let starts = text.match_indices(PLACEHOLDER_START);
        let placeholder = |(start, _): (usize, &str)| {
            let name_start = start + PLACEHOLDER_START.len();
            let (name, _) = text.get(name_start..)?.split_once(']')?;
            let end = name_start + name.len() + 1;
            self.rules.contains(name).then_some(start..end)
        };
        starts.filter_map(placeholder).collect()
    }
}

/// Compiles a pattern: of ASCII for shapes, which begin and end with it.
pub(super) fn compiled(rule: &str, pattern: &str, is_text: bool) -> Result<Regex, RuleError> {
    let mut builder = RegexBuilder::new(pattern);
    builder
        .case_insensitive(is_text)
        .unicode(is_text)
        .size_limit(COMPILED_MAX_BYTES);
    builder.build().map_err(|error| RuleError::Pattern {
        rule: rule.to_owned(),
        error: Box::new(error),
    })
}

/// Lists every rule with its canary, for tests.
///
/// # Errors
/// A table is not what it should be.
pub fn specimens() -> Result<Vec<Specimen>, RuleError> {
    let of = |rule, canary, innocent| Specimen {
        rule,
        canary,
        innocent,
    };
    let mut all = Vec::new();
    for source in RULES.shapes {
        let table: ShapesTable = toml::from_str(source)?;
        all.extend(
            table
                .shapes
                .into_iter()
                .map(|row| of(row.name, row.canary, row.innocent)),
        );
    }
    let PlacesTable { places } = toml::from_str(RULES.places)?;
    all.extend(
        places
            .into_iter()
            .map(|row| of(row.name, row.canary, row.innocent)),
    );
    let NamesTable { names, .. } = toml::from_str(RULES.names)?;
    all.extend(
        names
            .into_iter()
            .map(|row| of(row.name.rule().to_owned(), row.canary, row.innocent)),
    );
    let random: RandomnessTable = toml::from_str(RULES.random)?;
    all.push(of(random.name, random.canary, random.innocent));
    Ok(all)
}

/// Lowercase words to look up.
pub(super) fn set(words: Vec<String>) -> HashSet<String> {
    words.into_iter().map(|word| word.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The error of the rules, with one place in one of the files changed.
    fn error_of(from: &str, to: &str) -> String {
        let change = |source: &str| source.replacen(from, to, 1);
        let shapes = RULES.shapes.map(change);
        let [places, names, random] = [RULES.places, RULES.names, RULES.random].map(change);
        let changed = Sources {
            shapes: shapes.each_ref().map(String::as_str),
            places: &places,
            names: &names,
            random: &random,
        };
        Rules::read(&changed).err().unwrap().to_string()
    }

    #[test]
    fn one_rule_that_does_not_compile_leaves_none() {
        assert!(Rules::read(&RULES).is_ok());
        let error = error_of(
            "hf|api_org)_[A-Za-z0-9]{30,}",
            "hf|api_org_[A-Za-z0-9]{30,}",
        );
        assert!(error.contains("\"hugging-face-token\""), "{error}");
        assert!(error.contains("unclosed group"), "{error}");
        let error = error_of(r#"keys = ["xai-"]"#, "keys = []");
        let expected = "\"xai-key\" that finds secrets has no key";
        assert!(error.contains(expected), "{error}");
        let error = error_of(r"bearer\s+(?<secret>", r"bearer\s+(?<found>");
        let expected = "\"bearer\" that finds secrets has no group";
        assert!(error.contains(expected), "{error}");
        let error = error_of(r#"said = "long""#, r#"said = "maybe""#);
        assert!(error.contains("unknown variant"), "{error}");
        let error = error_of("[values]", "[value]");
        assert!(error.contains("unknown field"), "{error}");
    }
}
