//! `helixctl hooks`: the hooks in an agent's settings.

use std::path::PathBuf;

use clap::Subcommand;
use helix_proto::exit;
use serde::Serialize;

use super::agent::{Edit, Extent, Manner, Whose, place, programs};
use crate::context::Context;
use crate::failure::Outcome;
use crate::screen;
use crate::text::one_line;
use crate::wiring::{self, Client, Scope, Target, WiringStatus};

/// Commands below `hooks`.
#[derive(Debug, Subcommand)]
pub(crate) enum Hooks {
    /// Adds the hooks
    Install {
        #[command(flatten)]
        manner: Manner<Whose>,
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
        manner: Manner<Whose>,
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
            Self::Install { manner, json } => edit(manner, json).install(context),
            Self::Uninstall { manner, json } => edit(manner, json).uninstall(context),
            Self::Status { whose, json } => status(context, whose, json),
        }
    }
}

fn edit(manner: Manner<Whose>, json: bool) -> Edit {
    Edit::new(Client::Claude, Extent::Hooks, manner, json)
}

fn status(context: &Context, whose: Whose, json: bool) -> Outcome {
    let (place, programs) = (place(&context.cwd)?, programs(context)?);
    let named: Option<Scope> = whose.into();
    let scopes = Client::Claude
        .scopes()
        .iter()
        .copied()
        .filter(|scope| named.is_none_or(|named| named == *scope));
    let mut files = Vec::new();
    for scope in scopes {
        for target in Client::Claude
            .targets(scope, &place)
            .into_iter()
            .filter(Target::holds_hooks)
        {
            let status = wiring::status(&target, &programs)?;
            files.push(file(scope, target.path, status));
        }
    }
    if json {
        screen::json(&HooksDocument { files })?;
    } else {
        screen::print(&files.iter().map(line).collect::<String>())?;
    }
    Ok(exit::OK)
}

fn file(scope: Scope, path: PathBuf, status: WiringStatus) -> FileDocument {
    let complete = status.is_complete();
    let WiringStatus {
        installed,
        missing,
        stale,
        notes,
    } = status;
    FileDocument {
        scope: scope.name(),
        path,
        complete,
        installed,
        missing,
        stale,
        notes,
    }
}

fn line(file: &FileDocument) -> String {
    let state = match (file.complete, file.installed.is_empty()) {
        (true, _) => "installed",
        (false, false) => "incomplete",
        (false, true) => "absent",
    };
    let missing = (!file.installed.is_empty() && !file.missing.is_empty())
        .then(|| format!("missing {}", file.missing.join(", ")));
    let gone = file
        .stale
        .iter()
        .map(|program| format!("{} does not exist", program.display()));
    let details: Vec<String> = missing
        .into_iter()
        .chain(gone)
        .chain(file.notes.iter().cloned())
        .collect();
    let path = one_line(&file.path.display().to_string());
    format!(
        "{}\t{state}\t{path}\t{}",
        file.scope,
        one_line(&details.join("; "))
    )
    .trim_end()
    .to_owned()
        + "\n"
}
