//! The topic of a text that nobody gave one: a known one, something that the text names, or the one
//! that is usual for its kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::entities::{Class, Entity};
use crate::language::Language;
use crate::patterns::compile;
use crate::wording::has;

/// The topic of a text of no known kind that names nothing.
pub(crate) const TOPIC_DEFAULT: &str = "notes";

/// Longest topic that is inferred, in bytes.
const TOPIC_MAX_BYTES: usize = 40;

/// Shortest name that is a topic, in bytes: shorter ones are flags and parts of a version.
const TOPIC_MIN_BYTES: usize = 3;

/// Shortest topic that a text names by having its word, in bytes: a letter stands in any command.
const KNOWN_MIN_BYTES: usize = 2;

/// Digits from which capitals with a number are the code of an error.
const CODE_MIN_DIGITS: usize = 3;

/// Where an inferred topic comes from, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TopicSource {
    /// The text names one of the known topics.
    Named,
    /// The text names a file: its directory or its name.
    File,
    /// The text names something else: a tool, a service, a symbol.
    Entity,
    /// The text names nothing; the topic is the usual one of its kind.
    Nothing,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Topics {
    default: BTreeMap<String, String>,
    words: Words,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    plain_directories: String,
    common: String,
    used: String,
}

static TOPICS: LazyLock<Topics> =
    LazyLock::new(|| toml::from_str(include_str!("topics.toml")).unwrap_or_default());

/// Returns the topic of a text of a kind that names nothing.
#[must_use]
pub fn usual(kind: &str) -> &'static str {
    let usual = TOPICS.default.get(kind);
    usual.map_or(TOPIC_DEFAULT, String::as_str)
}

/// The kind of a name that has a usual topic.
pub(crate) fn kind_named(name: &str) -> Option<&'static str> {
    let (kind, _) = TOPICS.default.get_key_value(name)?;
    Some(kind)
}

/// Finds the topic of a text with its names. `topics` are the known ones.
pub(crate) fn topic(
    text: &str,
    kind: &str,
    names: &[Entity],
    topics: &[&str],
) -> (String, TopicSource) {
    if let Some(topic) = known(text, topics) {
        return (topic, TopicSource::Named);
    }
    let mut files = names.iter().filter(|name| name.class == Class::File);
    if let Some(topic) = files.find_map(|name| of_file(&name.text)) {
        return (topic, TopicSource::File);
    }
    let things = names
        .iter()
        .filter(|name| name.class != Class::Name || is_thing(text, name));
    match things.into_iter().find_map(of_name) {
        Some(topic) => (topic, TopicSource::Entity),
        None => (usual(kind).to_owned(), TopicSource::Nothing),
    }
}

/// The longest of the known topics that a text names: it says most.
fn known(text: &str, topics: &[&str]) -> Option<String> {
    let spelled = dashed(text);
    let mut named: Vec<&&str> = topics
        .iter()
        .filter(|topic| is_named(topic, text, &spelled))
        .collect();
    named.sort_by_key(|topic| Reverse(topic.len()));
    named.first().map(|topic| (**topic).to_owned())
}

/// Whether a text names a topic. One that is called like a common word is named only by a label in
/// front of the text: the language Go is not what "go ahead" is about, but what "go: pin 1.25" is.
fn is_named(topic: &str, text: &str, spelled: &str) -> bool {
    if topic.is_empty() {
        return false;
    }
    if topic.len() < KNOWN_MIN_BYTES || is_common(topic) || is_usual(topic) {
        let label = text.split_once([':', '：']).map(|(label, _)| dashed(label));
        return label.is_some_and(|label| label == topic);
    }
    contains_words(spelled, topic)
}

fn is_usual(topic: &str) -> bool {
    TOPICS.default.values().any(|usual| usual == topic)
}

/// Whether every word of a topic is one that any text has.
pub(crate) fn is_common(topic: &str) -> bool {
    topic
        .split('-')
        .all(|word| word.is_empty() || has(&TOPICS.words.common, word))
}

/// Whether words that are joined by dashes occur in a text spelled so.
fn contains_words(spelled: &str, words: &str) -> bool {
    format!("-{spelled}-").contains(&format!("-{words}-"))
}

/// The nearest directory of a file that says something, else the file's name.
fn of_file(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let name = parts.pop()?;
    let directories = parts.iter().rev();
    let telling = directories
        .filter(|part| !has(&TOPICS.words.plain_directories, part))
        .find_map(|part| may_be_topic(part));
    let stem = name.split('.').find(|stem| !stem.is_empty());
    telling.or_else(|| may_be_topic(stem?))
}

/// The topic that the name of a tool, a service or a symbol gives: no option of a command, and no
/// expression.
fn of_name(name: &Entity) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || " _.:/@()#+-".contains(c);
    if name.text.split_whitespace().any(is_code) {
        return None;
    }
    let is_word = name.class == Class::Name
        || (name.class == Class::Symbol && !name.text.contains(char::is_whitespace));
    if !is_word || name.text.starts_with('-') || !name.text.chars().all(is_plain) {
        return None;
    }
    may_be_topic(&name.text)
}

/// Whether a name in prose is one of a tool or a service, rather than of a person or a place: by how
/// it is written, or because it is used. Of others no topic is made.
pub(crate) fn is_thing(text: &str, name: &Entity) -> bool {
    let is_capital = |c: char| c.is_uppercase() || c.is_ascii_digit();
    let is_written_so = |word: &str| word.chars().skip(1).any(is_capital);
    if Language::of(text) == Language::Chinese || name.text.split([' ', '-']).any(is_written_so) {
        return true;
    }
    let before = text.get(..name.at).unwrap_or_default().to_lowercase();
    let behind = text.get(name.at + name.text.len()..).unwrap_or_default();
    let is_owner = behind.starts_with("'s") || behind.starts_with("’s");
    !is_owner && USED.as_ref().is_some_and(|used| used.is_match(&before))
}

static USED: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r"\b(?:{})\s*$", TOPICS.words.used)));

/// Whether a word is the code of an error or the number of a ticket: it names one event.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '-');
    let has_letters = digits.len() < word.len();
    has_letters && digits.len() >= CODE_MIN_DIGITS && digits.chars().all(|c| c.is_ascii_digit())
}

/// A name spelled as a topic, where it is one.
fn may_be_topic(name: &str) -> Option<String> {
    let topic = short(&dashed(name));
    let has_letter = topic.chars().any(|c| c.is_ascii_alphabetic());
    let is_topic = topic.len() >= TOPIC_MIN_BYTES && has_letter && !is_common(&topic);
    is_topic.then_some(topic)
}

/// Lowercase letters and digits of ASCII, with dashes between words.
pub(crate) fn dashed(text: &str) -> String {
    let mut dashed = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            dashed.push(c.to_ascii_lowercase());
        } else if !dashed.is_empty() && !dashed.ends_with('-') {
            dashed.push('-');
        }
    }
    dashed.trim_end_matches('-').to_owned()
}

/// As many whole words as a topic may have.
pub(crate) fn short(dashed: &str) -> String {
    if dashed.len() <= TOPIC_MAX_BYTES {
        return dashed.to_owned();
    }
    let start = dashed.get(..TOPIC_MAX_BYTES).unwrap_or_default();
    let end = start.rfind('-').unwrap_or(start.len());
    start.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::entities;

    fn found(text: &str, kind: &str, topics: &[&str]) -> (String, TopicSource) {
        topic(text, kind, &entities(text), topics)
    }

    #[test]
    fn the_words_are_read() {
        assert!(is_common("the"));
        assert_eq!(usual("decision"), "decisions");
        assert_eq!(usual("whatever"), TOPIC_DEFAULT);
    }

    #[test]
    fn common_words_and_options_are_no_topics() {
        for text in [
            "we decided to freeze releases in March because of the audit",
            "we decided that cron runs in UTC because the servers do",
            "pass `-s` because the linter is noisy, we decided that",
            "we decided to say Go only after a second review",
            "we decided to write `The` in front of each title",
            "我们决定 the 放在前面",
            "we decided to run `a + b == c` first",
            "we decided to deploy on Fridays and Mondays no more",
            "we decided to silence TS2322 and PH-4012 for now",
        ] {
            let (topic, source) = found(text, "decision", &["go", "the", "march", "s", "utc"]);
            assert_eq!(
                (topic.as_str(), source),
                ("decisions", TopicSource::Nothing),
                "{text}"
            );
        }
    }

    #[test]
    fn a_topic_that_is_called_like_a_word_is_named_by_a_label() {
        let (topic, source) = found("Go: pin the toolchain to 1.25", "fact", &["go"]);
        assert_eq!((topic.as_str(), source), ("go", TopicSource::Named));
        let (topic, _) = found("go ahead with the importer", "fact", &["go"]);
        assert_eq!(topic, "notes");
    }

    #[test]
    fn names_are_topics() {
        for (text, topic) in [
            ("we host it on Hetzner", "hetzner"),
            ("`parse_amount` rounds half up", "parse-amount"),
            ("crates/syntax/src/lexer.rs is generated", "syntax"),
            ("src/main.rs reads the flags", "main"),
        ] {
            assert_eq!(found(text, "fact", &[]).0, topic, "{text}");
        }
    }
}
