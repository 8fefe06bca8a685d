//! Conditions of a query beyond its words: phrases that hold together, words that must not occur, a
//! line of a source.
//!
//! Each demand becomes a set of memories before the search runs, so that both lists are filtered by
//! it alike. The word index finds the candidates; whether a phrase holds together is told by their
//! texts.

use std::sync::Arc;

use helix_memory::{Memory, MemoryNumber};

use super::count::marks;
use crate::index::filter::{Demands, Filter, Within};
use crate::index::lexical::{LexicalQuery, Mode as WordMode};
use crate::strand::{ReadError, Strand};

/// Memories whose texts are looked through for one phrase, the newest first. Reading one takes
/// microseconds.
const CHECKED_MAX: usize = 5_000;

/// The fate of a query's demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowed {
    /// Phrases that no memory has, so that their words were looked for one by one.
    pub loosened: Vec<String>,
    /// True if no memory is about the line, so that its whole file was asked for.
    pub has_loosened_line: bool,
    /// Phrases whose words are in more memories than are looked through.
    pub cut: Vec<String>,
}

impl Strand {
    /// Finds the memories that meet a filter's demands and keeps the filter to them. Where none
    /// meets a phrase or a line, it is let go, unless `is_strict`.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn narrow(&self, filter: &mut Filter, is_strict: bool) -> Result<Narrowed, ReadError> {
        let mut narrowed = Narrowed::default();
        if filter.demands == Demands::default() {
            return Ok(narrowed);
        }
        let demands = filter.demands.clone();
        let mut within = vec![true; self.catalog().extent()];
        for phrase in &demands.phrases {
            let (having, is_cut) = self.with_phrase(phrase, filter)?;
            narrowed.cut.extend(is_cut.then(|| phrase.clone()));
            if is_strict || having.contains(&true) {
                keep(&mut within, |number| {
                    having.get(number).copied().unwrap_or(false)
                });
            } else {
                narrowed.loosened.push(phrase.clone());
            }
        }
        if let Some(line) = demands.source_line {
            let having = self.at_line(line, filter)?;
            if is_strict || having.contains(&true) {
                keep(&mut within, |number| {
                    having.get(number).copied().unwrap_or(false)
                });
            } else {
                narrowed.has_loosened_line = true;
            }
        }
        for excluded in &demands.excluded {
            let having = if excluded.contains(char::is_whitespace) {
                self.with_phrase(excluded, filter)?.0
            } else {
                let word = LexicalQuery::identifiers([excluded.as_str()]);
                self.marked(&word, filter)?
            };
            keep(&mut within, |number| {
                !having.get(number).copied().unwrap_or(false)
            });
        }
        filter.within = Some(Within(Arc::from(within)));
        Ok(narrowed)
    }

    /// Marks the memories that pass the filter and have words.
    fn marked(&self, query: &LexicalQuery, filter: &Filter) -> Result<Vec<bool>, ReadError> {
        let catalog = self.catalog();
        let compiled = filter.compile(&catalog);
        let passes = |number: u32| {
            catalog
                .row(MemoryNumber(number))
                .is_some_and(|row| compiled.keeps(row))
        };
        marks(self, query, filter, catalog.extent(), &passes)
    }

    /// Marks the memories that pass the filter and have a phrase, and says whether there were too
    /// many to look through.
    fn with_phrase(&self, phrase: &str, filter: &Filter) -> Result<(Vec<bool>, bool), ReadError> {
        let mut having = self.marked(&LexicalQuery::parse(phrase, WordMode::All), filter)?;
        let candidates: Vec<usize> = having
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, is_found)| **is_found)
            .map(|(number, _)| number)
            .collect();
        let is_cut = candidates.len() > CHECKED_MAX;
        having.fill(false);
        let wanted = spaced(phrase);
        let snapshot = self.snapshot()?;
        for at in candidates.into_iter().take(CHECKED_MAX) {
            let number = u32::try_from(at).map_or(MemoryNumber(u32::MAX), MemoryNumber);
            if let Some(memory) = snapshot.memory(number)?
                && let Some(mark) = having.get_mut(at)
            {
                *mark = has_phrase(&memory, &wanted);
            }
        }
        Ok((having, is_cut))
    }

    /// Marks the memories that pass the filter and are about a line.
    fn at_line(&self, line: u32, filter: &Filter) -> Result<Vec<bool>, ReadError> {
        let (extent, numbers) = {
            let catalog = self.catalog();
            let compiled = filter.compile(&catalog);
            let passing = catalog
                .rows()
                .filter(|(_, row)| row.has_source() && compiled.keeps(row));
            (
                catalog.extent(),
                passing.map(|(number, _)| number).collect::<Vec<_>>(),
            )
        };
        let mut having = vec![false; extent];
        let snapshot = self.snapshot()?;
        for number in numbers {
            let Some(memory) = snapshot.memory(number)? else {
                continue;
            };
            if let Some(mark) = having.get_mut(number.0 as usize) {
                *mark = memory
                    .source
                    .is_some_and(|source| source.line == Some(line));
            }
        }
        Ok(having)
    }
}

fn keep(within: &mut [bool], is_kept: impl Fn(usize) -> bool) {
    for (number, mark) in within.iter_mut().enumerate() {
        *mark = *mark && is_kept(number);
    }
}

/// Returns whether one of a memory's texts has the phrase, in any case and with any blanks, not as
/// a part of longer words.
fn has_phrase(memory: &Memory, wanted: &str) -> bool {
    let source = memory.source.as_ref().map(|source| source.path.as_str());
    let named = [memory.text.as_str(), memory.topic.as_str()]
        .into_iter()
        .chain(source);
    let tags = memory.tags.iter().map(String::as_str);
    named.chain(tags).any(|text| holds(&spaced(text), wanted))
}

fn holds(text: &str, wanted: &str) -> bool {
    let is_word =
        |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(wanted).any(|(at, found)| {
        let (before, after) = (
            text.get(..at).unwrap_or_default(),
            text.get(at + found.len()..).unwrap_or_default(),
        );
        let opens = is_word(found.chars().next()) && is_word(before.chars().next_back());
        let closes = is_word(found.chars().next_back()) && is_word(after.chars().next());
        !opens && !closes
    })
}

/// Lower case, one blank between words.
fn spaced(text: &str) -> String {
    text.to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_as_words_in_a_row() {
        for (text, wanted, is_held) in [
            ("The Connection\n\trefused it", "connection refused", true),
            ("refused connection", "connection refused", false),
            ("connection refused-ness", "connection refused", true),
            ("reconnection refused", "connection refused", false),
            ("connection refusedly", "connection refused", false),
            (
                "reconnection refused, connection refused",
                "connection refused",
                true,
            ),
            ("run `cargo  test --lib` here", "test --lib", true),
            ("größe zählt", "GRÖSSE zählt", false),
        ] {
            assert_eq!(holds(&spaced(text), &spaced(wanted)), is_held, "{text}");
        }
    }
}
