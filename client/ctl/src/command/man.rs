//! `helixctl man`: the manual, one page a command, for packages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use helix_proto::exit;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::failure::{Failure, Outcome};

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Where to write the pages
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl Man {
    /// Writes `helixctl.1` and a page for every command beside it.
    pub(crate) fn run(&self, _: &Context) -> Outcome {
        let place = self.directory.display();
        fs::create_dir_all(&self.directory).map_err(Failure::io(format!("making {place}")))?;
        let command = Arguments::command().disable_help_subcommand(true);
        clap_mangen::generate_to(command, &self.directory)
            .map_err(Failure::io(format!("writing manual pages to {place}")))?;
        Ok(exit::OK)
    }
}
