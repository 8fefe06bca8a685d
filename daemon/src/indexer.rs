//! The background indexer: makes the word index durable behind the store. Nobody waits for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use helix_engine::Strand;

/// How long commits may gather in the tail before they are flushed. A restart replays what is not.
const FLUSH_INTERVAL: Duration = Duration::from_secs(15);

/// How long no commit may come before a flush that pays is made. A flush burns a core for as long
/// as the stores it carries took, so during a burst it waits for the end, unless the tail is full.
const QUIET: Duration = Duration::from_millis(200);

/// Wakes the indexer. One place is enough: it looks at everything when it wakes.
#[derive(Clone)]
pub(crate) struct Nudge(SyncSender<()>);

impl Nudge {
    /// Says that something was committed.
    pub(crate) fn committed(&self) {
        // A full place means that it will wake anyway.
        self.0.try_send(()).ok();
    }
}

/// The thread and what wakes it.
pub(crate) struct Indexer {
    thread: JoinHandle<()>,
}

/// Makes the wake-up channel, which the writer needs before the indexer can start.
pub(crate) fn channel() -> (Nudge, Receiver<()>) {
    let (sender, receiver) = sync_channel(1);
    (Nudge(sender), receiver)
}

impl Indexer {
    /// Starts the thread. It ends, after a last flush, when every [`Nudge`] is gone.
    pub(crate) fn start(strand: Arc<Strand>, wake: Receiver<()>) -> io::Result<Self> {
        let thread = thread::Builder::new()
            .name("indexer".to_owned())
            .spawn(move || run(&strand, &wake))?;
        Ok(Self { thread })
    }

    /// Waits for the last flush.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!(
                "the indexer panicked; the word index will be replayed at the next start"
            );
        }
    }
}

fn run(strand: &Strand, wake: &Receiver<()>) {
    let mut due: Option<Instant> = None;
    let mut pays = false;
    loop {
        let now = Instant::now();
        let until_due = due.map(|due| due.saturating_duration_since(now));
        let patience = if pays {
            until_due.map(|left| left.min(QUIET))
        } else {
            until_due
        };
        let woken = match patience {
            Some(patience) => wake.recv_timeout(patience),
            None => wake.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let is_quiet = match woken {
            Ok(()) => {
                due = due.or(Some(Instant::now() + FLUSH_INTERVAL));
                false
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        pays = strand.lexical().needs_flush();
        if (pays && is_quiet)
            || strand.lexical().must_flush()
            || due.is_some_and(|due| due <= Instant::now())
        {
            flush(strand);
            (due, pays) = (None, false);
        }
    }
    flush(strand);
}

fn flush(strand: &Strand) {
    match strand.lexical().flush() {
        Ok(true) => tracing::debug!(
            watermark = strand.lexical().watermark(),
            "word index flushed"
        ),
        Ok(false) => {}
        Err(error) => {
            tracing::error!(%error, "flushing the word index failed; it is replayed at the next start");
        }
    }
}
