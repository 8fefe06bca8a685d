//! What the words of a search find, and what follows from it for the order of the hits.

use std::collections::HashSet;

use helix_memory::MemoryNumber;

use super::fusion::{Evidence, Lexical, fuse};
use super::search::{Hit, Mode, Retriever, Scored, Search};
use crate::index::lexical::{LexicalQuery, Mode as WordMode, Restriction};
use crate::strand::{ReadError, Strand};

/// How many memories with the words are looked at where the lists leave room.
const FURTHER_DEPTH: usize = 2_000;

/// What the words found.
#[derive(Default)]
pub(super) struct WordList {
    /// What is fused with meaning, best first.
    pub(super) ranked: Vec<(MemoryNumber, f32)>,
    /// Those that have what was demanded, as far as the list goes.
    having: HashSet<MemoryNumber>,
    /// Whether that is every word, which was not demanded of the whole list.
    has_all: bool,
    /// Whether others may have it too: the list ended, or nobody asked for one.
    is_open: bool,
    pub(super) fell_back_to_any: bool,
}

impl WordList {
    /// A list of which all have what was demanded.
    fn of(ranked: Vec<(MemoryNumber, f32)>) -> Self {
        let having: HashSet<MemoryNumber> = ranked.iter().map(|(number, _)| *number).collect();
        Self {
            is_open: having.len() >= Search::FUSION_DEPTH,
            ranked,
            having,
            ..Self::default()
        }
    }

    /// What was demanded of those that have it.
    fn demanded(&self, search: &Search) -> WordMode {
        if self.has_all || search.mode == Mode::All {
            WordMode::All
        } else {
            WordMode::Any
        }
    }

    /// Whether a memory has what was demanded, as far as the list goes.
    pub(super) fn has(&self, number: MemoryNumber) -> bool {
        self.having.contains(&number)
    }
}

impl Strand {
    /// Asks the word index.
    pub(super) fn lexical_list(
        &self,
        search: &Search,
        passes: &impl Fn(u32) -> bool,
    ) -> Result<WordList, ReadError> {
        if search.retriever == Retriever::Meaning {
            return Ok(WordList {
                is_open: true,
                ..WordList::default()
            });
        }
        let run = |mode| self.ranked_by_words(search, mode, Search::FUSION_DEPTH, passes);
        match search.mode {
            Mode::All => run(WordMode::All).map(WordList::of),
            Mode::Any => run(WordMode::Any).map(WordList::of),
            Mode::Auto | Mode::AllFirst => {
                let all = run(WordMode::All)?;
                if all.is_empty() {
                    let any = run(WordMode::Any)?;
                    return Ok(WordList {
                        fell_back_to_any: !any.is_empty(),
                        ..WordList::of(any)
                    });
                }
                let list = WordList {
                    has_all: true,
                    ..WordList::of(all)
                };
                // Beside meaning a list of the one or two that have all words is a poor witness: it
                // ranks nothing else, and cannot show whether its best stands out.
                // The memories with all words lead the longer list as well.
                let is_fused = search.vector.is_some() && search.retriever == Retriever::Hybrid;
                Ok(if is_fused {
                    WordList {
                        ranked: run(WordMode::Any)?,
                        ..list
                    }
                } else {
                    list
                })
            }
        }
    }

    /// The memories with the words, as many as `depth`, best first.
    pub(super) fn ranked_by_words(
        &self,
        search: &Search,
        mode: WordMode,
        depth: usize,
        passes: &impl Fn(u32) -> bool,
    ) -> Result<Vec<(MemoryNumber, f32)>, ReadError> {
        let query = search.query(mode);
        let restriction = Restriction {
            topics: &search.filter.topics,
            tags: &search.filter.tags,
        };
        let hits = self.search_words(&query, depth, &restriction, passes)?;
        Ok(hits
            .into_iter()
            .map(|hit| (MemoryNumber(hit.number), hit.score))
            .collect())
    }

    /// What else has the words, when the list of those that have them was cut; with scores on the
    /// scale of the list.
    pub(super) fn further_by_words(
        &self,
        search: &Search,
        lexical: &mut WordList,
        passes: &impl Fn(u32) -> bool,
    ) -> Result<Vec<(MemoryNumber, Evidence)>, ReadError> {
        if lexical.having.len() < Search::FUSION_DEPTH {
            return Ok(Vec::new());
        }
        let all = self.ranked_by_words(search, lexical.demanded(search), FURTHER_DEPTH, passes)?;
        let known: HashSet<MemoryNumber> = lexical.having.iter().copied().collect();
        lexical.having.extend(all.iter().map(|(number, _)| *number));
        lexical.is_open = all.len() >= FURTHER_DEPTH;
        let words = Lexical {
            list: &all,
            telling: None,
        };
        let fused = fuse(words, &[], 0.0, |_| false).candidates;
        Ok(fused
            .into_iter()
            .filter(|(number, _)| !known.contains(number))
            .collect())
    }

    /// Says of each hit whether it has the words: all of them, where some memory has all and they
    /// were not asked for one by one. Where the list ended, the record is asked; so it is for
    /// any of them, which a list of those with all does not tell.
    pub(super) fn tell_words(&self, search: &Search, lexical: &WordList, hits: &mut [Hit]) {
        let query = search.query(WordMode::All);
        for hit in hits {
            let is_asked = lexical.is_open && !lexical.has(hit.memory.number);
            hit.has_words = match (is_asked, lexical.has_all) {
                (false, _) => lexical.has(hit.memory.number),
                (true, true) => self.has_all_terms(&query, &hit.memory),
                (true, false) => !self.matched_terms(&query, &hit.memory).is_empty(),
            };
            hit.has_some_words = hit.has_words
                || hit.evidence.lexical_rank > 0
                || !self.matched_terms(&query, &hit.memory).is_empty();
        }
    }
}

/// What comes first and what comes after it. Where keywords are looked for and some memories have
/// them all, those, and what is near in meaning; what has some of the words and is not near is left
/// out then. A question's words are not chosen one by one, so that one list holds everything.
pub(super) fn in_order(
    search: &Search,
    lexical: &WordList,
    pool: Vec<Scored>,
) -> (Vec<Scored>, Vec<Scored>) {
    let is_all_first = match search.mode {
        Mode::AllFirst => true,
        Mode::Auto => LexicalQuery::parse(&search.words, WordMode::All).is_keywords(),
        Mode::All | Mode::Any => false,
    };
    if !is_all_first || !lexical.has_all {
        return (pool, Vec::new());
    }
    let (first, mut second): (Vec<Scored>, Vec<Scored>) = pool
        .into_iter()
        .partition(|scored| lexical.has(scored.number));
    second.retain(|scored| scored.evidence.is_near());
    (first, second)
}
