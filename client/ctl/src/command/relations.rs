//! Relations between memories: made, taken back, and walked.

mod neighbours;
mod path;
mod relate;
mod traverse;
mod unrelate;

pub(crate) use neighbours::Neighbours;
pub(crate) use path::Path;
pub(crate) use relate::Relate;
pub(crate) use traverse::Traverse;
pub(crate) use unrelate::Unrelate;

use clap::{Args, ValueEnum};
use helix_client::v1::{EdgeFilter, TraverseReply, TraverseRequest};

use crate::context::Context;
use crate::failure::Failure;

/// Asks the daemon for what is around memories.
pub(crate) fn walked(
    context: &Context,
    request: &TraverseRequest,
) -> Result<TraverseReply, Failure> {
    context.ask(async |rpc| rpc.traverse(request.clone()).await)
}

/// Which edges of a memory are followed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Direction {
    /// Those that begin at it
    Outgoing,
    /// Those that lead to it
    Incoming,
    /// All
    #[default]
    Both,
}

/// Which edges are followed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Edges {
    /// Follows only these relations, separated by commas, e.g. '`depends_on,uses`'
    #[arg(long, value_delimiter = ',', value_name = "R")]
    relation: Vec<String>,
    /// Follows edges this way
    #[arg(long, value_enum, default_value_t, value_name = "WAY")]
    direction: Direction,
    /// Follows only edges that are at least so strong, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "X")]
    min_strength: f32,
    /// Follows suggested edges, too
    #[arg(long)]
    suggested: bool,
}

impl Edges {
    /// Returns whether suggested edges are followed, too.
    pub(crate) fn shows_suggested(&self) -> bool {
        self.suggested
    }

    /// Returns the filter that the daemon is sent.
    pub(crate) fn filter(self) -> EdgeFilter {
        let direction = match self.direction {
            Direction::Outgoing => "outgoing",
            Direction::Incoming => "incoming",
            Direction::Both => "both",
        };
        EdgeFilter {
            relations: self.relation,
            direction: direction.to_owned(),
            strength_min: self.min_strength,
            suggested: self.suggested,
            valid_at_us: None,
        }
    }
}
