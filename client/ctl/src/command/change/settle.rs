//! `helixctl settle` and `helixctl supersede`: which of two memories holds.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::SettledDocument;
use crate::failure::Outcome;
use crate::{render, screen};

/// Arguments of `settle`.
#[derive(Debug, Args)]
pub(crate) struct Settle {
    /// The memory that holds: handle, id, unique prefix or topic:index
    kept: String,
    /// The other one, which becomes superseded
    other: String,
    /// Both hold: one that was superseded is active again, and they are not found contradictory
    /// again
    #[arg(long, conflicts_with = "merge")]
    both: bool,
    /// The first takes over what the other says and has
    #[arg(long)]
    merge: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `supersede`.
#[derive(Debug, Args)]
pub(crate) struct Supersede {
    /// The memory that holds no longer
    old: String,
    /// The memory that took its place
    #[arg(long, value_name = "HANDLE")]
    by: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Settle {
    /// Settles two memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (settlement, done) = match (self.both, self.merge) {
            (true, _) => (v1::Settlement::Both, "both kept"),
            (false, true) => (v1::Settlement::Merge, "merged"),
            (false, false) => (v1::Settlement::KeepFirst, "settled"),
        };
        settle(context, self.kept, self.other, settlement, done, self.json)
    }
}

impl Supersede {
    /// Lets one memory take the place of another.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let settlement = v1::Settlement::KeepFirst;
        settle(
            context,
            self.by,
            self.old,
            settlement,
            "superseded",
            self.json,
        )
    }
}

fn settle(
    context: &Context,
    first: String,
    second: String,
    settlement: v1::Settlement,
    done: &str,
    json: bool,
) -> Outcome {
    let request = v1::SettleRequest {
        caller: Some(context.caller()),
        first,
        second,
        settlement: settlement.into(),
    };
    let reply = context.ask_at_most_once(async |rpc| rpc.settle(request.clone()).await)?;
    if json {
        screen::json(&SettledDocument::from(&reply))?;
    } else {
        let look = context.screen.look;
        screen::print(&render::settled(look, settlement, done, &reply))?;
    }
    Ok(exit::OK)
}
