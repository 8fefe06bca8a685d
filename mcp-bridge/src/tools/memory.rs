//! The set `memory`: a few plain verbs, for agents that know Helix under those names.

mod context;
mod forget;
mod list;
mod note;
mod search;
mod write;

pub(super) use context::Context;
pub(super) use forget::Forget;
pub(super) use list::List;
pub(super) use note::Note;
pub(super) use search::Search;
pub(super) use write::Write;

/// The topic of what is stored without one.
const TOPIC: &str = "notes";
