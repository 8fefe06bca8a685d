//! `helixctl reindex`: every index made anew from the store.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::context::{Context, wait};
use crate::document::ReindexDocument;
use crate::failure::Outcome;
use crate::progress::while_slow;
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
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let making = client.call_once(EVERYTHING_DEADLINE, async |rpc| {
                rpc.reindex(v1::ReindexRequest {}).await
            });
            let reply = while_slow(context.screen, "making the indexes anew", making).await?;
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
        })
    }
}
