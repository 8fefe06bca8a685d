//! `helixctl merge`: one topic's memories, or one memory, moved into another topic; or one memory
//! made part of another.

use clap::Args;
use helix_client::v1::{MergeTopic, edit_request::Action};

use super::apply;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// The topic that ends, or the handle of one memory
    topic: String,
    /// The topic that takes what is moved, or the memory that takes over what the first says
    into: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    /// Moves the memories.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let action = Action::Merge(MergeTopic {
            topic: self.topic,
            into: self.into,
        });
        apply::run(context, self.json, "merged", action)
    }
}
