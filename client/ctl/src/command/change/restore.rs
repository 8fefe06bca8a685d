//! `helixctl restore`: a forgotten, archived or superseded memory active again.

use clap::Args;
use helix_client::v1::{RestoreMemory, edit_request::Action};

use super::apply;
use crate::context::Context;
use crate::failure::Outcome;

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Handle, id, or the beginning of either; or a topic, which means what is forgotten of it
    #[arg(value_name = "REF")]
    reference: String,
    /// Means the forgotten memory of the topic at this position among them, counted from 0
    #[arg(long, short, value_name = "N", conflicts_with_all = ["match_text", "all"])]
    index: Option<u32>,
    /// Means the forgotten memory of the topic whose text contains this
    #[arg(
        long = "match",
        id = "match_text",
        value_name = "TEXT",
        conflicts_with = "all"
    )]
    match_text: Option<String>,
    /// Restores all that is forgotten of the topic
    #[arg(long)]
    all: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Restore {
    /// Restores the memory.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let action = Action::Restore(RestoreMemory {
            reference: self.reference,
            index: self.index,
            match_text: self.match_text.unwrap_or_default(),
            all: self.all,
        });
        apply::run(context, self.json, "restored", action)
    }
}
