//! `helixctl neighbours`: what is related to a memory.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::{Edges, walked};
use crate::context::Context;
use crate::document::WalkDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `neighbours`.
#[derive(Debug, Args)]
pub(crate) struct Neighbours {
    /// A handle, an id, a unique prefix of either or topic:index
    memory: String,
    #[command(flatten)]
    edges: Edges,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Neighbours {
    /// Prints the neighbours.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let shows_suggested = self.edges.shows_suggested();
        let request = v1::TraverseRequest {
            caller: Some(context.caller()),
            memories: vec![self.memory],
            depth: Some(1),
            edges: Some(self.edges.filter()),
            ..v1::TraverseRequest::default()
        };
        let reply = walked(context, &request)?;
        if self.json {
            screen::json(&WalkDocument::from(&reply))?;
        } else {
            screen::print(&render::neighbours(context.screen.look, &reply))?;
            let nothing = if shows_suggested {
                "nothing is related to it"
            } else {
                "nothing is related to it; --suggested also shows what Helix thinks is"
            };
            screen::remark_if(reply.edges.is_empty(), nothing);
            screen::remark_if(reply.cut, "there are more");
        }
        Ok(exit::OK)
    }
}
