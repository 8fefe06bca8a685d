//! The writer thread: owns the strand's writer, groups what waits into one commit, answers after it
//! is durable. What nobody waits for is taken from the [`Outbox`] with each commit.

mod room;
mod whereabouts;

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use helix_app::Metrics;
use helix_app::metrics::Counted;
use helix_app::outbox::Outbox;
use helix_engine::{Outcome, Request, Shrunk, Storage, StrandWriter, WriteError};
use helix_redact::Redacted;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use tokio::sync::oneshot;

use crate::system::SystemClock;
pub(crate) use helix_app::ports::{Clock as _, SubmitError};
use helix_app::ports::{Later, Outcomes, Writer};
use room::{Room, weight};
use whereabouts::Whereabouts;

/// Requests of one commit. A commit costs one fsync whatever it holds; this bounds how long the
/// first of it waits.
const GROUP_MAX: usize = 1_024;

/// Bytes of one commit, about, unless one job has more: until it is indexed it is in RAM some times
/// over.
const GROUP_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Fewest requests of a batch that are worth another core.
const SHARE_MIN: usize = 64;

/// Jobs that may wait. Beyond it callers are told to slow down.
const QUEUE_MAX: usize = 4_096;

/// How often access statistics are written, when there are any.
const STATISTICS_INTERVAL: Duration = Duration::from_mins(1);

/// How long nothing may be written before the store is made ready for a crash.
const REST_AFTER: Duration = Duration::from_secs(1);

/// One caller's requests, and where the answer goes.
struct Job {
    requests: Vec<Redacted<Request>>,
    /// Their part of the queue's room.
    bytes: usize,
    reply: Reply,
}

/// Where the results of a job go.
type Reply = oneshot::Sender<Vec<Result<Outcome, WriteError>>>;

/// The writer thread's next task.
enum Task {
    Write(Job),
    /// Something is in the outbox.
    Take,
    Then(Then),
}

/// A task for after everything before it is written.
enum Then {
    /// Rewrite the store's file.
    Shrink(How, oneshot::Sender<Shrunk>),
    /// End, whoever still has a handle.
    End,
}

/// How the store's file is rewritten.
#[derive(Clone, Copy, Debug)]
enum How {
    /// Its pages moved together.
    Compacted,
    /// Row by row, so that nothing is left of what was removed.
    Anew,
}

/// Hands writes to the writer thread. Cheap to clone; the thread ends when the last one is gone, or
/// one says so.
#[derive(Clone)]
pub(crate) struct WriterHandle {
    tasks: SyncSender<Task>,
    /// For the bytes of the writes that wait.
    room: Arc<Room>,
    outbox: Outbox,
    /// Why the thread ended before it was asked to.
    failure: Arc<OnceLock<String>>,
}

impl WriterHandle {
    /// Where such states wait.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Queues a write; the answer comes when it is durable, and never when nothing is acknowledged
    /// any more.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not queued.
    pub(crate) fn submit(
        &self,
        requests: Vec<Request>,
    ) -> Result<oneshot::Receiver<Vec<Result<Outcome, WriteError>>>, SubmitError> {
        let bytes = weight(&requests);
        if !self.room.take(bytes) {
            return Err(if self.room.is_closed() {
                self.lost()
            } else {
                SubmitError::Busy
            });
        }
        let (reply, answer) = oneshot::channel();
        let requests = redacted(requests);
        self.send(Task::Write(Job {
            requests,
            bytes,
            reply,
        }))
        .inspect_err(|_| self.room.give(bytes))?;
        Ok(answer)
    }

    /// As [`Self::submit`], and waits for room in place of being told to: for who brings one write
    /// after the other.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not queued.
    pub(crate) fn submit_when_free(
        &self,
        requests: Vec<Request>,
    ) -> Result<oneshot::Receiver<Vec<Result<Outcome, WriteError>>>, SubmitError> {
        let bytes = weight(&requests);
        if !self.room.wait_for(bytes) {
            return Err(self.lost());
        }
        let (reply, answer) = oneshot::channel();
        let job = Job {
            requests: redacted(requests),
            bytes,
            reply,
        };
        self.tasks.send(Task::Write(job)).map_err(|_| self.lost())?;
        Ok(answer)
    }

    /// Rewrites the store's file without what is free in it, after what waits now is written. Later
    /// writes wait for it.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not done.
    pub(crate) async fn shrink(&self) -> Result<Shrunk, SubmitError> {
        self.rewritten(How::Compacted).await
    }

    async fn rewritten(&self, how: How) -> Result<Shrunk, SubmitError> {
        let (reply, answer) = oneshot::channel();
        self.send(Task::Then(Then::Shrink(how, reply)))?;
        answer.await.map_err(|_| self.lost())
    }

    /// Ends the thread once what waits is written, for a daemon that stops while another thread
    /// with a handle hangs for good. Blocks while the queue is full.
    pub(crate) fn end(&self) {
        // One that ended already has dropped its queue.
        self.tasks.send(Task::Then(Then::End)).ok();
    }

    /// Why a write that was queued has no answer.
    pub(crate) fn lost(&self) -> SubmitError {
        self.failure.get().map_or(SubmitError::Stopping, |failure| {
            SubmitError::Disk(failure.clone())
        })
    }

    fn send(&self, task: Task) -> Result<(), SubmitError> {
        self.tasks.try_send(task).map_err(|error| match error {
            TrySendError::Full(_) => SubmitError::Busy,
            TrySendError::Disconnected(_) => self.lost(),
        })
    }
}

impl Writer for WriterHandle {
    fn submit(
        &self,
        requests: Vec<Request>,
    ) -> Result<Later<'static, Result<Outcomes, SubmitError>>, SubmitError> {
        Self::submit(self, requests).map(|answer| self.later(answer))
    }

    fn submit_when_free(
        &self,
        requests: Vec<Request>,
    ) -> Result<Later<'static, Result<Outcomes, SubmitError>>, SubmitError> {
        Self::submit_when_free(self, requests).map(|answer| self.later(answer))
    }

    fn shrink(&self) -> Later<'_, Result<Shrunk, SubmitError>> {
        Box::pin(Self::shrink(self))
    }

    fn rewrite(&self) -> Later<'_, Result<Shrunk, SubmitError>> {
        Box::pin(self.rewritten(How::Anew))
    }
}

impl WriterHandle {
    fn later(
        &self,
        answer: oneshot::Receiver<Outcomes>,
    ) -> Later<'static, Result<Outcomes, SubmitError>> {
        let handle = self.clone();
        Box::pin(async move { answer.await.map_err(|_| handle.lost()) })
    }
}

/// Starts the thread, which writes to the strand that is kept in `storage`. `committed` is told
/// after each commit; the thread's result is the disk's error, if one ended it.
pub(crate) fn start(
    writer: StrandWriter,
    storage: Box<dyn Storage>,
    metrics: Arc<Metrics>,
    committed: impl Fn() + Send + 'static,
    failed: impl FnOnce() + Send + 'static,
) -> io::Result<(WriterHandle, JoinHandle<Result<(), String>>)> {
    let (tasks, queue) = sync_channel(QUEUE_MAX);
    let failure = Arc::new(OnceLock::new());
    let waker = tasks.clone();
    // One with a full queue takes this with the group that comes next; one that ended takes
    // nothing.
    let outbox = Outbox::new(Arc::new(move || drop(waker.try_send(Task::Take))));
    let room = Arc::new(Room::default());
    let source = Source {
        queue,
        room: Arc::clone(&room),
        outbox: outbox.taker(),
        cause: Arc::clone(&failure),
        metrics,
        committed,
    };
    let thread = thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || {
            let result = run(writer, storage.as_ref(), &source);
            if result.is_err() {
                failed();
            }
            result
        })?;
    Ok((
        WriterHandle {
            tasks,
            room,
            outbox,
            failure,
        },
        thread,
    ))
}

/// Where the thread's work comes from, and who is told of it.
struct Source<F> {
    queue: Receiver<Task>,
    room: Arc<Room>,
    outbox: Outbox,
    /// Why the thread ended before it was asked to.
    cause: Arc<OnceLock<String>>,
    /// Counts what was written.
    metrics: Arc<Metrics>,
    committed: F,
}

impl<F> Drop for Source<F> {
    fn drop(&mut self) {
        // Whoever waits for room would wait for ever.
        self.room.close();
    }
}

fn run(
    mut writer: StrandWriter,
    storage: &dyn Storage,
    source: &Source<impl Fn()>,
) -> Result<(), String> {
    let Source { queue, outbox, .. } = source;
    let mut file = Whereabouts::of(storage);
    let mut statistics_due = Instant::now() + STATISTICS_INTERVAL;
    loop {
        outbox.collect_when_due();
        let until_due = statistics_due.saturating_duration_since(Instant::now());
        let until_due = until_due.min(outbox.collects_in().unwrap_or(until_due));
        let patience = if outbox.has_any() {
            Duration::ZERO
        } else if writer.is_restless() {
            until_due.min(REST_AFTER)
        } else {
            until_due
        };
        // Dropping the replies tells every caller that nothing was acknowledged; dropping the
        // queue, every later one.
        let failed = |error: &String| tracing::error!(%error, "a commit failed; nothing more is acknowledged");
        let (mut group, then) = match queue.recv_timeout(patience) {
            Ok(first) => gather(first, source),
            Err(RecvTimeoutError::Timeout) if outbox.has_any() => (Vec::new(), None),
            Err(RecvTimeoutError::Timeout) => {
                writer
                    .rest()
                    .map_err(|error| error.to_string())
                    .inspect_err(failed)?;
                (Vec::new(), None)
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if statistics_due <= Instant::now() {
            statistics_due = Instant::now() + STATISTICS_INTERVAL;
            group.extend(writer.has_statistics().then(statistics));
        }
        commit(&mut writer, group, source, &file).inspect_err(failed)?;
        match then {
            Some(Then::Shrink(how, reply)) => {
                // A file that was moved away does not come back as a smaller one.
                let shrunk = if file.is_lost() {
                    Ok(Shrunk::Failed)
                } else {
                    match how {
                        How::Compacted => writer.shrink(storage),
                        How::Anew => writer.rewrite(storage),
                    }
                };
                let shrunk = shrunk
                    .map_err(|error| error.to_string())
                    .inspect_err(failed)?;
                if matches!(shrunk, Shrunk::Rewritten { .. }) {
                    file = Whereabouts::of(storage);
                }
                // Whoever went away has what was asked for all the same.
                reply.send(shrunk).ok();
            }
            Some(Then::End) => break,
            None => {}
        }
    }
    let last = writer
        .has_statistics()
        .then(statistics)
        .into_iter()
        .collect();
    commit(&mut writer, last, source, &file)?;
    while outbox.has_any() {
        commit(&mut writer, Vec::new(), source, &file)?;
    }
    // Somebody who hangs may keep the store from being closed.
    if writer.is_restless()
        && let Err(error) = writer.rest()
    {
        tracing::warn!(%error, "the store is not ready for a crash; the next start may take longer");
    }
    Ok(())
}

/// The jobs of one commit, and what is to be done after it.
fn gather(first: Task, source: &Source<impl Fn()>) -> (Vec<Job>, Option<Then>) {
    let (mut waiting, mut bytes, mut group) = (0, 0, Vec::new());
    let mut next = Some(first);
    while let Some(task) = next {
        match task {
            Task::Write(job) => {
                source.room.give(job.bytes);
                waiting += job.requests.len();
                bytes += job.bytes;
                group.push(job);
            }
            Task::Take => {}
            Task::Then(then) => return (group, Some(then)),
        }
        next = if waiting < GROUP_MAX && bytes < GROUP_MAX_BYTES {
            source.queue.try_recv().ok()
        } else {
            None
        };
    }
    (group, None)
}

/// Commits a group, and behind it what waits in the outbox. The cause of a failure is known before
/// the callers learn that they are not answered.
fn commit(
    writer: &mut StrandWriter,
    group: Vec<Job>,
    source: &Source<impl Fn()>,
    file: &Whereabouts<'_>,
) -> Result<(), String> {
    let mut replies = Vec::with_capacity(group.len());
    let mut requests = Vec::new();
    for job in group {
        replies.push((job.reply, job.requests.len()));
        requests.extend(job.requests);
    }
    requests.extend(redacted(source.outbox.take()));
    if requests.is_empty() {
        // A batch of which everything was refused waits all the same.
        answer(replies, Vec::new());
        return Ok(());
    }
    if file.is_lost() {
        refuse(replies, source);
        return Ok(());
    }
    let counted: Vec<Counted> = requests.iter().map(|one| Counted::of(one)).collect();
    let committed = writer
        .commit(requests)
        .map_err(|error| source.cause.get_or_init(|| error.to_string()).clone());
    let outcomes = committed?;
    let now = SystemClock.now();
    for (counted, outcome) in counted.into_iter().zip(&outcomes) {
        counted.ended(&source.metrics, now, outcome);
    }
    source.outbox.committed();
    answer(replies, outcomes);
    (source.committed)();
    Ok(())
}

/// Gives each caller the outcomes of its requests.
fn answer(replies: Vec<(Reply, usize)>, outcomes: Outcomes) {
    let mut outcomes = outcomes.into_iter();
    for (reply, count) in replies {
        // A caller that went away does not undo its write.
        drop(reply.send(outcomes.by_ref().take(count).collect()));
    }
}

/// Answers a group of which nothing is written. What nobody waits for is given up.
fn refuse(replies: Vec<(Reply, usize)>, source: &Source<impl Fn()>) {
    source.outbox.committed();
    for (reply, count) in replies {
        drop(reply.send((0..count).map(|_| Err(WriteError::Gone)).collect()));
    }
}

/// Takes the secrets out before the writer has it, which has more to do: on the caller's thread, and
/// of a batch on all cores.
fn redacted(requests: Vec<Request>) -> Vec<Redacted<Request>> {
    if requests.len() < 2 * SHARE_MIN {
        return requests.into_iter().map(Redacted::from).collect();
    }
    let shares = requests.into_par_iter().with_min_len(SHARE_MIN);
    shares.map(Redacted::from).collect()
}

/// Access statistics that have gathered since they were last written.
fn statistics() -> Job {
    Job {
        requests: vec![Request::Accesses.into()],
        bytes: 0,
        reply: oneshot::channel().0,
    }
}

#[cfg(test)]
mod tests;
