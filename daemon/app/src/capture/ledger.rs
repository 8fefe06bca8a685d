//! What was kept, project by project: for `capture status`, and for the session that starts next.

use std::collections::BTreeMap;

use helix_engine::{Request, States};
use helix_memory::{Scope, Timestamp};
use helix_redact::{Redact, Secrets, State};
use prost::Message;

use super::Tally;
use super::transcript::write;
use crate::project::Project;
use crate::{App, Refusal};

/// Begins the names of these rows. No space is in them: the store takes a number behind one for a
/// memory's.
const KEY: &str = "captured-";

/// Names under which the metrics count the slices that the gate judged, and those it dropped.
const JUDGED: &str = "slices-judged";
const DROPPED: &str = "slices-dropped";

/// What was kept of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The project's scope, as text.
    pub scope: String,
    /// The project's name; empty where it was not kept.
    pub name: String,
    /// When anything was kept last.
    pub at: Timestamp,
    /// All that was kept.
    pub all: Tally,
    /// What was kept of ended sessions and told to no session yet.
    pub untold: Tally,
}

#[derive(Clone, PartialEq, Message)]
struct EntryV1 {
    #[prost(string, tag = "1")]
    scope: String,
    #[prost(sint64, tag = "2")]
    at_us: i64,
    #[prost(message, optional, tag = "3")]
    all: Option<TallyV1>,
    #[prost(message, optional, tag = "4")]
    untold: Option<TallyV1>,
    #[prost(string, tag = "5")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TallyV1 {
    #[prost(uint64, tag = "1")]
    sessions: u64,
    #[prost(btree_map = "string, uint64", tag = "2")]
    kept: BTreeMap<String, u64>,
    #[prost(uint64, tag = "3")]
    known: u64,
    #[prost(uint64, tag = "4")]
    forgotten: u64,
    #[prost(uint64, tag = "5")]
    slices: u64,
    #[prost(uint64, tag = "6")]
    dropped: u64,
    #[prost(uint64, tag = "7")]
    unreadable: u64,
    #[prost(uint64, tag = "8")]
    left_out: u64,
}

impl Redact for EntryV1 {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            scope,
            at_us: _,
            all: _,
            untold: _,
            name,
        } = self;
        secrets.said(scope);
        secrets.said(name);
    }
}

impl From<&Tally> for TallyV1 {
    fn from(tally: &Tally) -> Self {
        Self {
            sessions: tally.sessions,
            kept: tally.kept.clone(),
            known: tally.known,
            forgotten: tally.forgotten,
            slices: tally.slices,
            dropped: tally.dropped,
            unreadable: tally.unreadable,
            left_out: tally.left_out,
        }
    }
}

impl From<TallyV1> for Tally {
    fn from(row: TallyV1) -> Self {
        Self {
            sessions: row.sessions,
            kept: row.kept,
            known: row.known,
            forgotten: row.forgotten,
            slices: row.slices,
            dropped: row.dropped,
            unreadable: row.unreadable,
            left_out: row.left_out,
        }
    }
}

impl Entry {
    fn read(row: &[u8]) -> Option<Self> {
        let row = EntryV1::decode(row).ok()?;
        Some(Self {
            scope: row.scope,
            name: row.name,
            at: Timestamp::from_micros(row.at_us),
            all: row.all.map(Tally::from).unwrap_or_default(),
            untold: row.untold.map(Tally::from).unwrap_or_default(),
        })
    }

    fn request(&self) -> Request {
        let row = EntryV1 {
            scope: self.scope.clone(),
            name: self.name.clone(),
            at_us: self.at.as_micros(),
            all: Some((&self.all).into()),
            untold: Some((&self.untold).into()),
        };
        let row = (key(&self.scope), State::of_message(row));
        Request::States(States::Observations, vec![row])
    }
}

/// A scope's name may have any character.
fn key(scope: &str) -> String {
    format!("{KEY}{}", blake3::hash(scope.as_bytes()).to_hex())
}

/// Whether somebody waits to be told of what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Whoever asked for it is told at once.
    AtOnce,
    /// The next session is.
    Later,
}

/// Adds what one run kept.
///
/// # Errors
/// When the disk fails.
pub(super) fn add(app: &App, project: &Project, tally: &Tally, told: Told) -> Result<(), Refusal> {
    let scope = project.scope.to_string();
    let mut entry = read(app, &scope)?.unwrap_or_default();
    entry.scope = scope;
    entry.name.clone_from(&project.name);
    entry.at = app.memory.now();
    entry.all.add(tally);
    if told == Told::Later {
        entry.untold.add(tally);
    }
    if tally.slices > 0 {
        app.metrics.count(entry.at, JUDGED, tally.slices);
        app.metrics.count(entry.at, DROPPED, tally.dropped);
    }
    write(app, vec![entry.request()])
}

/// What was kept of a project.
///
/// # Errors
/// When the disk fails.
pub fn read(app: &App, scope: &str) -> Result<Option<Entry>, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let row = snapshot.state(States::Observations, &key(scope))?;
    Ok(row.and_then(|row| Entry::read(&row)))
}

/// What was kept of every project, by scope.
///
/// # Errors
/// When the disk fails.
pub fn all(app: &App) -> Result<Vec<Entry>, Refusal> {
    let rows = app.memory.strand.snapshot()?.states(States::Observations)?;
    let kept = rows.iter().filter(|(key, _)| key.starts_with(KEY));
    let mut entries: Vec<Entry> = kept.filter_map(|(_, row)| Entry::read(row)).collect();
    entries.sort_by(|one, other| one.scope.cmp(&other.scope));
    Ok(entries)
}

/// Takes back facts that had been left out of sessions and were looked at since.
///
/// # Errors
/// When the disk fails.
pub(super) fn looked_at(app: &App, project: &Project, facts: u64) -> Result<(), Refusal> {
    let Some(mut entry) = read(app, &project.scope.to_string())?.filter(|_| facts > 0) else {
        return Ok(());
    };
    entry.all.left_out = entry.all.left_out.saturating_sub(facts);
    entry.untold.left_out = entry.untold.left_out.saturating_sub(facts);
    write(app, vec![entry.request()])
}

/// Takes the line that the session which starts now is told, if anything was kept since the one
/// before. It waits for nothing: the row is written with the next commit.
#[must_use]
pub fn take_untold(app: &App, scope: &Scope) -> Option<String> {
    let mut entry = read(app, &scope.to_string()).ok().flatten()?;
    let untold = std::mem::take(&mut entry.untold);
    let kept = untold.kept_count();
    let captures = &app.hooks.captures;
    if kept == 0 || !captures.is_news(&entry.scope, entry.at) {
        return None;
    }
    // One that is not written is told once more after a restart.
    drop(app.writer.submit(vec![entry.request()]));
    let (noun, them) = if kept == 1 {
        ("fact", "it")
    } else {
        ("facts", "them")
    };
    let more = match untold.left_out {
        0 => String::new(),
        more => format!(" {more} more were found: `helixctl capture import --more`."),
    };
    Some(format!(
        "Helix kept {kept} {noun} of earlier sessions for review ({}); nothing uses {them} before somebody approves: \
         `helixctl review`.{more}",
        untold.words()
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn entries_round_trip() {
        let mut all = Tally {
            sessions: 3,
            slices: 100,
            dropped: 95,
            known: 1,
            forgotten: 2,
            unreadable: 4,
            left_out: 6,
            ..Tally::default()
        };
        all.keep("decision");
        let entry = Entry {
            scope: "project:github.com/a/b c 17".to_owned(),
            name: "b c 17".to_owned(),
            at: Timestamp::from_micros(5),
            untold: all.clone(),
            all,
        };
        let Request::States(_, rows) = entry.request() else {
            unreachable!("it is one row of states");
        };
        let (key, state) = rows.first().unwrap();
        assert!(!key.contains(' '), "{key}");
        assert_eq!(Entry::read(state), Some(entry));
    }
}
