//! `helixctl append`: lines added to a memory.

use clap::Args;
use helix_client::v1::{AppendText, edit_request::Action};

use super::apply;
use super::target::TargetArgs;
use crate::context::Context;
use crate::failure::Outcome;
use crate::input;

/// Arguments of `append`.
#[derive(Debug, Args)]
pub(crate) struct Append {
    #[command(flatten)]
    target: TargetArgs,
    /// What to add as new lines; `-` reads it from stdin
    text: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Append {
    /// Adds the text.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let text = input::text(self.text)?;
        let sequence = self.target.sequence;
        let action = Action::Append(AppendText {
            target: Some(self.target.target()),
            text,
        });
        apply::run_on(context, self.json, "appended", action, sequence)
    }
}
