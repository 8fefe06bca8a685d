//! `helixctl why`: where a memory comes from, what became of it, and who was told it.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::WhyDocument;
use crate::failure::Outcome;
use crate::{pick, render, screen};

/// Arguments of `why`.
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// Handle, id, the beginning of either, or topic:index; chosen from a list on a terminal unless
    /// given
    #[arg(value_name = "REF")]
    reference: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Why {
    /// Prints the memory's life.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let reference = match self.reference {
            Some(reference) => reference,
            None => pick::memory(context, "explain")?,
        };
        let request = v1::WhyRequest {
            caller: Some(context.caller()),
            reference,
        };
        let reply = context.ask(async |rpc| rpc.why(request.clone()).await)?;
        if self.json {
            screen::json(&WhyDocument::from(&reply))?;
        } else {
            screen::print(&render::why(context.screen.look, &reply))?;
        }
        Ok(exit::OK)
    }
}
