//! The query language: words, phrases in quotes, `-word` and `-"phrase"` that must not occur, and
//! inline filters `tag: topic: source: kind: scope: status: before: after: days: hours:`.

mod slip;

use helix_memory::{ErrorKind, Fault, Scope, SourceRef, Status, Tags, Topic, TopicPattern};
use jiff::civil::DateTime;

use super::calendar::Calendar;
use super::period::Period;
use crate::index::filter::Filter;
use helix_neutral::quoted;

pub use slip::Slip;

/// Hours by which `days:1` looks back.
const HOURS_OF_DAY: i64 = 24;

/// How much of a wrong value an error repeats, in characters.
const SHOWN_MAX_CHARS: usize = 40;

/// Inline filters of one query; more are a mistake or an attack.
const INLINE_FILTERS_MAX: usize = 32;

/// Phrases and words to leave out of one query, each of which is looked up by itself; further ones
/// are words.
const DEMANDS_MAX: usize = 16;

/// Shortest word that is left out, in characters: what stands behind a dash alone is an option of a
/// command.
const EXCLUDED_MIN_CHARS: usize = 2;

/// A query taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedQuery {
    /// Words that are searched for by themselves and by meaning.
    pub words: String,
    /// The inline filters; scopes are still names, because `project` depends on the caller.
    pub filter: Filter,
    /// Scopes by name: `project`, `global`, `all`, `project:<id>`.
    pub scopes: Vec<String>,
    /// The time that the words name, as people say it.
    pub period: Option<Period>,
}

/// Why a query cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A date that is none.
    #[error(
        "`{key}:{value}` is not a date; write it like `{key}:2026-11-21`, `{key}:2026-11-21T14:30`, or `today`, `yesterday` or \
         `this-week`"
    )]
    Date {
        /// `before` or `after`.
        key: &'static str,
        /// The value as given.
        value: String,
    },
    /// An empty filter.
    #[error("`{0}:` has no value; write it like `{0}:name`")]
    Empty(&'static str),
    /// A status that cannot be searched.
    #[error("status {} cannot be searched; use one of: active, superseded, archived", quoted(.0))]
    Status(String),
    /// A topic without a letter or digit.
    #[error("{0}")]
    Topic(#[from] helix_memory::InvalidTopic),
    /// A span that reaches further back than time does.
    #[error("`{key}:{value}` is not a span of time; write it like `{key}:7`")]
    Span {
        /// `days` or `hours`.
        key: &'static str,
        /// The value as given.
        value: String,
    },
    /// Too many.
    #[error("the query has more than {INLINE_FILTERS_MAX} inline filters; drop some")]
    TooMany,
}

impl Fault for QueryError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

const KEYS: [&str; 10] = [
    "tag", "topic", "source", "kind", "scope", "status", "before", "after", "days", "hours",
];

/// Statuses that a query may name: what was forgotten is found by nobody, and what came from outside
/// is looked at in a review.
const SEARCHED: [Status; 3] = [Status::Active, Status::Superseded, Status::Archived];

impl ParsedQuery {
    /// Takes a query apart. Dates are days or times of the calendar's zone: `after:` is on or after it,
    /// `before:` on or before that day; `days:7` and `hours:12` are the last so many, and the narrowest
    /// of several holds.
    ///
    /// Keys are read in any case. A key with a quoted value may contain spaces: `source:"my file.rs"`.
    /// A word with a colon that is none of the keys stays a word, and so do `days:` and `hours:` that
    /// no number follows.
    ///
    /// # Errors
    /// `QueryError` says which filter is wrong.
    pub fn parse(query: &str, calendar: &Calendar) -> Result<ParsedQuery, QueryError> {
        let mut parsed = ParsedQuery::default();
        let mut words: Vec<&str> = Vec::new();
        let (mut filters, mut demands) = (0, 0);
        let mut rest = query.trim_start();
        while !rest.is_empty() {
            if let Some((key, value, after)) = take_filter(rest) {
                filters += 1;
                if filters > INLINE_FILTERS_MAX {
                    return Err(QueryError::TooMany);
                }
                apply(&mut parsed, key, value, calendar)?;
                rest = after.trim_start();
            } else if let Some((demand, after)) =
                take_demand(rest).filter(|_| demands < DEMANDS_MAX)
            {
                demands += 1;
                match demand {
                    Demand::Phrase(phrase) => {
                        words.push(phrase);
                        parsed.filter.demands.phrases.push(phrase.to_owned());
                    }
                    Demand::Excluded(excluded) => {
                        parsed.filter.demands.excluded.push(excluded.to_owned());
                    }
                    Demand::Word(word) => words.push(word),
                }
                rest = after.trim_start();
            } else {
                let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                words.push(word);
                rest = after.trim_start();
            }
        }
        parsed.words = words.join(" ");
        parsed.period = Period::named_in(&parsed.words, calendar);
        Ok(parsed)
    }

    /// A topic's name as memories have it; a pattern such as `iris-*` stays one, for whoever knows the
    /// topics.
    ///
    /// # Errors
    /// When no letter, digit or wildcard is left.
    pub fn topic_named(name: &str) -> Result<String, helix_memory::InvalidTopic> {
        if TopicPattern::is_glob(name) {
            return Ok(TopicPattern::parse(name)?.as_str().to_owned());
        }
        Ok(Topic::parse(name)?.as_str().to_owned())
    }

    /// Turns a scope's name into scopes: `all` is every scope and gives `None`.
    ///
    /// # Errors
    /// When the name is not a scope.
    pub fn scopes_named(
        names: &[String],
        project: Option<&Scope>,
        default: &[Scope],
    ) -> Result<Option<Vec<Scope>>, helix_memory::InvalidScope> {
        if names.is_empty() {
            return Ok(Some(default.to_vec()));
        }
        let mut scopes = Vec::new();
        for name in names {
            match name.as_str() {
                "all" => return Ok(None),
                "project" => {
                    // What the project was called before belongs to it too.
                    let own = default
                        .iter()
                        .filter(|scope| matches!(scope, Scope::Project(_)));
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
}

/// A part of a query that says more than to look for a word.
enum Demand<'q> {
    /// Words in a row.
    Phrase(&'q str),
    /// A word or words in a row that must not occur.
    Excluded(&'q str),
    /// A word that stood in quotes.
    Word(&'q str),
}

/// Splits a leading `"two words"`, `-word` or `-"two words"` off.
fn take_demand(text: &str) -> Option<(Demand<'_>, &str)> {
    let is_excluded = text.starts_with('-');
    let rest = text.strip_prefix('-').unwrap_or(text);
    if let Some((phrase, after)) = take_quoted(rest) {
        let phrase = phrase.trim();
        let is_phrase = phrase.split_whitespace().nth(1).is_some();
        // What goes on behind the second mark is no end of a quotation: `"a" = "b"` is, `12" and
        // 14"x` is not.
        let has_ended = after
            .chars()
            .next()
            .is_none_or(|next| !next.is_alphanumeric());
        if phrase.is_empty() || !has_ended {
            return None;
        }
        return Some(match (is_excluded, is_phrase) {
            (true, _) => (Demand::Excluded(phrase), after),
            (false, true) => (Demand::Phrase(phrase), after),
            (false, false) => (Demand::Word(phrase), after),
        });
    }
    let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_word =
        word.starts_with(char::is_alphabetic) && word.chars().count() >= EXCLUDED_MIN_CHARS;
    (is_excluded && is_word).then_some((Demand::Excluded(word), after))
}

/// Marks that begin a quotation, each with those that may end it.
const QUOTES: [(char, &[char]); 4] = [
    ('"', &['"']),
    ('“', &['”', '“']),
    ('„', &['“', '”']),
    ('«', &['»']),
];

/// Splits a leading quotation off, without its marks.
fn take_quoted(text: &str) -> Option<(&str, &str)> {
    QUOTES.iter().find_map(|(opening, closing)| {
        let quoted = text.strip_prefix(*opening)?;
        quoted.split_once(*closing)
    })
}

/// Splits a leading `key:value` off.
fn take_filter(text: &str) -> Option<(&'static str, &str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let key = KEYS
        .into_iter()
        .find(|key| key.eq_ignore_ascii_case(name))?;
    // Whoever begins a sentence with `Source: x` looks for nothing by it.
    if key != name && rest.chars().next().is_none_or(char::is_whitespace) {
        return None;
    }
    // `std::tag::x` or `source: x` read as words and an empty filter respectively.
    if rest.starts_with(':') {
        return None;
    }
    if let Some((value, after)) = take_quoted(rest) {
        return Some((key, value, after));
    }
    let (value, after) = match time_of_day(rest).filter(|_| matches!(key, "before" | "after")) {
        Some(parts) => parts,
        None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    // People write of working hours: and of days:hours:minutes.
    let is_prose = matches!(key, "days" | "hours")
        && (value.is_empty() || !value.chars().all(|c| c.is_ascii_digit()));
    (!is_prose).then_some((key, value, after))
}

/// Splits a day and the time of day behind it off: `2026-01-05 10:00`, as times are written
/// elsewhere. Behind anything else, such as a day with a time already, `10:00` is a word.
fn time_of_day(text: &str) -> Option<(&str, &str)> {
    let (day, rest) = text.split_once(' ')?;
    let (time, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_shaped =
        day.len() == "2026-01-05".len() && ["10:00".len(), "10:00:00".len()].contains(&time.len());
    let value = text
        .get(..day.len() + 1 + time.len())
        .filter(|_| is_shaped && time.contains(':'))?;
    value.parse::<DateTime>().is_ok().then_some((value, after))
}

fn apply(
    parsed: &mut ParsedQuery,
    key: &'static str,
    value: &str,
    calendar: &Calendar,
) -> Result<(), QueryError> {
    if names(value).next().is_none() {
        return Err(QueryError::Empty(key));
    }
    match key {
        "tag" => {
            for name in names(value) {
                parsed
                    .filter
                    .tags
                    .push(Tags::normalise_one(name).ok_or(QueryError::Empty(key))?);
            }
        }
        "topic" => {
            for name in names(value) {
                parsed.filter.topics.push(ParsedQuery::topic_named(name)?);
            }
        }
        // As it is shown beside a memory, where a line may stand behind it.
        "source" => {
            let source = SourceRef::parse(value);
            parsed.filter.demands.source_line = source.line;
            parsed.filter.source = Some(source.path);
        }
        "kind" => parsed
            .filter
            .kinds
            .extend(names(value).map(|name| name.to_lowercase().replace('-', "_"))),
        "scope" => parsed.scopes.push(value.to_owned()),
        "status" => {
            for name in names(value) {
                parsed.filter.statuses.push(status(name)?);
            }
        }
        _ => apply_time(&mut parsed.filter, key, value, calendar)?,
    }
    Ok(())
}

/// A status that may be searched.
///
/// # Errors
/// When it is none, or one that nobody searches.
pub fn status(name: &str) -> Result<Status, QueryError> {
    let known = Status::parse(&name.to_lowercase());
    let refused = || QueryError::Status(name.chars().take(SHOWN_MAX_CHARS).collect());
    known
        .filter(|status| SEARCHED.contains(status))
        .ok_or_else(refused)
}

/// Several names may stand in one value.
fn names(value: &str) -> impl Iterator<Item = &str> {
    value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn apply_time(
    filter: &mut Filter,
    key: &'static str,
    value: &str,
    calendar: &Calendar,
) -> Result<(), QueryError> {
    let value_shown = || value.chars().take(SHOWN_MAX_CHARS).collect();
    let wrong_date = || QueryError::Date {
        key,
        value: value_shown(),
    };
    let wrong_span = || QueryError::Span {
        key,
        value: value_shown(),
    };
    if key == "before" {
        let before = calendar.end_of(value).ok_or_else(wrong_date)?;
        filter.before = Some(filter.before.map_or(before, |other| other.min(before)));
        return Ok(());
    }
    let after = match key {
        "after" => calendar.start_of(value).ok_or_else(wrong_date)?,
        "days" => calendar.ago(value, HOURS_OF_DAY).ok_or_else(wrong_span)?,
        _ => calendar.ago(value, 1).ok_or_else(wrong_span)?,
    };
    filter.after = filter.after.max(Some(after));
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use jiff::Zoned;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::index::filter::Demands;
    use helix_memory::Timestamp;

    fn parse_utc(query: &str) -> Result<ParsedQuery, QueryError> {
        ParsedQuery::parse(query, &Calendar::new(TimeZone::UTC, Timestamp::default()))
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
        let old = parse_utc("status:archived,Superseded x").unwrap();
        assert_eq!(old.filter.statuses, [Status::Archived, Status::Superseded]);
        for hidden in ["forgotten", "quarantined", "pruned", "nonsense"] {
            let refused = parse_utc(&format!("status:{hidden}")).unwrap_err();
            assert!(refused.to_string().contains("archived"), "{refused}");
        }
        assert_eq!(parse_utc("tag::x y").unwrap().words, "tag::x y");
        let shouted = parse_utc("TAG:Gotcha Topic:CI x").unwrap();
        assert_eq!(
            (shouted.words.as_str(), shouted.filter.topics),
            ("x", vec!["ci".to_owned()])
        );
        assert_eq!(shouted.filter.tags, ["gotcha"]);
        for prose in [
            "Source: the wiki",
            "Kind::Fact",
            "Days: seven",
            "the Scope:",
        ] {
            assert_eq!(parse_utc(prose).unwrap().words, prose);
        }
        let several =
            parse_utc("topic:a,b tag:gotchas,perf kind:decision,bug-fix source:src/a.rs:15")
                .unwrap()
                .filter;
        assert_eq!(
            (several.topics, several.tags),
            (
                vec!["a".into(), "b".into()],
                vec!["gotcha".into(), "perf".into()]
            )
        );
        assert_eq!(
            (several.kinds, several.source.as_deref()),
            (vec!["decision".into(), "bug_fix".into()], Some("src/a.rs"))
        );
        assert_eq!(
            parse_utc("source:src/a.rs:15")
                .unwrap()
                .filter
                .demands
                .source_line,
            Some(15)
        );
        assert!(matches!(
            parse_utc("topic:,"),
            Err(QueryError::Empty("topic"))
        ));
        assert_eq!(
            parse_utc("topic:Iris_*,b").unwrap().filter.topics,
            ["iris-*", "b"]
        );
    }

    #[test]
    fn phrases_hold_together_and_a_dash_leaves_out() {
        let demands = |query: &str| {
            let parsed = parse_utc(query).unwrap();
            let Demands {
                phrases, excluded, ..
            } = parsed.filter.demands;
            (parsed.words, phrases.join("|"), excluded.join("|"))
        };
        for (query, words, phrases, excluded) in [
            (
                r#"build "connection refused" now"#,
                "build connection refused now",
                "connection refused",
                "",
            ),
            (r#"disk -full -"no space""#, "disk", "", "full|no space"),
            (r#""one" two"#, "one two", "", ""),
            (
                "“apple pie” „der Hut“",
                "apple pie der Hut",
                "apple pie|der Hut",
                "",
            ),
            (
                "cargo test -p helixd --lib - -1",
                "cargo test -p helixd --lib - -1",
                "",
                "",
            ),
            (
                r#"a 3.5" disk and "open"#,
                r#"a 3.5" disk and "open"#,
                "",
                "",
            ),
            ("pre-commit a -- b", "pre-commit a -- b", "", ""),
            ("-flaky", "", "", "flaky"),
            (r#"topic:ci "a b" tag:x -y2"#, "a b", "a b", "y2"),
        ] {
            assert_eq!(
                demands(query),
                (words.to_owned(), phrases.to_owned(), excluded.to_owned()),
                "{query}"
            );
        }
    }

    #[test]
    fn dates_are_days() {
        let parsed = parse_utc("after:1970-01-02 before:1970-01-03").unwrap();
        assert_eq!(
            parsed.filter.after,
            Some(Timestamp::from_micros(86_400_000_000))
        );
        // On or before the third is before the fourth starts.
        assert_eq!(
            parsed.filter.before,
            Some(Timestamp::from_micros(3 * 86_400_000_000))
        );
        let error = parse_utc("after:soon").unwrap_err().to_string();
        assert!(
            error.contains("after:soon") && error.contains("after:2026-11-21"),
            "{error}"
        );
        assert!(matches!(parse_utc("tag:"), Err(QueryError::Empty("tag"))));
    }

    #[test]
    fn relative_dates_are_days_of_the_readers_zone() {
        let now: Zoned = "2026-11-21T00:30:00+01:00[Europe/Berlin]".parse().unwrap();
        let calendar = Calendar::new(
            now.time_zone().clone(),
            Timestamp::from_micros(now.timestamp().as_microsecond()),
        );
        let after = |query: &str| {
            ParsedQuery::parse(query, &calendar)
                .unwrap()
                .filter
                .after
                .unwrap()
                .to_string()
        };
        let before = |query: &str| {
            ParsedQuery::parse(query, &calendar)
                .unwrap()
                .filter
                .before
                .unwrap()
                .to_string()
        };
        // In UTC it is still yesterday.
        assert_eq!(after("after:today"), "2026-11-20T23:00:00Z");
        assert_eq!(after("after:yesterday"), "2026-11-19T23:00:00Z");
        assert_eq!(after("after:this-week"), "2026-11-15T23:00:00Z");
        assert_eq!(after("after:2026-11-20T10:30"), "2026-11-20T09:30:00Z");
        assert_eq!(after("after:2026-11-20T10:30:00Z"), "2026-11-20T10:30:00Z");
        assert_eq!(after("after:\"2026-11-20 10:30\""), "2026-11-20T09:30:00Z");
        assert_eq!(after("after:2026-11-20 10:30"), "2026-11-20T09:30:00Z");
        assert_eq!(
            after("disk after:2026-11-20 10:30:30 full"),
            "2026-11-20T09:30:30Z"
        );
        assert_eq!(before("before:2026-11-20 10:30"), "2026-11-20T09:30:00Z");
        assert_eq!(after("days:2"), "2026-11-18T23:30:00Z");
        assert_eq!(after("hours:3"), "2026-11-20T20:30:00Z");
        assert_eq!(after("days:7 hours:3"), "2026-11-20T20:30:00Z");
        assert_eq!(before("before:yesterday"), "2026-11-20T23:00:00Z");
        assert_eq!(before("before:this-week"), "2026-11-21T23:00:00Z");
        assert_eq!(
            before("before:2026-01-01 before:today"),
            "2026-01-01T23:00:00Z"
        );
    }

    #[test]
    fn a_time_of_day_belongs_to_the_day_before_it() {
        let words = |query: &str| parse_utc(query).unwrap().words;
        assert_eq!(words("disk after:2026-01-05 10:00 full"), "disk full");
        assert_eq!(words("after:2026-01-05T09:00 10:00"), "10:00");
        for query in [
            "tag:x 10:00",
            "after:today 10:00",
            "after:\"2026-01-05 09:00\" 10:00",
            "days:2 10:00",
        ] {
            assert_eq!(words(query), "10:00", "{query}");
        }
        for (query, left) in [
            ("after:2026-01-05 9:00", "9:00"),
            ("after:2026-01-05 99:00", "99:00"),
            ("after:2026-01-05 10:00pm", "10:00pm"),
            ("after:2026-01-05 std::fs", "std::fs"),
            ("source:2026-01-05 10:00", "10:00"),
            ("after:2026-01-05 10:00 11:00", "11:00"),
        ] {
            assert_eq!(words(query), left, "{query}");
        }
    }

    #[test]
    fn prose_about_days_and_hours_stays_words() {
        let parsed = parse_utc("working hours: 9 to 5, days:hours:minutes").unwrap();
        assert_eq!(
            (parsed.words.as_str(), parsed.filter.after),
            ("working hours: 9 to 5, days:hours:minutes", None)
        );
        assert!(matches!(
            parse_utc("days:99999999999"),
            Err(QueryError::Span { key: "days", .. })
        ));
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
