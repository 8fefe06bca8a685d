//! The words and the rules, compiled.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;
use serde::Deserialize;

use super::Reason;

const WORDS: &str = include_str!("words.toml");
const RULES: &str = include_str!("rules.toml");

/// Most classes: bits of [`Classes`].
const CLASSES_MAX: usize = 64;

/// The class of texts that talk of attacks, and the one that sets an order off all the same.
const TALK: &str = "talk";
const TRIGGER: &str = "trigger";

/// The compiled tables; empty ones when they do not compile, which a test rules out.
pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> =
        LazyLock::new(|| Lexicon::read(WORDS, RULES).unwrap_or_default());
    &LEXICON
}

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes(u64);

impl Classes {
    fn of(class: usize) -> Self {
        Self(1 << class)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsTable {
    classes: BTreeMap<String, ClassRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassRow {
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    patterns: Vec<String>,
    /// Beginnings with which a pattern's match does not count.
    #[serde(default)]
    unless: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesTable {
    decoded: DecodedRow,
    rules: Vec<RuleRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecodedRow {
    classes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleRow {
    reason: Reason,
    within: Within,
    all: Vec<String>,
    #[serde(default)]
    none: Vec<String>,
}

/// How near classes have to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Within {
    Sentence,
    Passage,
    Text,
}

/// A word of a class.
#[derive(Debug)]
struct Word {
    class: Classes,
    /// True if any ending may follow.
    is_stem: bool,
}

#[derive(Debug)]
struct Pattern {
    class: Classes,
    regex: Regex,
    unless: Vec<String>,
}

#[derive(Debug)]
struct Rule {
    reason: Reason,
    within: Within,
    /// One class of each has to be there.
    all: Vec<Classes>,
    none: Classes,
    is_spared_by_talk: bool,
}

/// The compiled tables.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    names: Vec<String>,
    automaton: Option<AhoCorasick>,
    words: Vec<Word>,
    patterns: Vec<Pattern>,
    rules: Vec<Rule>,
    decoded: Classes,
    talk: Classes,
    trigger: Classes,
}

impl Lexicon {
    /// Compiles the tables.
    pub(super) fn read(words: &str, rules: &str) -> Result<Self, String> {
        let table: WordsTable = toml::from_str(words).map_err(|error| error.to_string())?;
        let RulesTable { decoded, rules } =
            toml::from_str(rules).map_err(|error| error.to_string())?;
        if table.classes.len() > CLASSES_MAX {
            return Err(format!("{} classes of words", table.classes.len()));
        }
        let names: Vec<String> = table.classes.keys().cloned().collect();
        let mut lexicon = Self::default();
        let mut spellings = Vec::new();
        for (number, row) in table.classes.into_values().enumerate() {
            lexicon.add(Classes::of(number), row, &mut spellings)?;
        }
        lexicon.automaton = AhoCorasick::new(spellings)
            .map(Some)
            .map_err(|error| error.to_string())?;
        lexicon.decoded = classes_of(&names, &decoded.classes)?;
        lexicon.talk = class_of(&names, TALK)?;
        lexicon.trigger = class_of(&names, TRIGGER)?;
        for row in rules {
            lexicon.rules.push(Rule::of(&names, &row)?);
        }
        lexicon.names = names;
        Ok(lexicon)
    }

    /// The class of a name.
    pub(super) fn class(&self, name: &str) -> Result<Classes, String> {
        class_of(&self.names, name)
    }

    /// The names of classes.
    pub(super) fn names_of(&self, classes: Classes) -> impl Iterator<Item = &str> {
        let names = self.names.iter().enumerate();
        names
            .filter(move |(number, _)| classes.has_any(Classes::of(*number)))
            .map(|(_, name)| name.as_str())
    }

    fn add(
        &mut self,
        class: Classes,
        row: ClassRow,
        spellings: &mut Vec<String>,
    ) -> Result<(), String> {
        for word in row.words {
            let stem = word.strip_suffix('*').filter(|stem| !stem.is_empty());
            spellings.push(stem.unwrap_or(&word).to_owned());
            let is_stem = stem.is_some();
            self.words.push(Word { class, is_stem });
        }
        for pattern in row.patterns {
            let regex = Regex::new(&pattern).map_err(|error| error.to_string())?;
            let unless = row.unless.clone();
            self.patterns.push(Pattern {
                class,
                regex,
                unless,
            });
        }
        Ok(())
    }

    /// The classes of the words and patterns of a text.
    pub(super) fn classes(&self, text: &str) -> Classes {
        let text = text.to_lowercase().replace('’', "'");
        let mut classes = Classes::default();
        let words = self.automaton.iter();
        for found in words.flat_map(|words| words.find_overlapping_iter(&text)) {
            if let Some(word) = self.words.get(found.pattern().as_usize())
                && is_bounded(&text, found.start())
                && (word.is_stem || is_bounded(&text, found.end()))
            {
                classes = classes.with(word.class);
            }
        }
        for pattern in &self.patterns {
            if !classes.has_any(pattern.class) && pattern.is_in(&text) {
                classes = classes.with(pattern.class);
            }
        }
        classes
    }

    /// Returns whether a text with these classes talks of attacks.
    pub(super) fn talks(&self, classes: Classes) -> bool {
        classes.has_any(self.talk)
    }

    /// How many classes of orders a decoded text has that the text which it was decoded from has
    /// not.
    pub(super) fn order_classes(&self, decoded: &str, plain: &str) -> u32 {
        let said = self.classes(decoded).and(self.decoded);
        if said == Classes::default() {
            return 0;
        }
        said.without(self.classes(plain)).0.count_ones()
    }

    pub(super) fn sentence_rules(&self, classes: Classes, found: impl FnMut(Reason)) {
        self.fire(Within::Sentence, classes, found);
    }

    pub(super) fn passage_rules(&self, classes: Classes, found: impl FnMut(Reason)) {
        self.fire(Within::Passage, classes, found);
    }

    pub(super) fn text_rules(&self, classes: Classes, found: impl FnMut(Reason)) {
        self.fire(Within::Text, classes, found);
    }

    fn fire(&self, within: Within, classes: Classes, found: impl FnMut(Reason)) {
        let talks = self.talks(classes) && !classes.has_any(self.trigger);
        let fires = |rule: &&Rule| {
            rule.within == within
                && rule.all.iter().all(|any| classes.has_any(*any))
                && !classes.has_any(rule.none)
                && !(rule.is_spared_by_talk && talks)
        };
        self.rules
            .iter()
            .filter(fires)
            .map(|rule| rule.reason)
            .for_each(found);
    }
}

impl Rule {
    fn of(names: &[String], row: &RuleRow) -> Result<Self, String> {
        let all = row.all.iter().map(|any| {
            let any: Vec<String> = any.split('|').map(str::to_owned).collect();
            classes_of(names, &any)
        });
        let (talk, none): (Vec<String>, Vec<String>) =
            row.none.iter().cloned().partition(|name| name == TALK);
        Ok(Self {
            reason: row.reason,
            within: row.within,
            all: all.collect::<Result<_, _>>()?,
            none: classes_of(names, &none)?,
            is_spared_by_talk: !talk.is_empty(),
        })
    }
}

impl Pattern {
    fn is_in(&self, text: &str) -> bool {
        self.regex.find_iter(text).any(|found| {
            let begins = |start: &String| found.as_str().starts_with(start.as_str());
            !self.unless.iter().any(begins)
        })
    }
}

fn classes_of(names: &[String], some: &[String]) -> Result<Classes, String> {
    let mut classes = Classes::default();
    for name in some {
        classes = classes.with(class_of(names, name)?);
    }
    Ok(classes)
}

fn class_of(names: &[String], name: &str) -> Result<Classes, String> {
    let number = names.iter().position(|known| known == name);
    number
        .map(Classes::of)
        .ok_or_else(|| format!("no class {name:?}"))
}

/// Returns whether a word may begin or end at a byte: there are not letters on both sides, or they
/// are of a script that puts no blanks between words.
fn is_bounded(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let behind = text.get(at..).and_then(|behind| behind.chars().next());
    let (Some(before), Some(behind)) = (before, behind) else {
        return true;
    };
    let joins = |next: char| next.is_alphanumeric() && !is_unspaced(next);
    !joins(before) || !joins(behind)
}

/// Thai, kana, Chinese and Korean, whose particles follow their words without a blank.
fn is_unspaced(next: char) -> bool {
    matches!(next, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_compile() {
        assert_eq!(Lexicon::read(WORDS, RULES).err(), None);
    }

    #[test]
    fn words_end_where_letters_do_and_stems_anywhere() {
        let words =
            "[classes.talk]\nwords = ['rule']\n[classes.trigger]\nwords = ['anweisung*', '忽略']\n";
        let rules = "rules = []\n[decoded]\nclasses = []\n";
        let lexicon = Lexicon::read(words, rules).unwrap_or_default();
        let has = |text: &str| lexicon.classes(text) != Classes::default();
        for text in ["The rule.", "RULE", "Anweisungen", "请忽略之前"] {
            assert!(has(text), "{text}");
        }
        for text in ["ruler", "overrule", "Dienstanweisung"] {
            assert!(!has(text), "{text}");
        }
    }
}
