//! The background suggester: relates new memories to what they resemble and name, points out those
//! that say the same in other words, and withholds what came by itself and says what was forgotten.
//! Nobody waits for it, and it waits until nobody writes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use helix_app::ports::Embedder as _;
use helix_app::{forgotten, sweep};
use helix_engine::{
    Clock, MemoryNumber, ReadError, Request, States, Step, StoreError, Strand, Timestamp,
};

use crate::indexer::Nudge;
use crate::ports::Embedding;
use crate::system::SystemClock;
use crate::writer::WriterHandle;

/// How long nothing may be committed before new memories are looked at: its own commit would delay
/// the next store's.
const QUIET: Duration = Duration::from_millis(500);

/// New memories that are looked at after a pause. A larger batch is brought by a program, and
/// nobody would read so many suggestions.
const NEWS_MAX: usize = 200;

/// Pauses for which it waits for the vectors of new memories. The scheduler's sweep finds what
/// comes later.
const VECTOR_PAUSES_MAX: u32 = 20;

/// How long the vector of a sentence is waited for; its memory is compared later otherwise.
const SENTENCE_PATIENCE: Duration = Duration::from_secs(5);

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
        embedder: Embedding,
        wake: Receiver<()>,
    ) -> io::Result<Self> {
        let thread = thread::Builder::new()
            .name("suggester".to_owned())
            .spawn(move || run(&strand, &writer, &embedder, &wake))?;
        Ok(Self { thread })
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!("the suggester panicked; new memories are not related by themselves");
        }
    }
}

/// Memories that came, and what is known of them.
#[derive(Default)]
struct News {
    /// The first number that it has not looked at.
    known: u32,
    /// Those whose vectors are not there yet.
    waiting: Vec<MemoryNumber>,
    /// Pauses that these have been waited for.
    pauses: u32,
}

fn run(strand: &Strand, writer: &WriterHandle, embedder: &Embedding, wake: &Receiver<()>) {
    let mut news = News {
        known: extent(strand),
        ..News::default()
    };
    if let Err(error) = await_comparisons(strand) {
        tracing::warn!(%error, "what came last is not compared with what was forgotten");
    }
    let mut has_news = false;
    loop {
        let woken = if has_news || strand.compares_forgotten() {
            wake.recv_timeout(QUIET)
        } else {
            wake.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match woken {
            Ok(()) => has_news = true,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = withhold(strand, writer, embedder) {
                    tracing::warn!(%error, "what came was not compared with what was forgotten");
                }
                if has_news && let Err(error) = news.suggest(strand, writer) {
                    tracing::warn!(%error, "relations of new memories were not looked for");
                }
                has_news = !news.waiting.is_empty();
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
}

/// Takes up what an earlier daemon had to compare with what was forgotten: what came since the last
/// sweep.
fn await_comparisons(strand: &Strand) -> Result<(), StoreError> {
    let kept = strand.snapshot()?.state(States::Cursors, sweep::JOB)?;
    strand.await_comparisons_from(MemoryNumber(sweep::place(kept.as_deref())))
}

/// Withholds what came by itself and says what was forgotten, and keeps the vectors of tombstones.
fn withhold(
    strand: &Strand,
    writer: &WriterHandle,
    embedder: &Embedding,
) -> Result<(), StoreError> {
    let returned = strand.returned(|said| embedder.embed_passage(said, SENTENCE_PATIENCE))?;
    let mut requests = forgotten::withheld(returned, SystemClock.now());
    let unsaved = strand.unsaved_tombstones();
    if !unsaved.is_empty() {
        requests.push(Request::SaveTombstones(unsaved));
    }
    if !requests.is_empty() {
        tracing::debug!(count = requests.len(), "what was forgotten is kept away");
        // What is not written is found again.
        writer.submit(requests).ok();
    }
    Ok(())
}

/// The number that the next memory gets.
fn extent(strand: &Strand) -> u32 {
    u32::try_from(strand.catalog().extent()).unwrap_or(u32::MAX)
}

impl News {
    /// Looks at what came, and at what waited for its vector.
    fn suggest(&mut self, strand: &Strand, writer: &WriterHandle) -> Result<(), ReadError> {
        let at = SystemClock.now();
        let came = self.came(strand);
        let mut steps = if came.is_empty() {
            Vec::new()
        } else {
            strand.suggestions(&came, at)?
        };
        let embedded = self.embedded(strand, came);
        steps.extend(strand.paraphrases(&embedded, at)?);
        write(writer, steps, at);
        Ok(())
    }

    /// The memories that came since the last time; none when a program brought them.
    fn came(&mut self, strand: &Strand) -> Vec<MemoryNumber> {
        let now = extent(strand);
        let came: Vec<MemoryNumber> = (self.known..now)
            .map(MemoryNumber)
            .take(NEWS_MAX + 1)
            .collect();
        self.known = now;
        if came.len() > NEWS_MAX {
            return Vec::new();
        }
        came
    }

    /// Those of what waits and came whose vectors are there; the others wait on.
    fn embedded(&mut self, strand: &Strand, came: Vec<MemoryNumber>) -> Vec<MemoryNumber> {
        self.pauses = if came.is_empty() { self.pauses + 1 } else { 0 };
        let mut all = std::mem::take(&mut self.waiting);
        all.extend(came);
        let (waiting, embedded): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|number| strand.awaits_vector(*number));
        if self.pauses < VECTOR_PAUSES_MAX && waiting.len() <= NEWS_MAX {
            self.waiting = waiting;
        }
        embedded
    }
}

fn write(writer: &WriterHandle, steps: Vec<Step>, at: Timestamp) {
    if steps.is_empty() {
        return;
    }
    tracing::debug!(count = steps.len(), "relations suggested");
    // Suggestions that cannot be written are not worth a retry.
    writer.submit(vec![Request::suggestions(steps, at)]).ok();
}
