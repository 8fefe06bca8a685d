//! `helixctl rename`: a topic under another name.

use clap::Args;
use helix_client::v1::{RenameTopic, edit_request::Action};

use super::apply;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `rename`.
#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The topic
    topic: String,
    /// Its new name, which no topic has yet
    #[arg(value_name = "NEW")]
    new_name: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Rename {
    /// Renames the topic.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let action = Action::Rename(RenameTopic {
            topic: self.topic,
            new_name: self.new_name,
        });
        apply::run(context, self.json, "renamed", action)
    }
}
