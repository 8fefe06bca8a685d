//! What a text claims: that a thing has a value of an attribute which takes only one, such as its
//! owner, its place or the time at which it runs.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use compact_str::CompactString;
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::rules::{RuleError, Rules, pairs};
use super::statement::{Part, part, specific};

static COMPILED: LazyLock<Claimable> = LazyLock::new(|| read().unwrap_or_default());

/// Sentences of a text that are read: a claim is made at its beginning.
const SENTENCES_MAX: usize = 2;

/// Words of a value, at most: more is no name of it.
const VALUE_WORDS_MAX: usize = 4;

/// Words of a subject, at most.
const SUBJECT_WORDS_MAX: usize = 7;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    same: String,
    openers: String,
    claim: Vec<Attribute>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    name: String,
    #[serde(default)]
    compared: Compared,
    #[serde(default)]
    values: Values,
    /// The value that all its sentences give, where they name only the subject.
    #[serde(default)]
    says: String,
    words: Vec<String>,
    patterns: Vec<String>,
}

/// When two values of an attribute are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Compared {
    /// It has one value at a time.
    #[default]
    Always,
    /// It may have several: only where the new text says that something changed.
    Changed,
    /// The same: only where the new text names the known value as gone.
    Named,
    /// One value at a time, and its sentences are each other's denial.
    Stance,
}

/// How two values of an attribute differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Values {
    /// They share no word.
    #[default]
    Apart,
    /// A word of them differs.
    Whole,
}

/// All attributes.
#[derive(Default)]
pub(super) struct Claimable {
    /// Words before a sentence that say nothing of its thing.
    openers: Option<Regex>,
    attributes: Vec<Compiled>,
    /// Words of values and what they are compared as.
    same: HashMap<String, String>,
}

/// The sentences that give something a value of one attribute.
pub(super) struct Compiled {
    name: String,
    compared: Compared,
    values: Values,
    says: String,
    /// Lower-case words of which such a sentence has one: looking for them costs next to nothing.
    words: Vec<String>,
    patterns: Vec<Regex>,
}

/// The value of an attribute of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    attribute: &'static str,
    compared: Compared,
    values: Values,
    /// Stems of what it is about, those left out that say only of what sort it is.
    subject: BTreeSet<CompactString>,
    value: BTreeSet<CompactString>,
}

/// Compiles the patterns of the file.
pub(super) fn read() -> Result<Claimable, RuleError> {
    let table: Table = toml::from_str(include_str!("claims.toml"))?;
    let compile = |pattern: &String| RegexBuilder::new(pattern).case_insensitive(true).build();
    let mut attributes = Vec::new();
    for attribute in table.claim {
        let patterns: Result<Vec<Regex>, regex::Error> =
            attribute.patterns.iter().map(compile).collect();
        attributes.push(Compiled {
            name: attribute.name,
            compared: attribute.compared,
            values: attribute.values,
            says: attribute.says,
            words: attribute.words,
            patterns: patterns?,
        });
    }
    let same = pairs(&table.same).into_iter().collect();
    Ok(Claimable {
        openers: Some(compile(&table.openers)?),
        attributes,
        same,
    })
}

/// Lists the claims of a text.
pub(super) fn claims(text: &str, rules: &Rules) -> Vec<Claim> {
    let sentences = text
        .split(['\n', '。'])
        .flat_map(|line| line.split(". "))
        .flat_map(|line| line.split("; "));
    let mut claims = Vec::new();
    for sentence in sentences.take(SENTENCES_MAX) {
        let sentence = sentence.trim().trim_end_matches('.');
        let opening = COMPILED.openers.as_ref();
        let opening = opening.and_then(|openers| openers.find(sentence));
        let sentence = opening
            .and_then(|opening| sentence.get(opening.end()..))
            .unwrap_or(sentence);
        let lower = sentence.to_lowercase();
        for attribute in &COMPILED.attributes {
            if !attribute.words.iter().any(|word| lower.contains(word)) {
                continue;
            }
            for pattern in &attribute.patterns {
                let captures = pattern.captures(sentence);
                claims.extend(captures.and_then(|found| claim(attribute, &found, rules)));
            }
        }
    }
    claims
}

fn claim(attribute: &'static Compiled, captures: &Captures<'_>, rules: &Rules) -> Option<Claim> {
    if attribute.compared == Compared::Stance {
        return stance(attribute, captures, rules);
    }
    let named = part(&plain(captures.name("v")?.as_str()), rules).words;
    let telling = specific(&named, rules);
    let value = if telling.is_empty() { named } else { telling };
    let groups = ["s", "s2"]
        .into_iter()
        .filter_map(|group| captures.name(group));
    let named: BTreeSet<CompactString> = groups
        .flat_map(|named| part(named.as_str(), rules).words)
        .collect();
    let telling = specific(&named, rules);
    // Of "the project" there is one.
    let subject = if telling.is_empty() { named } else { telling };
    let is_named = (1..=VALUE_WORDS_MAX).contains(&value.len());
    // What is said of ourselves names no subject.
    let subject_words_min = usize::from(attribute.compared != Compared::Named);
    let is_about = (subject_words_min..=SUBJECT_WORDS_MAX).contains(&subject.len());
    (is_named && is_about).then_some(Claim {
        attribute: &attribute.name,
        compared: attribute.compared,
        values: attribute.values,
        subject,
        value,
    })
}

/// A claim about all that is named of its subject: `prefer small functions` says nothing of others.
fn stance(attribute: &'static Compiled, captures: &Captures<'_>, rules: &Rules) -> Option<Claim> {
    let named = ["s", "s2"].map(|group| captures.name(group).map_or("", |named| named.as_str()));
    let is_plain = named.iter().all(|named| !rules.is_negated(named));
    let subject: BTreeSet<CompactString> = named
        .iter()
        .flat_map(|named| part(named, rules).words)
        .collect();
    let is_about = (1..=SUBJECT_WORDS_MAX).contains(&subject.len());
    (is_plain && is_about).then(|| Claim {
        attribute: &attribute.name,
        compared: attribute.compared,
        values: attribute.values,
        subject,
        value: BTreeSet::from([CompactString::new(&attribute.says)]),
    })
}

/// A value with its words as they are compared.
fn plain(value: &str) -> String {
    let plain = |word: &str| {
        let lower = word.to_lowercase();
        COMPILED.same.get(&lower).cloned().unwrap_or(lower)
    };
    let is_known = |word: &str| COMPILED.same.contains_key(&word.to_lowercase());
    if !value.split_whitespace().any(is_known) {
        return value.to_owned();
    }
    let words: Vec<String> = value.split_whitespace().map(plain).collect();
    words.join(" ")
}

impl Claim {
    /// Stems of the thing that it is about; none where it is about ourselves.
    pub(super) fn subject(&self) -> &BTreeSet<CompactString> {
        &self.subject
    }

    /// Returns whether its value has any of some stems.
    pub(super) fn gives(&self, stems: &BTreeSet<CompactString>) -> bool {
        !self.value.is_disjoint(stems)
    }

    /// Returns whether another text gives the same another value.
    fn clashes(&self, new: &Self) -> bool {
        let is_same = self.attribute == new.attribute && self.subject == new.subject;
        is_same && self.differs(new)
    }

    fn differs(&self, new: &Self) -> bool {
        match self.values {
            Values::Apart => self.value.is_disjoint(&new.value),
            Values::Whole => self.value != new.value,
        }
    }
}

/// Returns whether two texts give one attribute of one thing different values.
pub(super) fn clash(known: &[Claim], new: &[Claim]) -> bool {
    clash_of(Compared::Always, known, new)
}

/// Returns whether two texts give an attribute that may have several values different ones.
pub(super) fn clash_if_changed(known: &[Claim], new: &[Claim]) -> bool {
    clash_of(Compared::Changed, known, new)
}

/// Returns whether one text favours what the other avoids.
pub(super) fn clash_of_stance(known: &[Claim], new: &[Claim]) -> bool {
    clash_of(Compared::Stance, known, new)
}

fn clash_of(compared: Compared, known: &[Claim], new: &[Claim]) -> bool {
    let mut known = known.iter().filter(|known| known.compared == compared);
    known.any(|known| new.iter().any(|new| known.clashes(new)))
}

/// Returns whether the known text says of us, or of the same thing, what the new one names as gone.
pub(super) fn is_named_gone(known: &[Claim], new: &[Claim], gone: &Part) -> bool {
    let mut known = known
        .iter()
        .filter(|known| known.compared == Compared::Named);
    known.any(|known| {
        let is_gone = known.value == gone.words;
        is_gone && new.iter().any(|new| known.clashes(new))
    })
}
