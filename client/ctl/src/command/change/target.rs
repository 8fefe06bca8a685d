//! Which memory a command means.

use clap::Args;
use helix_client::v1;
use helix_client::v1::Memory;

use crate::context::Context;
use crate::document::hyphenated;
use crate::failure::Failure;
use crate::text::one_line;

/// A reference, and which memory of it when it is a topic.
#[derive(Clone, Debug, Args)]
pub(crate) struct TargetArgs {
    /// Handle, id, the beginning of either, topic:index, or a topic: its newest memory is meant,
    /// and to revise or set, its only one
    #[arg(value_name = "REF")]
    reference: String,
    /// Means the memory at this position in the topic, counted from 0
    #[arg(long, short, value_name = "N", conflicts_with_all = ["match_text", "tagged"])]
    index: Option<u32>,
    /// Means the memory of the topic whose text contains this
    #[arg(
        long = "match",
        id = "match_text",
        value_name = "TEXT",
        conflicts_with = "tagged"
    )]
    match_text: Option<String>,
    /// Means the newest memory of the topic with this tag
    #[arg(long, value_name = "TAG")]
    tagged: Option<String>,
    /// Changes it only while this is its sequence, as `read --json` says, so that nobody's change
    /// is overwritten
    #[arg(long, value_name = "N")]
    pub(super) sequence: Option<u64>,
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

/// Returns whether a reference says a place in a topic. Places move when another memory of the
/// topic is forgotten; names do not.
pub(super) fn is_place(reference: &str) -> bool {
    let place = reference
        .trim()
        .rsplit_once(':')
        .filter(|(topic, _)| !topic.contains('/'));
    place.is_some_and(|(topic, index)| !topic.is_empty() && index.parse::<u32>().is_ok())
}

/// Returns whether a reference names this memory for good: by its whole id, its handle, or a handle
/// that it had before it was moved.
pub(super) fn is_whole_name(reference: &str, memory: &Memory) -> bool {
    let reference = reference.trim().to_lowercase();
    let is_beginning = memory.handle.starts_with(&reference) && memory.handle != reference;
    let was_a_handle = reference.contains('/') && !is_beginning;
    was_a_handle || reference.replace('-', "") == hyphenated(&memory.id).replace('-', "")
}

/// Reads the one memory that is meant.
pub(super) fn read_one(context: &Context, reference: &str) -> Result<Memory, Failure> {
    read_one_with(context, reference, "")
}

/// The same, of those whose text contains `text`.
pub(super) fn read_one_with(
    context: &Context,
    reference: &str,
    text: &str,
) -> Result<Memory, Failure> {
    let (caller, reference_text) = (Some(context.caller()), reference.to_owned());
    let request = v1::ReadRequest {
        caller,
        reference: reference_text,
        match_text: text.to_owned(),
        ..v1::ReadRequest::default()
    };
    let mut reply = context.ask(async |rpc| rpc.read(request.clone()).await)?;
    match (reply.memories.pop(), reply.memories.len()) {
        (Some(memory), 0) => Ok(memory),
        (None, _) if text.is_empty() => {
            Err(Failure::Usage(format!("no memory is called {reference:?}")))
        }
        (None, _) => Err(Failure::Usage(format!(
            "no memory of {reference:?} contains {text:?}"
        ))),
        (Some(_), others) if !text.is_empty() => Err(Failure::Usage(format!(
            "{} memories of {reference:?} contain {text:?}; give more of the text",
            others.saturating_add(1)
        ))),
        (Some(_), others) => Err(Failure::Usage(format!(
            "{reference:?} is a topic with {} memories; name one, e.g. {}:0",
            others.saturating_add(1),
            one_line(&reply.topic)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_are_told_from_beginnings() {
        let handle = "build/arch-arm64-required".to_owned();
        let memory = Memory {
            id: vec![0x0a; 16],
            handle,
            ..Memory::default()
        };
        let whole = [
            "build/arch-arm64-required",
            " Build/arch-arm64-required ",
            "old-topic/arch-arm64-required",
            "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a",
            "0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A0A",
        ];
        assert!(whole.into_iter().all(|name| is_whole_name(name, &memory)));
        let beginnings = ["build", "build/", "build/arch", "0a0a0a0a", "0a0a0a0a-0a0a"];
        assert!(
            !beginnings
                .into_iter()
                .any(|name| is_whole_name(name, &memory))
        );
    }

    #[test]
    fn places_are_told_from_names() {
        assert!(
            ["build:0", " build-gotchas:12 ", "Build Gotchas:3"]
                .into_iter()
                .all(is_place)
        );
        assert!(
            ![
                "build",
                "build/arch",
                "build/a:0",
                ":0",
                "build:",
                "build:-1",
                "0190a1b2"
            ]
            .into_iter()
            .any(is_place)
        );
    }
}
