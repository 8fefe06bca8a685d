//! The embedder's thread: loads the model, answers queries, works off what waits.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use helix_engine::ports::Storage;
use helix_engine::strand::{Pending, SpaceError, Strand};
use tokio::sync::oneshot;

use super::files;
use super::model::{Model, ModelError};

/// Texts embedded at once in the background; a query that arrives waits for at most these.
const BACKGROUND_BATCH: usize = 4;

/// Texts that are read at once, to embed those of a length together: a batch takes as long as its longest text.
const READ_AT_ONCE: usize = 32;

/// Queries that may wait; beyond it a search goes without meaning.
const QUERIES_MAX: usize = 64;

/// How long a stopping daemon waits for the thread.
const JOIN_DEADLINE: Duration = Duration::from_secs(1);

/// How often the thread looks for waiting texts without being woken.
const IDLE_INTERVAL: Duration = Duration::from_mins(1);

/// What the embedder can do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Switched off in the configuration.
    Off,
    /// Not installed; why, and what to do.
    Absent(String),
    /// The model loads.
    Loading,
    /// Ready, with the model's name.
    Ready(String),
    /// It should work and does not.
    Failed(String),
}

enum Message {
    /// Embed this now.
    Query { text: String, reply: oneshot::Sender<Vec<f32>> },
    /// Texts may wait.
    Wake,
}

/// Asks the embedder. Cheap to clone.
#[derive(Clone)]
pub(crate) struct EmbedderHandle {
    messages: Option<SyncSender<Message>>,
    state: Arc<Mutex<State>>,
    winds_down: Arc<AtomicBool>,
}

/// The thread.
pub(crate) struct Embedder {
    thread: Option<JoinHandle<()>>,
    /// Closed when the thread is at its end.
    ended: Receiver<()>,
}

/// What the thread works with.
struct Worker {
    strand: Arc<Strand>,
    storage: Box<dyn Storage>,
    models: PathBuf,
    threads: usize,
    state: Arc<Mutex<State>>,
    winds_down: Arc<AtomicBool>,
    messages: Receiver<Message>,
}

impl EmbedderHandle {
    /// A handle for a daemon without embedder.
    pub(crate) fn off() -> Self {
        Self { messages: None, state: Arc::new(Mutex::new(State::Off)), winds_down: Arc::default() }
    }

    /// What it can do now.
    pub(crate) fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Embeds a query; `None` when the embedder is not ready, too busy, or slower than `deadline`.
    pub(crate) async fn embed(&self, text: &str, deadline: Duration) -> Option<Vec<f32>> {
        if !matches!(self.state(), State::Ready(_)) {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        self.messages.as_ref()?.try_send(Message::Query { text: text.to_owned(), reply }).ok()?;
        tokio::time::timeout(deadline, answer).await.ok()?.ok()
    }

    /// Has the thread begin no more of what waits, because the daemon ends: everybody would wait for it. Queries are answered as
    /// ever, and the next daemon goes on.
    pub(crate) fn wind_down(&self) {
        self.winds_down.store(true, Ordering::Release);
    }

    /// Says that texts may wait. Never blocks.
    pub(crate) fn wake(&self) {
        if let Some(messages) = &self.messages {
            // A full queue means that it is awake.
            drop(messages.try_send(Message::Wake));
        }
    }
}

impl Embedder {
    /// Starts the thread. It ends when every handle is gone.
    pub(crate) fn start(
        strand: Arc<Strand>,
        storage: Box<dyn Storage>,
        models: PathBuf,
        threads: usize,
    ) -> io::Result<(Self, EmbedderHandle)> {
        let (sender, messages) = sync_channel(QUERIES_MAX);
        let state = Arc::new(Mutex::new(State::Loading));
        let winds_down = Arc::<AtomicBool>::default();
        let handle =
            EmbedderHandle { messages: Some(sender), state: Arc::clone(&state), winds_down: Arc::clone(&winds_down) };
        let worker = Worker { strand, storage, models, threads, state, winds_down, messages };
        let (alive, ended) = sync_channel(0);
        let work = move || {
            worker.run();
            drop(alive);
        };
        let thread = thread::Builder::new().name("embedder".to_owned()).spawn(work)?;
        Ok((Self { thread: Some(thread), ended }, handle))
    }

    /// For a daemon without embedder.
    pub(crate) fn none() -> Self {
        Self { thread: None, ended: sync_channel(0).1 }
    }

    /// Waits for the thread to finish the batch it is at. A model that still loads is not waited for: what is not embedded yet
    /// is embedded after the next start, and the process takes the thread with it.
    pub(crate) fn join(self) {
        if self.ended.recv_timeout(JOIN_DEADLINE) == Err(RecvTimeoutError::Timeout) {
            tracing::info!("the embedder is left at its work");
        } else if self.thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the embedder panicked; missing vectors are made at the next start");
        }
    }
}

impl Worker {
    fn run(self) {
        match self.load() {
            Ok((model, name)) => {
                tracing::info!(model = %name, "embedder ready");
                self.set_state(State::Ready(name));
                // The process ends behind this or becomes another one, which would wait until everything is put away.
                self.serve(&mut ManuallyDrop::new(model));
            }
            Err(state) => {
                tracing::warn!(?state, "searching by words only");
                self.set_state(state);
                // Holds the queue open until the daemon stops, so that senders see "not ready", not an error.
                while self.messages.recv().is_ok() {}
            }
        }
    }

    fn load(&self) -> Result<(Model, String), State> {
        let installation = files::find(&self.models).map_err(|error| match error {
            files::InstallationError::Missing(_) => State::Absent(error.to_string()),
            files::InstallationError::Damaged(_) | files::InstallationError::Io { .. } => {
                State::Failed(error.to_string())
            }
        })?;
        // The vectors first: they are searched as soon as the first query can be embedded.
        let opened = self.strand.open_space(self.storage.as_ref(), &installation.name, installation.dimensions);
        opened.map_err(|error| State::Failed(error.to_string()))?;
        let model = Model::load(&installation, self.threads).map_err(|error| State::Failed(error.to_string()))?;
        Ok((model, installation.name))
    }

    fn serve(&self, model: &mut Model) {
        let mut work = Work::default();
        let mut may_wait = true;
        let mut has_worked = false;
        loop {
            let message = if may_wait && !self.winds_down.load(Ordering::Acquire) {
                match self.messages.try_recv() {
                    Ok(message) => Some(message),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => return,
                }
            } else {
                match self.messages.recv_timeout(IDLE_INTERVAL) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => Some(Message::Wake),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            };
            match message {
                Some(Message::Query { text, reply }) => answer(model, &text, reply),
                Some(Message::Wake) => may_wait = true,
                None => {
                    may_wait = self.work_off(model, &mut work);
                    if !may_wait && std::mem::take(&mut has_worked) {
                        rest(model);
                    }
                    has_worked |= may_wait;
                }
            }
        }
    }

    /// Embeds some of what waits. Returns whether more may wait.
    fn work_off(&self, model: &mut Model, work: &mut Work) -> bool {
        if work.is_empty() {
            match self.strand.pending_vectors(READ_AT_ONCE) {
                Ok(pending) => work.take_on(pending),
                Err(error) => {
                    tracing::error!(%error, "reading texts to embed failed");
                    return false;
                }
            }
        }
        let pending = work.next_batch();
        if pending.is_empty() {
            return false;
        }
        let texts: Vec<&str> = pending.iter().map(|waiting| waiting.text.as_str()).collect();
        let vectors = match model.embed(&texts) {
            Ok(vectors) => vectors,
            Err(error) => return self.give_up(&pending, &error),
        };
        let taken: Vec<_> =
            pending.iter().zip(vectors).map(|(waiting, vector)| (waiting.number, waiting.text_hash, vector)).collect();
        match self.strand.put_vectors(&taken) {
            Ok(()) => true,
            Err(error @ SpaceError::Vector(_)) => self.give_up(&pending, &error),
            Err(error) => {
                tracing::error!(%error, "keeping vectors failed; they are made again at the next start");
                false
            }
        }
    }

    /// Leaves a group of texts without vectors, so that it cannot hold up the others.
    fn give_up(&self, pending: &[Pending], error: &dyn std::error::Error) -> bool {
        tracing::error!(%error, count = pending.len(), "some memories cannot be embedded; they are found by words only");
        for waiting in pending {
            self.strand.skip_vector(waiting.number);
        }
        true
    }

    fn set_state(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Texts that were read and are not embedded yet, the shortest last.
#[derive(Default)]
struct Work(Vec<Pending>);

impl Work {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take_on(&mut self, pending: Vec<Pending>) {
        self.0 = pending;
        self.0.sort_by_key(|waiting| std::cmp::Reverse(waiting.text.len()));
    }

    fn next_batch(&mut self) -> Vec<Pending> {
        self.0.split_off(self.0.len().saturating_sub(BACKGROUND_BATCH))
    }
}

/// Gives back what the work took.
fn rest(model: &mut Model) {
    if let Err(error) = model.rest() {
        tracing::warn!(%error, "the model keeps the memory that it does not need");
    }
}

fn answer(model: &mut Model, text: &str, reply: oneshot::Sender<Vec<f32>>) {
    // Who gave up would only make the next ones give up as well.
    if reply.is_closed() {
        return;
    }
    match model.embed(&[text]).map(|vectors| vectors.into_iter().next()) {
        // The asker may have given up waiting.
        Ok(Some(vector)) => drop(reply.send(vector)),
        Ok(None) => {}
        Err(error) => log_failure(&error),
    }
}

fn log_failure(error: &ModelError) {
    tracing::error!(%error, "embedding a query failed");
}
