//! `helixctl traverse`: what is around memories.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::{Edges, walked};
use crate::command::browse::Scopes;
use crate::context::Context;
use crate::document::WalkDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `traverse`.
#[derive(Debug, Args)]
pub(crate) struct Traverse {
    /// Where to begin: handles, ids, unique prefixes of either or topic:index
    #[arg(required = true, value_name = "MEMORY")]
    memories: Vec<String>,
    /// Goes so many edges far, 0 to 10; 0 shows the edges among the memories
    #[arg(long, default_value_t = 2, value_name = "N")]
    depth: u32,
    #[command(flatten)]
    edges: Edges,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Traverse {
    /// Prints what was reached.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::TraverseRequest {
            caller: Some(context.caller()),
            memories: self.memories,
            depth: Some(self.depth),
            edges: Some(self.edges.filter()),
            scopes: self.scopes.scope,
            ..v1::TraverseRequest::default()
        };
        let reply = walked(context, &request)?;
        if self.json {
            screen::json(&WalkDocument::from(&reply))?;
        } else {
            screen::print(&render::reached(
                context.screen.look,
                &reply.memories,
                &reply.edges,
            ))?;
            screen::remark_if(reply.cut, "there are more");
        }
        Ok(exit::OK)
    }
}
