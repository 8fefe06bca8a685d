//! Memories that have a name exactly. Whoever wrote one down meant that very thing, where few
//! memories have it.

use helix_engine::{
    Catalog, LexicalQuery, ReadError, Strand, WordsMode as Mode, WordsRestriction as Restriction,
};
use helix_memory::{Memory, MemoryNumber, Status};

use super::Context;
use super::dialect::Dialect;
use crate::project::Project;

/// Candidates of the word index that are looked at.
const CANDIDATES_MAX: usize = 16;

/// Of so many memories one may have a name, and so many in a small strand, before it is a word that
/// the whole project uses.
const TELLING_ONE_IN: u64 = 26;
const TELLING_FEW: u64 = 5;

/// The memories that may be given unasked, by the words that they have.
pub(super) struct Exact<'a> {
    strand: &'a Strand,
    /// The numbers of the scopes that are seen from here.
    scopes: Vec<u32>,
    /// The client that they are given to.
    dialect: Dialect,
}

impl<'a> Exact<'a> {
    pub(super) fn of(context: &Context<'a>) -> Self {
        Self::within(context, &context.project)
    }

    /// Those that are seen from another project than the event's.
    pub(super) fn within(context: &Context<'a>, project: &Project) -> Self {
        let strand = &context.app.memory.strand;
        let scopes = strand.catalog().scope_numbers(&project.scopes());
        let dialect = context.dialect;
        Self {
            strand,
            scopes,
            dialect,
        }
    }

    /// Returns whether there are memories that have a name, and few.
    pub(super) fn is_telling(&self, name: &str) -> Result<bool, ReadError> {
        self.is_rare(&LexicalQuery::identifiers([name]))
    }

    /// Returns whether one of a query's words is in few memories.
    pub(super) fn is_rare(&self, query: &LexicalQuery) -> Result<bool, ReadError> {
        Ok(self
            .strand
            .lexical()
            .is_rare(query, TELLING_ONE_IN, TELLING_FEW)?)
    }

    /// Whether a memory is to be seen from here unasked: active, of one of the scopes, trusted.
    pub(super) fn is_visible(&self, catalog: &Catalog, number: MemoryNumber) -> bool {
        catalog.row(number).is_some_and(|row| {
            row.status == Status::Active
                && catalog.is_shown_unasked(number, row)
                && row.is_in(&self.scopes)
        })
    }

    /// The best candidates of the word index that may be kept.
    pub(super) fn search(
        &self,
        query: &LexicalQuery,
        keeps: impl Fn(&Catalog, MemoryNumber) -> bool,
    ) -> Result<Vec<Memory>, ReadError> {
        let hits = {
            let catalog = self.strand.catalog();
            let keeps = |number| keeps(&catalog, MemoryNumber(number));
            self.strand
                .lexical()
                .search(query, CANDIDATES_MAX, &Restriction::default(), keeps)?
        };
        let numbers: Vec<MemoryNumber> = hits
            .into_iter()
            .map(|hit| MemoryNumber(hit.number))
            .collect();
        let mut memories = self.strand.memories(&numbers)?;
        memories.retain(|memory| !self.dialect.shows_itself(memory));
        Ok(memories)
    }
}

/// Finds the memories that name one of these exactly and that the session was not given, where few
/// memories do: an error's code, a test, a symbol.
pub(super) fn named(context: &Context<'_>, names: &[String]) -> Result<Vec<Memory>, ReadError> {
    if helix_ablation::is_off("failure/marks") {
        return Ok(Vec::new());
    }
    let exact = Exact::of(context);
    let mut telling = Vec::new();
    for name in names {
        if exact.is_telling(name)? {
            telling.push(name.as_str());
        }
    }
    let query = LexicalQuery::identifiers(telling.iter().copied());
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = &context.app.hooks.sessions;
    let mut found = exact.search(&query, |catalog, number| {
        exact.is_visible(catalog, number) && !sessions.was_given(&context.key, number)
    })?;
    found.retain(|memory| telling.iter().any(|name| has_word(&memory.text, name)));
    Ok(found)
}

/// Finds memories that the session was not given and that have the most of some words.
pub(super) fn having(context: &Context<'_>, words: &str) -> Result<Vec<Memory>, ReadError> {
    if helix_ablation::is_off("failure/having") {
        return Ok(Vec::new());
    }
    let query = LexicalQuery::parse(words, Mode::Any);
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let exact = Exact::of(context);
    let sessions = &context.app.hooks.sessions;
    exact.search(&query, |catalog, number| {
        exact.is_visible(catalog, number) && !sessions.was_given(&context.key, number)
    })
}

/// Returns whether a text has a name as a word of its own, not as a part of a longer one.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (
            text.get(..at).unwrap_or_default(),
            text.get(at + name.len()..).unwrap_or_default(),
        );
        !is_inside(before.chars().next_back()) && !is_inside(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_of_its_own() {
        for (text, name) in [
            ("gotcha: error TS6133 is only a warning", "TS6133"),
            ("mypy [no-untyped-def] is on", "no-untyped-def"),
            ("`clippy::unwrap_used` is denied", "unwrap_used"),
            ("test_a_b and then test_a", "test_a"),
        ] {
            assert!(has_word(text, name), "{text}");
        }
        for (text, name) in [
            ("TS61334", "TS6133"),
            ("test_a_b", "test_a"),
            ("XTS6133", "TS6133"),
            ("", "a"),
        ] {
            assert!(!has_word(text, name), "{text}");
        }
    }
}
