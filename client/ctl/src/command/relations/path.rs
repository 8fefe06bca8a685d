//! `helixctl path`: how two memories are connected.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Edges;
use crate::context::Context;
use crate::document::WalkDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `path`.
#[derive(Debug, Args)]
pub(crate) struct Path {
    /// Where it begins
    #[arg(value_name = "A")]
    from: String,
    /// Where it ends
    #[arg(value_name = "B")]
    to: String,
    /// Has at most so many edges, 0 to 10
    #[arg(long, default_value_t = 10, value_name = "N")]
    depth: u32,
    #[command(flatten)]
    edges: Edges,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Path {
    /// Prints a shortest path.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let follows_suggested = self.edges.shows_suggested();
        let request = v1::PathRequest {
            caller: Some(context.caller()),
            from: self.from,
            to: self.to,
            depth: Some(self.depth),
            edges: Some(self.edges.filter()),
            scopes: Vec::new(),
        };
        let reply = context.ask(async |rpc| rpc.path(request.clone()).await)?;
        if self.json {
            screen::json(&WalkDocument::from(&reply))?;
        } else {
            screen::print(&render::reached(
                context.screen.look,
                &reply.memories,
                &reply.edges,
            ))?;
            let hint = if follows_suggested {
                ""
            } else {
                "; --suggested also follows what a machine suggested"
            };
            screen::remark_if(
                reply.memories.is_empty(),
                &format!("they are not connected within this depth{hint}"),
            );
        }
        Ok(exit::OK)
    }
}
