//! The history of the asker's repository as a source: messages that explain why, reverts and fixes.

use std::path::{Path, PathBuf};

use helix_capture::read::git;
use helix_capture::{Options, Rules};
use helix_engine::Scope;

use super::Tally;
use super::cursor::Place;
use super::import::{Line, Summary};
use super::keep::{self, EXTRACTOR, Found};
use super::known::{Stored, Waiting};
use super::ledger::{self, Told};
use super::transcript::write;
use crate::{App, Asker, Refusal};

/// Facts of one history at most: whoever reads the review reads all of them.
const FACTS_MAX: usize = 100;

/// Reads what was committed since it was read last.
///
/// # Errors
/// Outside of a repository, when git does not answer, or the store fails.
pub(super) fn import(app: &App, asker: &Asker, is_dry: bool) -> Result<Summary, Refusal> {
    let project = asker.project.as_ref();
    if project.scope == Scope::Global {
        return Err(Refusal::invalid(
            "this is no project; go into a repository to read its history",
        ));
    }
    let row = row(&project.root);
    let mut place = Place::read(app, &row)?;
    let after = Some(place.directory.as_str()).filter(|hash| !hash.is_empty());
    let log = app.memory.projects.log(&project.root, after);
    let log = log.ok_or_else(|| {
        Refusal::unavailable("git has no history of this project, or did not answer in time")
    })?;
    let read = git::read(&log, &project.root.to_string_lossy());
    let usual = Options::default();
    let options = Options {
        cutoff: app.settings.capture.cutoff.unwrap_or(usual.cutoff),
        at_most: FACTS_MAX,
        turns_per_extra: 0,
    };
    let scope = &project.scope;
    let extraction = Rules::new(options).extract_from(&read.slices, 0, &Stored { app, scope });
    let mut tally = Tally {
        slices: extraction.slices as u64,
        dropped: extraction.dropped as u64,
        unreadable: read.unreadable,
        ..Tally::default()
    };
    let found = Found {
        project,
        agent: git::AGENT,
        session: "",
        branch: "",
        extractor: EXTRACTOR,
    };
    let (candidates, waiting) = (extraction.candidates, &mut Waiting::default());
    let mut requests = keep::requests(app, &found, candidates, waiting, &mut tally)?;
    if let (false, Some(last)) = (is_dry, read.last) {
        place.directory = last;
        requests.push(place.request(app, &row));
        write(app, requests)?;
        ledger::add(app, project, &tally, Told::AtOnce)?;
    }
    let told = read.slices.len() as u64 - tally.dropped;
    let mut notes = vec![match read.commits {
        0 => "no commit is new".to_owned(),
        commits => format!(
            "{} of {commits} commits tell why something was done, or what was mended or taken back; \
             the others only say what changed",
            told.min(commits)
        ),
    }];
    if extraction.left_out > 0 {
        let more = extraction.left_out;
        notes.push(format!(
            "{more} more were found; the {FACTS_MAX} surest are kept"
        ));
    }
    // Of a history, commits stand in the place of sessions.
    tally.sessions = read.commits;
    let line = Line {
        name: project.name.clone(),
        scope: scope.to_string(),
        bytes: log.len() as u64,
        tally,
    };
    Ok(Summary {
        projects: vec![line],
        notes,
        is_whole: true,
        ..Summary::default()
    })
}

/// The name of the row that keeps how far the history was read, which is no path of a file. The
/// hash stands where a transcript has its directory.
fn row(root: &Path) -> PathBuf {
    PathBuf::from(format!("git {}", root.display()))
}
