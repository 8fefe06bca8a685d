//! `helixctl undo`: one request taken back.

use clap::Args;
use helix_client::v1;
use helix_proto::exit;

use super::revert;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `undo`.
#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// An operation of `log`, with all others of its request; the last change made from this
    /// project unless given
    #[arg(value_name = "SEQUENCE", value_parser = clap::value_parser!(u64).range(1..))]
    sequence: Option<u64>,
    /// Also takes back later changes of the same memories
    #[arg(long)]
    force: bool,
    /// Says what would change, and changes nothing
    #[arg(long)]
    dry_run: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Undo {
    /// Takes the request back.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let request = v1::RevertRequest {
            caller: Some(context.caller()),
            what: Some(v1::revert_request::What::Undo(
                self.sequence.unwrap_or_default(),
            )),
            preview: false,
            force: self.force,
        };
        let reply = if self.dry_run {
            revert::preview(context, &request)?
        } else {
            revert::take_back(context, &request)?
        };
        revert::show(context, &reply, self.json)?;
        if !self.json && !self.dry_run {
            let done = format!("undone: {}", revert::extent(&reply));
            revert::remark_done(&reply, &done);
        }
        Ok(exit::OK)
    }
}
