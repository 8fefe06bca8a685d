//! Infers what a person did not say of a note: its topic, kind and tags.

use crate::Speaker;
use crate::cues::{CueClass, cues};
use crate::entities::{Class, Entity, entities};
use crate::passage::sentences;
use crate::statement::kind_of;

/// Where an inferred topic comes from, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TopicSource {
    /// The text names one of the known topics.
    Named,
    /// The text names a file: its directory or its name.
    File,
    /// The text names something else: a tool, a service, a symbol.
    Entity,
    /// The text names nothing; the topic is [`TOPIC_DEFAULT`].
    Nothing,
}

/// The topic of a note that names nothing.
pub const TOPIC_DEFAULT: &str = "notes";

/// What was inferred from the text of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// Lowercase letters, digits and dashes; never empty.
    pub topic: String,
    /// Where the topic comes from. A caller that knows the nearest memory may prefer its topic
    /// over [`TopicSource::Entity`] and [`TopicSource::Nothing`].
    pub topic_source: TopicSource,
    /// Name of a kind, such as `decision`; `fact` where nothing says more.
    pub kind: &'static str,
    /// Lowercase with dashes, each once, at most [`TAGS_MAX`].
    pub tags: Vec<String>,
    /// Names the text is about: files, symbols, packages, services.
    pub entities: Vec<String>,
    /// Whether it is about the person rather than a project, so that it applies everywhere.
    pub is_about_user: bool,
}

/// Most tags that are inferred.
pub const TAGS_MAX: usize = 5;

/// Longest topic that is inferred, in bytes.
const TOPIC_MAX_BYTES: usize = 40;

/// Directories that say nothing of what they hold.
const PLAIN_DIRECTORIES: &str =
    "src lib app apps packages crates pkg internal cmd test tests docs main home usr tmp var";

/// Infers topic, kind and tags of a note. `topics` are the known ones.
#[must_use]
pub fn infer(text: &str, topics: &[&str]) -> Inferred {
    let names = entities(text);
    let (topic, topic_source) = topic(text, &names, topics);
    let kind = kind(text);
    Inferred {
        tags: tags(&names, &topic),
        topic,
        topic_source,
        kind,
        is_about_user: kind == "preference",
        entities: names.into_iter().map(|name| name.text).collect(),
    }
}

/// The kind of a note, by its own label or its cues.
pub(crate) fn kind(text: &str) -> &'static str {
    let sentences = sentences(text);
    let found: Vec<_> = sentences
        .iter()
        .flat_map(|sentence| cues(&sentence.masked, Speaker::User))
        .collect();
    let label = text
        .split_once(':')
        .map(|(label, _)| label.trim().to_lowercase());
    let labelled = label.and_then(|label| label_kind(&label));
    labelled.unwrap_or_else(|| {
        let sorts: Vec<_> = found
            .into_iter()
            .filter(|cue| cue.class != CueClass::Attention)
            .collect();
        kind_of(&sorts)
    })
}

/// The kind that a label in front of a note names.
fn label_kind(label: &str) -> Option<&'static str> {
    let kind = match label {
        "decision" | "entscheidung" | "决定" => "decision",
        "gotcha" | "pitfall" | "achtung" | "注意" => "gotcha",
        "convention" | "rule" | "regel" | "约定" => "convention",
        "preference" => "preference",
        "how to" | "how-to" | "howto" | "procedure" => "procedure",
        "fix" | "bug fix" | "bugfix" => "bug_fix",
        "architecture" => "architecture",
        _ => return None,
    };
    Some(kind)
}

fn topic(text: &str, names: &[Entity], topics: &[&str]) -> (String, TopicSource) {
    let spelled = dashed(text);
    let mut known: Vec<&&str> = topics
        .iter()
        .filter(|topic| !topic.is_empty() && contains_words(&spelled, topic))
        .collect();
    // The longest name says most.
    known.sort_by_key(|topic| std::cmp::Reverse(topic.len()));
    if let Some(topic) = known.first() {
        return ((**topic).to_owned(), TopicSource::Named);
    }
    let of_file = names
        .iter()
        .filter(|name| name.class == Class::File)
        .find_map(|name| file_topic(&name.text));
    if let Some(topic) = of_file {
        return (topic, TopicSource::File);
    }
    let of_name = names
        .iter()
        .filter(|name| matches!(name.class, Class::Name | Class::Symbol))
        .map(|name| short(&dashed(&name.text)))
        .find(|topic| topic.chars().any(|c| c.is_ascii_alphabetic()));
    match of_name {
        Some(topic) => (topic, TopicSource::Entity),
        None => (TOPIC_DEFAULT.to_owned(), TopicSource::Nothing),
    }
}

/// Returns whether words that are joined by dashes occur in a text spelled so.
fn contains_words(spelled: &str, words: &str) -> bool {
    format!("-{spelled}-").contains(&format!("-{words}-"))
}

/// The nearest directory of a file that says something, else the file's name.
fn file_topic(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let name = parts.pop()?;
    let directory = parts
        .iter()
        .rev()
        .find(|part| !crate::wording::has(PLAIN_DIRECTORIES, part));
    let stem = name.split('.').find(|stem| !stem.is_empty());
    let topic = short(&dashed(directory.copied().or(stem)?));
    (!topic.is_empty()).then_some(topic)
}

fn tags(names: &[Entity], topic: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let names = names.iter().filter(|name| name.class == Class::Name);
    for name in names {
        let tag = short(&dashed(&name.text));
        if tag.len() > 1 && tag != topic && !tags.contains(&tag) && tags.len() < TAGS_MAX {
            tags.push(tag);
        }
    }
    tags
}

/// Lowercase letters and digits of ASCII, with dashes between words.
fn dashed(text: &str) -> String {
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
fn short(dashed: &str) -> String {
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

    #[test]
    fn a_topic_is_named_or_that_of_a_file_or_a_name() {
        let topics = ["build", "build-gotchas", "payments"];
        for (text, topic, source) in [
            (
                "the payments sandbox drops webhooks",
                "payments",
                TopicSource::Named,
            ),
            (
                "build gotchas: arm64 is needed",
                "build-gotchas",
                TopicSource::Named,
            ),
            (
                "crates/syntax/src/lexer.rs is generated",
                "syntax",
                TopicSource::File,
            ),
            ("src/main.rs reads the flags", "main", TopicSource::File),
            ("we host it on Hetzner", "hetzner", TopicSource::Entity),
            ("the office closes at six", "notes", TopicSource::Nothing),
            ("办公室六点关门", "notes", TopicSource::Nothing),
        ] {
            let inferred = infer(text, &topics);
            assert_eq!(
                (inferred.topic.as_str(), inferred.topic_source),
                (topic, source),
                "{text}"
            );
        }
    }

    #[test]
    fn a_kind_is_labelled_or_cued() {
        for (text, kind) in [
            ("decision: flags stay in LaunchDarkly", "decision"),
            ("we decided to drop GraphQL", "decision"),
            ("I prefer small commits", "preference"),
            ("never log the IBAN", "convention"),
            ("the office has a blue door", "fact"),
            ("ab sofort nur noch benannte Exporte", "convention"),
            ("我喜欢简短的回答", "preference"),
        ] {
            assert_eq!(infer(text, &[]).kind, kind, "{text}");
        }
        assert!(infer("I prefer small commits", &[]).is_about_user);
    }

    #[test]
    fn tags_are_names() {
        let inferred = infer("we moved from Jenkins to GitHub Actions", &[]);
        assert_eq!(inferred.topic, "jenkins");
        assert_eq!(inferred.tags, ["github-actions"]);
    }
}
