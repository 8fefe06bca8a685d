//! Views of the strand: topics, memories by time, references between topics, counts, compressed
//! text.
//!
//! Nothing here changes anything.

mod brief;
mod context;
mod entries;
mod graph;
mod receipts;
mod recent;
mod session;
mod stats;
mod topics;
mod xref;

pub(crate) use brief::Brief;
pub(crate) use context::Pack;
pub(crate) use entries::Entries;
pub(crate) use graph::Graph;
pub(crate) use receipts::Receipts;
pub(crate) use recent::Recent;
pub(crate) use session::Session;
pub(crate) use stats::Stats;
pub(crate) use topics::Topics;
pub(crate) use xref::Xref;

use clap::Args;

/// Which scopes are looked in.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Scopes {
    /// Looks in these scopes instead of project and global: global, project:ID or all; separated
    /// by commas, or repeated
    #[arg(long, value_delimiter = ',', value_name = "S")]
    pub(crate) scope: Vec<String>,
}
