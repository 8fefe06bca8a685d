//! `helixctl model`: the embedding models and their library.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use helix_client::limits::MAINTENANCE_DEADLINE;
use helix_client::v1;
use helix_proto::exit;

use crate::context::Context;
use crate::document::{ModelFiguresDocument, ModelsDocument};
use crate::failure::{Failure, Outcome};
use crate::model::{InstallOptions, Installed, Progress, install, verify};
use crate::progress::spinner;
use crate::text::one_line;
use crate::{render, screen};

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
    /// Lists the models: which one answers, which one makes its vectors, and which cannot be used
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Has another model take over. The one before answers until all vectors are made anew
    ///
    /// A model is a directory with an ONNX file, its tokenizer and a `model.toml` that describes
    /// it. One that is given by its path is copied into the models directory first.
    Use {
        /// A name that `model list` shows, or the path of a model's directory
        #[arg(value_name = "NAME|DIR")]
        model: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Measures every installed model on your own memories
    ///
    /// Questions are made from the newest 400 memories: of a memory's text the six rarest words
    /// that are not in its handle. Each model has to find the memory among the 400, by meaning
    /// alone. Shown are the share found among the first five (R@5), the mean gain of the rank
    /// among the first ten (nDCG@10), the median time of a question, and the memories embedded in
    /// a second. The same base gives the same questions, so models can be compared; people ask in
    /// other words, so the figures say nothing beyond that.
    Bench {
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
            Self::List { json } => return models(context, String::new(), json),
            Self::Use { model, json } => return models(context, named(context, model), json),
            Self::Bench { json } => return bench(context, json),
        };
        if json {
            screen::json(&installed)?;
        } else {
            screen::print(&described(&installed))?;
        }
        Ok(exit::OK)
    }
}

/// A name as it is, a path as an absolute one: the daemon has another working directory.
fn named(context: &Context, model: String) -> String {
    let path = context.cwd.join(&model);
    let is_path = model.contains('/') || Path::new(&path).join("model.toml").is_file();
    if is_path {
        path.to_string_lossy().into_owned()
    } else {
        model
    }
}

/// Lists the models, after another one was chosen where that is asked for.
fn models(context: &Context, choose: String, json: bool) -> Outcome {
    let request = v1::ModelsRequest { choose };
    let reply = context.ask_slowly("loading the model", MAINTENANCE_DEADLINE, async |rpc| {
        rpc.models(request).await
    })?;
    if json {
        screen::json(&ModelsDocument::from(&reply))?;
    } else {
        screen::print(&render::models(context.screen.look, &reply.models))?;
        if reply.models.is_empty() {
            screen::remark(
                "helixctl: no model is installed, so searches go by words alone; install one with \
                 `helixctl model install`",
            );
        }
    }
    Ok(exit::OK)
}

fn bench(context: &Context, json: bool) -> Outcome {
    let reply = context.ask_slowly("measuring the models", MAINTENANCE_DEADLINE, async |rpc| {
        rpc.bench_models(v1::BenchModelsRequest {}).await
    })?;
    if json {
        screen::json(&ModelFiguresDocument::from(&reply))?;
    } else {
        screen::print(&render::model_figures(context.screen.look, &reply))?;
        screen::remark(&format!(
            "helixctl: {} questions of words that are not in the handle, made from {} memories, \
             by meaning alone; what a search finds, with words, `helixctl doctor --deep` says",
            reply.questions, reply.memories
        ));
    }
    Ok(exit::OK)
}

fn install_visibly(context: &Context, from: Option<PathBuf>) -> Result<Installed, Failure> {
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
