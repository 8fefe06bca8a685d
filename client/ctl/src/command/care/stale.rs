//! `helixctl stale`: memories whose source changed.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::command::browse::Scopes;
use crate::context::Context;
use crate::document::StaleDocument;
use crate::failure::Outcome;
use crate::text::one_line;
use crate::{render, screen};

/// Arguments of `stale`.
#[derive(Debug, Args)]
pub(crate) struct Stale {
    /// Looks at this topic only, or at those that fit a pattern such as iris-*
    topic: Option<String>,
    /// Shows what the source says now
    #[arg(long)]
    refresh: bool,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Stale {
    /// Prints the stale memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::StaleRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
            topic: self.topic.unwrap_or_default(),
            refresh: self.refresh,
        };
        let reply = context.ask_slowly("looking at sources", EVERYTHING_DEADLINE, async |rpc| {
            rpc.stale(request).await
        })?;
        if self.json {
            screen::json(&StaleDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        let look = context.screen.look;
        let shown = if self.refresh {
            render::stale_beside(look, &reply)
        } else {
            render::stale(look, &reply)
        };
        screen::print(&shown)?;
        let (stale, checked, unknown) = (reply.stale.len(), reply.checked, reply.unknown);
        screen::remark(&format!("helixctl: {stale} of {checked} sources changed"));
        let why =
            "the file is another project's, or was not there as it was when the memory was written";
        screen::remark_if(
            unknown > 0,
            &format!("{unknown} more could not be looked at: {why}"),
        );
        for name in &reply.unseen {
            screen::remark(&format!("  not seen: {}", one_line(name)));
        }
        Ok(exit::OK)
    }
}
