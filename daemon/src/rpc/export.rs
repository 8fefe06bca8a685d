//! `Export`: pieces as they are made.
//!
//! A thread writes into a bounded channel. A reader who takes nothing for a while ends it: the
//! snapshot that is read keeps room in the store that is free otherwise.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use helix_app::exchange::Piece;
use helix_app::export::{self, Cut};
use helix_app::{Refusal, ports};
use helix_proto::v1;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, error::SendTimeoutError};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::call::{begin_long, refused};
use crate::runtime::Runtime;
use crate::wire;
use crate::work::{Long, Work};

/// Pieces that wait for the reader.
const PIECES_MAX: usize = 4;

/// How long the reader may take for one piece: somebody looks at a page meanwhile, and not for
/// long.
const READ_DEADLINE: Duration = Duration::from_mins(1);

/// A piece, or why none comes any more.
type Sent = Result<v1::ExportPiece, Status>;

/// Pieces for the reader.
pub(super) type Pieces = ReceiverStream<Sent>;

/// Starts an export.
pub(super) fn export(
    runtime: &Arc<Runtime>,
    mut request: v1::ExportRequest,
) -> Result<Pieces, Refusal> {
    let caller = request.caller.take();
    let wanted = wire::exchange::export(request)?;
    // One place more is kept for how it ended, which a reader that is slow must learn too.
    let (sender, pieces) = mpsc::channel(PIECES_MAX + 1);
    let last = sender
        .clone()
        .try_reserve_owned()
        .map_err(|error| Refusal::internal(error.to_string()))?;
    let (going, runtime) = (begin_long(runtime, Long::Export)?, Arc::clone(runtime));
    let mut outgoing = Outgoing {
        sender,
        handle: Handle::current(),
        work: Arc::clone(&runtime.work),
    };
    let exported = Arc::clone(&runtime).pools.long.submit(Box::new(move || {
        let _going = going;
        let asker = runtime.asker(caller.as_ref());
        if let Err(cut) = export::export(&runtime.app, &asker, &wanted, &mut outgoing) {
            // A reader that went away needs no reason.
            last.send(Err(if runtime.work.is_ending() {
                refused(ended())
            } else {
                status(cut)
            }));
        }
    }));
    exported.map_err(|error| Refusal::unavailable(error.to_string()))?;
    Ok(ReceiverStream::new(pieces))
}

fn ended() -> Refusal {
    Refusal::unavailable(
        "the export was ended because the daemon stops or hands over to another program; export again",
    )
}

fn status(cut: Cut) -> Status {
    match cut {
        Cut::Refused(refusal) => refused(refusal),
        Cut::Unread(error) if error.kind() == io::ErrorKind::TimedOut => {
            Status::deadline_exceeded(format!(
                "the export was ended because nothing of it was read for {} s; write it to a file, and read that",
                READ_DEADLINE.as_secs()
            ))
        }
        Cut::Unread(error) => {
            Status::cancelled(format!("the export was not read to its end: {error}"))
        }
    }
}

/// Where pieces go, for as long as the daemon does not end.
struct Outgoing {
    sender: mpsc::Sender<Sent>,
    handle: Handle,
    work: Arc<Work>,
}

impl ports::Pieces for Outgoing {
    fn take(&mut self, piece: Piece) -> io::Result<()> {
        let piece = wire::exchange::piece(piece);
        self.handle.block_on(async {
            tokio::select! {
                biased;
                () = self.work.ending() => Err(io::ErrorKind::ConnectionAborted.into()),
                sent = self.sender.send_timeout(Ok(piece), READ_DEADLINE) => sent.map_err(|error| match error {
                    SendTimeoutError::Timeout(_) => io::ErrorKind::TimedOut.into(),
                    SendTimeoutError::Closed(_) => io::ErrorKind::BrokenPipe.into(),
                }),
            }
        })
    }
}
