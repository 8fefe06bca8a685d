//! What a text claims: that a thing has a value of an attribute which takes only one, such as its
//! owner, its place or the time at which it runs.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::rules::{RuleError, Rules};
use super::statement::{part, specific};

static COMPILED: LazyLock<Vec<Compiled>> = LazyLock::new(|| read().unwrap_or_default());

/// Sentences of a text that are read: a claim is made at its beginning.
const SENTENCES_MAX: usize = 2;

/// Words of a value, at most: more is no name of it.
const VALUE_WORDS_MAX: usize = 4;

/// Words of a subject, at most.
const SUBJECT_WORDS_MAX: usize = 7;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    claim: Vec<Attribute>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    name: String,
    words: Vec<String>,
    patterns: Vec<String>,
}

/// The sentences that give something a value of one attribute.
pub(super) struct Compiled {
    name: String,
    /// Lower-case words of which such a sentence has one: looking for them costs next to nothing.
    words: Vec<String>,
    patterns: Vec<Regex>,
}

/// The value of an attribute of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    attribute: &'static str,
    /// Stems of what it is about, those left out that say only of what sort it is.
    subject: BTreeSet<String>,
    value: BTreeSet<String>,
}

/// Compiles the patterns of the file.
pub(super) fn read() -> Result<Vec<Compiled>, RuleError> {
    let table: Table = toml::from_str(include_str!("claims.toml"))?;
    let compile = |pattern: &String| RegexBuilder::new(pattern).case_insensitive(true).build();
    let mut compiled = Vec::new();
    for attribute in table.claim {
        let patterns: Result<Vec<Regex>, regex::Error> =
            attribute.patterns.iter().map(compile).collect();
        compiled.push(Compiled {
            name: attribute.name,
            words: attribute.words,
            patterns: patterns?,
        });
    }
    Ok(compiled)
}

/// Lists the claims of a text.
pub(super) fn claims(text: &str, rules: &Rules) -> Vec<Claim> {
    let sentences = text.split(['\n', '。']).flat_map(|line| line.split(". "));
    let mut claims = Vec::new();
    for sentence in sentences.take(SENTENCES_MAX) {
        let sentence = sentence.trim().trim_end_matches('.');
        let lower = sentence.to_lowercase();
        for attribute in COMPILED.iter() {
            if !attribute.words.iter().any(|word| lower.contains(word)) {
                continue;
            }
            for pattern in &attribute.patterns {
                let captures = pattern.captures(sentence);
                claims.extend(captures.and_then(|found| claim(&attribute.name, &found, rules)));
            }
        }
    }
    claims
}

fn claim(attribute: &'static str, captures: &Captures<'_>, rules: &Rules) -> Option<Claim> {
    let named = part(captures.name("v")?.as_str(), rules).words;
    let telling = specific(&named, rules);
    let value = if telling.is_empty() { named } else { telling };
    let subject: BTreeSet<String> = ["s", "s2"]
        .into_iter()
        .filter_map(|group| captures.name(group))
        .flat_map(|named| specific(&part(named.as_str(), rules).words, rules))
        .collect();
    let is_named = (1..=VALUE_WORDS_MAX).contains(&value.len());
    let is_about = (1..=SUBJECT_WORDS_MAX).contains(&subject.len());
    (is_named && is_about).then_some(Claim {
        attribute,
        subject,
        value,
    })
}

/// Returns whether two texts give one attribute of one thing different values.
pub(super) fn clash(known: &[Claim], new: &[Claim]) -> bool {
    let is_clash = |one: &Claim, other: &Claim| {
        one.attribute == other.attribute
            && one.subject == other.subject
            && one.value.is_disjoint(&other.value)
    };
    known
        .iter()
        .any(|known| new.iter().any(|new| is_clash(known, new)))
}
