//! `helixctl xref`: who speaks of a topic.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::context::Context;
use crate::document::CrossReferencesDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `xref`.
#[derive(Debug, Args)]
pub(crate) struct Xref {
    /// The topic
    topic: String,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Xref {
    /// Prints the memories of other topics that name this one or link to it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::CrossReferencesRequest {
            caller: Some(context.caller()),
            topic: self.topic,
            scopes: self.scopes.scope,
        };
        let reply = context.ask(async |rpc| rpc.cross_references(request.clone()).await)?;
        if self.json {
            screen::json(&CrossReferencesDocument::from(&reply))?;
        } else {
            screen::print(&render::cross_references(
                context.screen.look,
                &reply.references,
            ))?;
            screen::remark_if(reply.references.is_empty(), "no other topic mentions it");
        }
        Ok(exit::OK)
    }
}
