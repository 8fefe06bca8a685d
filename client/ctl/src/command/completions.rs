//! `helixctl completions`: what a shell needs to complete our command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use helix_proto::exit;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::failure::Outcome;
use crate::screen;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub(crate) fn run(&self, _: &Context) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(
            self.shell,
            &mut Arguments::command(),
            "helixctl",
            &mut script,
        );
        screen::write(&script)?;
        Ok(exit::OK)
    }
}
