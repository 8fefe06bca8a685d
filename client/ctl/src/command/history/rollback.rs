//! `helixctl rollback`: everything that is seen from here as it was.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::{Place, revert};
use crate::ask::confirmed;
use crate::context::Context;
use crate::failure::Outcome;
use crate::screen;

/// Arguments of `rollback`.
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// Where to go back to: a sequence of `log`, a day (its end) or a time
    #[arg(long, value_name = "PLACE", value_parser = Place::up_to)]
    to: Place,
    /// Does it without asking
    #[arg(long, short)]
    yes: bool,
    /// Says what would change, and changes nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Rollback {
    /// Shows what would change, asks, and does it.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let to = self.to.point().unwrap_or(v1::HistoryPoint {
            point: Some(v1::history_point::Point::AtUs(i64::MAX)),
        });
        let request = v1::RevertRequest {
            caller: Some(context.caller()),
            what: Some(v1::revert_request::What::Rollback(to)),
            preview: false,
            force: false,
        };
        let planned = revert::preview(context, &request)?;
        let is_nothing = planned.memories_total + planned.edges_total == 0;
        if !self.json || self.dry_run || is_nothing {
            revert::show(context, &planned, self.json)?;
        }
        if is_nothing {
            let to = planned.to_sequence;
            screen::remark_if(true, &format!("everything is as it was after {to}"));
            return Ok(exit::OK);
        }
        if self.dry_run {
            return Ok(exit::OK);
        }
        let extent = revert::extent(&planned);
        let question = format!("Put {extent} back to {}?", planned.to_sequence);
        if !self.yes && !confirmed(&question, "--yes")? {
            screen::remark_if(true, "nothing was changed");
            return Ok(exit::OK);
        }
        // What was shown is what is done, also when something was stored meanwhile.
        let request = v1::RevertRequest {
            what: Some(v1::revert_request::What::Rollback(sequence(
                planned.to_sequence,
            ))),
            ..request
        };
        let reply = revert::take_back(context, &request)?;
        if self.json {
            revert::show(context, &reply, true)?;
        } else {
            let done = format!("put back: {}", revert::extent(&reply));
            revert::remark_done(&reply, &done);
        }
        Ok(exit::OK)
    }
}

fn sequence(sequence: u64) -> v1::HistoryPoint {
    v1::HistoryPoint {
        point: Some(v1::history_point::Point::Sequence(sequence)),
    }
}
