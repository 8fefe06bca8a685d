//! `helixctl consolidate`: what was told again and again.

use clap::Args;
use helix_client::text::memory::count_of;
use helix_client::v1;
use helix_proto::exit;

use super::EVERYTHING_DEADLINE;
use crate::context::Context;
use crate::document::ConsolidateDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `consolidate`.
#[derive(Debug, Args)]
#[command(after_help = MORE)]
pub(crate) struct Consolidate {
    /// Looks for repeated episodes only
    #[arg(long)]
    episodes: bool,
    /// Only says what would wait in the review
    #[arg(long)]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

const MORE: &str = "\
Episodes that tell the same event on three occasions or more become one fact or procedure that cites
them. Its text is that of one of them. Approving it in `helixctl review` archives the episodes,
rejecting it leaves them as they are. New memories that may say the same as older ones in other words
wait there, too. The daemon does this every hour.";

impl Consolidate {
    /// Prints what waits now, or would.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::ConsolidateRequest {
            caller: Some(context.caller()),
            dry_run: self.dry_run,
            episodes: self.episodes,
        };
        let reply = context.ask_slowly("comparing memories", EVERYTHING_DEADLINE, async |rpc| {
            rpc.consolidate(request).await
        })?;
        if self.json {
            screen::json(&ConsolidateDocument::from(&reply))?;
            return Ok(exit::OK);
        }
        screen::print(&render::distilled(context.screen.look, &reply.distilled))?;
        screen::remark(&format!("helixctl: {}", self.told(&reply)));
        Ok(exit::OK)
    }

    fn told(&self, reply: &v1::ConsolidateReply) -> String {
        let count = reply.distilled.len() as u64;
        let mut told = count_of(count, "repeated episode", "repeated episodes");
        if !self.episodes {
            let alike = count_of(reply.alike, "pair", "pairs");
            let compared = count_of(reply.compared, "new memory", "new memories");
            told += &format!("; {alike} of {compared} may say the same");
        }
        if count > 0 && self.dry_run {
            told += "; run it without --dry-run to put them into the review";
        } else if count + reply.alike > 0 {
            told += "; see `helixctl review`";
        }
        told
    }
}
