//! `helixctl conflicts`: memories that contradict each other.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::ConflictsDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `conflicts`.
#[derive(Debug, Args)]
pub(crate) struct Conflicts {
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Conflicts {
    /// Prints the open conflicts, the newest first.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ConflictsRequest {
            caller: Some(context.caller()),
        };
        let reply = context.ask(async |rpc| rpc.conflicts(request.clone()).await)?;
        if self.json {
            screen::json(&ConflictsDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::conflicts(context.screen.look, &reply))?;
        let open = count_of(reply.total, "open conflict", "open conflicts");
        let advice = if reply.total == 0 {
            ""
        } else {
            "; settle one with `helixctl settle KEPT OTHER`, or --both, or --merge"
        };
        screen::remark(&format!("helixctl: {open}{advice}"));
        Ok(exit::OK)
    }
}
