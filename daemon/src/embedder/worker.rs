//! The embedder's thread: loads the model, answers queries, works off what waits.
//!
//! While another model takes over, both are loaded: the one before answers, and each makes the
//! vectors of its own space. Which is which follows from the user's choice and from the files of
//! the two spaces, so a daemon that was killed goes on where it was.

use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use helix_app::ports::EmbedderState as State;
use helix_engine::{SpaceError, SpaceRole, Storage, Strand, TextVectors};
use helix_memory::MemoryNumber;
use lru::LruCache;
use tokio::sync::oneshot;

use super::choice::Choice;
use super::load::{Embed, Interrupt, Load, Loaded, Loader, embed_passage};
use super::model::ModelError;
use super::switch::{Models, choose, finish, start};
use super::work::Made;

/// Texts that are read at once. Their vectors are made durable together, because nobody's query is
/// answered meanwhile.
const READ_AT_ONCE: usize = 32;

/// Queries whose vectors are kept, of some 5 KiB each: agents ask the same again, and each page of a
/// search needs its vectors anew.
const KNOWN_QUERIES_MAX: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// Queries that may wait; beyond it a search goes without meaning.
const QUERIES_MAX: usize = 64;

/// How long a stopping daemon waits for the thread.
const JOIN_DEADLINE: Duration = Duration::from_secs(1);

/// How long what waits rests after a query: the next one often follows at once, and would wait for
/// what was begun meanwhile.
const LULL: Duration = Duration::from_millis(30);

/// How long it rests at most, however many queries come.
const LULL_MAX: Duration = Duration::from_secs(1);

/// How often the thread looks for waiting texts without being woken.
const IDLE_INTERVAL: Duration = Duration::from_mins(1);

enum Message {
    /// Embed this now.
    Query {
        text: String,
        reply: oneshot::Sender<TextVectors>,
    },
    /// Embed this now, as a memory's text.
    Passage {
        text: String,
        reply: oneshot::Sender<Vec<f32>>,
    },
    /// Texts may wait.
    Wake,
    /// Have another model take over.
    Choose {
        folder: String,
        reply: oneshot::Sender<Result<(), String>>,
    },
}

/// Asks the embedder. Cheap to clone.
#[derive(Clone)]
pub(crate) struct EmbedderHandle {
    messages: Option<SyncSender<Message>>,
    shared: Arc<Shared>,
}

/// State shared by the thread and its callers.
struct Shared {
    state: Mutex<State>,
    winds_down: AtomicBool,
    /// One for each loaded model.
    interrupts: Mutex<Vec<Interrupt>>,
    /// Vectors by the hash of the model's name and the text.
    known: Mutex<LruCache<blake3::Hash, TextVectors>>,
}

/// The thread.
pub(crate) struct Embedder {
    thread: Option<JoinHandle<()>>,
    /// Closed when the thread is at its end.
    ended: Receiver<()>,
}

/// The thread's own state.
pub(super) struct Worker<L> {
    pub(super) strand: Arc<Strand>,
    pub(super) storage: Box<dyn Storage>,
    pub(super) loader: L,
    pub(super) choice: Choice,
    shared: Arc<Shared>,
    messages: Receiver<Message>,
}

impl Shared {
    fn new(state: State) -> Self {
        Self {
            state: Mutex::new(state),
            winds_down: AtomicBool::new(false),
            interrupts: Mutex::default(),
            known: Mutex::new(LruCache::new(KNOWN_QUERIES_MAX)),
        }
    }

    /// Ends the runs that are under way.
    fn interrupt(&self) {
        let interrupts = self
            .interrupts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for interrupt in &*interrupts {
            interrupt();
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, LruCache<blake3::Hash, TextVectors>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EmbedderHandle {
    /// A handle for a daemon without embedder.
    pub(crate) fn off() -> Self {
        Self {
            messages: None,
            shared: Arc::new(Shared::new(State::Off)),
        }
    }

    /// Returns the embedder's present state.
    pub(crate) fn state(&self) -> State {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Embeds a query, before all that waits in the background; one that was asked before is known.
    /// `None` when the embedder is not ready, too busy, or slower than `deadline`.
    pub(crate) async fn embed(&self, text: &str, deadline: Duration) -> Option<TextVectors> {
        let State::Ready(model) = self.state() else {
            return None;
        };
        let key = query_key(&model, text);
        if let Some(vector) = self.shared.known().get(&key) {
            return Some(vector.clone());
        }
        let (reply, answer) = oneshot::channel();
        self.messages
            .as_ref()?
            .try_send(Message::Query {
                text: text.to_owned(),
                reply,
            })
            .ok()?;
        // After the query is in its queue: the thread looks there next.
        self.shared.interrupt();
        let vector = tokio::time::timeout(deadline, answer).await.ok()?.ok()?;
        // Another model may have taken over while the query waited.
        if matches!(self.state(), State::Ready(now) if now == model) {
            self.shared.known().put(key, vector.clone());
        }
        Some(vector)
    }

    /// Embeds a text as a memory's, before all that waits in the background. `None` when the
    /// embedder is not ready, too busy, or slower than `deadline`.
    pub(crate) async fn embed_passage(&self, text: &str, deadline: Duration) -> Option<Vec<f32>> {
        if !matches!(self.state(), State::Ready(_)) {
            return None;
        }
        let (reply, answer) = oneshot::channel();
        let message = Message::Passage {
            text: text.to_owned(),
            reply,
        };
        self.messages.as_ref()?.try_send(message).ok()?;
        // After the text is in its queue: the thread looks there next.
        self.shared.interrupt();
        tokio::time::timeout(deadline, answer).await.ok()?.ok()
    }

    /// Has the model of a folder take over: it is loaded and tested before this returns, and makes
    /// its vectors afterwards.
    ///
    /// # Errors
    /// Why it cannot be used, in words; the model before stays.
    pub(crate) fn choose(&self, folder: &str) -> Result<(), String> {
        let ended = || "the embedder is not running".to_owned();
        let (reply, answer) = oneshot::channel();
        let message = Message::Choose {
            folder: folder.to_owned(),
            reply,
        };
        let messages = self.messages.as_ref().ok_or_else(ended)?;
        messages.send(message).map_err(|_| ended())?;
        self.shared.interrupt();
        answer.blocking_recv().map_err(|_| ended())?
    }

    /// Has the thread begin no more of what waits, because the daemon ends: everybody would wait
    /// for it. Queries are answered as ever, and the next daemon goes on.
    pub(crate) fn wind_down(&self) {
        self.shared.winds_down.store(true, Ordering::Release);
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
        loader: Loader,
        choice: Choice,
    ) -> io::Result<(Self, EmbedderHandle)> {
        let (sender, messages) = sync_channel(QUERIES_MAX);
        let shared = Arc::new(Shared::new(State::Loading));
        strand.expect_vectors(true);
        let handle = EmbedderHandle {
            messages: Some(sender),
            shared: Arc::clone(&shared),
        };
        let worker = Worker {
            strand,
            storage,
            loader,
            choice,
            shared,
            messages,
        };
        let (alive, ended) = sync_channel(0);
        let work = move || {
            worker.run();
            drop(alive);
        };
        let thread = thread::Builder::new()
            .name("embedder".to_owned())
            .spawn(work)?;
        Ok((
            Self {
                thread: Some(thread),
                ended,
            },
            handle,
        ))
    }

    /// For a daemon without embedder.
    pub(crate) fn none() -> Self {
        Self {
            thread: None,
            ended: sync_channel(0).1,
        }
    }

    /// Waits for the thread to finish the run it is at. A model that still loads is not waited
    /// for: what is not embedded yet is embedded after the next start, and the process takes
    /// the thread with it.
    pub(crate) fn join(self) {
        if self.ended.recv_timeout(JOIN_DEADLINE) == Err(RecvTimeoutError::Timeout) {
            tracing::info!("the embedder is left at its work");
        } else if self.thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the embedder panicked; missing vectors are made at the next start");
        }
    }
}

impl<L: Load> Worker<L> {
    fn run(self) {
        let models = start(&self);
        // The process ends behind this or becomes another one, which would wait until everything
        // is put away.
        self.serve(&mut *ManuallyDrop::new(models));
    }

    /// Says what is loaded now.
    pub(super) fn announce(&self, models: &Models<L::Model>) {
        let loaded = models.answering.iter().chain(&models.next);
        let interrupts = loaded.map(|loaded| loaded.model.interrupt()).collect();
        *self
            .shared
            .interrupts
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = interrupts;
        if let Some(answering) = &models.answering {
            tracing::info!(model = answering.id, "embedder ready");
            self.set_state(State::Ready(answering.id.clone()));
        }
    }

    fn serve(&self, models: &mut Models<L::Model>) {
        let mut may_wait = true;
        let mut has_worked = false;
        let mut lull = Lull::new(Instant::now());
        loop {
            let message = if may_wait && !self.shared.winds_down.load(Ordering::Acquire) {
                match self.messages.recv_timeout(lull.left(Instant::now())) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            } else {
                match self.messages.recv_timeout(IDLE_INTERVAL) {
                    Ok(message) => Some(message),
                    Err(RecvTimeoutError::Timeout) => Some(Message::Wake),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            };
            match message {
                Some(Message::Query { text, reply }) => {
                    if let Some(answering) = &mut models.answering {
                        answer(&mut answering.model, &text, reply);
                    }
                    lull.asked(Instant::now());
                }
                Some(Message::Passage { text, reply }) => {
                    if let Some(answering) = &mut models.answering {
                        answer_passage(&mut answering.model, &text, reply);
                    }
                    lull.asked(Instant::now());
                }
                Some(Message::Wake) => may_wait = true,
                Some(Message::Choose { folder, reply }) => {
                    // Who asked may have given up.
                    drop(reply.send(choose(self, models, &folder)));
                    may_wait = true;
                }
                None => {
                    may_wait = self.work_off_one(models);
                    lull.worked(Instant::now());
                    if !may_wait
                        && std::mem::take(&mut has_worked)
                        && let Some(answering) = &mut models.answering
                    {
                        rest(&mut answering.model);
                    }
                    has_worked |= may_wait;
                }
            }
        }
    }

    /// Works off some of what waits for the model that answers, else for the next one, which takes
    /// over when nothing waits for it. Returns whether more may wait.
    fn work_off_one(&self, models: &mut Models<L::Model>) -> bool {
        if let Some(answering) = &mut models.answering
            && self.work_off(answering, SpaceRole::Answering)
        {
            return true;
        }
        let Some(next) = &mut models.next else {
            return false;
        };
        self.work_off(next, SpaceRole::Next) || finish(self, models)
    }

    /// Embeds some of what waits. Returns whether more may wait.
    fn work_off(&self, loaded: &mut Loaded<L::Model>, role: SpaceRole) -> bool {
        let Loaded { model, work, .. } = loaded;
        if work.is_done() {
            // Those that are made are kept first, or they would be read once more.
            if !work.made.is_empty() {
                return self.keep(role, &std::mem::take(&mut work.made));
            }
            match self.strand.pending_vectors(role, READ_AT_ONCE) {
                Ok(pending) => work.take_on(pending),
                Err(error) => {
                    tracing::error!(%error, "reading texts to embed failed");
                    return false;
                }
            }
        }
        let was_interrupted = work.was_interrupted;
        let Some(part) = work.next_part() else {
            return false;
        };
        let embedded = if was_interrupted {
            // Or a queue that never empties would keep it from ever being done.
            model.embed(part).map(Some)
        } else {
            model.embed_unless_interrupted(part)
        };
        work.was_interrupted = matches!(embedded, Ok(None));
        match embedded {
            Ok(Some(vectors)) => work.note(vectors),
            Ok(None) => {}
            Err(error) => return self.give_up(role, work.give_up().into_iter(), &error),
        }
        true
    }

    /// Makes vectors durable. Returns whether more may wait.
    fn keep(&self, role: SpaceRole, made: &[Made]) -> bool {
        match self.strand.put_vectors(role, made) {
            Ok(()) => true,
            // One that cannot be kept must not hold up the others.
            Err(SpaceError::Vector(_)) if made.len() > 1 => {
                made.chunks(1).all(|one| self.keep(role, one))
            }
            Err(error @ SpaceError::Vector(_)) => {
                self.give_up(role, made.iter().map(|(number, ..)| *number), &error)
            }
            Err(error) => {
                tracing::error!(%error, "keeping vectors failed; they are made again at the next start");
                false
            }
        }
    }

    /// Leaves a group of texts without vectors, so that it cannot hold up the others.
    fn give_up(
        &self,
        role: SpaceRole,
        numbers: impl ExactSizeIterator<Item = MemoryNumber>,
        error: &dyn std::error::Error,
    ) -> bool {
        tracing::error!(%error, count = numbers.len(), "some memories cannot be embedded; they are found by words only");
        for number in numbers {
            self.strand.skip_vector(role, number);
        }
        true
    }

    pub(super) fn set_state(&self, state: State) {
        let are_made = matches!(state, State::Ready(_) | State::Loading);
        self.strand.expect_vectors(are_made);
        *self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// A query's name among those that are known.
fn query_key(model: &str, text: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(model.len() as u64).to_le_bytes());
    hasher.update(model.as_bytes());
    hasher.update(text.as_bytes());
    hasher.finalize()
}

/// Gives back what the work took.
fn rest(model: &mut impl Embed) {
    if let Err(error) = model.rest() {
        tracing::warn!(%error, "the model keeps the memory that it does not need");
    }
}

/// When what waits is worked off again after a query.
struct Lull {
    asked_at: Option<Instant>,
    worked_at: Instant,
}

impl Lull {
    fn new(now: Instant) -> Self {
        Self {
            asked_at: None,
            worked_at: now,
        }
    }

    /// A query was answered.
    fn asked(&mut self, now: Instant) {
        self.asked_at = Some(now);
    }

    /// Some of what waits was worked off.
    fn worked(&mut self, now: Instant) {
        self.worked_at = now;
    }

    /// How long to wait for the next query.
    fn left(&self, now: Instant) -> Duration {
        let Some(asked_at) = self.asked_at else {
            return Duration::ZERO;
        };
        let until = (asked_at + LULL).min(self.worked_at + LULL_MAX);
        until.saturating_duration_since(now)
    }
}

fn answer(model: &mut impl Embed, text: &str, reply: oneshot::Sender<TextVectors>) {
    // Who gave up would only make the next ones give up as well.
    if reply.is_closed() {
        return;
    }
    match model.embed_query(text) {
        // The asker may have given up waiting.
        Ok(vector) => drop(reply.send(vector)),
        Err(error) => log_failure(&error),
    }
}

fn answer_passage(model: &mut impl Embed, text: &str, reply: oneshot::Sender<Vec<f32>>) {
    if reply.is_closed() {
        return;
    }
    match embed_passage(model, text) {
        // The asker may have given up waiting.
        Ok(vector) => drop(reply.send(vector)),
        Err(error) => log_failure(&error),
    }
}

fn log_failure(error: &ModelError) {
    tracing::error!(%error, "embedding a query failed");
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
