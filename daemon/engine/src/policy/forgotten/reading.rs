//! Reads a text for the comparison with what was forgotten: which words it has, what each does, and
//! whether it is affirmed or denied.
//!
//! "Seven days" and "a week" are one word here, and so are "30 min" and "half an hour". "Use this
//! rather than that" denies *that*, as "this, not that" and "this over that" do. The lists are data
//! (`reading.toml`).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::policy::consolidate::{Role, Statement, tokens};
use crate::policy::resemble::is_unspaced;

/// The least number that multiplies the one before it.
const HUNDRED: f64 = 100.0;

static READING: LazyLock<Option<Reading>> = LazyLock::new(|| Reading::compile().ok());

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rewrites: Vec<(String, String)>,
    rewrites_measured: Vec<(String, String)>,
    ends: String,
    others: String,
    if_preferred: String,
    preferring: String,
    denying: String,
    sentence: String,
    negations: String,
    negations_unspaced: String,
    form_unspaced: String,
    opposed: String,
    numbers: String,
    single: String,
    units: Vec<String>,
    numerals_unspaced: String,
    counted_unspaced: String,
    german: String,
    english: String,
}

/// Why the file cannot be used; a test keeps such a build from being made.
#[derive(Debug, thiserror::Error)]
enum ReadingError {
    #[error("reading reading.toml: {0}")]
    Table(#[from] toml::de::Error),
    #[error("compiling a pattern of reading.toml: {0}")]
    Pattern(#[from] regex::Error),
}

/// What a word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It carries nothing of what the text says.
    Form,
    /// It is a plain word.
    Plain,
    /// It is written like a name.
    Name,
    /// It is a number, a measure, an identifier, a path or a version.
    Exact,
    /// It is a unit of measure without a number: "daily", "a minute".
    Unit,
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its stem, or the number or measure that it says.
    pub(super) stem: String,
    /// What it does.
    pub(super) part: Part,
    /// Its clause denies it.
    pub(super) is_denied: bool,
}

/// A text as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// Its words, in order.
    pub(super) words: Vec<Word>,
    /// It says that something changed.
    pub(super) is_change: bool,
    /// It is written without blanks.
    pub(super) is_unspaced: bool,
    /// Its nouns have capitals.
    pub(super) is_german: bool,
}

/// The lists, compiled. Words in them are stems.
struct Reading {
    rewrites: Vec<(Regex, String)>,
    rewrites_measured: Vec<(Regex, String)>,
    ends: Regex,
    others: Regex,
    if_preferred: String,
    preferring: Regex,
    denying: Regex,
    sentence: Regex,
    negations: HashSet<String>,
    form: HashSet<String>,
    opposed: Vec<(String, String)>,
    numbers: HashMap<String, f64>,
    single: HashSet<String>,
    /// The measure that a unit is of, and how much of it that is.
    units: HashMap<String, (String, f64)>,
    numerals: Vec<char>,
    numeral: Regex,
    glued: Regex,
    german: Regex,
    english: Regex,
}

fn one(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).build()
}

fn compiled(rewrites: &[(String, String)]) -> Result<Vec<(Regex, String)>, regex::Error> {
    let rewrite = |(pattern, instead): &(String, String)| Ok((one(pattern)?, instead.clone()));
    rewrites.iter().map(rewrite).collect()
}

fn rewrite(mut text: String, rewrites: &[(Regex, String)]) -> String {
    for (pattern, instead) in rewrites {
        text = pattern.replace_all(&text, instead.as_str()).into_owned();
    }
    text
}

impl Reading {
    fn compile() -> Result<Self, ReadingError> {
        let table: Table = toml::from_str(include_str!("reading.toml"))?;
        let characters = |listed: &str| listed.chars().map(String::from).collect::<Vec<String>>();
        let mut negations = stems(&table.negations);
        negations.extend(characters(&table.negations_unspaced));
        let mut units = HashMap::new();
        for listed in &table.units {
            let all: Vec<(String, f64)> = valued(listed).collect();
            let measure = all
                .first()
                .map(|(unit, _)| unit.clone())
                .unwrap_or_default();
            units.extend(
                all.into_iter()
                    .map(|(unit, much)| (unit, (measure.clone(), much))),
            );
        }
        let (numerals, counted) = (&table.numerals_unspaced, &table.counted_unspaced);
        Ok(Self {
            rewrites: compiled(&table.rewrites)?,
            rewrites_measured: compiled(&table.rewrites_measured)?,
            ends: one(&table.ends)?,
            others: one(&table.others)?,
            if_preferred: table.if_preferred,
            preferring: one(&table.preferring)?,
            denying: one(&table.denying)?,
            sentence: one(&table.sentence)?,
            negations,
            form: characters(&table.form_unspaced).into_iter().collect(),
            opposed: pairs(&table.opposed)
                .map(|(one, other)| (stem(&one), stem(&other)))
                .collect(),
            numbers: valued(&table.numbers).collect(),
            single: table.single.split_whitespace().map(str::to_owned).collect(),
            units,
            numerals: numerals.chars().collect(),
            numeral: one(&format!("([{numerals}两十百半]+)(?:个)?({counted})"))?,
            glued: one(r"^(\d+(?:\.\d+)?)([a-zµ%]+)$")?,
            german: one(&table.german)?,
            english: one(&table.english)?,
        })
    }

    fn read(&self, text: &str) -> Read {
        let said = self.rewritten(text);
        let marks = Marks::of(text);
        let mut read = Read {
            is_change: Statement::of(&said).is_change(),
            is_unspaced: text.chars().any(is_unspaced),
            is_german: self.german.is_match(text) && !self.english.is_match(text),
            ..Read::default()
        };
        let is_preference = self.preferring.is_match(&said);
        let (mut from, mut end, mut is_denied) = (0, "", false);
        loop {
            let found = self.ends.find_at(&said, from);
            let to = found.map_or(said.len(), |found| found.start());
            let clause = said.get(from..to).unwrap_or_default();
            let words = self.words(clause, from == 0 || self.sentence.is_match(end), &marks);
            let denials = words.iter().filter(|word| self.denies(&word.stem)).count();
            is_denied = (denials % 2 == 1) ^ self.turns(end, is_denied, is_preference);
            read.words.extend(words.into_iter().map(|word| {
                let part = if self.denies(&word.stem) {
                    Part::Form
                } else {
                    word.part
                };
                Word {
                    part,
                    is_denied,
                    ..word
                }
            }));
            let Some(found) = found else { break };
            (from, end) = (found.end(), found.as_str());
        }
        read
    }

    /// Whether the end of the clause before turns the next one round.
    fn turns(&self, end: &str, was_denied: bool, is_preference: bool) -> bool {
        if self.others.is_match(end) {
            let counts = is_preference || !end.eq_ignore_ascii_case(&self.if_preferred);
            return counts && !was_denied;
        }
        self.denying.is_match(end)
    }

    fn denies(&self, stem: &str) -> bool {
        self.negations.contains(stem)
    }

    fn rewritten(&self, text: &str) -> String {
        let said = rewrite(text.to_owned(), &self.rewrites);
        let spelled = |found: &regex::Captures<'_>| {
            let (numeral, counted) = (&found[1], &found[2]);
            self.value_of(numeral).map_or_else(
                || found[0].to_owned(),
                |value| format!(" {value} {counted}"),
            )
        };
        let said = self.numeral.replace_all(&said, spelled).into_owned();
        rewrite(said, &self.rewrites_measured)
    }

    /// The number that numerals of a script without blanks say, below a thousand.
    fn value_of(&self, numeral: &str) -> Option<f64> {
        if numeral == "半" {
            return Some(0.5);
        }
        let digit = |c: char| match c {
            '两' => Some(2),
            _ => self
                .numerals
                .iter()
                .position(|known| *known == c)
                .map(|at| at.saturating_sub(1)),
        };
        let (mut whole, mut last) = (0, None);
        for c in numeral.chars() {
            match c {
                '百' => whole += last.take().unwrap_or(1) * 100,
                '十' => whole += last.take().unwrap_or(1) * 10,
                _ => last = Some(digit(c)?),
            }
        }
        u32::try_from(whole + last.unwrap_or(0)).ok().map(f64::from)
    }

    fn words(&self, clause: &str, begins_sentence: bool, marks: &Marks) -> Vec<Word> {
        // A capital says nothing at the beginning of a sentence alone.
        let padded = format!("x {clause}");
        let all = if begins_sentence {
            tokens(clause)
        } else {
            tokens(&padded)
        };
        let skipped = usize::from(!begins_sentence);
        let raw: Vec<(String, Role)> = all.into_iter().skip(skipped).collect();
        let (mut words, mut at) = (Vec::new(), 0);
        while let Some((stem, role)) = raw.get(at) {
            let (word, taken) = self
                .measure(raw.get(at..).unwrap_or_default())
                .unwrap_or_else(|| (self.word(stem, *role, marks), 1));
            words.push(word);
            at += taken;
        }
        words
    }

    fn word(&self, stem: &str, role: Role, marks: &Marks) -> Word {
        let part = match role {
            _ if marks.code.contains(stem) => Part::Exact,
            _ if self.form.contains(stem) => Part::Form,
            Role::Exact | Role::Name if marks.letters.contains(stem) => Part::Name,
            Role::Form => Part::Form,
            Role::Plain => Part::Plain,
            Role::Name => Part::Name,
            Role::Exact => Part::Exact,
        };
        let singular = stem
            .strip_suffix('s')
            .filter(|short| marks.letters.contains(*short));
        Word {
            stem: singular.unwrap_or(stem).to_owned(),
            part: if singular.is_some() { Part::Name } else { part },
            is_denied: false,
        }
    }

    /// The number or measure with which words begin, and how many words say it.
    fn measure(&self, words: &[(String, Role)]) -> Option<(Word, usize)> {
        let stem_at = |at: usize| words.get(at).map(|(stem, _)| stem.as_str());
        let first = stem_at(0)?;
        if let Some(glued) = self.glued.captures(first)
            && let (Ok(number), Some(unit)) = (glued[1].parse(), self.unit(&stem(&glued[2])))
        {
            return Some((amount(number, Some(unit)), 1));
        }
        let Some(mut value) = self.number(first) else {
            let is_single = self.single.contains(first);
            let named =
                stem_at(usize::from(is_single)).filter(|stem| stem.chars().nth(1).is_some());
            let unit = named.and_then(|stem| self.unit(stem))?;
            let mut word = amount(1.0, Some(unit));
            word.part = Part::Unit;
            return Some((word, 1 + usize::from(is_single)));
        };
        let mut taken = 1;
        if let Some(times) = stem_at(taken).and_then(|stem| self.numbers.get(stem))
            && *times >= HUNDRED
        {
            value *= times;
            taken += 1;
        }
        // "Half an hour."
        let is_single = stem_at(taken).is_some_and(|stem| self.single.contains(stem));
        let place = taken + usize::from(is_single);
        let unit = stem_at(place).and_then(|stem| self.unit(stem));
        let taken = if unit.is_some() { place + 1 } else { taken };
        Some((amount(value, unit), taken))
    }

    fn number(&self, stem: &str) -> Option<f64> {
        let is_number = stem.starts_with(|c: char| c.is_ascii_digit());
        let digits = is_number.then(|| stem.parse().ok()).flatten();
        digits.or_else(|| self.numbers.get(stem).copied())
    }

    /// The measure that a unit is of, and how much of it.
    fn unit(&self, stem: &str) -> Option<&(String, f64)> {
        self.units.get(stem)
    }
}

/// What a text's marks say of its words, by their stems.
struct Marks {
    /// Words between backticks.
    code: BTreeSet<String>,
    /// Words of capitals alone.
    letters: BTreeSet<String>,
}

impl Marks {
    fn of(text: &str) -> Self {
        let between = text.split('`').skip(1).step_by(2);
        let code = between
            .filter(|code| !code.contains(char::is_whitespace))
            .flat_map(tokens);
        let words = text.split(|c: char| !c.is_alphanumeric());
        let is_capitals = |word: &&str| {
            (2..=6).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase())
        };
        let singular = words.map(|word| word.strip_suffix('s').unwrap_or(word));
        Self {
            code: code.map(|(stem, _)| stem).collect(),
            letters: singular.filter(is_capitals).map(stem).collect(),
        }
    }
}

fn amount(number: f64, unit: Option<&(String, f64)>) -> Word {
    let stem = match unit {
        Some((measure, much)) => format!("{}={measure}", number * much),
        None => format!("{number}"),
    };
    Word {
        stem,
        part: Part::Exact,
        is_denied: false,
    }
}

fn stem(word: &str) -> String {
    tokens(word)
        .into_iter()
        .next()
        .map(|(stem, _)| stem)
        .unwrap_or_default()
}

fn stems(listed: &str) -> HashSet<String> {
    listed.split_whitespace().map(stem).collect()
}

fn pairs(listed: &str) -> impl Iterator<Item = (String, String)> {
    let words = listed.split_whitespace();
    words
        .filter_map(|pair| pair.split_once(':'))
        .map(|(one, other)| (one.to_owned(), other.to_owned()))
}

/// Words by their stems, with a number each.
fn valued(listed: &str) -> impl Iterator<Item = (String, f64)> {
    pairs(listed).filter_map(|(word, value)| Some((stem(&word), value.parse().ok()?)))
}

/// Reads a text; an empty one in a build whose lists cannot be read.
pub(super) fn read(text: &str) -> Read {
    READING
        .as_ref()
        .map(|reading| reading.read(text))
        .unwrap_or_default()
}

/// Pairs of stems of which two texts that say the same do not have one each.
pub(super) fn opposed() -> &'static [(String, String)] {
    READING.as_ref().map_or(&[], |reading| &reading.opposed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let words = read(text).words;
        let words = words.iter().filter(|word| word.part != Part::Form);
        let shown = words.map(|word| {
            let sign = if word.is_denied { "-" } else { "" };
            format!("{sign}{}", word.stem)
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_lists_are_read() {
        assert!(Reading::compile().is_ok());
    }

    #[test]
    fn one_measure_is_one_word() {
        for (one, other) in [
            ("seven days", "a week"),
            ("30 min", "half an hour"),
            ("3600 seconds", "1h"),
            ("two hundred lines", "200 lines"),
            ("25 MB", "25 megabytes"),
            ("100 requests per minute", "100 requests a minute"),
            ("三十分钟", "半小时"),
            ("fünf Minuten", "5 min"),
        ] {
            assert_eq!(said(one), said(other));
        }
        assert_ne!(said("seven days"), said("seventy days"));
        assert_ne!(said("十五天"), said("五十天"));
    }

    #[test]
    fn the_other_of_two_is_denied() {
        for text in [
            "Use tabs rather than spaces",
            "Use tabs, not spaces",
            "Use tabs and not spaces",
            "We prefer tabs over spaces",
            "Take tabs instead of spaces",
        ] {
            let words = read(text).words;
            let is_denied =
                |stem: &str| words.iter().any(|word| word.stem == stem && word.is_denied);
            assert!(is_denied("space"), "{text}");
            assert!(!is_denied("tab"), "{text}");
        }
        assert!(!said("The bridge over the river").contains('-'));
        assert!(!said("It is never not there").contains('-'));
    }
}
