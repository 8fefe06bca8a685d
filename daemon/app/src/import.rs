//! Importing: memories from an exchange format, merged with what is known.
//!
//! What comes in is spooled into a file without a name, because a log can only be read with its
//! deletions at hand; then it is read as a stream. Files are parsed, their memories are merged with
//! what is known, words are read and batches are committed at the same time, and progress is
//! reported after each batch.

mod conflicts;
mod files;
mod importer;
mod incoming;
mod known;
mod links;
mod merge;
mod problems;
mod repeats;
mod rest;
mod seen;
mod spool;
mod words;

pub use self::spool::{Spool, SpoolError};

use std::io;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError};
use std::thread;

use helix_engine::{Actor, ErrorKind, Origin, Scope};

use self::files::Part;
use self::importer::Importer;
use self::seen::Seen;
use self::words::Reader;
use crate::exchange::{Format, Progress};
use crate::ports::Reports;
use crate::{App, Asker, Refusal};

/// The parameters of an import, beside the bytes.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How it travels.
    pub format: Format,
    /// Where memories go that name no scope; empty or `project` for the asker's project.
    pub scope: String,
    /// True if it is only said what would be done.
    pub dry_run: bool,
    /// True if origins and provenance that the file names are kept; only a person may ask for it.
    pub trust: bool,
    /// True if memories that are here become what the file was edited to say; only a person may ask
    /// for it.
    pub takes_edits: bool,
}

/// Imports what was spooled, and says how it went. Blocks for as long as it takes.
///
/// # Errors
/// When it cannot be read, the asker may not, or the program ends. What was written stays.
pub fn import(
    app: &App,
    asker: Asker,
    wanted: &Wanted,
    spool: &Spool,
    reports: &dyn Reports,
) -> Result<Progress, Refusal> {
    // Whoever sent it sees that all of it is there, and then how far it is read.
    let (bytes_read, bytes_whole) = spool.reading().so_far();
    reports.progress(Progress {
        bytes_read,
        bytes_whole,
        ..Progress::default()
    });
    // Held to the end: another one that began meanwhile would not know what it stores. Nothing is
    // behind it that a panic could leave half done.
    let importing = &app.memory.importing;
    let _importing = importing.lock().unwrap_or_else(PoisonError::into_inner);
    let home = match wanted.scope.as_str() {
        "" | "project" => asker.project.scope.clone(),
        other => Scope::parse(other).map_err(|error| Refusal::invalid(error.to_string()))?,
    };
    if (wanted.trust || wanted.takes_edits) && asker.actor.origin != Origin::User {
        return Err(Refusal::denied(
            "only a person can vouch for where memories came from, or for edits; use helixctl import",
        ));
    }
    let asker = Asker {
        actor: Actor {
            origin: Origin::Import,
            ..asker.actor
        },
        ..asker
    };
    let project = Arc::clone(&asker.project);
    let seen = Seen::new(&project, app.memory.sources.look(&project, 0));
    thread::scope(|scope| {
        let reader = Reader::start(scope, app, asker.actor.clone()).map_err(no_thread)?;
        let mut importer = Importer::new(app, asker, home, wanted, reports, seen, reader);
        importer.follow(spool.reading());
        let parts = files::start(scope, spool, wanted.format).map_err(no_thread)?;
        let is_one_of_many = spool.files().nth(1).is_some();
        match take(parts, is_one_of_many, &mut importer).and_then(|()| importer.finish()) {
            Ok(()) => Ok(importer.into_progress()),
            Err(refusal) => {
                // What is on its way is written: the caller is told of it before it is told what
                // went wrong.
                reports.cut_short(importer.give_up());
                Err(refusal)
            }
        }
    })
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn no_thread(error: io::Error) -> Refusal {
    Refusal::unavailable(format!("starting a thread for the import: {error}"))
}

/// Why an import ends before its end that is asked to.
#[must_use]
pub fn ending() -> Refusal {
    Refusal::unavailable(
        "the import was ended because the daemon stops or hands over to another program",
    )
}

/// Takes what the files hold. `is_one_of_many` says whether there is more than one file.
fn take(
    parts: Receiver<Part>,
    is_one_of_many: bool,
    importer: &mut Importer<'_>,
) -> Result<(), Refusal> {
    for part in parts {
        match part {
            Part::Memories(memories) => memories
                .into_iter()
                .try_for_each(|memory| importer.take(memory))?,
            Part::End {
                file,
                outcome: Ok(report),
            } => {
                importer.problems().note(&file, &report);
                importer.end_file();
            }
            // A file that cannot be read costs the others nothing.
            Part::End {
                outcome: Err(refusal),
                ..
            } if is_one_of_many && refusal.kind() == ErrorKind::Invalid => {
                importer
                    .problems()
                    .add(|| format!("{}; the file was left out", refusal.message()));
                importer.end_file();
            }
            Part::End {
                outcome: Err(refusal),
                ..
            } => return Err(refusal),
        }
    }
    Ok(())
}
