//! `helixctl reindex`: every index made anew from the store.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::context::Context;
use crate::document::ReindexDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `reindex`.
#[derive(Debug, Args)]
pub(crate) struct Reindex {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Reindex {
    /// Makes the indexes and describes them.
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let reply = context.ask_slowly(
            "making the indexes anew",
            EVERYTHING_DEADLINE,
            async |rpc| rpc.reindex(v1::ReindexRequest {}).await,
        )?;
        if self.json {
            screen::json(&ReindexDocument::from(&reply))?;
        } else {
            screen::print(&render::indexes(context.screen.look, &reply.indexes))?;
            let (memories, ms) = (
                count_of(reply.memories, "memory", "memories"),
                reply.elapsed_us / 1_000,
            );
            screen::remark(&format!("helixctl: {memories} in {ms} ms"));
        }
        Ok(exit::OK)
    }
}
