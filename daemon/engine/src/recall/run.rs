//! Running a search.

use std::collections::HashMap;

use helix_memory::{MemoryNumber, NoSources, Sources, Timestamp, effective_confidence};

use super::diversity::{self, Candidate, Selection, Spread, Taken};
use super::exact;
use super::expand::SEEDS_MAX;
use super::factors::Factors;
use super::fusion::{Evidence, Fused, Lexical, MEANING_FLOOR, UNRELATED_BELOW, fuse};
use super::place::Place;
use super::search::{Hit, Mode, Recalled, Retriever, Scored, Search, WordsFound};
use super::trail::{Stage, Trail};
use super::turns;
use super::words::{WordList, in_order};
use crate::index::catalog::{Catalog, Row};
use crate::index::lexical::Mode as WordMode;
use crate::index::vectors::{Candidates, TokenQuery};
use crate::strand::{ReadError, Strand};

/// Candidates whose records are read at first; twice as many at each further step. Reading one
/// costs microseconds, and the rest seldom has a chance.
const POOL_STEP: usize = 24;

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// For somebody who did not ask.
    Unasked,
    /// For somebody who asked.
    Asked,
    /// The same, with what edges connect to the strongest hits.
    Expanded,
}

impl Strand {
    /// Searches by words and by meaning; without words it lists the newest.
    ///
    /// # Errors
    /// When the disk or an index fails.
    pub fn search(&self, search: &Search) -> Result<Recalled, ReadError> {
        let mut trail = Trail::of_nobody();
        self.search_from(
            search,
            Place::default(),
            &NoSources,
            Extent::Unasked,
            &mut trail,
        )
    }

    /// Does what [`Strand::search`] does, from a place on, and brings what edges connect to the
    /// strongest hits. As long as nothing changes but that memories are stored, pages put together
    /// are what one large page is. Looks at the sources of the candidates: one that changed makes
    /// its memory doubtful.
    ///
    /// # Errors
    /// When the disk or an index fails.
    pub fn search_page(
        &self,
        search: &Search,
        place: Place,
        sources: &dyn Sources,
    ) -> Result<Recalled, ReadError> {
        let mut trail = Trail::of_nobody();
        self.search_from(search, place, sources, self.extent(search), &mut trail)
    }

    /// Searches. The trail learns of each stage whether the memory that it follows is still there.
    pub(super) fn search_from(
        &self,
        search: &Search,
        place: Place,
        sources: &dyn Sources,
        extent: Extent,
        trail: &mut Trail,
    ) -> Result<Recalled, ReadError> {
        let place = self.known_at(place);
        if search.is_listing() {
            return self.list_newest(search, place, sources, trail);
        }
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: u32| {
            let is_kept = |row| filter.keeps_at(MemoryNumber(number), row);
            place.knows(number) && catalog.row(MemoryNumber(number)).is_some_and(is_kept)
        };
        trail.filter(|number| filter.cut_at(number, catalog.row(number)?));
        let mut lexical = self.lexical_list(search, &passes)?;
        let mut semantic = self.semantic_list(search, &catalog, Search::FUSION_DEPTH, &passes)?;
        trail.stays(Stage::Lists, |number| {
            is_in(&lexical.ranked, number) || is_in(&semantic, number)
        });
        if search.mode == Mode::All && search.retriever == Retriever::Hybrid {
            // Meaning orders those that have all words, and adds none.
            semantic.retain(|(number, _)| lexical.has(*number));
            trail.stays(Stage::AllWords, |number| lexical.has(number));
        }
        let words = match (lexical.ranked.is_empty(), lexical.fell_back_to_any) {
            (true, _) if search.retriever == Retriever::Hybrid => WordsFound::Nothing,
            (_, true) => WordsFound::OnlyAny,
            (_, false) => WordsFound::AsAsked,
        };
        // Unasked, a token that is rare by chance would be shown for no more than that.
        let held = if semantic.is_empty() || extent == Extent::Unasked {
            HashMap::new()
        } else {
            self.exact_holders(search, &passes)?
        };
        let is_cut = lexical.ranked.len().max(semantic.len()) >= Search::FUSION_DEPTH;
        let floor = floor(search, extent, &lexical, &semantic);
        // Where words are all that there is, how far to trust them weighs against nothing.
        let query = search.query(WordMode::Any);
        let rarities = if semantic.is_empty() {
            None
        } else {
            Some(self.lexical().rarities(&query)?)
        };
        let semantic = self.standings(&semantic);
        let by_words = Lexical {
            list: &lexical.ranked,
            telling: rarities.as_ref().map(|rarities| rarities.telling),
        };
        let mut fused = fuse(by_words, &semantic, floor, |number| {
            !self.has_vector(number)
        });
        let rarities = rarities.filter(|_| search.retriever == Retriever::Hybrid);
        let texts = match &rarities {
            Some(_) => self.embedded_texts(&catalog, &fused.best()),
            None => Vec::new(),
        };
        // What follows reads the disk, and writers wait for the catalog.
        drop(catalog);
        if let Some(rarities) = rarities {
            self.weigh_tokens(search, &mut fused, &texts, |word| {
                rarities.of_word(&query, word)
            });
        }
        let mut fused = fused.candidates;
        exact::lift(&mut fused, &held);
        trail.stays(Stage::Floor(floor), |number| {
            fused.iter().any(|(found, _)| *found == number)
        });
        let pool = self.pool(search, fused);
        let wanted = place.offset.saturating_add(search.limit);
        // One more than wanted tells whether there are more.
        let is_expanded = extent == Extent::Expanded;
        let seeds = if is_expanded { SEEDS_MAX } else { 0 };
        let mut room = Room::new(search, wanted.saturating_add(1).max(seeds));
        let (first, second) = in_order(search, &lexical, pool);
        trail.stays(Stage::SomeWords, |number| {
            first
                .iter()
                .chain(&second)
                .any(|scored| scored.number == number)
        });
        let mut hits = Vec::new();
        self.extend_by_best(&mut hits, first, search, &mut room, sources)?;
        self.extend_by_best(&mut hits, second, search, &mut room, sources)?;
        if room.limit > 0 {
            let mut further = self.further(search, place, &mut lexical)?;
            further.retain(|scored| !stands_in(&hits, scored.number));
            self.extend_by_best(&mut hits, further, search, &mut room, sources)?;
        }
        if is_expanded {
            hits = self.expand(hits, search, place, sources)?;
        }
        let shown: Vec<MemoryNumber> = hits.iter().map(|hit| hit.memory.number).collect();
        let page = Page::of(&shown, place, search.limit, wanted);
        hits.truncate(page.end);
        hits.drain(..page.start.min(hits.len()));
        self.tell_words(search, &lexical, &mut hits);
        let Page {
            has_more,
            has_moved,
            next,
            ..
        } = page;
        Ok(Recalled {
            hits,
            words,
            has_more,
            next,
            has_moved,
            is_cut,
        })
    }

    /// Compares the best candidates, given with the hashes of their texts, with the question token by
    /// token.
    fn weigh_tokens(
        &self,
        search: &Search,
        fused: &mut Fused,
        texts: &[(MemoryNumber, u64)],
        weight: impl Fn(&str) -> f32,
    ) {
        let tokens = search.vector.as_ref().map(|vector| &vector.tokens);
        let query = tokens.and_then(|tokens| TokenQuery::new(tokens, weight));
        let Some(query) = query.filter(|_| helix_ablation::is_on("search/tokens")) else {
            return;
        };
        let scores = self.token_scores(&query, texts);
        let numbers = texts.iter().map(|(number, _)| *number);
        fused.weigh_tokens(&numbers.zip(scores).collect());
    }

    /// The candidates with what the catalog says of them.
    fn pool(&self, search: &Search, mut fused: Vec<(MemoryNumber, Evidence)>) -> Vec<Scored> {
        let catalog = self.catalog();
        if search.retriever == Retriever::Hybrid {
            turns::lift(&catalog, &mut fused);
        }
        fused
            .into_iter()
            .filter_map(|(number, evidence)| Scored::new(&catalog, number, evidence, search))
            .collect()
    }

    /// How far a search goes that somebody asked for.
    pub(super) fn extent(&self, search: &Search) -> Extent {
        if self.expands(search) {
            Extent::Expanded
        } else {
            Extent::Asked
        }
    }

    /// The place, which on a first page comes to know what there is.
    fn known_at(&self, place: Place) -> Place {
        let extent = u32::try_from(self.catalog().extent()).unwrap_or(u32::MAX);
        Place {
            extent: place.extent.min(extent),
            ..place
        }
    }

    /// What else has the words, where there is room for more than the lists hold.
    fn further(
        &self,
        search: &Search,
        place: Place,
        lexical: &mut WordList,
    ) -> Result<Vec<Scored>, ReadError> {
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: u32| {
            let is_kept = |row| filter.keeps_at(MemoryNumber(number), row);
            place.knows(number) && catalog.row(MemoryNumber(number)).is_some_and(is_kept)
        };
        let found = self.further_by_words(search, lexical, &passes)?.into_iter();
        Ok(found
            .filter_map(|(number, evidence)| Scored::new(&catalog, number, evidence, search))
            .collect())
    }

    /// The newest memories that pass, strictly in that order.
    fn list_newest(
        &self,
        search: &Search,
        place: Place,
        sources: &dyn Sources,
        trail: &mut Trail,
    ) -> Result<Recalled, ReadError> {
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        trail.filter(|number| filter.cut_at(number, catalog.row(number)?));
        let rows = catalog.rows_by_time(search.now, |row| row.valid_from);
        let rows =
            rows.filter(|(_, number, row)| place.knows(number.0) && filter.keeps_at(*number, row));
        let mut passing: Vec<(Timestamp, MemoryNumber)> =
            rows.map(|(at, number, _)| (at, number)).collect();
        let wanted = place.offset.saturating_add(search.limit).saturating_add(1);
        if passing.len() > wanted {
            passing.select_nth_unstable_by(wanted, |a, b| b.cmp(a));
            passing.truncate(wanted);
        }
        passing.sort_unstable_by(|a, b| b.cmp(a));
        let listed: Vec<MemoryNumber> = passing.into_iter().map(|(_, number)| number).collect();
        let Page {
            start,
            end,
            has_more,
            has_moved,
            next,
        } = Page::of(&listed, place, search.limit, wanted - 1);
        let evidence = Evidence {
            fused: 1.0,
            ..Evidence::default()
        };
        let page = listed.get(start..end).unwrap_or_default().iter();
        let pool = page
            .filter_map(|number| Scored::new(&catalog, *number, evidence, search))
            .collect();
        drop(catalog);
        Ok(Recalled {
            hits: self.read(pool, search, sources)?,
            has_more,
            next,
            has_moved,
            ..Recalled::default()
        })
    }

    /// Puts the best of the candidates behind the hits, diverse, as many as there is room for.
    fn extend_by_best(
        &self,
        best: &mut Vec<Hit>,
        mut near: Vec<Scored>,
        search: &Search,
        room: &mut Room,
        sources: &dyn Sources,
    ) -> Result<(), ReadError> {
        near.sort_by(|a, b| b.most().total_cmp(&a.most()).then(a.number.cmp(&b.number)));
        let mut unread = near.into_iter();
        let mut step = POOL_STEP.max(room.limit.saturating_mul(2));
        let mut hits = Vec::new();
        let selection = loop {
            let read = self.read(unread.by_ref().take(step).collect(), search, sources)?;
            hits.extend(read.into_iter().filter(|hit| !is_copied(best, hit)));
            hits = ranked(hits);
            let selection = self.select(&hits, room);
            // Copies are left out, and decay reorders a little.
            let best_unread = unread.as_slice().first().map(Scored::most);
            if best_unread.is_none_or(|best| selection.holds_against(best, room.limit)) {
                break selection;
            }
            step *= 2;
        };
        room.limit -= selection.order.len();
        room.taken = selection.taken;
        let numbers: Vec<MemoryNumber> = hits.iter().map(|hit| hit.memory.number).collect();
        let mut slots: Vec<Option<Hit>> = hits.into_iter().map(Some).collect();
        let chosen = selection.order.into_iter().zip(selection.worth);
        let left = selection.beside.into_iter().zip(selection.copies);
        for ((at, score), (beside, copies)) in chosen.zip(left) {
            let Some(hit) = slots.get_mut(at).and_then(Option::take) else {
                continue;
            };
            let copies = copies.iter().filter_map(|at| numbers.get(*at).copied());
            best.push(Hit {
                likeness: beside.likeness,
                of_topic: beside.topic,
                score,
                copies: copies.collect(),
                ..hit
            });
        }
        Ok(())
    }

    /// The nearest memories in meaning, as many as `depth`.
    pub(super) fn semantic_list(
        &self,
        search: &Search,
        catalog: &Catalog,
        depth: usize,
        passes: &(impl Fn(u32) -> bool + Sync),
    ) -> Result<Vec<(MemoryNumber, f32)>, ReadError> {
        let (Some(vector), false) = (&search.vector, search.retriever == Retriever::Words) else {
            return Ok(Vec::new());
        };
        let passes = &|number| passes(number) && self.says_the_same(MemoryNumber(number));
        let listed = few_candidates(search, catalog, passes);
        let candidates = match &listed {
            Some(list) => Candidates::List(list),
            None => Candidates::Filter {
                keeps: passes,
                expected: catalog.extent(),
            },
        };
        let hits = self.nearest(&vector.whole, depth, candidates)?;
        Ok(hits
            .into_iter()
            .map(|hit| (MemoryNumber(hit.number), hit.cosine))
            .collect())
    }

    /// Reads the candidates' records and finishes their scores, in the order given.
    pub(super) fn read(
        &self,
        pool: Vec<Scored>,
        search: &Search,
        sources: &dyn Sources,
    ) -> Result<Vec<Hit>, ReadError> {
        let snapshot = self.snapshot()?;
        let mut found = Vec::with_capacity(pool.len());
        for scored in pool {
            found.extend(
                snapshot
                    .memory(scored.number)?
                    .map(|memory| (scored, memory)),
            );
        }
        let centralities = self.centralities(found.iter().map(|(_, memory)| memory.number));
        sources.prepare(&mut found.iter().map(|(_, memory)| memory));
        let mut hits = Vec::with_capacity(found.len());
        for (
            (
                Scored {
                    evidence,
                    mut factors,
                    ..
                },
                memory,
            ),
            centrality,
        ) in found.into_iter().zip(centralities)
        {
            let source_state = sources.state(&memory);
            let confidence = effective_confidence(&memory, self.kinds(), centrality, search.now);
            let confidence = source_state.cap(confidence);
            factors.confidence = Factors::confidence_factor(confidence);
            factors.recency = factors.recency.max(told(search, &memory.text));
            hits.push(Hit {
                score: evidence.fused * factors.product(),
                memory,
                evidence,
                factors,
                likeness: 1.0,
                of_topic: 1.0,
                copies: Vec::new(),
                source_state,
                has_words: evidence.lexical_rank > 0,
                has_some_words: evidence.lexical_rank > 0,
                expansion: None,
            });
        }
        Ok(hits)
    }

    fn select(&self, hits: &[Hit], room: &Room) -> Selection {
        let catalog = self.catalog();
        let numbers: Vec<MemoryNumber> = hits.iter().map(|hit| hit.memory.number).collect();
        let topic = |hit: &Hit| {
            catalog
                .row(hit.memory.number)
                .map_or(u32::MAX, |row: &Row| row.topic)
        };
        let candidates: Vec<Candidate<'_>> = hits
            .iter()
            .zip(self.codes(&numbers))
            .map(|(hit, code)| Candidate {
                topic: topic(hit),
                score: hit.score,
                text: &hit.memory.text,
                is_suspect: is_suspect(hit),
                code,
            })
            .collect();
        diversity::select(&candidates, room.limit, room.spread, room.taken.clone())
    }
}

/// Related memories of an answer to somebody who asked, below which what is less near comes along:
/// one stray word hides the answer else.
const RELATED_MIN: usize = 3;

/// The cosine from which a memory without any of the words is related.
fn floor(
    search: &Search,
    extent: Extent,
    lexical: &WordList,
    semantic: &[(MemoryNumber, f32)],
) -> f32 {
    let is_near = |(number, cosine): &&(MemoryNumber, f32)| {
        *cosine >= MEANING_FLOOR && !is_in(&lexical.ranked, *number)
    };
    let related = || lexical.ranked.len() + semantic.iter().filter(is_near).count();
    let is_asked = extent != Extent::Unasked && search.mode != Mode::All;
    if search.retriever == Retriever::Meaning || is_asked && related() < RELATED_MIN {
        UNRELATED_BELOW
    } else {
        MEANING_FLOOR
    }
}

/// A part of what was found.
struct Page {
    start: usize,
    end: usize,
    has_more: bool,
    has_moved: bool,
    /// Where the next one begins.
    next: Place,
}

impl Page {
    /// The page of so many hits that begins at a place, of all up to one behind those `wanted`.
    fn of(found: &[MemoryNumber], place: Place, limit: usize, wanted: usize) -> Self {
        let (start, has_moved) = place.start(found);
        let start = start.min(found.len());
        let end = start.saturating_add(limit).min(found.len());
        let next = Place::behind(found.get(..end).unwrap_or(found), place.extent);
        // A page that begins later than it was to may end where what was looked at does, and not
        // where all ends.
        Self {
            start,
            end,
            has_more: found.len() > end || found.len() > wanted,
            has_moved,
            next,
        }
    }
}

/// What there is room for.
struct Room {
    /// How many further hits.
    limit: usize,
    spread: Spread,
    /// What each topic has.
    taken: Taken,
}

impl Room {
    fn new(search: &Search, limit: usize) -> Self {
        let spread = if search.filter.topics.is_empty() {
            Spread::Topics
        } else {
            Spread::Asked
        };
        Self {
            limit,
            spread,
            taken: Taken::new(),
        }
    }
}

/// The factor of the age of what was written about a time that the question names.
fn told(search: &Search, text: &str) -> f32 {
    match search.vantage.period {
        Some(period) if period.holds_date_in(text) => Factors::RECENCY_MAX,
        Some(_) | None => 0.0,
    }
}

/// Whether a list has a memory.
fn is_in(list: &[(MemoryNumber, f32)], number: MemoryNumber) -> bool {
    list.iter().any(|(listed, _)| *listed == number)
}

/// Returns whether a memory is a hit, or a hit stands for it.
fn stands_in(hits: &[Hit], number: MemoryNumber) -> bool {
    let is_it = |hit: &Hit| hit.memory.number == number || hit.copies.contains(&number);
    hits.iter().any(is_it)
}

fn is_suspect(hit: &Hit) -> bool {
    !hit.memory.suspicions.is_empty()
}

/// Returns whether one of the hits has the same text, letter by letter; that one then stands for it.
fn is_copied(hits: &mut [Hit], other: &Hit) -> bool {
    let is_on = helix_ablation::is_on("search/diversity");
    let same = hits.iter_mut().find(|hit| {
        is_on && hit.memory.text == other.memory.text && is_suspect(hit) == is_suspect(other)
    });
    let Some(hit) = same else { return false };
    hit.copies.push(other.memory.number);
    true
}

fn ranked(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.memory.number.cmp(&b.memory.number))
    });
    hits
}

/// The candidates themselves when a topic filter leaves only its members.
fn few_candidates(
    search: &Search,
    catalog: &Catalog,
    passes: &impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    if search.filter.topics.is_empty() {
        return None;
    }
    let members = search
        .filter
        .topics
        .iter()
        .flat_map(|topic| catalog.of_topic(topic));
    Some(
        members
            .map(|number| number.0)
            .filter(|&number| passes(number))
            .collect(),
    )
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
