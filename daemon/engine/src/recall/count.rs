//! Counting everything that a search would find: no limit, no cap on topics.

use std::cell::RefCell;

use helix_memory::MemoryNumber;

use super::search::{Mode, Search};
use crate::index::catalog::Catalog;
use crate::index::filter::Filter;
use crate::index::lexical::{LexicalQuery, Mode as WordMode, Restriction};
use crate::strand::{Counted, ReadError, Strand, most_first};

/// How much a search finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Memories with the words that pass the filter.
    pub total: u64,
    /// How many of them each topic has, most first.
    pub topics: Vec<Counted>,
    /// True when nothing had all words and any was enough.
    pub fell_back_to_any: bool,
}

impl Strand {
    /// Counts the memories that have the words and pass the filter; without words, all that pass.
    /// Meaning has no boundary between what matches and what does not, so it is not asked.
    ///
    /// # Errors
    /// When the word index fails.
    pub fn count(&self, search: &Search) -> Result<Counts, ReadError> {
        if search.words.trim().is_empty() {
            let catalog = self.catalog();
            let filter = search.filter.compile(&catalog);
            let passing = catalog
                .rows()
                .filter(|(number, row)| filter.keeps_at(*number, row))
                .map(|(number, _)| number);
            return Ok(by_topic(&catalog, passing, false));
        }
        let (found, fell_back_to_any) = self.all_with_words(search)?;
        Ok(by_topic(
            &self.catalog(),
            found.into_iter(),
            fell_back_to_any,
        ))
    }

    /// Every memory that has the words and passes the filter, in the order they were recorded; and
    /// whether none had all words, so that any was enough.
    ///
    /// # Errors
    /// When the word index fails.
    pub fn all_with_words(&self, search: &Search) -> Result<(Vec<MemoryNumber>, bool), ReadError> {
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: u32| {
            let number = MemoryNumber(number);
            catalog
                .row(number)
                .is_some_and(|row| filter.keeps_at(number, row))
        };
        let with_words = |mode| self.with_words(search, mode, catalog.extent(), &passes);
        let (found, fell_back_to_any) = match search.mode {
            Mode::All => (with_words(WordMode::All)?, false),
            Mode::Any => (with_words(WordMode::Any)?, false),
            Mode::Auto | Mode::AllFirst => match with_words(WordMode::All)? {
                all if all.contains(&true) => (all, false),
                _ => (with_words(WordMode::Any)?, true),
            },
        };
        let found = (0..)
            .zip(found)
            .filter(|(_, is_found)| *is_found)
            .map(|(number, _)| MemoryNumber(number));
        Ok((found.collect(), fell_back_to_any))
    }

    /// Marks every memory below `extent` that has the words and passes.
    pub(super) fn with_words(
        &self,
        search: &Search,
        mode: WordMode,
        extent: usize,
        passes: &impl Fn(u32) -> bool,
    ) -> Result<Vec<bool>, ReadError> {
        marks(self, &search.query(mode), &search.filter, extent, passes)
    }
}

/// Marks every memory below `extent` that has the words of a query and passes.
pub(super) fn marks(
    strand: &Strand,
    query: &LexicalQuery,
    filter: &Filter,
    extent: usize,
    passes: &impl Fn(u32) -> bool,
) -> Result<Vec<bool>, ReadError> {
    let restriction = Restriction {
        topics: &filter.topics,
        tags: &filter.tags,
    };
    let found = RefCell::new(vec![false; extent]);
    // A search that keeps nothing never knows enough to pass over anything.
    strand.search_words(query, 1, &restriction, |number| {
        if passes(number)
            && let Some(mark) = found.borrow_mut().get_mut(number as usize)
        {
            *mark = true;
        }
        false
    })?;
    Ok(found.into_inner())
}

fn by_topic(
    catalog: &Catalog,
    found: impl Iterator<Item = MemoryNumber>,
    fell_back_to_any: bool,
) -> Counts {
    let mut counts = vec![0_u64; catalog.topics.len()];
    let mut total = 0;
    for row in found.filter_map(|number| catalog.row(number)) {
        total += 1;
        if let Some(count) = counts.get_mut(row.topic as usize) {
            *count += 1;
        }
    }
    let named = (0..)
        .zip(counts)
        .map(|(topic, count)| (catalog.topics.text(topic), count));
    Counts {
        total,
        topics: most_first(named),
        fell_back_to_any,
    }
}
