//! `helixctl revise`: a memory's text replaced.

use clap::Args;
use helix_client::v1::{ReviseText, edit_request::Action};

use super::apply;
use super::target::TargetArgs;
use crate::context::Context;
use crate::failure::Outcome;
use crate::input;

/// Arguments of `revise`.
#[derive(Debug, Args)]
pub(crate) struct Revise {
    #[command(flatten)]
    target: TargetArgs,
    /// The new text; `-` reads it from stdin
    text: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Revise {
    /// Replaces the text.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let text = input::text(self.text)?;
        let sequence = self.target.sequence;
        let action = Action::Revise(ReviseText {
            target: Some(self.target.target()),
            text,
        });
        apply::run_on(context, self.json, "revised", action, sequence)
    }
}
