//! `helixctl restore`: a forgotten, archived or superseded memory active again.

use clap::Args;
use helix_client::v1::{RestoreMemory, edit_request::Action};

use super::apply;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Handle, id, or the beginning of either
    #[arg(value_name = "REF")]
    reference: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// Restores the memory.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let action = Action::Restore(RestoreMemory { reference: self.reference });
        apply::run(context, self.json, "restored", action)
    }
}
