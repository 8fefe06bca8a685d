//! `helixctl tag`: tags added and removed.

use clap::Args;
use helix_client::v1::{ChangeTags, edit_request::Action};

use super::apply;
use super::target::TargetArgs;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `tag`.
#[derive(Debug, Args)]
pub(crate) struct Tag {
    #[command(flatten)]
    target: TargetArgs,
    /// Adds tags, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "A,B",
        required_unless_present = "remove"
    )]
    add: Vec<String>,
    /// Removes tags, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    remove: Vec<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Tag {
    /// Changes the tags.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let sequence = self.target.sequence;
        let action = Action::Tag(ChangeTags {
            target: Some(self.target.target()),
            add: self.add,
            remove: self.remove,
        });
        apply::run_on(context, self.json, "tagged", action, sequence)
    }
}
