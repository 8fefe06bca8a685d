//! Infers what a person did not say of a note: its topic, kind and tags.

use std::sync::LazyLock;

use regex::Regex;

use crate::Speaker;
use crate::cues::{self, CueClass, cues};
use crate::entities::{Class, Entity, entities};
use crate::language::word_count;
use crate::passage::{Sentence, sentences};
use crate::patterns::compile;
use crate::resolve::{content_words, points};
use crate::statement::{capitalised, kind_of, without_asking};
pub use crate::topic::{TopicSource, usual};
use crate::topic::{dashed, is_common, is_thing, short, topic};
use crate::wording::{WORDING, has};

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

/// Returns a note without the words that ask to keep it: of "remember that the proxy drops long
/// requests" what is behind "that". A note that has no others stays as it is.
#[must_use]
pub fn without_request(text: &str) -> String {
    let bare = without_asking(text);
    if bare.len() == text.trim().len() {
        return text.to_owned();
    }
    capitalised(bare)
}

/// Returns whether a note says nothing that a stranger could use: "ok", "sounds good", "it fixed it".
#[must_use]
pub fn says_nothing(text: &str) -> bool {
    let bare = without_asking(text);
    let words = word_count(bare);
    if !entities(bare).is_empty() || words > NOTHING_MAX_WORDS {
        return false;
    }
    let named = content_words(bare);
    let sentence = Sentence::new(bare, 0);
    if cues::veto(&sentence.masked) == Some("courtesy")
        && cues(&sentence.masked, Speaker::User).is_empty()
    {
        return named < NAMED_MIN_WORDS || words < NOTHING_MAX_WORDS;
    }
    let is_word = words < 2 && bare.is_ascii();
    is_word || is_filler(bare) || (named < NAMED_MIN_WORDS && points(bare))
}

/// Whether every word of a text only agrees, or says that something is done.
fn is_filler(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| has(&WORDING.filler, &word.to_lowercase()))
}

/// Returns whether what is left of a note, without its secrets, names nothing.
#[must_use]
pub fn names_nothing(text: &str) -> bool {
    entities(text).is_empty() && content_words(text) < NAMED_MIN_WORDS
}

/// Words of a note that may say nothing, at most.
const NOTHING_MAX_WORDS: usize = 4;

/// Words with content from which a note names what it is about.
const NAMED_MIN_WORDS: usize = 2;

/// Infers topic, kind and tags of a note. `topics` are the known ones.
#[must_use]
pub fn infer(text: &str, topics: &[&str]) -> Inferred {
    infer_of_kind(text, kind(text), topics)
}

/// Infers the rest of a text whose kind is known.
#[must_use]
pub fn infer_of_kind(text: &str, kind: &'static str, topics: &[&str]) -> Inferred {
    let names = entities(text);
    let (topic, topic_source) = topic(text, kind, &names, topics);
    Inferred {
        tags: tags(text, &names, &topic),
        topic,
        topic_source,
        kind,
        is_about_user: kind == "preference",
        entities: names.into_iter().map(|name| name.text).collect(),
    }
}

/// Returns the kind of a name that has a usual topic.
#[must_use]
pub fn kind_named(name: &str) -> Option<&'static str> {
    crate::topic::kind_named(name.trim())
}

/// Returns the kind of a note, by its own label or its cues.
#[must_use]
pub fn kind(text: &str) -> &'static str {
    let sentences = sentences(text);
    let found: Vec<_> = sentences
        .iter()
        .flat_map(|sentence| cues(&sentence.masked, Speaker::User))
        .collect();
    let label = text
        .split_once(':')
        .map(|(label, _)| label.trim().to_lowercase());
    let labelled = label.and_then(|label| label_kind(&label));
    let named = labelled.unwrap_or_else(|| {
        let sorts: Vec<_> = found
            .into_iter()
            .filter(|cue| cue.class != CueClass::Attention)
            .collect();
        kind_of(&sorts)
    });
    match named {
        "fact" if says_who_owns(text) => "entity",
        kind => kind,
    }
}

static OWNER: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.owner));

/// Whether a note says what somebody, or a service, is there for: "Priya Sharma owns the ledger".
fn says_who_owns(text: &str) -> bool {
    OWNER
        .as_ref()
        .is_some_and(|owner| owner.is_match(text.trim()))
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

fn tags(text: &str, names: &[Entity], topic: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let names = names
        .iter()
        .filter(|name| name.class == Class::Name && is_thing(text, name));
    for name in names {
        let tag = short(&dashed(&name.text));
        let is_tag = tag.len() > 1 && tag != topic && !is_common(&tag);
        if is_tag && !tags.contains(&tag) && tags.len() < TAGS_MAX {
            tags.push(tag);
        }
    }
    tags
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
            (
                "we decided to close at six",
                "decisions",
                TopicSource::Nothing,
            ),
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
    fn words_that_ask_to_keep_something_are_left_out() {
        for (note, kept) in [
            (
                "remember that the proxy drops long requests",
                "The proxy drops long requests",
            ),
            (
                "Please remember: builds need node 22",
                "Builds need node 22",
            ),
            (
                "can you remember that we ship on Tuesdays?",
                "We ship on Tuesdays",
            ),
            (
                "could you please make a note that `npm ci` is slow",
                "`npm ci` is slow",
            ),
            (
                "Don't forget that staging has no queue",
                "Staging has no queue",
            ),
            (
                "note to self: rotate the keys in May",
                "Rotate the keys in May",
            ),
            (
                "I want you to remember that I review on Fridays",
                "I review on Fridays",
            ),
            (
                "merk dir bitte, dass der Index nachts neu gebaut wird",
                "Der Index nachts neu gebaut wird",
            ),
            ("Denk daran: Releases nur mit Tag", "Releases nur mit Tag"),
            ("Bitte notiere, dass wir yarn nehmen", "Wir yarn nehmen"),
            ("请记住：测试环境每周重置", "测试环境每周重置"),
            ("帮我记一下，我们用 pnpm", "我们用 pnpm"),
            ("别忘了测试环境没有队列", "测试环境没有队列"),
        ] {
            assert_eq!(without_request(note), kept, "{note}");
        }
        for note in [
            "remember",
            "the cache remembers that a key was absent",
            "Notes are kept in markdown",
            "remember the milk is no good test name",
            "  spaced as it was",
        ] {
            assert_eq!(without_request(note), note);
        }
    }

    #[test]
    fn what_names_nothing_says_nothing() {
        for note in [
            "ok",
            "done!",
            "it fixed it",
            "that worked",
            "this is important",
            "sounds good",
            "thanks a lot",
            "do it like that",
            "remember it",
            "yes please",
            "fix: done",
        ] {
            assert!(says_nothing(note), "{note}");
        }
        for note in [
            "use pnpm",
            "deploys on Fridays are forbidden",
            "it fails on Windows because of long paths",
            "yarn only",
            "我们用 pnpm",
            "记住测试环境",
            "never force-push",
            "thanks to the cache, restarts are fast",
        ] {
            assert!(!says_nothing(note), "{note}");
        }
    }

    #[test]
    fn who_owns_something_is_an_entity() {
        for note in [
            "Priya Sharma owns the billing database",
            "the payments team maintains `ledger-api`",
            "@dana is on call for the gateway",
            "Jonas ist zuständig für den Importer",
        ] {
            assert_eq!(kind(note), "entity", "{note}");
        }
        for note in [
            "the worker owns the lock until it ends",
            "never touch what Priya owns",
        ] {
            assert_ne!(kind(note), "entity", "{note}");
        }
    }

    #[test]
    fn people_and_places_are_no_topics() {
        for (note, topic) in [
            ("Priya Sharma owns the billing database", "people"),
            ("we host the staging in Oslo", "conventions"),
            ("ask Dana Miller about the rota", "notes"),
            ("the rota is at Miller's desk", "notes"),
            ("we moved from Jenkins to Drone", "jenkins"),
            ("the queue runs on Redis", "redis"),
            ("we chose GraphQL because of the app", "graphql"),
        ] {
            let inferred = infer(note, &[]);
            assert_eq!(inferred.topic, topic, "{note}: {inferred:?}");
        }
    }

    #[test]
    fn tags_are_names() {
        let inferred = infer("we moved from Jenkins to GitHub Actions", &[]);
        assert_eq!(inferred.topic, "jenkins");
        assert_eq!(inferred.tags, ["github-actions"]);
        let inferred = infer("never deploy on Fridays", &[]);
        assert!(inferred.tags.is_empty(), "{inferred:?}");
    }
}
