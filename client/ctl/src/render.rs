//! Answers as people read them: tables and colours on a terminal, lines of fields separated by tabs
//! elsewhere.
//!
//! Pure: a reply and a [`Look`](crate::screen::Look) go in, text comes out. Every stored text
//! passes [`crate::text`] on its way.

mod capture;
mod care;
mod conflicts;
mod consolidate;
mod corrections;
mod findings;
mod history;
mod life;
mod memory;
mod models;
mod provider;
mod relations;
mod review;
mod search;
mod stats;
mod status;
mod table;
mod topics;

#[cfg(test)]
mod tests;

pub(crate) use capture::{Paused, Source, capture, capture_files, capture_switched, captured};
pub(crate) use care::{
    batch, changed, duplicates, imported, receipts, session, sessions, similar, stale, stale_beside,
};
pub(crate) use conflicts::{conflicts, settled};
pub(crate) use consolidate::distilled;
pub(crate) use corrections::corrections;
pub(crate) use findings::findings;
pub(crate) use history::{changes, log, why};
pub(crate) use life::{backups, fates, metrics};
pub(crate) use memory::{candidates, in_full, source};
pub(crate) use models::{model_figures, models};
pub(crate) use provider::{provider, would_send};
pub(crate) use relations::{
    edges, edges_dot, edges_mermaid, graph_mermaid, hint_of_supersession, neighbours, reached,
    related, unrelated,
};
pub(crate) use review::{judged, purged, review, review_item};
pub(crate) use search::{blocks, matches, search};
pub(crate) use stats::{index_detail, indexes, stats, tag_counts};
pub(crate) use status::status;
pub(crate) use topics::{cross_references, entries, graph, graph_dot, recent, topics};
