//! Turns of a conversation: texts that begin with who says them.
//!
//! `Maria: I sold the car. Long time no see!` says two things, each of them said by Maria. A turn
//! is embedded by its sentences, each with its speaker, because what it is asked for is in one of
//! them. Labels such as `Decision:` are no speakers; they are listed in `turn.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::Memory;

/// Longest name of a speaker, in bytes.
const SPEAKER_MAX_BYTES: usize = 32;

/// Most words of a speaker's name.
const SPEAKER_MAX_WORDS: usize = 3;

/// Fewest words of a sentence that stands alone: "Oh wow!" is asked for by nobody.
const SENTENCE_MIN_WORDS: usize = 3;

/// Sentences of a turn that are told apart; what follows belongs to the last one.
const SENTENCES_MAX: usize = 8;

/// What ends a sentence where white space follows.
const ENDS: [char; 3] = ['.', '!', '?'];

#[derive(Deserialize)]
struct Table {
    labels: Vec<String>,
}

/// A table that does not parse has no labels; a test reads it.
static LABELS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let table: Result<Table, _> = toml::from_str(include_str!("turn.toml"));
    table.map_or_else(
        |_| HashSet::new(),
        |table| table.labels.into_iter().collect(),
    )
});

/// Returns who says a text, and what is said; `None` when it is no turn.
#[must_use]
pub fn spoken(text: &str) -> Option<(&str, &str)> {
    let (speaker, said) = text.split_once(": ")?;
    let is_name = speaker.len() <= SPEAKER_MAX_BYTES
        && speaker.split(' ').count() <= SPEAKER_MAX_WORDS
        && speaker.split(' ').all(is_part_of_a_name)
        && !LABELS.contains(&speaker.to_lowercase());
    is_name.then_some((speaker, said))
}

impl Memory {
    /// Returns the sentences of a turn, each with its speaker; nothing when a text is no turn or has
    /// one sentence only.
    #[must_use]
    pub fn utterances(text: &str) -> Vec<String> {
        let Some((speaker, said)) = spoken(text) else {
            return Vec::new();
        };
        let sentences = sentences(said);
        if sentences.len() < 2 {
            return Vec::new();
        }
        let with_speaker = sentences.into_iter();
        with_speaker
            .map(|sentence| format!("{speaker}: {sentence}"))
            .collect()
    }
}

/// A capitalised word: letters, and what joins and ends parts of names.
fn is_part_of_a_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.'))
}

fn sentences(said: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = said.trim();
    while found.len() + 1 < SENTENCES_MAX {
        let Some((sentence, after)) = first_sentence(rest) else {
            break;
        };
        found.push(sentence);
        rest = after;
    }
    found.push(rest);
    found.retain(|sentence| sentence.split_whitespace().count() >= SENTENCE_MIN_WORDS);
    found
}

/// Divides a text behind its first sentence; `None` when it has one only.
fn first_sentence(text: &str) -> Option<(&str, &str)> {
    let blank = |at: usize| text.get(at..)?.chars().next().filter(|c| c.is_whitespace());
    let end = text
        .match_indices(ENDS)
        .map(|(at, mark)| at + mark.len())
        .find(|&end| blank(end).is_some())?;
    let (sentence, after) = text.split_at_checked(end)?;
    Some((sentence, after.trim_start()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_turn_begins_with_a_name() {
        assert_eq!(
            spoken("Maria: I sold the car."),
            Some(("Maria", "I sold the car."))
        );
        assert_eq!(
            spoken("Anne-Marie O'Neil: hi"),
            Some(("Anne-Marie O'Neil", "hi"))
        );
        for text in [
            "Decision: we keep redb.",
            "Bug fix: close it twice.",
            "architecture: one process",
            "src/main.rs: it starts here",
            "The three of us agreed: no cluster",
            "E0277: not Send",
            "nothing",
        ] {
            assert_eq!(spoken(text), None, "{text}");
        }
    }

    #[test]
    fn each_sentence_keeps_its_speaker() {
        assert_eq!(
            Memory::utterances(
                "Tom: Oh wow! I sold the car in May. Who told you?\nIt was v1.2 of it."
            ),
            [
                "Tom: I sold the car in May.",
                "Tom: Who told you?",
                "Tom: It was v1.2 of it."
            ]
        );
        assert!(Memory::utterances("Tom: I sold the car.").is_empty());
        assert!(Memory::utterances("We sold the car. It was old.").is_empty());
    }

    #[test]
    fn a_long_turn_has_few_sentences_and_loses_nothing() {
        let said = "it goes on. ".repeat(40);
        let found = Memory::utterances(&format!("Tom: {said}"));
        assert_eq!(found.len(), SENTENCES_MAX);
        let words: usize = found
            .iter()
            .map(|one| one.split("it goes on.").count() - 1)
            .sum();
        assert_eq!(words, 40);
    }

    #[test]
    fn labels_are_lower_case() {
        let table: Table = toml::from_str(include_str!("turn.toml")).unwrap();
        assert!(
            table
                .labels
                .iter()
                .all(|label| *label == label.to_lowercase())
        );
        assert_eq!(table.labels.len(), LABELS.len());
    }
}
