//! The command line.

mod command;
mod groups;

use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser};

use crate::context::Context;
use crate::failure::Outcome;
use command::Command;

/// The end of `--help`.
const EXIT_CODES: &str = "Exit codes: 0 done, 64 wrong usage or no such memory, 65 a part of the input was not \
taken, 69 daemon or model unavailable, 70 fault of Helix, 74 read or write failed, 75 already running, 76 data of a newer Helix, \
77 not allowed, 130 interrupted.";

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

impl Arguments {
    /// Reads the command line of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut definition = groups::grouped(Self::command());
        let mut matches = definition.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))
    }

    /// Does what was asked for.
    pub(crate) fn run(self) -> Outcome {
        self.command.run(&Context::new(self.home, self.socket)?)
    }
}

#[cfg(test)]
mod tests;
