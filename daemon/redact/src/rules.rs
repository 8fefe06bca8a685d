//! The rules of `rules.toml`, compiled: all of them, or an error that keeps the daemon from
//! starting.
//!
//! A text is first looked through for key words, in a pass for each of the three tables, and only
//! rules with a key in it are tried: hardly any text has one, and hundreds of expressions would
//! take a thousand times as long.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::columns;
use super::named::Names;
use super::value::{Values, is_file, is_id, is_pair, is_placeholder, is_port, is_word};

/// The data.
const RULES: &str = include_str!("rules.toml");

/// A value without quotation marks, first character and then. A bracket, which begins what stands
/// for a secret, does not begin one.
pub(super) const BARE: &str = r#"[^\s'"`,;&|<>()\[\]{}$%*\\-][^\s'"`,;&|<>()\[\]{}\\]*"#;

/// Bytes that one compiled expression may take: far above the largest, so that a slip in the data
/// is told.
const COMPILED_MAX_BYTES: usize = 4 << 20;

/// Groups that hold secrets.
const SECRETS: [&str; 4] = ["secret", "secret2", "secret3", "token"];

/// The compiled rules, or why there are none.
static COMPILED: LazyLock<Result<Rules, RuleError>> = LazyLock::new(|| Rules::read(RULES));

/// The rules, or why there are none.
pub(super) fn rules() -> Result<&'static Rules, &'static RuleError> {
    COMPILED.as_ref()
}

/// A rule that cannot be used. Without all of them no secret is looked for.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The table is not what it should be.
    #[error("reading the rules that find secrets: {0}; this build cannot be used, install another")]
    Table(#[from] toml::de::Error),
    /// A pattern does not compile.
    #[error(
        "compiling the rule {kind:?} that finds secrets: {error}; this build cannot be used, install another"
    )]
    Pattern {
        /// The rule's kind.
        kind: String,
        /// Its error.
        error: Box<regex::Error>,
    },
    /// A rule that would never be tried, or would find nothing.
    #[error(
        "the rule {kind:?} that finds secrets has no {lacks}; this build cannot be used, install another"
    )]
    Useless {
        /// The rule's kind.
        kind: String,
        /// What it lacks.
        lacks: &'static str,
    },
    /// The key words do not compile.
    #[error("compiling the key words of secrets: {0}; this build cannot be used, install another")]
    Keys(#[from] aho_corasick::BuildError),
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    shapes: Vec<ShapeRow>,
    places: Vec<PlaceRow>,
    names: super::named::NamesTable,
    values: super::value::ValuesTable,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeRow {
    kind: String,
    keys: Vec<String>,
    pattern: String,
    #[serde(default)]
    mixed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceRow {
    kind: String,
    keys: Vec<String>,
    said: Judge,
    written: Judge,
    pattern: String,
}

/// What decides whether a value that stands where secrets stand is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Judge {
    /// Everything is one.
    Any,
    /// What stands for no other value.
    Given,
    /// The same, and is neither a word nor what everybody knows.
    Told,
    /// The same, and may be a word.
    Unknown,
    /// Letters and digits.
    Mixed,
    /// Many of them.
    Long,
    /// Base64 of a user and a password.
    Pair,
    /// The password or the token of an address.
    Address,
    /// The same, and not one that everybody knows.
    TellingAddress,
    /// What the group `name` tells of.
    Named,
    /// The same, in an element of XML.
    Element,
    /// Letters and digits before the word that says what they are.
    Inverse,
    /// The second of a pair: `admin/hunter2`.
    Second,
}

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// A program, or it was given to one.
    Program,
    /// A person or an agent.
    Author,
}

/// A shape that nothing else has.
struct Shape {
    pattern: Regex,
    is_mixed: bool,
}

/// A place where secrets stand.
struct Place {
    pattern: Regex,
    said: Judge,
    written: Judge,
}

/// Key words, and which rule each belongs to.
struct Keys {
    automaton: AhoCorasick,
    rules: Vec<usize>,
}

/// All rules.
pub(super) struct Rules {
    shape_keys: Keys,
    shapes: Vec<Shape>,
    place_keys: Keys,
    places: Vec<Place>,
    names: Names,
    values: Values,
}

impl Rules {
    /// Compiles the rules of a table.
    pub(super) fn read(table: &str) -> Result<Self, RuleError> {
        let Table {
            shapes,
            places,
            names,
            values,
        } = toml::from_str(table)?;
        let shape_keys = Keys::of(shapes.iter().map(|row| (&row.kind, &row.keys)), false)?;
        let place_keys = Keys::of(places.iter().map(|row| (&row.kind, &row.keys)), true)?;
        Ok(Self {
            shape_keys,
            shapes: shapes.iter().map(Shape::of).collect::<Result<_, _>>()?,
            place_keys,
            places: places.iter().map(Place::of).collect::<Result<_, _>>()?,
            names: Names::of(names)?,
            values: Values::of(values),
        })
    }

    /// Where the secrets of a text are, in order; none overlaps another.
    pub(super) fn secrets(&self, text: &str, by: By) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for shape in self
            .shape_keys
            .rules_in(text)
            .into_iter()
            .filter_map(|at| self.shapes.get(at))
        {
            shape.find(text, &mut found);
        }
        for place in self
            .place_keys
            .rules_in(text)
            .into_iter()
            .filter_map(|at| self.places.get(at))
        {
            self.find_at(place, text, by, &mut found);
        }
        if self.names.find(text, by, &self.values, &mut found) {
            columns::find(
                text,
                |name, cell| self.names.tells_cell(name, cell, by, &self.values),
                &mut found,
            );
        }
        merged(found)
    }

    fn find_at(&self, place: &Place, text: &str, by: By, found: &mut Vec<Range<usize>>) {
        let judge = match by {
            By::Program => place.said,
            By::Author => place.written,
        };
        let mut from = 0;
        while let Some(captures) = place.pattern.captures_at(text, from) {
            let Some(whole) = captures.get(0) else { return };
            let before = found.len();
            let secrets = SECRETS.iter().filter_map(|group| captures.name(group));
            for secret in secrets {
                if self.judge(judge, &captures, secret.as_str(), by) {
                    found.push(secret.start()..whole_value(text, secret.end()));
                }
            }
            // What was passed over may stand before another one.
            let first = SECRETS
                .iter()
                .filter_map(|group| captures.name(group))
                .map(|secret| secret.start())
                .min();
            let passed = first.unwrap_or(whole.end()).max(whole.start() + 1);
            from = if found.len() > before {
                whole.end().max(whole.start() + 1)
            } else {
                passed
            };
            while from < text.len() && !text.is_char_boundary(from) {
                from += 1;
            }
            if from > text.len() {
                return;
            }
        }
    }

    fn judge(&self, judge: Judge, captures: &Captures<'_>, secret: &str, by: By) -> bool {
        let values = &self.values;
        let group = |name: &str| captures.name(name).map_or("", |found| found.as_str());
        let is_told = || {
            !is_placeholder(secret)
                && !is_word(secret)
                && !values.is_known(secret)
                && !is_port(secret)
        };
        match judge {
            Judge::Any => true,
            Judge::Given => !is_placeholder(secret),
            Judge::Told => is_told(),
            Judge::Unknown => !is_placeholder(secret) && !values.is_known(secret),
            Judge::Mixed => Values::is_mixed(secret) && !values.is_method(secret),
            Judge::Long => Values::is_long(secret),
            Judge::Pair => is_pair(secret),
            Judge::Address | Judge::TellingAddress => {
                let is_one = match captures.name("token") {
                    Some(token) => Values::is_long(token.as_str()),
                    None => !is_placeholder(secret),
                };
                let is_everybodys = secret == group("user") || values.is_known(secret);
                is_one && (judge == Judge::Address || !is_everybodys)
            }
            Judge::Named => self.names.tells(group("name"), secret, by, values),
            Judge::Element => is_told() && self.names.tells(group("name"), secret, by, values),
            Judge::Inverse => values.is_said(secret) && !is_id(secret),
            Judge::Second => values.is_said(secret) && !is_file(secret) && !is_id(secret),
        }
    }
}

impl Shape {
    fn of(row: &ShapeRow) -> Result<Self, RuleError> {
        let pattern = compiled(&row.kind, &row.pattern, false)?;
        Ok(Self {
            pattern,
            is_mixed: row.mixed,
        })
    }

    fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let bytes = text.as_bytes();
        let is_glued = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(u8::is_ascii_alphanumeric)
        };
        let mut from = 0;
        while let Some(shape) = self.pattern.find_at(text, from) {
            let is_whole = !is_glued(shape.start().checked_sub(1)) && !is_glued(Some(shape.end()));
            if is_whole && (!self.is_mixed || has_both(shape.as_str())) {
                found.push(shape.range());
                from = shape.end();
            } else {
                // Shapes begin with a character of ASCII.
                from = shape.start() + 1;
            }
        }
    }
}

fn has_both(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

impl Place {
    fn of(row: &PlaceRow) -> Result<Self, RuleError> {
        let pattern = compiled(&row.kind, &row.pattern.replace("{BARE}", BARE), true)?;
        let has_secret = pattern
            .capture_names()
            .flatten()
            .any(|name| SECRETS.contains(&name));
        if !has_secret {
            return Err(RuleError::Useless {
                kind: row.kind.clone(),
                lacks: "group for the secret",
            });
        }
        Ok(Self {
            pattern,
            said: row.said,
            written: row.written,
        })
    }
}

/// Compiles a pattern: of ASCII for shapes, which begin and end with it.
pub(super) fn compiled(kind: &str, pattern: &str, is_text: bool) -> Result<Regex, RuleError> {
    let mut builder = RegexBuilder::new(pattern);
    builder
        .case_insensitive(is_text)
        .unicode(is_text)
        .size_limit(COMPILED_MAX_BYTES);
    builder.build().map_err(|error| RuleError::Pattern {
        kind: kind.to_owned(),
        error: Box::new(error),
    })
}

impl Keys {
    fn of<'r>(
        rules: impl Iterator<Item = (&'r String, &'r Vec<String>)>,
        ignores_case: bool,
    ) -> Result<Self, RuleError> {
        let mut keys = Vec::new();
        let mut owners = Vec::new();
        for (at, (kind, words)) in rules.enumerate() {
            if words.is_empty() || words.iter().any(String::is_empty) {
                return Err(RuleError::Useless {
                    kind: kind.clone(),
                    lacks: "key",
                });
            }
            keys.extend(words);
            owners.extend(words.iter().map(|_| at));
        }
        Ok(Self {
            automaton: automaton(&keys, MatchKind::Standard, ignores_case)?,
            rules: owners,
        })
    }

    /// The rules that have a key in a text, in their order.
    fn rules_in(&self, text: &str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for key in self.automaton.find_overlapping_iter(text) {
            if let Some(&rule) = self.rules.get(key.pattern().as_usize())
                && !found.contains(&rule)
            {
                found.push(rule);
            }
        }
        found.sort_unstable();
        found
    }
}

/// An automaton over words. As a table of all states it takes some hundred kilobytes and reads a
/// byte in a nanosecond.
pub(super) fn automaton<W: AsRef<[u8]>>(
    words: &[W],
    kind: MatchKind,
    ignores_case: bool,
) -> Result<AhoCorasick, RuleError> {
    let mut builder = AhoCorasick::builder();
    builder
        .match_kind(kind)
        .ascii_case_insensitive(ignores_case)
        .kind(Some(AhoCorasickKind::DFA));
    Ok(builder.build(words)?)
}

/// Where a value ends that a pattern found up to `end`: an `&` belongs to it unless a further
/// parameter follows.
pub(super) fn whole_value(text: &str, end: usize) -> usize {
    let Some(rest) = text.get(end..).filter(|rest| rest.starts_with('&')) else {
        return end;
    };
    let value = rest
        .split([
            ' ', '\t', '\r', '\n', '"', '\'', '`', '<', '>', '|', ',', ';', ')', ']', '}',
        ])
        .next();
    let value = value.unwrap_or_default();
    let is_parameter = value.contains('=');
    let is_more = value.len() > 1 && value.as_bytes().get(1).is_some_and(|byte| *byte != b'&');
    if is_more && !is_parameter {
        end + value.len()
    } else {
        end
    }
}

/// The ranges in order, those in one that overlap.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.retain(|range| !range.is_empty());
    found.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Lowercase words to look up.
pub(super) fn set(words: Vec<String>) -> HashSet<String> {
    words.into_iter().map(|word| word.to_lowercase()).collect()
}

#[cfg(test)]
pub(super) fn shapes() -> Vec<(String, String)> {
    let table: Result<Table, _> = toml::from_str(RULES);
    let shapes = table.map(|table| table.shapes).unwrap_or_default();
    shapes
        .into_iter()
        .map(|row| (row.kind, row.pattern))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_rule_that_does_not_compile_leaves_none() {
        assert!(Rules::read(RULES).is_ok());
        let of = |from: &str, to: &str| {
            assert!(RULES.contains(from), "{from}");
            Rules::read(&RULES.replacen(from, to, 1))
                .err()
                .unwrap()
                .to_string()
        };
        let error = of(
            "hf|api_org)_[A-Za-z0-9]{30,}",
            "hf|api_org_[A-Za-z0-9]{30,}",
        );
        assert!(
            error.contains("\"Hugging Face token\"") && error.contains("unclosed group"),
            "{error}"
        );
        let error = of(r#"keys = ["xai-"]"#, "keys = []");
        assert!(
            error.contains("\"xAI key\" that finds secrets has no key"),
            "{error}"
        );
        let error = of(r"bearer\s+(?<secret>", r"bearer\s+(?<found>");
        assert!(
            error.contains("\"bearer\" that finds secrets has no group"),
            "{error}"
        );
        assert!(
            of(r#"said = "long""#, r#"said = "maybe""#).contains("unknown variant"),
            "a judge that nobody knows"
        );
        assert!(
            of("[names]", "[name]").contains("unknown field"),
            "a table that nobody reads"
        );
    }

    #[test]
    fn ranges_that_overlap_are_one() {
        assert_eq!(
            merged(vec![5..9, 0..3, 7..12, 3..3, 12..14]),
            [0..3, 5..12, 12..14]
        );
    }
}
