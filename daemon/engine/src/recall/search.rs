//! A search as it is asked for, and what it finds.

use std::collections::HashMap;

use helix_memory::{Memory, MemoryNumber, Scope, SourceState, Timestamp};

use super::expand::Expansion;
use super::factors::Factors;
use super::fusion::Evidence;
use super::place::Place;
use super::vantage::Vantage;
use crate::index::catalog::Catalog;
use crate::index::filter::Filter;
use crate::index::lexical::{LexicalQuery, Mode as WordMode};
use crate::index::vectors::TextVectors;
use crate::strand::Strand;

/// Memories of a topic among which the place of a hit is looked for: some hundredth of a
/// millisecond.
const HIT_TOPIC_MAX: usize = 2_000;

/// Deepest hit of a search by words or meaning: both lists, fused, have no more.
pub const SEARCH_DEPTH_MAX: usize = 2 * Search::FUSION_DEPTH;

/// How words must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As [`Mode::AllFirst`] for a few keywords; for a question, what fits its words and its
    /// meaning best.
    #[default]
    Auto,
    /// All of them, and what is near in meaning after those; or any when nothing has all.
    AllFirst,
    /// All of them.
    All,
    /// Any of them.
    Any,
}

/// Which lists are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retriever {
    /// Both.
    #[default]
    Hybrid,
    /// The lexical one.
    Words,
    /// The semantic one.
    Meaning,
}

/// A search, ready to run.
#[derive(Clone, Debug)]
pub struct Search {
    /// What to find; empty lists the newest that pass the filter.
    pub words: String,
    /// The words' vector and those of their tokens, where there is an embedder.
    pub vector: Option<TextVectors>,
    /// What may be returned.
    pub filter: Filter,
    /// Most hits.
    pub limit: usize,
    /// How words must match.
    pub mode: Mode,
    /// Which lists are asked.
    pub retriever: Retriever,
    /// Now.
    pub now: Timestamp,
    /// From where whoever asks looks.
    pub vantage: Vantage,
}

/// A found memory.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The memory as it is in the store.
    pub memory: Memory,
    /// The final score, about 1 for the best possible.
    pub score: f32,
    /// What the lists said.
    pub evidence: Evidence,
    /// What moved the score.
    pub factors: Factors,
    /// The share that is left of it where it resembles a hit before it. The score is the fused one
    /// times the factors, times this and the share for its topic.
    pub likeness: f32,
    /// The share that is left of it where several hits before it are of its topic.
    pub of_topic: f32,
    /// Memories that say the same in nearly the same words, for which it stands.
    pub copies: Vec<MemoryNumber>,
    /// What has become of its source.
    pub source_state: SourceState,
    /// Whether it has words that were asked for, as many as were demanded.
    pub has_words: bool,
    /// Whether it has any of them.
    pub has_some_words: bool,
    /// How it came along with another hit; `None` for what was found by itself.
    pub expansion: Option<Expansion>,
}

/// What the words of a search found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordsFound {
    /// What was asked for.
    #[default]
    AsAsked,
    /// No memory has all of them; any was enough.
    OnlyAny,
    /// Nothing, so that all hits are merely near in meaning.
    Nothing,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Recalled {
    /// Best first.
    pub hits: Vec<Hit>,
    /// What the words found.
    pub words: WordsFound,
    /// Whether there are further hits.
    pub has_more: bool,
    /// Where those begin.
    pub next: Place,
    /// Whether a hit may have come twice or be missing, because the strand changed since the pages
    /// before.
    pub has_moved: bool,
    /// Whether a list was full, so that more may match than can be shown.
    pub is_cut: bool,
}

impl Search {
    /// Returns whether it lists the newest instead of searching.
    #[must_use]
    pub fn is_listing(&self) -> bool {
        self.words.trim().is_empty()
    }

    /// A listing of what was said at the time that its question names; `None` where it names none.
    #[must_use]
    pub fn of_its_time(&self) -> Option<Self> {
        let (start, end) = self.vantage.period?.bounds();
        let filter = Filter {
            after: self.filter.after.max(Some(start)),
            before: Some(self.filter.before.map_or(end, |before| before.min(end))),
            ..self.filter.clone()
        };
        Some(Self {
            words: String::new(),
            vector: None,
            filter,
            ..self.clone()
        })
    }

    /// Its words as the word index is asked for them. Who demands all of them by name demands
    /// single digits, too.
    #[must_use]
    pub fn query(&self, mode: WordMode) -> LexicalQuery {
        match self.mode {
            Mode::All => LexicalQuery::parse_every(&self.words, mode),
            Mode::Auto | Mode::AllFirst | Mode::Any => LexicalQuery::parse(&self.words, mode),
        }
    }
}

/// A candidate with what is known of it before its record is read.
pub(super) struct Scored {
    pub(super) number: MemoryNumber,
    pub(super) evidence: Evidence,
    pub(super) factors: Factors,
    /// The most that their product can become.
    factors_most: f32,
}

impl Scored {
    pub(super) fn new(
        catalog: &Catalog,
        number: MemoryNumber,
        evidence: Evidence,
        search: &Search,
    ) -> Option<Self> {
        let row = catalog.row(number)?;
        let factors = Factors::of(row, catalog, search);
        Some(Self {
            number,
            evidence,
            factors,
            factors_most: factors.most(search),
        })
    }

    /// The most that the score can be: decay lowers it, and a date in the text may raise it.
    pub(super) fn most(&self) -> f32 {
        self.evidence.fused * self.factors_most
    }
}

impl Strand {
    /// The places in their topics of the hits of a search, which is not to take longer for it: in a
    /// very large topic they have none.
    #[must_use]
    pub fn hit_positions(&self, hits: &[Hit], scopes: &[Scope]) -> HashMap<MemoryNumber, u32> {
        let numbers: Vec<MemoryNumber> = hits.iter().map(|hit| hit.memory.number).collect();
        self.catalog().positions(&numbers, scopes, HIT_TOPIC_MAX)
    }
}
