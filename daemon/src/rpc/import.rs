//! `Import`: pieces come in and are spooled, reports go out.

use std::sync::Arc;
use std::time::Duration;

use helix_app::exchange::Progress;
use helix_app::import::{self, Spool, ending};
use helix_app::{Refusal, ports};
use helix_proto::v1;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::call::{begin_long, refused};
use crate::runtime::Runtime;
use crate::wire;
use crate::work::{Long, Work};

/// Pieces that wait to be spooled.
const PIECES_MAX: usize = 4;

/// Reports that wait for the reader.
const REPORTS_MAX: usize = 16;

/// How long the next piece may take: whoever makes it may think for a while.
const PIECE_DEADLINE: Duration = Duration::from_mins(2);

/// How long the caller may take for its last reports.
const REPORT_DEADLINE: Duration = Duration::from_secs(10);

/// A report to the caller.
type Report = Result<v1::ImportProgress, Status>;

/// Reports to the caller.
pub(super) type Reports = ReceiverStream<Report>;

/// Takes the first piece, which says what comes, and starts the import.
///
/// How the caller's stream broke off is told as tonic has it.
pub(super) async fn import(
    runtime: &Arc<Runtime>,
    mut incoming: Streaming<v1::ImportPiece>,
) -> Result<Reports, Status> {
    let going = begin_long(runtime, Long::Import).map_err(refused)?;
    let first = timeout(PIECE_DEADLINE, incoming.message())
        .await
        .map_err(|_| late())??;
    let first = first.ok_or_else(|| {
        refused(Refusal::invalid(
            "the import is empty; give a file to import",
        ))
    })?;
    let wanted = wire::exchange::import(&first).map_err(refused)?;
    let caller = first.caller.clone();
    runtime.meet(caller.as_ref()).await.map_err(refused)?;
    let (pieces, spooled) = mpsc::channel(PIECES_MAX);
    let (sender, answer) = mpsc::channel(REPORTS_MAX);
    let telling = Telling {
        sender,
        handle: Handle::current(),
    };
    let runtime = Arc::clone(runtime);
    tokio::spawn(forward(first, incoming, pieces, Arc::clone(&runtime.work)));
    let imported = Arc::clone(&runtime).pools.long.submit(Box::new(move || {
        let _going = going;
        let asker = runtime.asker(caller.as_ref());
        let outcome = spool(&runtime, spooled).and_then(|spool| {
            let done = import::import(&runtime.app, asker, &wanted, &spool, &telling);
            done.map_err(refused)
        });
        telling.tell(outcome.map(|progress| wire::exchange::progress(progress, true)));
    }));
    imported.map_err(|error| Status::unavailable(error.to_string()))?;
    Ok(ReceiverStream::new(answer))
}

/// The caller of an import.
struct Telling {
    sender: mpsc::Sender<Report>,
    handle: Handle,
}

impl Telling {
    /// Reports what the caller has to learn. One that went away, or reads nothing, has lost only
    /// the report.
    fn tell(&self, report: Report) {
        let told = self.sender.send_timeout(report, REPORT_DEADLINE);
        self.handle.block_on(told).ok();
    }
}

impl ports::Reports for Telling {
    fn is_gone(&self) -> bool {
        self.sender.is_closed()
    }

    fn progress(&self, progress: Progress) {
        // Progress that nobody waits for may be missed.
        let progress = wire::exchange::progress(progress, false);
        self.sender.try_send(Ok(progress)).ok();
    }

    fn cut_short(&self, progress: Progress) {
        self.tell(Ok(wire::exchange::progress(progress, false)));
    }
}

/// A message of the caller: a piece, or that there is no more. Without the latter it is not whole,
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
            () = work.ending() => Err(refused(ending())),
        };
    }
}

fn late() -> Status {
    Status::deadline_exceeded(format!(
        "the import was ended because nothing of it came for {} s; nothing of it is stored",
        PIECE_DEADLINE.as_secs()
    ))
}

/// Keeps what is sent until all of it is there.
fn spool(runtime: &Runtime, mut pieces: mpsc::Receiver<Sent>) -> Result<Spool, Status> {
    let spool = Spool::new(&runtime.app.layout.paths);
    let mut spool = spool.map_err(|error| refused(error.into()))?;
    loop {
        match pieces.blocking_recv() {
            Some(Ok(Some(piece))) => {
                let written = spool.write(&piece.file, &piece.data);
                written.map_err(|error| refused(error.into()))?;
            }
            Some(Ok(None)) => return Ok(spool),
            Some(Err(status)) => return Err(status),
            None => return Err(refused(ending())),
        }
    }
}
