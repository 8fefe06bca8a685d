//! What is captured, why, and what came of it.

use helix_engine::States;

use super::ended::standing;
use super::ledger::{self, Entry};
use super::memories;
use super::switches::{Standing, Switch};
use crate::project::Project;
use crate::{App, Asker, Refusal, event, receipts};

/// A recording that happens by itself, and its switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The name of its switch in the configuration.
    pub name: &'static str,
    /// Whether it is on.
    pub is_on: bool,
    /// What is recorded.
    pub what: &'static str,
    /// How much of it is kept: of events, the memories that came of them.
    pub kept: u64,
}

impl Recording {
    /// Which setting has it on or off.
    #[must_use]
    pub fn why(&self) -> String {
        let setting = format!("`{} = false` in config.toml", self.name);
        if self.is_on {
            format!("{setting} ends it")
        } else {
            setting
        }
    }
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
    Ok(Status {
        standing: standing(app, &asker.project, &asker.cwd, &asker.actor.session),
        switches: app.hooks.captures.switches.all(),
        recordings: recordings(app)?,
        kept: kept(app, &asker.project)?,
        waiting: app.hooks.captures.waiting(),
        memories: memories::status(app, asker)?,
    })
}

fn recordings(app: &App) -> Result<Vec<Recording>, Refusal> {
    let settings = app.settings.capture;
    let snapshot = app.memory.strand.snapshot()?;
    let days = snapshot.states(States::Metrics)?;
    let days = app.metrics.days(app.memory.now(), &days, usize::MAX);
    let stored = days.iter().filter_map(|day| day.counts.get(event::STORED));
    Ok(vec![
        Recording {
            name: "incidents",
            is_on: settings.incidents,
            what: "failures of builds and tests, and what mended them",
            kept: count(snapshot.states(States::Incidents)?.len()),
        },
        Recording {
            name: "sessions",
            is_on: settings.sessions,
            what: "what each session was given and does",
            kept: count(snapshot.states(States::Sessions)?.len()),
        },
        Recording {
            name: "receipts",
            is_on: settings.receipts,
            what: "what hooks told, and whether it reached the model",
            kept: count(receipts::kept(app)?.len()),
        },
        Recording {
            name: "events",
            is_on: settings.events,
            what: "events that agents and tools report",
            kept: stored.sum(),
        },
    ])
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
