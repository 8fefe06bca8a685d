//! The writer thread: owns the strand's writer, groups what waits into one commit, answers after it is durable.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use helix_engine::ports::Storage;
use helix_engine::store::{Shrunk, WriteError};
use helix_engine::strand::{Outcome, Request, StrandWriter};
use tokio::sync::oneshot;

/// Requests of one commit. A commit costs one fsync whatever it holds; this bounds how long the first of it waits.
const GROUP_MAX: usize = 1_024;

/// Jobs that may wait. Beyond it callers are told to slow down.
const QUEUE_MAX: usize = 4_096;

/// How often access statistics are written, when there are any.
const STATISTICS_INTERVAL: Duration = Duration::from_mins(1);

/// How long nothing may be written before the store is made ready for a crash.
const REST_AFTER: Duration = Duration::from_secs(1);

/// What one caller wants written, and where the answer goes.
struct Job {
    requests: Vec<Request>,
    reply: oneshot::Sender<Vec<Result<Outcome, WriteError>>>,
}

/// What the writer thread does next.
enum Task {
    Write(Job),
    Then(Then),
}

/// What is done after everything before it is written.
enum Then {
    /// Rewrite the store's file.
    Shrink(oneshot::Sender<Shrunk>),
    /// End, whoever still has a handle.
    End,
}

/// Why a write was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubmitError {
    /// Too many writes wait.
    #[error("{QUEUE_MAX} writes are waiting; try again in a moment")]
    Busy,
    /// The daemon is stopping.
    #[error("the write was not acknowledged because the daemon is stopping; try again")]
    Stopping,
    /// The disk failed, and the daemon ends.
    #[error(
        "the write was not acknowledged because the disk failed: {0}; free some space or mend the disk, then try again"
    )]
    Disk(String),
}

/// Hands writes to the writer thread. Cheap to clone; the thread ends when the last one is gone, or one says so.
#[derive(Clone)]
pub(crate) struct WriterHandle {
    tasks: SyncSender<Task>,
    /// Why the thread ended before it was asked to.
    failure: Arc<OnceLock<String>>,
}

impl WriterHandle {
    /// Writes, and returns when it is durable: one result for each request, in order.
    ///
    /// # Errors
    /// [`SubmitError`]: nothing was acknowledged.
    pub(crate) async fn write(&self, requests: Vec<Request>) -> Result<Vec<Result<Outcome, WriteError>>, SubmitError> {
        let answer = self.submit(requests)?;
        answer.await.map_err(|_| self.lost())
    }

    /// Queues a write whose answer nobody waits for, such as statistics.
    pub(crate) fn write_later(&self, request: Request) {
        if let Err(error) = self.submit(vec![request]) {
            tracing::debug!(%error, "statistics were not written");
        }
    }

    /// Queues a write; the answer comes when it is durable, and never when nothing is acknowledged any more.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not queued.
    pub(crate) fn submit(
        &self,
        requests: Vec<Request>,
    ) -> Result<oneshot::Receiver<Vec<Result<Outcome, WriteError>>>, SubmitError> {
        let (reply, answer) = oneshot::channel();
        self.send(Task::Write(Job { requests, reply }))?;
        Ok(answer)
    }

    /// Rewrites the store's file without what is free in it, after what waits now is written. Later writes wait for it.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not done.
    pub(crate) async fn shrink(&self) -> Result<Shrunk, SubmitError> {
        let (reply, answer) = oneshot::channel();
        self.send(Task::Then(Then::Shrink(reply)))?;
        answer.await.map_err(|_| self.lost())
    }

    /// Ends the thread once what waits is written, for a daemon that stops while another thread with a handle hangs for good.
    /// Blocks while the queue is full.
    pub(crate) fn end(&self) {
        // One that ended already has dropped its queue.
        self.tasks.send(Task::Then(Then::End)).ok();
    }

    /// Why a write that was queued has no answer.
    pub(crate) fn lost(&self) -> SubmitError {
        self.failure.get().map_or(SubmitError::Stopping, |failure| SubmitError::Disk(failure.clone()))
    }

    fn send(&self, task: Task) -> Result<(), SubmitError> {
        self.tasks.try_send(task).map_err(|error| match error {
            TrySendError::Full(_) => SubmitError::Busy,
            TrySendError::Disconnected(_) => self.lost(),
        })
    }
}

/// Starts the thread, which writes to the strand that is kept in `storage`. `committed` is told after each commit; the thread's result is the disk's error, if one ended it.
pub(crate) fn start(
    writer: StrandWriter,
    storage: Box<dyn Storage>,
    committed: impl Fn() + Send + 'static,
    failed: impl FnOnce() + Send + 'static,
) -> io::Result<(WriterHandle, JoinHandle<Result<(), String>>)> {
    let (tasks, queue) = sync_channel(QUEUE_MAX);
    let failure = Arc::new(OnceLock::new());
    let cause = Arc::clone(&failure);
    let thread = thread::Builder::new().name("writer".to_owned()).spawn(move || {
        let result = run(writer, storage.as_ref(), &queue, &committed, &cause);
        if result.is_err() {
            failed();
        }
        result
    })?;
    Ok((WriterHandle { tasks, failure }, thread))
}

fn run(
    mut writer: StrandWriter,
    storage: &dyn Storage,
    queue: &Receiver<Task>,
    committed: &impl Fn(),
    cause: &OnceLock<String>,
) -> Result<(), String> {
    let mut statistics_due = Instant::now() + STATISTICS_INTERVAL;
    loop {
        let until_due = statistics_due.saturating_duration_since(Instant::now());
        let patience = if writer.is_restless() { until_due.min(REST_AFTER) } else { until_due };
        // Dropping the replies tells every caller that nothing was acknowledged; dropping the queue, every later one.
        let failed = |error: &String| tracing::error!(%error, "a commit failed; nothing more is acknowledged");
        let (mut group, then) = match queue.recv_timeout(patience) {
            Ok(first) => gather(first, queue),
            Err(RecvTimeoutError::Timeout) => {
                writer.rest().map_err(|error| error.to_string()).inspect_err(failed)?;
                (Vec::new(), None)
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if statistics_due <= Instant::now() {
            statistics_due = Instant::now() + STATISTICS_INTERVAL;
            group.extend(writer.has_statistics().then(statistics));
        }
        if !group.is_empty() {
            commit(&mut writer, group, cause).inspect_err(failed)?;
            committed();
        }
        match then {
            Some(Then::Shrink(reply)) => {
                let shrunk = writer.shrink(storage).map_err(|error| error.to_string()).inspect_err(failed)?;
                // Whoever went away has what was asked for all the same.
                reply.send(shrunk).ok();
            }
            Some(Then::End) => break,
            None => {}
        }
    }
    if writer.has_statistics() {
        commit(&mut writer, vec![statistics()], cause)?;
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
fn gather(first: Task, queue: &Receiver<Task>) -> (Vec<Job>, Option<Then>) {
    let (mut waiting, mut group) = (0, Vec::new());
    let mut next = Some(first);
    while let Some(task) = next {
        match task {
            Task::Write(job) => {
                waiting += job.requests.len();
                group.push(job);
            }
            Task::Then(then) => return (group, Some(then)),
        }
        next = if waiting < GROUP_MAX { queue.try_recv().ok() } else { None };
    }
    (group, None)
}

/// Commits a group. `cause` learns what failed before the callers do that they are not answered.
fn commit(writer: &mut StrandWriter, group: Vec<Job>, cause: &OnceLock<String>) -> Result<(), String> {
    let mut replies = Vec::with_capacity(group.len());
    let mut requests = Vec::new();
    for job in group {
        replies.push((job.reply, job.requests.len()));
        requests.extend(job.requests);
    }
    let committed = writer.commit(requests).map_err(|error| cause.get_or_init(|| error.to_string()).clone());
    let mut outcomes = committed?.into_iter();
    for (reply, count) in replies {
        // A caller that went away does not undo its write.
        drop(reply.send(outcomes.by_ref().take(count).collect()));
    }
    Ok(())
}

/// Access statistics that have gathered since they were last written.
fn statistics() -> Job {
    Job { requests: vec![Request::Accesses], reply: oneshot::channel().0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::model::Kinds;
    use helix_engine::store::DirectoryStorage;
    use helix_engine::strand::Strand;

    use super::*;

    #[test]
    fn it_ends_when_told_to_though_somebody_has_a_handle() {
        let directory = tempfile::tempdir().unwrap();
        let storage = DirectoryStorage::new(directory.path().to_owned());
        let (_strand, writer, _) = Strand::open(&storage, None, Kinds::default()).unwrap();
        let (handle, thread) = start(writer, Box::new(storage), || (), || ()).unwrap();
        let last = handle.submit(vec![Request::Accesses]).unwrap();
        handle.end();
        thread.join().unwrap().unwrap();
        assert_eq!(last.blocking_recv().unwrap().len(), 1, "what waited is written");
        assert!(matches!(handle.submit(Vec::new()), Err(SubmitError::Stopping)));
    }
}
