//! Why a memory is not in an answer: the same search runs as wide as it can, and follows it.

use helix_memory::{MemoryNumber, Sources};

use super::place::Place;
use super::search::{Hit, Mode, Recalled, Retriever, Search};
use super::trail::{Stage, Trail};
use crate::index::filter::Cut;
use crate::index::lexical::Mode as WordMode;
use crate::strand::{ReadError, Strand};

/// What a search makes of one memory.
#[derive(Clone, Debug)]
pub struct WhyNot {
    /// Where it ends.
    pub fate: Fate,
    /// Its place among all that have any of the words; `None` where it has none.
    pub words: Option<Standing>,
    /// Its place among all by meaning; `None` where meaning was not compared.
    pub meaning: Option<Standing>,
    /// Whether it has no vector, so that its meaning cannot be compared.
    pub lacks_vector: bool,
}

/// Where a memory ends in a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It is in the answer, at this place from 1.
    Shown(usize),
    /// A part of the filter leaves it out.
    Filtered(Cut),
    /// It is not among the best of either list.
    Far,
    /// All of the words were demanded, and it lacks some.
    LacksWords,
    /// It has none of the words and is less near in meaning than this.
    Unrelated(f32),
    /// Others have all of the words, and it has some of them and is not near in meaning.
    SomeWords,
    /// It is found, and others are better.
    Behind(Behind),
    /// The hit at this place, from 1, says the same and stands for it.
    Copy(MemoryNumber, usize),
    /// It passes, and stands deeper than searches go or could not be read.
    Deep,
}

/// A hit behind the end of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Behind {
    /// Its place, from 1.
    pub place: usize,
    /// Its score.
    pub score: f32,
    /// The last hit of the answer, and its score.
    pub last: Option<(MemoryNumber, f32)>,
    /// The share of its score that is left beside the hits before it.
    pub diversity: f32,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// From 1.
    pub rank: usize,
    /// Its score in the list.
    pub score: f32,
}

impl Strand {
    /// Says what a search makes of one memory, and where it stands in the lists.
    ///
    /// # Errors
    /// When the disk or an index fails.
    pub fn why_not(
        &self,
        search: &Search,
        number: MemoryNumber,
        sources: &dyn Sources,
    ) -> Result<WhyNot, ReadError> {
        let wide = Search {
            limit: search.depth_max(),
            ..search.clone()
        };
        let mut trail = Trail::of(number);
        let extent = self.extent(search);
        let found = self.search_from(&wide, Place::default(), sources, extent, &mut trail)?;
        let fate = fate(&found, search.limit, number, trail.lost());
        let is_listed = search.is_listing() || matches!(fate, Fate::Filtered(_));
        let (words, meaning) = if is_listed {
            (None, None)
        } else {
            (
                self.standing_by_words(search, number)?,
                self.standing_by_meaning(search, number)?,
            )
        };
        Ok(WhyNot {
            fate,
            words,
            meaning,
            lacks_vector: search.vector.is_some() && !self.has_vector(number),
        })
    }

    fn standing_by_words(
        &self,
        search: &Search,
        number: MemoryNumber,
    ) -> Result<Option<Standing>, ReadError> {
        if search.retriever == Retriever::Meaning {
            return Ok(None);
        }
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: u32| {
            let is_kept = |row| filter.keeps_at(MemoryNumber(number), row);
            catalog.row(MemoryNumber(number)).is_some_and(is_kept)
        };
        let mode = match search.mode {
            Mode::All => WordMode::All,
            Mode::Auto | Mode::AllFirst | Mode::Any => WordMode::Any,
        };
        let ranked = self.ranked_by_words(search, mode, catalog.extent(), &passes)?;
        Ok(standing(&ranked, number))
    }

    fn standing_by_meaning(
        &self,
        search: &Search,
        number: MemoryNumber,
    ) -> Result<Option<Standing>, ReadError> {
        let catalog = self.catalog();
        let filter = search.filter.compile(&catalog);
        let passes = |number: u32| {
            let is_kept = |row| filter.keeps_at(MemoryNumber(number), row);
            catalog.row(MemoryNumber(number)).is_some_and(is_kept)
        };
        let ranked = self.semantic_list(search, &catalog, catalog.extent(), &passes)?;
        Ok(standing(&ranked, number))
    }
}

/// Where a memory ends: in what was found, or where the trail lost it.
fn fate(found: &Recalled, limit: usize, number: MemoryNumber, lost: Option<Stage>) -> Fate {
    let is_it = |hit: &Hit| hit.memory.number == number;
    let at = found.hits.iter().position(is_it);
    if let Some((at, hit)) = at.and_then(|at| Some((at, found.hits.get(at)?))) {
        if at < limit {
            return Fate::Shown(at + 1);
        }
        let weakest = limit.checked_sub(1).and_then(|at| found.hits.get(at));
        return Fate::Behind(Behind {
            place: at + 1,
            score: hit.score,
            last: weakest.map(|hit| (hit.memory.number, hit.score)),
            diversity: hit.likeness * hit.of_topic,
        });
    }
    let placed = (1..).zip(&found.hits);
    for (place, hit) in placed {
        if hit.copies.contains(&number) {
            return Fate::Copy(hit.memory.number, place);
        }
    }
    match lost {
        Some(Stage::Filter(cut)) => Fate::Filtered(cut),
        Some(Stage::Lists) => Fate::Far,
        Some(Stage::AllWords) => Fate::LacksWords,
        Some(Stage::Floor(floor)) => Fate::Unrelated(floor),
        Some(Stage::SomeWords) => Fate::SomeWords,
        None => Fate::Deep,
    }
}

fn standing(ranked: &[(MemoryNumber, f32)], number: MemoryNumber) -> Option<Standing> {
    let ranks = (1..).zip(ranked);
    for (rank, (listed, score)) in ranks {
        if *listed == number {
            return Some(Standing {
                rank,
                score: *score,
            });
        }
    }
    None
}
