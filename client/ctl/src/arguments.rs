//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::command::{
    Add, Completions, Connect, Disconnect, Doctor, Down, Forget, Hook, Hooks, Man, Model, Read, Search, Status, Up,
};
use crate::context::Context;
use crate::failure::Outcome;

/// What `--help` says last.
const EXIT_CODES: &str = "Exit codes: 0 done, 64 wrong usage or no such memory, 69 daemon or model unavailable, 70 fault of Helix, \
74 read or write failed, 75 already running, 76 data of a newer Helix, 77 not allowed.";

/// A memory for AI coding assistants that outlives the session.
#[derive(Debug, Parser)]
#[command(name = "helixctl", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Uses this directory instead of `HELIX_HOME` or the platform's data directory
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Uses this socket instead of `HELIX_SOCKET` or the home's own
    #[arg(long, global = true, value_name = "PATH")]
    socket: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Starts the daemon unless it runs
    Up(Up),
    /// Stops the daemon
    Down(Down),
    /// Describes the running daemon; never starts one
    Status(Status),
    /// Checks every part and says what to do
    Doctor(Doctor),
    /// Stores a memory
    Add(Add),
    /// Finds memories by words and by meaning
    Search(Search),
    /// Prints one memory, or all memories of a topic
    Read(Read),
    /// Forgets one memory
    Forget(Forget),
    /// Adds hooks to Claude Code's settings, or removes them
    #[command(subcommand)]
    Hooks(Hooks),
    /// Connects an agent to Helix: hooks and MCP server
    #[command(subcommand)]
    Connect(Connect),
    /// Takes Helix out of an agent's settings
    #[command(subcommand)]
    Disconnect(Disconnect),
    /// Prints what the daemon would answer to a hook
    Hook(Hook),
    /// Installs or verifies the embedding model
    #[command(subcommand)]
    Model(Model),
    /// Prints the completions for a shell
    Completions(Completions),
    /// Writes the manual pages
    #[command(hide = true)]
    Man(Man),
}

impl Arguments {
    /// Does what was asked for.
    pub(crate) fn run(self) -> Outcome {
        let context = Context::new(self.home, self.socket)?;
        match self.command {
            Command::Up(command) => command.run(&context),
            Command::Down(command) => command.run(&context),
            Command::Status(command) => command.run(&context),
            Command::Doctor(command) => command.run(&context),
            Command::Add(command) => command.run(&context),
            Command::Search(command) => command.run(&context),
            Command::Read(command) => command.run(&context),
            Command::Forget(command) => command.run(&context),
            Command::Hooks(command) => command.run(&context),
            Command::Connect(command) => command.run(&context),
            Command::Disconnect(command) => command.run(&context),
            Command::Hook(command) => command.run(&context),
            Command::Model(command) => command.run(&context),
            Command::Completions(command) => command.run(&context),
            Command::Man(command) => command.run(&context),
        }
    }
}

#[cfg(test)]
mod tests;
