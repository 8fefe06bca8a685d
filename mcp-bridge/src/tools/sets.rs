//! The tools by sets, each in the order in which they are listed: clients cache prompts by it.

use std::sync::LazyLock;

use rmcp::model::JsonObject;

use super::Tool;
use super::batch::Batch;
use super::brief::Brief;
use super::context::{self, Context};
use super::edit::Edit;
use super::memory;
use super::read::Read;
use super::search::Search;
use super::store::Store;
use super::topics::Topics;
use crate::turn::Effect;

/// The tools that one server offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ToolSet {
    /// Store, batch, search, brief, read, edit, topics and context.
    #[default]
    Helix,
    /// memory.search, .write, .note, .forget, .list and .context.
    Memory,
    /// context.recall, .getCurrent and .store, and event.
    Context,
}

static HELIX: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        Tool::of::<Store>(),
        Tool::of::<Batch>(),
        Tool::of::<Search>(),
        Tool::of::<Brief>(),
        Tool::of::<Read>(),
        Tool::of::<Edit>(),
        Tool::of::<Topics>(),
        Tool::of::<Context>(),
    ]
});

static MEMORY: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        Tool::of::<memory::Search>(),
        Tool::of::<memory::Write>(),
        Tool::of::<memory::Note>(),
        Tool::of::<memory::Forget>(),
        Tool::of::<memory::List>(),
        Tool::of::<memory::Context>(),
    ]
});

static CONTEXT: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        Tool::of::<context::Recall>(),
        Tool::of::<context::Current>(),
        Tool::of::<context::Store>(),
        Tool::of::<context::Event>(),
    ]
});

impl ToolSet {
    /// The tools, in the order in which they are listed.
    pub(crate) fn tools(self) -> &'static [Tool] {
        match self {
            Self::Helix => &HELIX,
            Self::Memory => &MEMORY,
            Self::Context => &CONTEXT,
        }
    }

    /// Finds a tool by its name.
    pub(crate) fn named(self, name: &str) -> Option<&'static Tool> {
        self.tools().iter().find(|tool| tool.name() == name)
    }

    /// The names of the tools.
    pub(crate) fn names(self) -> Vec<&'static str> {
        self.tools().iter().map(Tool::name).collect()
    }

    /// Returns what a call of a tool does to what later calls see. One of an unknown tool does
    /// nothing.
    pub(crate) fn effect_of(self, tool: &str, given: Option<&JsonObject>) -> Effect {
        self.named(tool)
            .map_or(Effect::Reads, |tool| tool.effect(given))
    }

    /// Returns what every agent reads once.
    pub(crate) fn instructions(self) -> &'static str {
        match self {
            Self::Helix => include_str!("../instructions/helix.md").trim_ascii_end(),
            Self::Memory => include_str!("../instructions/memory.md").trim_ascii_end(),
            Self::Context => include_str!("../instructions/context.md").trim_ascii_end(),
        }
    }

    /// Returns whether the server offers resources too.
    pub(crate) fn has_resources(self) -> bool {
        match self {
            Self::Helix | Self::Context => false,
            Self::Memory => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    /// Clients cut instructions at 2 KB.
    const INSTRUCTIONS_MAX_BYTES: usize = 2_000;

    #[test]
    fn instructions_are_shown_whole() {
        for set in ToolSet::value_variants() {
            let bytes = set.instructions().len();
            assert!(bytes < INSTRUCTIONS_MAX_BYTES, "{set:?}: {bytes} bytes");
        }
    }
}
