//! Helix on the command line.
//!
//! For now it only installs the model: `helixctl model install [--from DIR] [--json]`.

mod model;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

/// Helix on the command line.
#[derive(Parser)]
enum Arguments {
    /// The embedding model.
    #[command(subcommand)]
    Model(ModelCommand),
}

#[derive(clap::Subcommand)]
enum ModelCommand {
    /// Installs the model and its library.
    Install {
        /// Takes the wheels from this directory.
        #[arg(long)]
        from: Option<PathBuf>,
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
    /// Verifies what is installed.
    Verify,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "helixctl: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let Arguments::Model(command) = Arguments::parse();
    let models_dir = std::env::var_os("HELIX_MODEL_DIR").map(PathBuf::from).context("HELIX_MODEL_DIR is not set")?;
    let installed = match command {
        ModelCommand::Verify => model::verify(&models_dir)?,
        ModelCommand::Install { from, json: _ } => {
            let options = model::InstallOptions { from, ..model::InstallOptions::from_environment() };
            model::install(&models_dir, &options, &mut |step| drop(writeln!(io::stderr(), "{step:?}")))?
        }
    };
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&installed)?)?;
    Ok(())
}
