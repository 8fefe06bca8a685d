//! What is captured, why, and what came of it.

use super::ended::standing;
use super::ledger::{self, Entry};
use super::memories;
use super::switches::{Standing, Switch};
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
        kept: ledger::all(app)?,
        waiting: app.hooks.captures.waiting(),
        memories: memories::status(app, asker)?,
    })
}
