//! What is captured, why, and what came of it.

use super::ended::standing;
use super::ledger::{self, Entry};
use super::memories;
use super::switches::{Standing, Switch};
use crate::project::Project;
use crate::{App, Asker, Refusal};

/// A recording that happens by itself, and its switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The name of its switch in the configuration.
    pub name: &'static str,
    /// Whether it is on.
    pub is_on: bool,
    /// What is recorded.
    pub what: &'static str,
}

/// What is captured.
#[derive(Clone, Debug)]
pub struct Status {
    /// Whether the asker's sessions are, here.
    pub standing: Standing,
    /// What somebody switched.
    pub switches: Vec<Switch>,
    /// What else is recorded.
    pub recordings: Vec<Recording>,
    /// What was kept, by project.
    pub kept: Vec<Entry>,
    /// Sessions that wait to be distilled.
    pub waiting: usize,
    /// The files of agents' own that are read.
    pub memories: memories::Status,
}

/// What was kept, by project. The asker's own has its name, though it was kept before names were.
fn kept(app: &App, project: &Project) -> Result<Vec<Entry>, Refusal> {
    let mut entries = ledger::all(app)?;
    for entry in &mut entries {
        let is_own = project
            .names()
            .any(|scope| scope.to_string() == entry.scope);
        if is_own && entry.name.is_empty() {
            entry.name.clone_from(&project.name);
        }
    }
    Ok(entries)
}

/// Tells what is captured.
///
/// # Errors
/// When the disk fails.
pub fn status(app: &App, asker: &Asker) -> Result<Status, Refusal> {
    let settings = app.settings.capture;
    let recording = |name, is_on, what| Recording { name, is_on, what };
    Ok(Status {
        standing: standing(app, &asker.project, &asker.cwd, &asker.actor.session),
        switches: app.hooks.captures.switches.all(),
        recordings: vec![
            recording(
                "incidents",
                settings.incidents,
                "failures of builds and tests, and what mended them",
            ),
            recording(
                "sessions",
                settings.sessions,
                "what each session was given and does",
            ),
            recording(
                "receipts",
                settings.receipts,
                "what hooks told, and whether it reached the model",
            ),
            recording(
                "events",
                settings.events,
                "events that agents and tools report",
            ),
        ],
        kept: kept(app, &asker.project)?,
        waiting: app.hooks.captures.waiting(),
        memories: memories::status(app, asker)?,
    })
}
