//! `helixctl connect` and `disconnect`: a client wired to Helix as a whole, hooks and MCP server.

use clap::{Args, Subcommand, ValueEnum};

use super::agent::{Edit, Extent, InProjectOrOwn, Manner, Own, Whose};
use crate::context::Context;
use crate::failure::Outcome;
use crate::wiring::Client;

/// The clients, each a command below `connect` and `disconnect`.
#[derive(Debug, Subcommand)]
pub(crate) enum Connected {
    /// Claude Code: hooks and MCP server
    Claude(Order<Whose>),
    /// Codex: hooks and MCP server
    Codex(Order<InProjectOrOwn>),
    /// Cursor: a hook and the MCP server
    Cursor(Order<InProjectOrOwn>),
    /// Gemini CLI: hooks and MCP server
    Gemini(Order<InProjectOrOwn>),
    /// `OpenCode`: MCP server
    #[command(name = "opencode", about = "OpenCode: MCP server")]
    OpenCode(Order<InProjectOrOwn>),
    /// VS Code: MCP server
    #[command(name = "vscode")]
    VsCode(Order<InProjectOrOwn>),
    /// Windsurf: MCP server
    Windsurf(Order<Own>),
}

/// How it is to be done, and said.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Order<W: Args> {
    #[command(flatten)]
    manner: Manner<W>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// The sets of tools that the MCP server has.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ToolSet {
    /// Store, batch, search, brief, read, edit, topics and context
    Helix,
    /// memory.search, .write, .note, .forget, .list and .context
    Memory,
    /// context.recall, .getCurrent and .store, and event
    Context,
}

/// `connect`: the client to wire.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    #[command(subcommand)]
    client: Connected,
    /// Has the MCP server offer these tools; helix unless the settings say otherwise
    #[arg(long, global = true, value_enum, value_name = "SET")]
    tools: Option<ToolSet>,
}

/// `disconnect`: the client to unwire.
#[derive(Debug, Args)]
pub(crate) struct Disconnect {
    #[command(subcommand)]
    client: Connected,
}

impl Connect {
    /// Connects the client.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let tools = self.tools.map(ToolSet::name);
        self.client.edit().offering(tools).install(context)
    }
}

impl ToolSet {
    fn name(self) -> &'static str {
        match self {
            Self::Helix => "helix",
            Self::Memory => "memory",
            Self::Context => "context",
        }
    }
}

impl Disconnect {
    /// Disconnects the client.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        self.client.edit().uninstall(context)
    }
}

impl Connected {
    fn edit(self) -> Edit {
        match self {
            Self::Claude(order) => order.edit(Client::Claude),
            Self::Codex(order) => order.edit(Client::Codex),
            Self::Cursor(order) => order.edit(Client::Cursor),
            Self::Gemini(order) => order.edit(Client::Gemini),
            Self::OpenCode(order) => order.edit(Client::OpenCode),
            Self::VsCode(order) => order.edit(Client::VsCode),
            Self::Windsurf(order) => order.edit(Client::Windsurf),
        }
    }
}

impl<W: Args + Into<Option<crate::wiring::Scope>>> Order<W> {
    fn edit(self, client: Client) -> Edit {
        Edit::new(client, Extent::Everything, self.manner, self.json)
    }
}
