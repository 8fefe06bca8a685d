//! `helixctl unrelate`: a relation taken back.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::UnrelateDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `unrelate`.
#[derive(Debug, Args)]
pub(crate) struct Unrelate {
    /// The memory where it begins
    #[arg(value_name = "A")]
    from: String,
    /// How the two are related
    relation: String,
    /// The memory to which it leads
    #[arg(value_name = "B")]
    to: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Unrelate {
    /// Takes the relation back.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::UnrelateRequest {
            caller: Some(context.caller()),
            from: self.from,
            relation: self.relation,
            to: self.to,
        };
        let reply = context.ask(async |rpc| rpc.unrelate(request.clone()).await)?;
        if self.json {
            screen::json(&UnrelateDocument::from(&reply))?;
        } else {
            screen::print(&render::unrelated(&reply))?;
        }
        Ok(exit::OK)
    }
}
