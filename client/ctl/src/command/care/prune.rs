//! `helixctl prune`: topics that nobody added to for a while. Removes nothing.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use crate::command::browse::Scopes;
use crate::context::Context;
use crate::document::PruneDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `prune`.
#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Names topics without a new or changed memory for so many days [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    days: Option<u32>,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Prune {
    /// Prints the quiet topics, the oldest first.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::PruneRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
            days: self.days.unwrap_or_default(),
        };
        let reply = context.ask(async |rpc| rpc.prune(request.clone()).await)?;
        if self.json {
            screen::json(&PruneDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::topics(context.screen.look, &reply.topics))?;
        let quiet = count_of(reply.topics.len(), "topic was", "topics were");
        let days = count_of(reply.days, "day", "days");
        let hint = if reply.topics.is_empty() {
            ""
        } else {
            "; forget one with helixctl forget --topic T --all"
        };
        screen::remark(&format!("helixctl: {quiet} quiet for {days}{hint}"));
        Ok(exit::OK)
    }
}
