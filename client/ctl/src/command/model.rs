//! `helixctl model`: the embedding model and its library.

use std::path::PathBuf;

use clap::Subcommand;
use helix_proto::exit;

use crate::context::Context;
use crate::failure::Outcome;
use crate::model::{InstallOptions, Installed, Progress, install, verify};
use crate::progress::spinner;
use crate::screen;
use crate::text::one_line;

/// Bytes of one megabyte, as downloads are counted.
const MB_BYTES: u64 = 1_000_000;

/// Commands below `model`.
#[derive(Debug, Subcommand)]
pub(crate) enum Model {
    /// Downloads what is missing, verifies it and puts it into place
    Install {
        /// Takes the wheels from this directory and never asks the network
        #[arg(long, value_name = "DIR")]
        from: Option<PathBuf>,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Verifies what is installed
    Status {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
}

impl Model {
    /// Installs or verifies.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let (installed, json) = match self {
            Self::Install { from, json } => (
                install_visibly(context, from.map(|dir| context.cwd.join(dir)))?,
                json,
            ),
            Self::Status { json } => (verify(&context.paths.models)?, json),
        };
        if json {
            screen::json(&installed)?;
        } else {
            screen::print(&described(&installed))?;
        }
        Ok(exit::OK)
    }
}

fn install_visibly(
    context: &Context,
    from: Option<PathBuf>,
) -> Result<Installed, crate::failure::Failure> {
    let options = InstallOptions {
        from,
        ..InstallOptions::from_environment()
    };
    let bar = spinner(context.screen, "verifying the model");
    let installed = install(&context.paths.models, &options, &mut |step| {
        bar.set_message(step_text(&step));
    });
    bar.finish_and_clear();
    Ok(installed?)
}

fn step_text(step: &Progress) -> String {
    match step {
        Progress::Waiting => "waiting for another install to end".to_owned(),
        Progress::Downloading { packages, bytes } => {
            format!(
                "downloading {} MB: {}",
                bytes.div_ceil(MB_BYTES),
                packages.join(", ")
            )
        }
        Progress::Downloader(line) => one_line(line),
        Progress::Unpacking { file } => format!("unpacking {file}"),
        Progress::Finished => "verified".to_owned(),
    }
}

fn described(installed: &Installed) -> String {
    let state = if installed.changed {
        "installed"
    } else {
        "verified"
    };
    let (name, dimensions) = (&installed.model_name, installed.dimensions);
    let (model, library) = (installed.model.display(), installed.library.display());
    let version = &installed.library_version;
    format!(
        "model\t{state}\t{name}, {dimensions} dimensions\t{model}\nlibrary\t{state}\tONNX Runtime {version}\t{library}\n"
    )
}
