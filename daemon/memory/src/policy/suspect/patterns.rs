//! Expressions for what no word tells. Each is tried only where a text has one of the literals that
//! every match has: those are looked for together, in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use regex_syntax::hir::literal::Extractor;
use serde::Deserialize;

use super::lexicon::Classes;

/// Most expressions: bits of the set that says which are to be tried.
const PATTERNS_MAX: usize = 128;

/// A pattern of the table. Where its literals cannot be read off it they are given.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum PatternRow {
    Plain(String),
    Given { needs: Vec<String>, pattern: String },
}

#[derive(Debug)]
struct Pattern {
    class: Classes,
    regex: Regex,
    unless: Unless,
}

/// Matches that do not count.
#[derive(Clone, Debug, Default)]
pub(super) struct Unless {
    /// By how they begin.
    pub(super) begins: Vec<String>,
    /// By how they end.
    pub(super) ends: Vec<String>,
}

/// The patterns of all classes.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    patterns: Vec<Pattern>,
    needles: Option<AhoCorasick>,
    /// The pattern of each needle.
    owners: Vec<usize>,
    spellings: Vec<String>,
}

impl Patterns {
    pub(super) fn add(
        &mut self,
        class: Classes,
        row: PatternRow,
        unless: &Unless,
    ) -> Result<(), String> {
        let (needs, pattern) = match row {
            PatternRow::Plain(pattern) => (literals(&pattern)?, pattern),
            PatternRow::Given { needs, pattern } => (needs, pattern),
        };
        for needle in needs {
            self.spellings.push(needle);
            self.owners.push(self.patterns.len());
        }
        let regex = Regex::new(&pattern).map_err(|error| error.to_string())?;
        self.patterns.push(Pattern {
            class,
            regex,
            unless: unless.clone(),
        });
        Ok(())
    }

    /// Makes them ready, once all are added.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        if self.patterns.len() > PATTERNS_MAX {
            return Err(format!("{} patterns", self.patterns.len()));
        }
        // Some hundred kilobytes of table: the smaller kinds take twice the time.
        let needles = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(std::mem::take(&mut self.spellings));
        self.needles = Some(needles.map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Adds the classes of the patterns that a lowercase text has to those that it has already.
    pub(super) fn find(&self, text: &str, classes: Classes) -> Classes {
        let (mut classes, mut tried) = (classes, 0_u128);
        let needles = self.needles.iter();
        for found in needles.flat_map(|needles| needles.find_overlapping_iter(text)) {
            let Some(&owner) = self.owners.get(found.pattern().as_usize()) else {
                continue;
            };
            let bit = 1 << owner;
            if tried & bit != 0 {
                continue;
            }
            tried |= bit;
            let pattern = self.patterns.get(owner);
            if let Some(pattern) = pattern.filter(|pattern| !classes.has_any(pattern.class))
                && pattern.is_in(text)
            {
                classes = classes.with(pattern.class);
            }
        }
        classes
    }
}

#[cfg(test)]
impl Patterns {
    /// The classes of the patterns that a text has, each of them tried.
    pub(super) fn every(&self, text: &str) -> Classes {
        let found = self.patterns.iter().filter(|pattern| pattern.is_in(text));
        found.fold(Classes::default(), |all, pattern| all.with(pattern.class))
    }
}

impl Pattern {
    fn is_in(&self, text: &str) -> bool {
        self.regex
            .find_iter(text)
            .any(|found| !self.unless.has(found.as_str()))
    }
}

impl Unless {
    fn has(&self, found: &str) -> bool {
        let begins = |start: &String| found.starts_with(start.as_str());
        let ends = |end: &String| found.ends_with(end.as_str());
        self.begins.iter().any(begins) || self.ends.iter().any(ends)
    }
}

/// The literals of which every match of a pattern begins with one.
fn literals(pattern: &str) -> Result<Vec<String>, String> {
    let parsed = regex_syntax::parse(pattern).map_err(|error| error.to_string())?;
    let sequence = Extractor::new().extract(&parsed);
    let literals = sequence.literals().unwrap_or_default();
    let spelled: Vec<String> = literals
        .iter()
        .filter_map(|literal| String::from_utf8(literal.as_bytes().to_vec()).ok())
        .filter(|literal| !literal.is_empty())
        .collect();
    if spelled.is_empty() || spelled.len() < literals.len() {
        return Err(format!("{pattern}: say which literals it needs"));
    }
    Ok(spelled)
}
