//! `helixctl connect` and `disconnect`: an agent wired to Helix as a whole, hooks and MCP server.

use clap::Subcommand;

use super::agent::{Manner, install, uninstall};
use crate::context::Context;
use crate::failure::Outcome;
use crate::wiring::Part;

/// Everything of ours that an agent may hold.
const PARTS: [Part; 2] = [Part::Hooks, Part::Server];

/// Commands below `connect`.
#[derive(Debug, Subcommand)]
pub(crate) enum Connect {
    /// Adds hooks and the MCP server to Claude Code's settings
    Claude(Manner),
}

/// Commands below `disconnect`.
#[derive(Debug, Subcommand)]
pub(crate) enum Disconnect {
    /// Takes hooks and the MCP server out of Claude Code's settings
    Claude(Manner),
}

impl Connect {
    /// Connects the agent.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let Self::Claude(manner) = self;
        install(context, &PARTS, manner, false)
    }
}

impl Disconnect {
    /// Disconnects the agent.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let Self::Claude(manner) = self;
        uninstall(context, &PARTS, manner, false)
    }
}
