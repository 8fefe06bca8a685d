//! An import: the transcripts that are on this machine, distilled because somebody asked for it.
//!
//! It stops where its caller goes away or the daemon ends, and the next one goes on there.

pub(super) mod disk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::TryLockError;
use std::time::Duration;

use helix_capture::read::Format;
use helix_capture::read::directories::Directories;
use helix_capture::read::places::{self, Found, Home, Unread};
use helix_engine::{Scope, Timestamp};
use helix_neutral::quoted;

use self::disk::Disk;
use super::foreseen::Preview;
use super::known::Waiting;
use super::ledger::{self, Told};
use super::switches::Which;
use super::transcript::{Pass, Read, Transcript};
use super::{Tally, git};
use crate::language::Sent;
use crate::language::facts::Asked;
use crate::language::ledger::allowance;
use crate::project::Project;
use crate::{App, Asker, Refusal};

/// Things that are told of what could not be read; the rest is counted.
const NOTES_MAX: usize = 20;

/// Projects that are named where none is the one that was asked for.
const OTHERS_MAX: usize = 8;

/// How long the project of a directory that the caller names is looked for.
const PROJECT_PATIENCE: Duration = Duration::from_secs(3);

/// The latest transcripts, of which language models are asked: what was said long ago seldom holds, and
/// each question takes seconds.
const ASKED_MAX: usize = 500;

/// What is to be imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "wishes that have nothing to do with each other"
)]
pub struct Wanted {
    /// The home directory, and where clients were moved to.
    pub home: Home,
    /// Names of clients; empty for all.
    pub agents: Vec<String>,
    /// Only what changed since then.
    pub since: Option<Timestamp>,
    /// A project's name, scope or root; empty for all.
    pub project: String,
    /// Whether to keep nothing, and only say what would be.
    pub is_dry: bool,
    /// Reads the history of the asker's repository in place of transcripts.
    pub git: bool,
    /// Asks no language model.
    pub without_models: bool,
    /// Tells what would be sent to language models.
    pub shows_sent: bool,
    /// Reads those transcripts anew of which facts were left out, and takes all of them.
    pub takes_all: bool,
}

/// How far an import is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Transcripts that were read, and all of them.
    pub done: u64,
    /// See [`Self::done`].
    pub total: u64,
    /// Bytes that were read, and all of them.
    pub bytes: u64,
    /// See [`Self::bytes`].
    pub bytes_total: u64,
    /// Facts so far.
    pub facts: u64,
}

/// Who is told how far it is.
pub trait Reports {
    /// Whether nobody waits any more.
    fn is_gone(&self) -> bool;

    /// Says how far it is.
    fn progress(&self, progress: &Progress);

    /// Says what would be sent to language models.
    fn would_send(&self, sent: Vec<Sent>);
}

/// What an import came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Project by project, by name.
    pub projects: Vec<Line>,
    /// What could not be read, and what nobody reads.
    pub notes: Vec<String>,
    /// Whether all of it was read.
    pub is_whole: bool,
    /// What language models were asked, or would be; `None` where none is asked.
    pub asked: Option<Asked>,
    /// Tokens that may be paid for still this month.
    pub tokens_left: u64,
}

/// What an import kept of one project, or would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The project's name.
    pub name: String,
    /// Its scope, as text.
    pub scope: String,
    /// Bytes that were read.
    pub bytes: u64,
    /// Facts and sessions.
    pub tally: Tally,
}

impl Summary {
    /// All projects together.
    #[must_use]
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.projects.iter().for_each(|line| total.add(&line.tally));
        total
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < NOTES_MAX && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Imports.
///
/// # Errors
/// When a client is not known, another import goes on, or the store fails.
pub fn import(
    app: &App,
    asker: &Asker,
    wanted: &Wanted,
    reports: &dyn Reports,
) -> Result<Summary, Refusal> {
    let formats = formats(&wanted.agents)?;
    let _reading = match app.hooks.captures.reading.try_lock() {
        Ok(reading) => reading,
        Err(TryLockError::Poisoned(reading)) => reading.into_inner(),
        Err(TryLockError::WouldBlock) => {
            return Err(Refusal::unavailable(
                "transcripts are being read already; try again when that is done",
            ));
        }
    };
    if wanted.git {
        return git::import(app, asker, wanted.is_dry);
    }
    let disk = Disk {
        reach: &app.memory.reach,
    };
    let places = places::find(&wanted.home, &disk);
    let mut summary = Summary::default();
    note_unread(&places.unread, &mut summary);
    let is_wanted = |found: &Found| {
        let is_new = match (wanted.since, found.modified) {
            (Some(since), Some(modified)) => modified >= since.as_micros(),
            (Some(_) | None, _) => true,
        };
        is_new && formats.contains(&found.format)
    };
    // Oldest first, so that what was said later meets what it corrects.
    let found: Vec<Found> = places.found.into_iter().rev().filter(is_wanted).collect();
    let found = without_paused(app, found, &mut summary);
    let found = with_directories(asker, wanted, &disk, found, &mut summary);
    Going {
        app,
        wanted,
        sought: Sought::of(app, &wanted.project),
        reports,
        lines: BTreeMap::new(),
        told: BTreeSet::new(),
        others: BTreeSet::new(),
        is_sought_there: false,
        summary,
    }
    .read(&found)
}

/// Notes what no reader reads, files of one sort together.
fn note_unread(unread: &[Unread], summary: &mut Summary) {
    let mut by_sort: BTreeMap<&str, Vec<&Unread>> = BTreeMap::new();
    for unread in unread {
        by_sort.entry(unread.what).or_default().push(unread);
    }
    for (what, files) in by_sort {
        let Some(first) = files.first().map(|unread| unread.file.display()) else {
            continue;
        };
        summary.note(match files.len() {
            1 => format!("{first} was not read: {what}"),
            count => format!("{count} files were not read, such as {first}: {what}"),
        });
    }
}

/// Leaves out sessions that were paused: whoever paused one was told that nothing of it is captured.
fn without_paused(app: &App, mut found: Vec<Found>, summary: &mut Summary) -> Vec<Found> {
    let switches = app.hooks.captures.switches.all();
    let is_paused = |found: &Found| {
        let paused = Which::Session(found.session.clone());
        switches.iter().any(|switch| switch.which == paused)
    };
    let all = found.len();
    found.retain(|found| !is_paused(found));
    let count = all - found.len();
    if count > 0 {
        let sessions = if count == 1 { "session" } else { "sessions" };
        summary.note(format!(
            "{count} {sessions} left out, whose capture was paused"
        ));
    }
    found
}

/// The formats of the clients that are named.
fn formats(agents: &[String]) -> Result<Vec<Format>, Refusal> {
    if agents.is_empty() {
        return Ok(Format::ALL.to_vec());
    }
    let mut formats = Vec::new();
    for agent in agents {
        let is_meant = |format: &Format| format.agent().starts_with(agent.as_str());
        let meant: Vec<Format> = Format::ALL.into_iter().filter(is_meant).collect();
        if meant.is_empty() || agent.is_empty() {
            let mut known: Vec<&str> = Format::ALL.map(Format::agent).to_vec();
            known.dedup();
            return Err(Refusal::invalid(format!(
                "no transcripts of {} are known; the clients are {}",
                quoted(agent),
                known.join(", ")
            )));
        }
        formats.extend(meant);
    }
    Ok(formats)
}

/// Gives the transcripts whose client tells no directory the one that is found, and leaves out those
/// for which none is: nobody knows whose facts they hold.
fn with_directories(
    asker: &Asker,
    wanted: &Wanted,
    disk: &Disk<'_>,
    mut found: Vec<Found>,
    summary: &mut Summary,
) -> Vec<Found> {
    let own = [asker.project.root.clone(), asker.cwd.clone()];
    let named = own.into_iter().chain([PathBuf::from(&wanted.project)]);
    let directories = Directories::find(&wanted.home, disk, named);
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    found.retain_mut(|found| {
        found.directory = directories.of(found, disk);
        let is_known = found.directory.is_some() || found.format.tells_directory();
        if !is_known {
            *left_out.entry(found.format.agent()).or_default() += 1;
        }
        is_known
    });
    for (agent, count) in left_out {
        let sessions = if count == 1 { "session" } else { "sessions" };
        summary.note(format!(
            "{agent}: {count} {sessions} left out, whose project's directory is not known; name it \
             with --project DIR"
        ));
    }
    found
}

/// The project that is asked for.
#[derive(Clone, Debug)]
struct Sought<'a> {
    /// Its name, scope or root; empty for all.
    named: &'a str,
    /// Its scope, where a directory is named.
    scope: Option<Scope>,
}

impl<'a> Sought<'a> {
    fn of(app: &App, named: &'a str) -> Self {
        let directory = Some(Path::new(named)).filter(|path| path.is_absolute());
        let project = directory.and_then(|path| app.memory.project(path, PROJECT_PATIENCE));
        let scope = project.map(|project| project.scope.clone());
        Self {
            named,
            scope: scope.filter(|scope| *scope != Scope::Global),
        }
    }

    fn is(&self, project: &Project) -> bool {
        let is_scope = |scope: &Scope| project.names().any(|name| name == scope);
        is_named(project, self.named) || self.scope.as_ref().is_some_and(is_scope)
    }
}

struct Going<'a> {
    app: &'a App,
    wanted: &'a Wanted,
    sought: Sought<'a>,
    reports: &'a dyn Reports,
    /// By scope.
    lines: BTreeMap<String, Line>,
    /// What is not known and was told.
    told: BTreeSet<String>,
    /// Names of projects that were not asked for.
    others: BTreeSet<String>,
    /// Whether a session of the project that was asked for is there, read before or not.
    is_sought_there: bool,
    summary: Summary,
}

impl Going<'_> {
    fn read(mut self, found: &[Found]) -> Result<Summary, Refusal> {
        let mut waiting = Waiting::default();
        let (app, reports, wanted) = (self.app, self.reports, self.wanted);
        // Only who agreed has it kept; another preview looks anew.
        let mut agreed = if wanted.is_dry {
            None
        } else {
            app.hooks.captures.foreseen(wanted)
        };
        let mut preview = Preview::new(wanted);
        let asked_from = found.len().saturating_sub(ASKED_MAX);
        let mut asked = Asked::default();
        let is_over = || app.life.is_ending() || reports.is_gone();
        let goes_on = || app.hooks.load.give_way(is_over);
        let sought = self.sought.clone();
        let is_wanted = |project: &Project| sought.is(project);
        let mut progress = Progress {
            total: found.len() as u64,
            bytes_total: found.iter().map(|found| found.bytes).sum(),
            ..Progress::default()
        };
        for (place, found) in found.iter().enumerate() {
            if !goes_on() {
                break;
            }
            let before = progress.clone();
            let mut bytes = 0;
            let mut tell = |more: u64| {
                bytes += more;
                reports.progress(&Progress {
                    bytes: before.bytes + bytes.min(found.bytes),
                    ..before.clone()
                });
            };
            let mut pass = Pass {
                app,
                settings: app.settings.capture,
                is_dry: wanted.is_dry,
                takes_all: wanted.takes_all,
                asks_model: !wanted.without_models && place >= asked_from,
                asked,
                waiting,
                goes_on: &goes_on,
                wants: &is_wanted,
                progress: &mut tell,
            };
            let foreseen = agreed.as_mut().and_then(|agreed| agreed.take(&found.file));
            let mut read = pass.read(&transcript(found), foreseen)?;
            if let Some(foreseen) = read.foreseen.take() {
                preview.keep(&found.file, foreseen);
            }
            waiting = pass.waiting;
            asked = pass.asked;
            let sent = std::mem::take(&mut asked.would_send);
            if wanted.shows_sent && !sent.is_empty() {
                reports.would_send(sent);
            }
            progress.done += 1;
            progress.bytes += found.bytes;
            progress.facts += read.tally.kept_count();
            self.took(found, read)?;
            reports.progress(&progress);
        }
        self.summary.is_whole = goes_on();
        if wanted.is_dry {
            app.hooks.captures.foresee(preview);
        }
        self.note_absence();
        self.asked(asked)?;
        self.summary.projects = self.lines.into_values().collect();
        Ok(self.summary)
    }

    /// Notes what language models were asked, or would be.
    fn asked(&mut self, asked: Asked) -> Result<(), Refusal> {
        if !asked.error.is_empty() {
            let error = &asked.error;
            self.summary.note(format!(
                "not every turn was asked about, because no language model answers ({error}); what the rules find is kept"
            ));
        }
        if asked.questions > 0 {
            self.summary.asked = Some(asked);
            self.summary.tokens_left = allowance(self.app)?.paid_tokens;
        }
        Ok(())
    }

    /// Counts what one transcript came to.
    fn took(&mut self, found: &Found, read: Read) -> Result<(), Refusal> {
        for what in &read.unknown {
            let (agent, file) = (found.format.agent(), found.file.display());
            let unknown = format!("{agent}: {what} is not known; parts of it may be left out");
            // Told once of all files that have it.
            if !self.told.insert(unknown.clone()) {
                continue;
            }
            self.summary.note(format!("{unknown}, as in {file}"));
        }
        let Some(project) = read.project else {
            return Ok(());
        };
        if !self.sought.is(&project) {
            self.others.insert(project.name.clone());
            return Ok(());
        }
        self.is_sought_there = true;
        if read.bytes == 0 {
            return Ok(());
        }
        if !self.wanted.is_dry {
            ledger::looked_at(self.app, &project, read.looked_at as u64)?;
            ledger::add(self.app, &project, &read.tally, Told::AtOnce)?;
        }
        let scope = project.scope.to_string();
        let line = self.lines.entry(scope.clone()).or_default();
        line.name.clone_from(&project.name);
        line.scope = scope;
        line.bytes += read.bytes;
        line.tally.add(&read.tally);
        Ok(())
    }
}

impl Going<'_> {
    /// Says so where no session is of the project that was asked for, and of which there are some.
    fn note_absence(&mut self) {
        let is_named = !self.wanted.project.is_empty();
        if !is_named || self.is_sought_there || !self.summary.is_whole {
            return;
        }
        let others: Vec<&str> = self
            .others
            .iter()
            .map(String::as_str)
            .take(OTHERS_MAX)
            .collect();
        let there = match others.as_slice() {
            [] => "there are none of other projects either".to_owned(),
            others => format!("there are some of {}", others.join(", ")),
        };
        let named = quoted(&self.wanted.project);
        self.summary.note(format!(
            "no session here is of the project {named}; {there}"
        ));
    }
}

fn transcript(found: &Found) -> Transcript {
    Transcript {
        path: found.file.clone(),
        format: found.format,
        session: found.session.clone(),
        directory: found.directory.clone(),
        is_spread: found.is_spread,
    }
}

/// Whether a project is meant by its name, its scope, or its root or the name of that.
fn is_named(project: &Project, wanted: &str) -> bool {
    let root = project.root.file_name();
    wanted.is_empty()
        || project.name == wanted
        || (project.scope != Scope::Global && root.is_some_and(|root| root == wanted))
        || project.root == Path::new(wanted)
        || project.names().any(|scope| scope.to_string() == wanted)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_nobody_reads_is_told_by_its_sort() {
        let unread = |file: &str, what| Unread {
            file: PathBuf::from(file),
            what,
        };
        let all = [
            unread("/a/state.vscdb", "databases of chats"),
            unread("/b/state.vscdb", "databases of chats"),
            unread("/c.zst", "a compressed session"),
        ];
        let mut summary = Summary::default();
        note_unread(&all, &mut summary);
        assert_eq!(
            summary.notes,
            [
                "/c.zst was not read: a compressed session",
                "2 files were not read, such as /a/state.vscdb: databases of chats",
            ]
        );
    }

    #[test]
    fn clients_are_named_by_the_beginning_of_their_names() {
        let named = |agents: &[&str]| {
            let agents: Vec<String> = agents.iter().map(|agent| (*agent).to_owned()).collect();
            formats(&agents)
        };
        assert_eq!(named(&["claude"]).unwrap(), [Format::ClaudeCode]);
        let both = [Format::Gemini, Format::GeminiDocument];
        assert_eq!(named(&["gemini-cli"]).unwrap(), both);
        assert_eq!(named(&[]).unwrap().len(), Format::ALL.len());
        let refused = named(&["emacs"]).unwrap_err();
        assert_eq!(
            refused.message(),
            "no transcripts of \"emacs\" are known; the clients are claude-code, codex, opencode, gemini-cli, cursor"
        );
    }
}
