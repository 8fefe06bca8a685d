//! Recall: an explicit query and its ranked hits.
//!
//! parse → lexical top-N and semantic top-N, filters applied inside both → fusion → bounded factors
//! → diversity → expansion over the graph → limit, or a budget of tokens.

mod calendar;
mod count;
mod cursor;
mod diversity;
mod exact;
mod expand;
mod factors;
mod fusion;
mod leaf;
mod narrow;
mod near;
mod opaque;
pub mod parse;
mod period;
mod place;
pub mod questions;
pub mod relevance;
mod run;
mod search;
mod trail;
mod turns;
mod vantage;
mod why_not;
mod words;

helix_memory::faults!(cursor::CursorError);

pub use calendar::Calendar;
pub use cursor::Cursor;
pub use factors::Factors;
pub use fusion::Evidence;
pub use leaf::Leaf;
pub use narrow::Narrowed;
pub use parse::ParsedQuery;
pub use place::Place;
pub use search::{Hit, Mode, Recalled, Retriever, Search, WordsFound};
pub use vantage::Vantage;
pub use why_not::{Behind, Fate, Standing, WhyNot};
