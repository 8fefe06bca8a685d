//! The background suggester: relates new memories to what they resemble and name. Nobody waits for
//! it, and it waits until nobody writes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use helix_engine::model::{Actor, MemoryNumber, Origin};
use helix_engine::ports::Clock;
use helix_engine::strand::{ReadError, Request, Strand};

use crate::indexer::Nudge;
use crate::system::SystemClock;
use crate::writer::WriterHandle;

/// How long nothing may be committed before new memories are looked at: its own commit would delay
/// the next store's.
const QUIET: Duration = Duration::from_millis(500);

/// New memories that are looked at after a pause. A larger batch is brought by a program, and
/// nobody would read so many suggestions.
const NEWS_MAX: usize = 200;

/// The thread.
pub(crate) struct Suggester {
    thread: JoinHandle<()>,
}

/// Makes the wake-up channel, which the writer needs before the suggester can start.
pub(crate) fn channel() -> (Nudge, Receiver<()>) {
    crate::indexer::channel()
}

impl Suggester {
    /// Starts the thread. It ends when every [`Nudge`] is gone.
    pub(crate) fn start(
        strand: Arc<Strand>,
        writer: WriterHandle,
        wake: Receiver<()>,
    ) -> io::Result<Self> {
        let thread = thread::Builder::new()
            .name("suggester".to_owned())
            .spawn(move || run(&strand, &writer, &wake))?;
        Ok(Self { thread })
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!("the suggester panicked; new memories are not related by themselves");
        }
    }
}

fn run(strand: &Strand, writer: &WriterHandle, wake: &Receiver<()>) {
    let mut known = extent(strand);
    let mut has_news = false;
    loop {
        let woken = if has_news {
            wake.recv_timeout(QUIET)
        } else {
            wake.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match woken {
            Ok(()) => has_news = true,
            Err(RecvTimeoutError::Timeout) => {
                has_news = false;
                let now = extent(strand);
                if let Err(error) = suggest(strand, writer, known, now) {
                    tracing::warn!(%error, "relations of new memories were not looked for");
                }
                known = now;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

/// The number that the next memory gets.
fn extent(strand: &Strand) -> u32 {
    u32::try_from(strand.catalog().extent()).unwrap_or(u32::MAX)
}

fn suggest(strand: &Strand, writer: &WriterHandle, known: u32, now: u32) -> Result<(), ReadError> {
    let news: Vec<MemoryNumber> = (known..now).map(MemoryNumber).take(NEWS_MAX + 1).collect();
    if news.is_empty() || news.len() > NEWS_MAX {
        return Ok(());
    }
    let at = SystemClock.now();
    let steps = strand.suggestions(&news, at)?;
    if steps.is_empty() {
        return Ok(());
    }
    tracing::debug!(count = steps.len(), "relations suggested");
    let actor = Actor {
        origin: Origin::Tool,
        agent: "helix".to_owned(),
        session: String::new(),
        ..Actor::default()
    };
    // Suggestions that cannot be written are not worth a retry.
    writer
        .submit(vec![Request::Together { steps, actor, at }])
        .ok();
    Ok(())
}
