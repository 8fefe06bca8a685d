//! Recall: an explicit query and its ranked hits.
//!
//! parse → lexical top-N and semantic top-N, filters applied inside both → fusion → bounded factors
//! → diversity → expansion over the graph → limit, or a budget of tokens.

pub mod budget;
mod calendar;
mod count;
mod cursor;
mod diversity;
mod expand;
mod factors;
mod fusion;
mod leaf;
mod narrow;
mod near;
mod opaque;
pub mod pack;
pub mod parse;
mod place;
pub mod questions;
pub mod relevance;
mod run;
mod search;
pub mod snippet;
mod trail;
mod turns;
mod why_not;
mod words;

pub use calendar::Calendar;
pub use count::Counts;
pub use cursor::{Cursor, CursorError, LISTING_DEPTH_MAX, depth_max};
pub use diversity::PER_TOPIC_FREE;
pub use expand::Expansion;
pub use factors::Factors;
pub use fusion::{Evidence, FUSION_DEPTH, MEANING_FLOOR};
pub use leaf::Leaf;
pub use narrow::Narrowed;
pub use parse::{ParsedQuery, QueryError};
pub use place::Place;
pub use search::{Hit, Mode, Recalled, Retriever, SEARCH_DEPTH_MAX, Search, WordsFound};
pub use why_not::{Behind, Fate, Standing, WhyNot};
