//! `helixctl recent`: the newest memories.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::Scopes;
use crate::context::Context;
use crate::document::RecentDocument;
use crate::failure::Outcome;
use crate::time::{DAY_US, HOUR_US, now_us};
use crate::{render, screen};

/// How far back is looked unless it is said, in days.
const DAYS_DEFAULT: u32 = 7;

/// Arguments of `recent`.
#[derive(Debug, Args)]
pub(crate) struct Recent {
    /// Looks so many days back [default: 7]
    #[arg(long, value_name = "N", conflicts_with = "hours", value_parser = clap::value_parser!(u32).range(1..))]
    days: Option<u32>,
    /// Looks so many hours back
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hours: Option<u32>,
    /// Prints at most so many memories
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Recent {
    /// Prints the memories of that time, newest first.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::RecentRequest {
            caller: Some(context.caller()),
            after_us: now_us().saturating_sub(self.span_us()),
            limit: self.limit.unwrap_or_default(),
            scopes: self.scopes.scope,
        };
        let reply = context.ask(async |rpc| rpc.recent(request.clone()).await)?;
        if self.json {
            screen::json(&RecentDocument::from(&reply))?;
        } else {
            screen::print(&render::recent(context.screen.look, &reply.memories))?;
            screen::remark_if(reply.memories.is_empty(), "nothing was stored in that time");
            let shown = reply.memories.len();
            let more = usize::try_from(reply.total).is_ok_and(|total| total > shown);
            screen::remark_if(
                more,
                &format!("{shown} of {}; see more with --limit", reply.total),
            );
        }
        Ok(exit::OK)
    }

    fn span_us(&self) -> i64 {
        match self.hours {
            Some(hours) => i64::from(hours).saturating_mul(HOUR_US),
            None => i64::from(self.days.unwrap_or(DAYS_DEFAULT)).saturating_mul(DAY_US),
        }
    }
}
