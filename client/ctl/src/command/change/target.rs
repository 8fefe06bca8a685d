//! Which memory a command means.

use clap::Args;
use helix_client::v1;

/// A reference, and which memory of it when it is a topic.
#[derive(Clone, Debug, Args)]
pub(crate) struct TargetArgs {
    /// Handle, id, the beginning of either, topic:index, or a topic, whose newest memory is meant
    #[arg(value_name = "REF")]
    reference: String,
    /// Means the memory at this position in the topic, counted from 0
    #[arg(long, short, value_name = "N", conflicts_with_all = ["match_text", "tagged"])]
    index: Option<u32>,
    /// Means the memory of the topic whose text contains this
    #[arg(long = "match", id = "match_text", value_name = "TEXT", conflicts_with = "tagged")]
    match_text: Option<String>,
    /// Means the newest memory of the topic with this tag
    #[arg(long, value_name = "TAG")]
    tagged: Option<String>,
}

impl TargetArgs {
    /// Says it to the daemon.
    pub(super) fn target(self) -> v1::Target {
        v1::Target {
            reference: self.reference,
            index: self.index,
            match_text: self.match_text.unwrap_or_default(),
            tag: self.tagged.unwrap_or_default(),
        }
    }
}
