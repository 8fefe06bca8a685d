//! `helixctl hooks`: the hooks in an agent's settings.

use std::path::PathBuf;

use clap::Subcommand;
use helix_proto::exit;
use serde::Serialize;

use super::agent::{Agent, Manner, Whose, install, spec, uninstall};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::screen;
use crate::text::one_line;
use crate::wiring::{self, Part, Scope, WiringStatus};

/// Commands below `hooks`.
#[derive(Debug, Subcommand)]
pub(crate) enum Hooks {
    /// Adds the hooks
    Install {
        #[command(flatten)]
        manner: Manner,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Says which hooks are in which file
    Status {
        #[command(flatten)]
        whose: Whose,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Takes the hooks out again
    Uninstall {
        #[command(flatten)]
        manner: Manner,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Serialize)]
struct HooksDocument {
    files: Vec<FileDocument>,
}

#[derive(Serialize)]
struct FileDocument {
    scope: &'static str,
    path: PathBuf,
    complete: bool,
    installed: Vec<String>,
    missing: Vec<String>,
    stale: Vec<PathBuf>,
    notes: Vec<String>,
}

impl Hooks {
    /// Adds, removes or describes.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        match self {
            Self::Install { manner, json } => install(context, &[Part::Hooks], manner, json),
            Self::Uninstall { manner, json } => uninstall(context, &[Part::Hooks], manner, json),
            Self::Status { whose, json } => status(context, whose, json),
        }
    }
}

fn status(context: &Context, whose: Whose, json: bool) -> Outcome {
    let agent = Agent::find(&context.cwd)?;
    let wanted = spec(context, Part::Hooks)?;
    let scopes = whose.named().map_or_else(|| vec![Scope::Project, Scope::Local, Scope::User], |scope| vec![scope]);
    let look = |scope: Scope| {
        let target = agent.target(Part::Hooks, scope);
        Ok::<_, Failure>(file(scope, target.path.clone(), wiring::status(&target, &wanted)?))
    };
    let files = scopes.into_iter().map(look).collect::<Result<Vec<_>, _>>()?;
    if json {
        screen::json(&HooksDocument { files })?;
    } else {
        screen::print(&files.iter().map(line).collect::<String>())?;
    }
    Ok(exit::OK)
}

fn file(scope: Scope, path: PathBuf, status: WiringStatus) -> FileDocument {
    let scope = match scope {
        Scope::Project => "project",
        Scope::Local => "local",
        Scope::User => "user",
    };
    let complete = status.is_complete();
    let WiringStatus { installed, missing, stale, notes } = status;
    FileDocument { scope, path, complete, installed, missing, stale, notes }
}

fn line(file: &FileDocument) -> String {
    let state = match (file.complete, file.installed.is_empty()) {
        (true, _) => "installed",
        (false, false) => "incomplete",
        (false, true) => "absent",
    };
    let missing = (!file.installed.is_empty() && !file.missing.is_empty())
        .then(|| format!("missing {}", file.missing.join(", ")));
    let gone = file.stale.iter().map(|program| format!("{} does not exist", program.display()));
    let details: Vec<String> = missing.into_iter().chain(gone).chain(file.notes.iter().cloned()).collect();
    let path = one_line(&file.path.display().to_string());
    format!("{}\t{state}\t{path}\t{}", file.scope, one_line(&details.join("; "))).trim_end().to_owned() + "\n"
}
