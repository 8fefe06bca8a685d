//! The query language: words, and inline filters `tag: topic: source: kind: scope: before: after:`.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::error::ErrorKind;
use crate::index::filter::Filter;
use crate::model::{Scope, Timestamp, Topic};
use crate::policy::tags;

/// Inline filters of one query; more are a mistake or an attack.
const INLINE_FILTERS_MAX: usize = 32;

/// A query taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedQuery {
    /// What is searched by words and meaning.
    pub words: String,
    /// What the inline filters ask for; scopes are still names, because `project` depends on the caller.
    pub filter: Filter,
    /// Scopes by name: `project`, `global`, `all`, `project:<id>`.
    pub scopes: Vec<String>,
}

/// Why a query cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A date that is none.
    #[error("`{key}:{value}` is not a date; write it like `{key}:2026-11-21`")]
    Date {
        /// `before` or `after`.
        key: &'static str,
        /// What was given.
        value: String,
    },
    /// An empty filter.
    #[error("`{0}:` has no value; write it like `{0}:name`")]
    Empty(&'static str),
    /// A topic without a letter or digit.
    #[error("{0}")]
    Topic(#[from] crate::model::InvalidTopic),
    /// Too many.
    #[error("the query has more than {INLINE_FILTERS_MAX} inline filters; drop some")]
    TooMany,
}

impl QueryError {
    /// Returns the class of the error.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

const KEYS: [&str; 7] = ["tag", "topic", "source", "kind", "scope", "before", "after"];

/// Takes a query apart. Dates are days in `zone`: `after:` from the day's start, `before:` up to it.
///
/// A key with a quoted value may contain spaces: `source:"my file.rs"`. A word with a colon that is none of the keys stays a
/// word.
///
/// # Errors
/// [`QueryError`] says which filter is wrong.
pub fn parse(query: &str, zone: &TimeZone) -> Result<ParsedQuery, QueryError> {
    let mut parsed = ParsedQuery::default();
    let mut words: Vec<&str> = Vec::new();
    let mut filters = 0;
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        if let Some((key, value, after)) = take_filter(rest) {
            filters += 1;
            if filters > INLINE_FILTERS_MAX {
                return Err(QueryError::TooMany);
            }
            apply(&mut parsed, key, value, zone)?;
            rest = after.trim_start();
        } else {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            words.push(word);
            rest = after.trim_start();
        }
    }
    parsed.words = words.join(" ");
    Ok(parsed)
}

/// Splits a leading `key:value` off.
fn take_filter(text: &str) -> Option<(&'static str, &str, &str)> {
    let (key, rest) = KEYS.into_iter().find_map(|key| Some((key, text.strip_prefix(key)?.strip_prefix(':')?)))?;
    // `std::tag::x` or `source: x` read as words and an empty filter respectively.
    if rest.starts_with(':') {
        return None;
    }
    if let Some((value, after)) = rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
        return Some((key, value, after));
    }
    let (value, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some((key, value, after))
}

fn apply(parsed: &mut ParsedQuery, key: &'static str, value: &str, zone: &TimeZone) -> Result<(), QueryError> {
    if value.is_empty() {
        return Err(QueryError::Empty(key));
    }
    match key {
        "tag" => parsed.filter.tags.push(tags::normalise_one(value).ok_or(QueryError::Empty(key))?),
        "topic" => parsed.filter.topics.push(Topic::parse(value)?.as_str().to_owned()),
        "source" => parsed.filter.source = Some(value.to_owned()),
        "kind" => parsed.filter.kinds.push(value.to_lowercase().replace('-', "_")),
        "scope" => parsed.scopes.push(value.to_owned()),
        "after" => parsed.filter.after = Some(start_of_day("after", value, zone)?),
        _ => parsed.filter.before = Some(start_of_day("before", value, zone)?),
    }
    Ok(())
}

fn start_of_day(key: &'static str, value: &str, zone: &TimeZone) -> Result<Timestamp, QueryError> {
    let wrong = || QueryError::Date { key, value: value.chars().take(40).collect() };
    let date: Date = value.parse().map_err(|_| wrong())?;
    let start = date.to_zoned(zone.clone()).map_err(|_| wrong())?;
    Ok(Timestamp::from_micros(start.timestamp().as_microsecond()))
}

/// Turns a scope's name into scopes: `all` is every scope and gives `None`.
///
/// # Errors
/// When the name is not a scope.
pub fn resolve_scopes(
    names: &[String],
    project: Option<&Scope>,
    default: &[Scope],
) -> Result<Option<Vec<Scope>>, crate::model::InvalidScope> {
    if names.is_empty() {
        return Ok(Some(default.to_vec()));
    }
    let mut scopes = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => return Ok(None),
            "project" => {
                // What the project was called before belongs to it too.
                let own = default.iter().filter(|scope| matches!(scope, Scope::Project(_)));
                let before = scopes.len();
                scopes.extend(own.cloned());
                if scopes.len() == before {
                    scopes.push(project.cloned().unwrap_or(Scope::Global));
                }
            }
            other => scopes.push(Scope::parse(other)?),
        }
    }
    Ok(Some(scopes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse_utc(query: &str) -> Result<ParsedQuery, QueryError> {
        parse(query, &TimeZone::UTC)
    }

    #[test]
    fn filters_are_taken_out_of_the_words() {
        let parsed =
            parse_utc(r#"tag:Gotchas billing topic:Build_Gotchas source:"a b.rs" std::fmt kind:bug-fix scope:all"#)
                .unwrap();
        assert_eq!(parsed.words, "billing std::fmt");
        assert_eq!(parsed.filter.tags, ["gotcha"]);
        assert_eq!(parsed.filter.topics, ["build-gotchas"]);
        assert_eq!(parsed.filter.kinds, ["bug_fix"]);
        assert_eq!(parsed.filter.source.as_deref(), Some("a b.rs"));
        assert_eq!(parsed.scopes, ["all"]);
        assert_eq!(parse_utc("tag::x y").unwrap().words, "tag::x y");
    }

    #[test]
    fn dates_are_days() {
        let parsed = parse_utc("after:1970-01-02 before:1970-01-03").unwrap();
        assert_eq!(parsed.filter.after, Some(Timestamp::from_micros(86_400_000_000)));
        assert_eq!(parsed.filter.before, Some(Timestamp::from_micros(2 * 86_400_000_000)));
        let error = parse_utc("after:soon").unwrap_err().to_string();
        assert!(error.contains("after:soon") && error.contains("after:2026-11-21"), "{error}");
        assert!(matches!(parse_utc("tag:"), Err(QueryError::Empty("tag"))));
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses_or_explains(query in "\\PC{0,80}") {
            if let Err(error) = parse_utc(&query) {
                proptest::prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
