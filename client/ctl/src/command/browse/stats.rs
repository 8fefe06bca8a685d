//! `helixctl stats`: what the strand holds, counted.

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;

use super::Scopes;
use crate::context::{Context, wait};
use crate::document::{MetricsDocument, StatsDocument};
use crate::failure::Outcome;
use crate::time::now_us;
use crate::{render, screen};

/// Arguments of `stats`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags")]
pub(crate) struct Stats {
    /// Counts every tag
    #[arg(long, conflicts_with = "indexes")]
    tags: bool,
    /// Describes the indexes
    #[arg(long)]
    indexes: bool,
    /// Says what was done day by day, and how long recalls took
    #[arg(long, conflicts_with_all = ["tags", "indexes", "scope"])]
    metrics: bool,
    #[command(flatten)]
    scopes: Scopes,
    /// Prints JSON, always with everything
    #[arg(long)]
    json: bool,
}

impl Stats {
    /// Prints the counts.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        if self.metrics {
            return metrics(context, self.json);
        }
        let request = v1::StatsRequest {
            caller: Some(context.caller()),
            scopes: self.scopes.scope,
        };
        let reply = context.ask(async |rpc| rpc.stats(request.clone()).await)?;
        let look = context.screen.look;
        if self.json {
            screen::json(&StatsDocument::from(&reply))?;
        } else if self.tags {
            screen::print(&render::tag_counts(look, &reply.tags))?;
            screen::remark_if(reply.tags.is_empty(), "no memory has a tag");
        } else if self.indexes {
            screen::print(&render::index_detail(look, &reply))?;
        } else {
            screen::print(&render::stats(look, &reply))?;
        }
        Ok(exit::OK)
    }
}

fn metrics(context: &Context, json: bool) -> Outcome {
    wait(async {
        let mut client = context.connect(Start::IfAbsent).await?;
        let request = v1::MetricsRequest::default();
        let reply = client.call(async |rpc| rpc.metrics(request).await).await?;
        if json {
            screen::json(&MetricsDocument::from(&reply))?;
        } else {
            screen::print(&render::metrics(context.screen.look, &reply, now_us()))?;
        }
        Ok(exit::OK)
    })
}
