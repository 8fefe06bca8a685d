//! From start to stop: open everything, serve, and close it in the order that loses nothing.

mod end;

use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use end::Signals;
use helix_app::capture::ended::Captures;
use helix_app::hook::{
    Attention, Files, Hooks, Incidents, Load, Options, Receipts, Sessions, Twice, Watches,
};
use helix_app::language::LanguageModel;
use helix_app::outbox::Recorded;
use helix_app::ports::{Clock, Projects};
use helix_app::reach::Reach;
use helix_app::sources::Sources;
use helix_app::uncompared::Uncompared;
use helix_app::{App, Language, Layout, Memory, Metrics};
use helix_engine::{DirectoryStorage, Request, States, Strand};
use helix_memory::{Kinds, Timestamp};
use helix_proto::notice::Doing;
use tokio::sync::{Notify, oneshot};

use crate::capture::Capturer;
use crate::complaint;
use crate::config::Config;
use crate::detach::leave_start_log;
use crate::embedder::{Choice, Embedder, EmbedderHandle};
use crate::failure::{Failure, io_failure};
use crate::handover::Handover;
use crate::home::{Home, make_directory, says_where};
use crate::hook;
use crate::indexer::{self, Indexer};
use crate::listen::custody::Custody;
use crate::listen::{self, Inherited, Listening};
use crate::pools::Pools;
use crate::ports::{Embedding, Places, Process, Workers};
use crate::provider::Provider;
use crate::runtime::Runtime;
use crate::scheduler::{self, Scheduler};
use crate::serve::{self, Backlog};
use crate::successor::{self, Successor};
use crate::suggester::{self, Suggester};
use crate::system::{SystemClock, SystemRandomness};
use crate::turn::Gate;
use crate::work::Work;
use crate::writer;

/// Threads for requests. The work itself runs on the blocking pool; these only move bytes.
const ASYNC_THREADS: usize = 2;

/// Threads for what the runtime itself has done at the start and the end; calls and hooks have
/// threads of their own.
const BLOCKING_THREADS_MAX: usize = 4;

/// How long reads and searches that nobody waits for any more may take to end.
const LEFTOVER_DEADLINE: Duration = Duration::from_secs(1);

/// Runs the daemon until it is asked to stop, or the disk fails. Returns what a successor takes
/// over, if one was named.
pub(crate) fn run(
    config: Config,
    home: Home,
    inherited: Inherited,
    detached: bool,
) -> Result<Option<Handover>, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ASYNC_THREADS)
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .thread_name("async")
        .enable_all()
        .build()
        .map_err(io_failure("starting", "the async runtime"))?;
    let stopped = runtime.block_on(serve_until_stopped(config, &home, inherited, detached));
    // Ends every task that is left, such as that of a request whose end never came, and with it its
    // hold on the writer.
    runtime.shutdown_timeout(LEFTOVER_DEADLINE);
    let Some((daemon, left)) = stopped? else {
        return Ok(None);
    };
    // The home is released only after this: only then may another daemon open the same files.
    daemon.close()?;
    if let Ok(is_in_place) = home.look()
        && !is_in_place()
    {
        return Err(Failure::Gone {
            path: home.path().to_owned(),
        });
    }
    Ok(left.map(|(successor, listening)| Handover {
        successor,
        listening,
        home,
    }))
}

/// What remains when the server has ended: the threads, and a successor with the socket that it
/// takes over.
type Stopped = (Daemon, Option<(Successor, Listening)>);

/// Returns what is left to be closed once no task runs any more; nothing when it was stopped before
/// it was open.
async fn serve_until_stopped(
    config: Config,
    home: &Home,
    inherited: Inherited,
    detached: bool,
) -> Result<Option<Stopped>, Failure> {
    // Signals that come while the strand opens are not lost.
    let mut signals = Signals::new()?;
    let started = Instant::now();
    let listening = listen::listen(&config.paths, inherited)?;
    let lock = home
        .lock_file()
        .map_err(io_failure("opening", config.paths.lock()))?;
    says_where(&lock, listening.path().as_deref());
    let open = tokio::task::spawn_blocking(move || Daemon::open(config));
    let daemon = tokio::select! {
        opened = open => opened.map_err(|error| Failure::Disk(error.to_string()))??,
        _ = signals.any() => return Ok(None),
    };
    let runtime = Arc::clone(&daemon.runtime);
    tracing::info!(
        socket = ?listening.path(),
        ready_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "ready"
    );
    notify_manager(&sd_notify::NotifyState::Ready);
    if detached {
        leave_start_log();
    }
    let (stop, stopped) = oneshot::channel();
    let listener = tokio::net::UnixListener::from_std(
        listening
            .listener
            .try_clone()
            .map_err(io_failure("cloning", "the socket"))?,
    )
    .map_err(io_failure("serving", &runtime.config.paths.socket))?;
    let (custody, renewed) = Custody::start(listening, &runtime.config.paths, lock)?;
    // Before the first answer: who has one must not read that nobody is greeted.
    home.greets();
    let mut server = tokio::spawn(serve::serve(
        listener,
        renewed,
        Arc::clone(&runtime),
        stopped,
    ));
    complaint::take_back(&runtime.config.paths);
    let is_in_place = home.look().map_err(io_failure("looking at", home.path()))?;
    let (successor, is_home_gone) =
        end::asked(&runtime, is_in_place, &mut signals, &mut server).await;
    home.says(if successor.is_some() {
        Doing::HandingOver
    } else {
        Doing::Stopping
    });
    notify_manager(&sd_notify::NotifyState::Stopping);
    // With a successor new callers wait for it in the socket's backlog. Without one they find
    // nobody and start the next daemon, which waits for our lock.
    let listening = custody.end();
    // Where the home is gone, somebody else's daemon may listen by now.
    let is_own = !is_home_gone && listening.as_ref().is_none_or(Listening::is_own);
    let backlog = if successor.is_none() && is_own {
        Backlog::Served
    } else {
        Backlog::Left
    };
    let mut left = successor.zip(listening);
    runtime.embedder.wind_down();
    runtime.scheduler.end();
    runtime.app.hooks.captures.end();
    runtime.end_provider();
    let was_signalled = end::drain(&runtime.work, stop, backlog, &mut signals, &mut server).await;
    hook::recorded(&runtime).await;
    if was_signalled && left.take().is_some() {
        tracing::info!("asked to stop by a signal, so nobody takes over");
        home.says(Doing::Stopping);
    }
    drop(runtime);
    Ok(Some((daemon, left)))
}

fn notify_manager(state: &sd_notify::NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(std::slice::from_ref(state)) {
        tracing::debug!(%error, "the service manager was not told");
    }
}

/// The threads behind the runtime.
struct Daemon {
    runtime: Arc<Runtime>,
    writer: std::thread::JoinHandle<Result<(), String>>,
    indexer: Indexer,
    suggester: Suggester,
    embedder: Embedder,
    scheduler: Scheduler,
    capturer: Capturer,
}

impl Daemon {
    fn open(config: Config) -> Result<Self, Failure> {
        let directory = config.paths.strand(&config.strand);
        make_directory(&directory)?;
        // The strand makes it: what stands in its place may be anything.
        let lexical = directory.join("index").join("lexical");
        let storage = DirectoryStorage::new(directory);
        let kinds = Kinds::default().with(config.kinds.clone());
        let (strand, strand_writer, report) = Strand::open(&storage, Some(&lexical), kinds)?;
        tracing::info!(
            sequence = report.sequence.0,
            memories = report.memories,
            rebuilt_words = report.rebuilt_words,
            replayed = report.replayed,
            read_only = report.is_read_only,
            "strand open"
        );
        let (nudge, wake) = indexer::channel();
        let (to_suggester, news) = suggester::channel();
        let threads = io_failure("starting", "the daemon's threads");
        let (embedder, handle) = if config.embedder {
            Embedder::start(
                Arc::clone(&strand),
                Box::new(storage.clone()),
                config.loader(),
                Choice::of(&config.paths.home),
            )
            .map_err(threads)?
        } else {
            (Embedder::none(), EmbedderHandle::off())
        };
        let waker = handle.clone();
        let failed = Arc::new(Notify::new());
        let on_failure = Arc::clone(&failed);
        let committed = move || {
            nudge.committed();
            to_suggester.committed();
            waker.wake();
        };
        let on_failure = move || on_failure.notify_one();
        let counted = strand
            .snapshot()
            .and_then(|all| all.states(States::Metrics));
        let counted = counted.map_err(|error| Failure::Strand(error.into()))?;
        let metrics = Arc::new(Metrics::restore(SystemClock.now(), &counted));
        let (writer_handle, writer) = writer::start(
            strand_writer,
            Box::new(storage),
            Arc::clone(&metrics),
            committed,
            on_failure,
        )
        .map_err(io_failure("starting", "the writer"))?;
        let indexer = Indexer::start(Arc::clone(&strand), wake)
            .map_err(io_failure("starting", "the indexer"))?;
        let embedding = Embedding::of(handle.clone());
        let suggester =
            Suggester::start(Arc::clone(&strand), writer_handle.clone(), embedding, news)
                .map_err(io_failure("starting", "the suggester"))?;
        let (schedule, orders) = scheduler::channel();
        let parts = Parts {
            strand,
            writer: writer_handle,
            embedder: handle,
            metrics,
            scheduler: schedule,
        };
        let runtime = Arc::new(Runtime::new(config, parts)?);
        let scheduler = Scheduler::start(Arc::clone(&runtime.app), orders)
            .map_err(io_failure("starting", "the scheduler"))?;
        let capturer = Capturer::start(Arc::clone(&runtime.app))
            .map_err(io_failure("starting", "the thread of captures"))?;
        let warmed = Arc::downgrade(&runtime);
        tokio::task::spawn_blocking(move || hook::warm_up(&warmed));
        let stopper = Arc::downgrade(&runtime);
        // A failed disk stops the daemon as a request to stop would; `close` then reports why.
        tokio::spawn(async move {
            failed.notified().await;
            if let Some(runtime) = stopper.upgrade() {
                runtime.stop.notify_one();
            }
        });
        Ok(Self {
            runtime,
            writer,
            indexer,
            suggester,
            embedder,
            scheduler,
            capturer,
        })
    }

    /// Ends the threads in the order in which data flows, so that each sees everything of the one
    /// before.
    fn close(self) -> Result<(), Failure> {
        let Self {
            runtime,
            writer,
            indexer,
            suggester,
            embedder,
            scheduler,
            capturer,
        } = self;
        // They write, and have the embedder's handle.
        runtime.scheduler.end();
        runtime.app.hooks.captures.end();
        runtime.end_provider();
        scheduler.join();
        capturer.join();
        if let Some(metrics) = runtime.app.metrics.unsaved() {
            // One that is gone has said why.
            runtime.writer.submit_when_free(vec![metrics]).ok();
        }
        let records_sessions = runtime.app.settings.capture.sessions;
        let sessions = runtime.app.hooks.sessions.persist_all();
        for (key, state) in sessions.into_iter().filter(|_| records_sessions) {
            // One that is gone has said why.
            runtime
                .writer
                .submit_when_free(vec![Request::States(States::Sessions, vec![(key, state)])])
                .ok();
        }
        // A thread that waits for a file system which does not answer may do so for ever, and keeps
        // its handle.
        runtime.writer.end();
        drop(runtime);
        let written = writer
            .join()
            .unwrap_or_else(|_| Err("the writer panicked".to_owned()));
        indexer.join();
        suggester.join();
        embedder.join();
        tracing::info!("stopped");
        written.map_err(Failure::Disk)
    }
}

/// What a runtime is made of beside its configuration.
struct Parts {
    strand: Arc<Strand>,
    writer: writer::WriterHandle,
    embedder: EmbedderHandle,
    metrics: Arc<Metrics>,
    scheduler: scheduler::Handle,
}

impl Runtime {
    fn new(config: Config, parts: Parts) -> Result<Self, Failure> {
        let Parts {
            strand,
            writer,
            embedder,
            metrics,
            scheduler,
        } = parts;
        let reach = Reach::beside(&config.paths.home);
        let started_at: Timestamp = SystemClock.now();
        let saved = strand.snapshot().and_then(|snapshot| {
            Ok((
                snapshot.states(States::Sessions)?,
                snapshot.states(States::Observations)?,
                snapshot.receipts(Receipts::pending_since(started_at))?,
            ))
        });
        let (sessions, observations, receipts) =
            saved.map_err(|error| Failure::Strand(error.into()))?;
        let outbox = writer.outbox().clone();
        let capture = config.settings.capture;
        outbox.record_only(Recorded {
            sessions: capture.sessions,
            incidents: capture.incidents,
            receipts: capture.receipts,
        });
        let sessions = Arc::new(Sessions::restore(sessions, outbox.clone()));
        let collected = Arc::downgrade(&sessions);
        outbox.collect_with(Box::new(move || {
            if let Some(sessions) = collected.upgrade() {
                sessions.collect();
            }
        }));
        let user =
            directories::BaseDirs::new().map(|directories| directories.home_dir().to_owned());
        let load = Arc::new(Load::default());
        let hooks = Hooks {
            receipts: Arc::new(Receipts::restore(&receipts, Arc::clone(&sessions))),
            sessions,
            attention: Attention::restore(&observations),
            twice: Twice::default(),
            watches: Watches::restore(&observations, user.clone()),
            incidents: Incidents::new(outbox.clone()),
            captures: Captures::restore(&observations, user),
            files: Files::default(),
            load: Arc::clone(&load),
            options: Options {
                subagent_prompts: config.subagent_prompts,
                stop_reminder: config.stop_reminder,
            },
            since: started_at,
            injected_tokens: AtomicU64::new(0),
        };
        let places = Arc::new(Places::new(Arc::clone(&strand), reach.clone()));
        let memory = Memory {
            strand,
            outbox,
            embedder: Arc::new(Embedding::of(embedder.clone())),
            projects: Arc::clone(&places) as Arc<dyn Projects>,
            sources: Sources::by(reach.clone()),
            reach,
            importing: Mutex::default(),
            uncompared: Uncompared::restore(&observations),
            clock: Arc::new(SystemClock),
            randomness: Arc::new(SystemRandomness),
        };
        let program =
            std::env::current_exe().map_err(io_failure("finding", "the daemon's own program"))?;
        let provider = config.provider.as_ref().map(|wanted| {
            let directory = config.paths.home.clone();
            Arc::new(Provider::new(&program, directory, wanted.backends.clone()))
        });
        let asked = config.provider.as_ref().map(|wanted| wanted.settings);
        let model = provider
            .clone()
            .map(|provider| provider as Arc<dyn LanguageModel>);
        let work = Arc::new(Work::default());
        let pools = Arc::new(Pools::default());
        let threads = Workers {
            pools: Arc::clone(&pools),
            work: Arc::clone(&work),
        };
        let life = Process {
            started_at,
            is_successor: successor::is_taking_over(),
            work: Arc::clone(&work),
        };
        Ok(Self {
            app: Arc::new(App {
                memory,
                hooks: Arc::new(hooks),
                metrics,
                settings: config.settings,
                language: Language::of(model, asked.unwrap_or_default()),
                layout: Layout {
                    paths: config.paths.clone(),
                    strand: config.strand.clone(),
                },
                writer: Arc::new(writer.clone()),
                threads: Arc::new(threads),
                life: Arc::new(life),
            }),
            config,
            writer,
            embedder,
            scheduler,
            places,
            pools,
            gate: Gate::new(load),
            started_at,
            successor: Mutex::default(),
            program,
            provider,
            stop: Notify::new(),
            work,
            connections: AtomicU32::new(0),
            hooks_answered: AtomicU64::new(0),
        })
    }
}
