//! The parts of `helix-mcp`: Helix's MCP server over stdio.
//!
//! It keeps no state: it turns tool calls into calls of the daemon and the daemon's answers into
//! text for a model. It is a library beside its program so that what reads a stranger's words can
//! be fuzzed alone.

mod arguments;
mod daemon;
mod failure;
mod lines;
mod prompts;
mod render;
mod resources;
mod serve;
mod server;
mod tools;
mod transport;
mod turn;

use clap::ValueEnum;
use helix_client::text::{clean, dates};

pub use serve::serve;
pub use tools::ToolSet;

/// Reads the arguments of a tool's call, a JSON object, without making the call. `None` when there
/// is no such tool or this is no object.
#[must_use]
pub fn understand(tool: &str, arguments: &str) -> Option<Result<(), String>> {
    let tool = ToolSet::value_variants()
        .iter()
        .find_map(|set| set.named(tool))?;
    let given = serde_json::from_str(arguments).ok()?;
    Some(tool.understand(given).map_err(|error| error.to_string()))
}

/// The names of the tools.
pub fn tool_names() -> impl Iterator<Item = &'static str> {
    ToolSet::value_variants().iter().flat_map(|set| set.names())
}
