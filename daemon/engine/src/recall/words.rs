//! What the words of a search find, and what follows from it for the order of the hits.

use std::collections::{BTreeMap, HashSet};

use super::diversity;
use super::fusion::FUSION_DEPTH;
use super::run::{Hit, Mode, Retriever, Scored, Search};
use crate::index::lexical::{LexicalQuery, Mode as WordMode, Restriction};
use crate::model::MemoryNumber;
use crate::strand::{Counted, ReadError, Strand, most_first};

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
        Self { is_open: having.len() >= FUSION_DEPTH, ranked, having, ..Self::default() }
    }

    /// Whether a memory has what was demanded, as far as the list goes.
    pub(super) fn has(&self, number: MemoryNumber) -> bool {
        self.having.contains(&number)
    }
}

impl Strand {
    /// Asks the word index.
    pub(super) fn lexical_list(&self, search: &Search, passes: &impl Fn(u32) -> bool) -> Result<WordList, ReadError> {
        if search.retriever == Retriever::Meaning {
            return Ok(WordList { is_open: true, ..WordList::default() });
        }
        let restriction = Restriction { topics: &search.filter.topics, tags: &search.filter.tags };
        let run = |mode| -> Result<Vec<(MemoryNumber, f32)>, ReadError> {
            let query = LexicalQuery::parse(&search.words, mode);
            let hits = self.lexical().search(&query, FUSION_DEPTH, &restriction, passes)?;
            Ok(hits.into_iter().map(|hit| (MemoryNumber(hit.number), hit.score)).collect())
        };
        match search.mode {
            Mode::All => run(WordMode::All).map(WordList::of),
            Mode::Any => run(WordMode::Any).map(WordList::of),
            Mode::Auto | Mode::AllFirst => {
                let all = run(WordMode::All)?;
                if all.is_empty() {
                    let any = run(WordMode::Any)?;
                    return Ok(WordList { fell_back_to_any: !any.is_empty(), ..WordList::of(any) });
                }
                let list = WordList { has_all: true, ..WordList::of(all) };
                // Beside meaning a list of the one or two that have all words is a poor witness: it ranks nothing else, and
                // cannot show whether its best stands out. The memories with all words lead the longer list as well.
                let is_fused = search.vector.is_some() && search.retriever == Retriever::Hybrid;
                Ok(if is_fused { WordList { ranked: run(WordMode::Any)?, ..list } } else { list })
            }
        }
    }

    /// Says of each hit whether it has the words: all of them, where some memory has all and they were not asked for one by one.
    /// Where the list ended, the record is asked.
    pub(super) fn tell_words(&self, search: &Search, lexical: &WordList, hits: &mut [Hit]) {
        let query = LexicalQuery::parse(&search.words, WordMode::All);
        for hit in hits {
            let is_asked = lexical.is_open && !lexical.has(hit.memory.number);
            hit.has_words = match (is_asked, lexical.has_all) {
                (false, _) => lexical.has(hit.memory.number),
                (true, true) => self.has_all_terms(&query, &hit.memory),
                (true, false) => !self.matched_terms(&query, &hit.memory).is_empty(),
            };
        }
    }

    /// What the cap keeps out of the topics of the hits, though it has the words.
    pub(super) fn hidden(
        &self,
        lexical: &WordList,
        shown: &[MemoryNumber],
        hits: &[Hit],
        per_topic: usize,
    ) -> Vec<Counted> {
        if per_topic == usize::MAX {
            return Vec::new();
        }
        let catalog = self.catalog();
        let topic = |number: MemoryNumber| catalog.row(number).map(|row| row.topic);
        let of_hits: HashSet<u32> = hits.iter().filter_map(|hit| topic(hit.memory.number)).collect();
        let full = |wanted: u32| shown.iter().filter(|number| topic(**number) == Some(wanted)).count() >= per_topic;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for (number, _) in lexical.ranked.iter().filter(|(number, _)| lexical.has(*number) && !shown.contains(number)) {
            if let Some(topic) = topic(*number).filter(|topic| of_hits.contains(topic)) {
                *counts.entry(topic).or_default() += 1;
            }
        }
        let full = counts.into_iter().filter(|(topic, _)| full(*topic));
        most_first(full.map(|(topic, count)| (catalog.topics.text(topic), count)))
    }
}

/// What comes first and what comes after it: where all words are wanted first and found, those that have them, and what is near in
/// meaning. What has some of the words and is not near is left out then.
pub(super) fn in_order(search: &Search, lexical: &WordList, pool: Vec<Scored>) -> (Vec<Scored>, Vec<Scored>) {
    if search.mode != Mode::AllFirst || !lexical.has_all {
        return (pool, Vec::new());
    }
    let (first, mut second): (Vec<Scored>, Vec<Scored>) =
        pool.into_iter().partition(|scored| lexical.has(scored.number));
    second.retain(|scored| scored.evidence.is_near());
    (first, second)
}

/// Most hits of a topic. Where some have the words, what is merely near in meaning does not decide it.
pub(super) fn per_topic(search: &Search, lexical: &WordList, pool: &[Scored]) -> usize {
    let with_words: Vec<u32> =
        pool.iter().filter(|scored| lexical.has(scored.number)).map(|scored| scored.topic).collect();
    let all = || pool.iter().map(|scored| scored.topic).collect();
    let topics: Vec<u32> = if with_words.is_empty() { all() } else { with_words };
    diversity::per_topic(&topics, !search.filter.topics.is_empty())
}
