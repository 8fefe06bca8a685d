//! `Import`: memories from an exchange format, merged with what is known.
//!
//! What comes in is spooled into a file without a name, because a log can only be read with its
//! deletions at hand; then it is read as a stream. Files are parsed, their memories are merged with
//! what is known, words are read and batches are committed at the same time, and progress is
//! reported after each batch.

mod batch;
mod files;
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

use std::io;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use helix_app::Refusal;
use helix_engine::error::ErrorKind;
use helix_engine::model::{Actor, Origin, Scope};
use helix_proto::v1;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::call::begin_long;
use super::convert;
use crate::runtime::{Asker, Runtime};
use crate::work::{Long, Work};
use batch::Importer;
use files::Part;
use seen::Seen;
use spool::Spool;
use words::Reader;

/// Pieces that wait to be spooled.
const PIECES_MAX: usize = 4;

/// Reports that wait for the reader.
const REPORTS_MAX: usize = 16;

/// How long the next piece may take: whoever makes it may think for a while.
const PIECE_DEADLINE: Duration = Duration::from_mins(2);

/// How long the caller may take for its last reports.
const REPORT_DEADLINE: Duration = Duration::from_secs(10);

/// What the caller is told.
type Report = Result<v1::ImportProgress, Status>;

/// What the caller gets.
pub(super) type Reports = ReceiverStream<Report>;

/// Takes the first piece, which says what comes, and starts the import.
///
/// How the caller's stream broke off is told as tonic has it.
pub(super) async fn import(
    runtime: &Arc<Runtime>,
    mut incoming: Streaming<v1::ImportPiece>,
) -> Result<Reports, Status> {
    let refused = |refusal: Refusal| convert::refused(&refusal);
    let going = begin_long(runtime, Long::Import).map_err(refused)?;
    let first = timeout(PIECE_DEADLINE, incoming.message())
        .await
        .map_err(|_| late())??;
    let first = known_format(first).map_err(refused)?;
    runtime.meet(first.caller.as_ref()).await.map_err(refused)?;
    let (pieces, spooled) = mpsc::channel(PIECES_MAX);
    let (reports, answer) = mpsc::channel(REPORTS_MAX);
    let request = Request {
        format: first.format(),
        scope: first.scope.clone(),
        dry_run: first.dry_run,
        trust: first.trust,
    };
    let caller = first.caller.clone();
    let runtime = Arc::clone(runtime);
    tokio::spawn(forward(first, incoming, pieces, Arc::clone(&runtime.work)));
    let imported = crate::pool::submit(&Arc::clone(&runtime).pools.long, move || {
        let _going = going;
        let asker = runtime.asker(caller.as_ref());
        let outcome = spool(&runtime, spooled).and_then(|spool| {
            run(&runtime, asker, &request, &spool, &reports)
                .map_err(|refusal| convert::refused(&refusal))
        });
        tell(&reports, outcome);
    });
    imported.map_err(|error| Status::resource_exhausted(error.to_string()))?;
    Ok(ReceiverStream::new(answer))
}

/// Refuses a first piece that does not say what comes.
fn known_format(first: Option<v1::ImportPiece>) -> Result<v1::ImportPiece, Refusal> {
    let first =
        first.ok_or_else(|| Refusal::invalid("the import is empty; give a file to import"))?;
    if first.format() == v1::ExchangeFormat::Unspecified {
        return Err(Refusal::invalid(
            "the import names no format; give json, markdown or amrl",
        ));
    }
    Ok(first)
}

/// What is asked for, beside the bytes.
struct Request {
    format: v1::ExchangeFormat,
    scope: String,
    dry_run: bool,
    trust: bool,
}

/// What the caller sends: a piece, or that there is no more. Without the latter it is not whole,
/// however its stream ends.
type Sent = Result<Option<v1::ImportPiece>, Status>;

/// Hands pieces to the thread that spools them, until the caller has no more, the thread wants no
/// more, or the daemon ends.
async fn forward(
    first: v1::ImportPiece,
    mut incoming: Streaming<v1::ImportPiece>,
    pieces: mpsc::Sender<Sent>,
    work: Arc<Work>,
) {
    let mut next = Ok(Some(first));
    loop {
        let is_last = !matches!(next, Ok(Some(_)));
        if pieces.send(next).await.is_err() || is_last {
            return;
        }
        next = tokio::select! {
            next = timeout(PIECE_DEADLINE, incoming.message()) => next.unwrap_or_else(|_| Err(late())),
            () = work.ending() => Err(convert::refused(&ending())),
        };
    }
}

/// Reports what the caller has to learn. One that went away, or reads nothing, has lost only the
/// report.
fn tell(reports: &mpsc::Sender<Report>, report: Report) {
    Handle::current()
        .block_on(reports.send_timeout(report, REPORT_DEADLINE))
        .ok();
}

fn late() -> Status {
    Status::deadline_exceeded(format!(
        "the import was ended because nothing of it came for {} s; nothing of it is stored",
        PIECE_DEADLINE.as_secs()
    ))
}

fn run(
    runtime: &Runtime,
    asker: Asker,
    request: &Request,
    spool: &Spool,
    reports: &mpsc::Sender<Report>,
) -> Result<v1::ImportProgress, Refusal> {
    // Whoever sent it sees that all of it is there, and then how far it is read.
    let (bytes_read, bytes_whole) = spool.reading().so_far();
    reports
        .try_send(Ok(v1::ImportProgress {
            bytes_read,
            bytes_whole,
            ..v1::ImportProgress::default()
        }))
        .ok();
    // Held to the end. Nothing is behind it that a panic could leave half done.
    let _importing = runtime
        .importing
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let home = match request.scope.as_str() {
        "" | "project" => asker.project.scope.clone(),
        other => Scope::parse(other).map_err(|error| Refusal::invalid(error.to_string()))?,
    };
    if request.trust && asker.actor.origin != Origin::User {
        return Err(Refusal::denied(
            "only a person can vouch for where memories came from; use helixctl import",
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
    let seen = Seen::new(&project, runtime.app.memory.sources.look(&project, 0));
    let mut done = thread::scope(|scope| -> Result<v1::ImportProgress, Refusal> {
        let reader = Reader::start(scope, runtime.writer.clone(), asker.actor.clone());
        let reader = reader.map_err(no_thread)?;
        let mut importer =
            Importer::new(runtime, asker, home, request, reports.clone(), seen, reader);
        importer.follow(spool.reading());
        let parts = files::start(scope, spool, request.format).map_err(no_thread)?;
        match take(parts, spool.files().nth(1).is_some(), &mut importer)
            .and_then(|()| importer.finish())
        {
            Ok(()) => Ok(importer.into_progress()),
            Err(status) => {
                // What is on its way is written: the caller is told of it before it is told what
                // went wrong.
                tell(reports, Ok(importer.give_up()));
                Err(status)
            }
        }
    })?;
    done.done = true;
    Ok(done)
}

/// Keeps what is sent until all of it is there.
fn spool(runtime: &Runtime, mut pieces: mpsc::Receiver<Sent>) -> Result<Spool, Status> {
    let failed = |error| convert::refused(&spool::status(error));
    let mut spool = Spool::new(&runtime.config.paths).map_err(|error| failed(error.into()))?;
    loop {
        match pieces.blocking_recv() {
            Some(Ok(Some(piece))) => {
                spool.write(&piece.file, &piece.data).map_err(failed)?;
            }
            Some(Ok(None)) => return Ok(spool),
            Some(Err(status)) => return Err(status),
            None => return Err(convert::refused(&ending())),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn no_thread(error: io::Error) -> Refusal {
    Refusal::unavailable(format!("starting a thread for the import: {error}"))
}

/// Why an import ends before its end that is asked to.
fn ending() -> Refusal {
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
                outcome: Err(status),
                ..
            } if is_one_of_many && status.kind() == ErrorKind::Invalid => {
                importer
                    .problems()
                    .add(|| format!("{}; the file was left out", status.message()));
                importer.end_file();
            }
            Part::End {
                outcome: Err(status),
                ..
            } => return Err(status),
        }
    }
    Ok(())
}
