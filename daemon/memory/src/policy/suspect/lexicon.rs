//! The words and the rules, compiled.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Reason;
use super::patterns::{PatternRow, Patterns, Unless};
use super::spellings::{Reading, Spellings};

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
    patterns: Vec<PatternRow>,
    /// Beginnings with which a pattern's match does not count.
    #[serde(default)]
    unless: Vec<String>,
    /// Endings with which it does not.
    #[serde(default)]
    unless_ends: Vec<String>,
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
    #[serde(default)]
    weak: bool,
}

/// How near classes have to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Within {
    Sentence,
    Passage,
    Text,
}

#[derive(Debug)]
struct Rule {
    reason: Reason,
    within: Within,
    /// One class of each has to be there.
    all: Vec<Classes>,
    none: Classes,
    is_spared_by_talk: bool,
    is_weak: bool,
}

/// A rule that holds.
pub(super) struct Fired {
    pub(super) reason: Reason,
    /// True if it holds without the classifier's word.
    pub(super) is_certain: bool,
}

/// The compiled tables.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    names: Vec<String>,
    spellings: Spellings,
    patterns: Patterns,
    rules: Vec<Rule>,
    decoded: Classes,
    talk: Classes,
    trigger: Classes,
    marks: Classes,
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
        let mut lexicon = Self {
            decoded: classes_of(&names, &decoded.classes)?,
            ..Self::default()
        };
        for (number, row) in table.classes.into_values().enumerate() {
            lexicon.add(Classes::of(number), row)?;
        }
        lexicon.patterns.finish()?;
        lexicon.talk = class_of(&names, TALK)?;
        lexicon.trigger = class_of(&names, TRIGGER)?;
        for row in rules {
            lexicon.rules.push(Rule::of(&names, &row)?);
        }
        lexicon.marks = lexicon.marks();
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

    fn add(&mut self, class: Classes, row: ClassRow) -> Result<(), String> {
        let is_order = self.decoded.has_any(class);
        for word in &row.words {
            self.spellings.add(word, class, is_order);
        }
        let unless = Unless {
            begins: row.unless,
            ends: row.unless_ends,
        };
        for pattern in row.patterns {
            self.patterns.add(class, pattern, &unless)?;
        }
        Ok(())
    }

    /// The classes of which one has to be there for a rule about a whole text.
    fn marks(&self) -> Classes {
        let of_texts = self.rules.iter().filter(|rule| rule.within == Within::Text);
        let first = of_texts.filter_map(|rule| rule.all.first());
        first.fold(Classes::default(), |all, next| all.with(*next))
    }

    /// The classes of the words and patterns of a text.
    pub(super) fn classes(&self, text: &str) -> Classes {
        let text = lowered(text);
        let mut classes = Classes::default();
        self.spellings.find(&text, |_, class, reading| {
            if reading == Reading::Plain {
                classes = classes.with(class);
            }
        });
        self.patterns.find(&text, classes)
    }

    /// Calls `found` with the place, the class and the reading of each word of a lowercase text.
    pub(super) fn words(&self, text: &str, found: impl FnMut(usize, Classes, Reading)) {
        self.spellings.find(text, found);
    }

    /// Adds the classes of the patterns of a lowercase text to those of its words.
    pub(super) fn with_patterns(&self, text: &str, classes: Classes) -> Classes {
        self.patterns.find(text, classes)
    }

    #[cfg(test)]
    pub(super) fn every_pattern(&self, text: &str) -> Classes {
        self.patterns.every(text)
    }

    /// Returns whether a text has what a rule about whole texts looks for.
    pub(super) fn has_marks(&self, text: &str) -> bool {
        let others = Classes(!self.marks.0);
        let found = self.patterns.find(&lowered(text), others);
        found.has_any(self.marks)
    }

    /// Returns whether these classes, found in a text as it is read otherwise, may be an order that
    /// the plain text is not.
    pub(super) fn may_be_order(&self, read: Classes, plain: Classes) -> bool {
        let new = read.and(self.decoded).without(plain);
        new != Classes::default()
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

    pub(super) fn sentence_rules(&self, classes: Classes, found: impl FnMut(Fired)) {
        self.fire(Within::Sentence, classes, found);
    }

    pub(super) fn passage_rules(&self, classes: Classes, found: impl FnMut(Fired)) {
        self.fire(Within::Passage, classes, found);
    }

    pub(super) fn text_rules(&self, classes: Classes, found: impl FnMut(Fired)) {
        self.fire(Within::Text, classes, found);
    }

    fn fire(&self, within: Within, classes: Classes, found: impl FnMut(Fired)) {
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
            .map(|rule| Fired {
                reason: rule.reason,
                is_certain: rule.reason.is_certain() && !rule.is_weak,
            })
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
            is_weak: row.weak,
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

/// A text in lowercase, with one sort of apostrophe.
pub(super) fn lowered(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.to_lowercase().replace('’', "'")
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
