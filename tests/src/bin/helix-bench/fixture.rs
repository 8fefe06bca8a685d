//! Homes with memories in them, and connections to their daemons.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use helix_client::{Client, Start, caller};
use helix_proto::PROTOCOL;
use helix_proto::limits::BATCH_MAX;
use helix_proto::v1::helix_client::HelixClient;
use helix_proto::v1::{self, EmbedderState};
use helix_tests::{Daemon, Home};
use nix::sys::signal::Signal;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::Channel;
use tonic::{Response, Status};

use crate::corpus::Corpus;
use crate::report::announce;

/// Name under which the benchmark connects.
const PROGRAM: &str = "helix-bench";

/// How long the embedder may go on without finishing a text, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(10);

/// Pauses between two looks at how many texts still wait for the embedder, which nothing but
/// `Status` tells: when few do and when many do. A look costs the daemon time that the embedder
/// wants.
const EMBED_PAUSE: Duration = Duration::from_millis(100);
const EMBED_LONG_PAUSE: Duration = Duration::from_secs(1);

/// Texts that are many.
const EMBED_MANY: u64 = 500;

/// Time between two words about how far the embedder is.
const EMBED_WORD_EVERY: Duration = Duration::from_secs(10);

/// A connection that waits on the calling thread, so that nothing but the call is measured.
pub(crate) struct Connection {
    runtime: Runtime,
    client: Client,
    caller: v1::Caller,
}

impl Connection {
    /// A connection of somebody who works in the home's project, so that sources are those of its
    /// files.
    pub(crate) fn open(home: &Home) -> Result<Self> {
        let root = project_root(home);
        fs::create_dir_all(&root)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(Client::connect(&home.paths, Start::Never, PROGRAM))?;
        Ok(Self {
            runtime,
            client,
            caller: caller(v1::Program::Ctl, &root, "", ""),
        })
    }

    /// Stores one memory; returns when it is durable.
    pub(crate) fn store(&mut self, draft: v1::Draft) -> Result<v1::StoreReply> {
        self.store_as(draft, false)
    }

    /// Stores one without comparing it with what is known.
    pub(crate) fn store_uncompared(&mut self, draft: v1::Draft) -> Result<v1::StoreReply> {
        self.store_as(draft, true)
    }

    fn store_as(&mut self, draft: v1::Draft, force: bool) -> Result<v1::StoreReply> {
        let request = v1::StoreRequest {
            caller: Some(self.caller.clone()),
            draft: Some(draft),
            force,
        };
        let call = self
            .client
            .call(async |client| client.store(request.clone()).await);
        Ok(self.runtime.block_on(call)?)
    }

    /// Stores many memories, near duplicates too, in batches of the largest size.
    pub(crate) fn store_all(
        &mut self,
        drafts: impl Iterator<Item = v1::Draft>,
    ) -> Result<Vec<v1::StoreReply>> {
        let mut drafts = drafts.peekable();
        let mut replies = Vec::new();
        while drafts.peek().is_some() {
            let batch: Vec<v1::Draft> = drafts.by_ref().take(BATCH_MAX).collect();
            replies.extend(self.store_batch(batch)?);
        }
        Ok(replies)
    }

    /// Stores one batch without comparing its memories with others.
    pub(crate) fn store_batch(&mut self, drafts: Vec<v1::Draft>) -> Result<Vec<v1::StoreReply>> {
        self.store_batch_as(drafts, true)
    }

    /// Stores one batch, each memory of which is compared with what is known and with those before
    /// it.
    pub(crate) fn store_batch_compared(
        &mut self,
        drafts: Vec<v1::Draft>,
    ) -> Result<Vec<v1::StoreReply>> {
        self.store_batch_as(drafts, false)
    }

    fn store_batch_as(
        &mut self,
        drafts: Vec<v1::Draft>,
        force: bool,
    ) -> Result<Vec<v1::StoreReply>> {
        let request = v1::StoreBatchRequest {
            caller: Some(self.caller.clone()),
            drafts,
            force,
        };
        let call = self
            .client
            .call(async |client| client.store_batch(request.clone()).await);
        let reply = self.runtime.block_on(call)?;
        let take = |item: v1::BatchItem| match item.item {
            Some(v1::batch_item::Item::Stored(stored)) => Ok(stored),
            Some(v1::batch_item::Item::Refused(why)) => bail!("a memory was refused: {why}"),
            None => bail!("a batch item has no answer"),
        };
        reply.items.into_iter().map(take).collect()
    }

    /// Searches every scope.
    pub(crate) fn search(
        &mut self,
        query: &str,
        retriever: v1::Retriever,
        limit: u32,
    ) -> Result<v1::SearchReply> {
        let request = v1::SearchRequest {
            caller: Some(self.caller.clone()),
            query: query.to_owned(),
            filter: Some(v1::Filter {
                scopes: vec!["all".to_owned()],
                ..v1::Filter::default()
            }),
            limit,
            retriever: retriever.into(),
            passive: true,
            ..v1::SearchRequest::default()
        };
        let call = self
            .client
            .call(async |client| client.search(request.clone()).await);
        Ok(self.runtime.block_on(call)?)
    }

    /// Makes a call; returns how long the answer took, and the answer.
    pub(crate) fn timed<T>(
        &mut self,
        make: impl AsyncFn(&mut HelixClient<Channel>) -> Result<Response<T>, Status>,
    ) -> Result<(Duration, T)> {
        let started = Instant::now();
        let answer = self.runtime.block_on(self.client.call(make))?;
        Ok((started.elapsed(), answer))
    }

    /// Makes the call that costs least; returns how long the answer took.
    pub(crate) fn greet(&mut self) -> Result<Duration> {
        let request = v1::HelloRequest {
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            version: String::new(),
        };
        Ok(self
            .timed(async |client| client.hello(request.clone()).await)?
            .0)
    }

    pub(crate) fn status(&mut self) -> Result<v1::StatusReply> {
        let call = self
            .client
            .call(async |client| client.status(v1::StatusRequest {}).await);
        Ok(self.runtime.block_on(call)?)
    }

    /// Waits until the model is loaded, and until no text waits for its vector if `all`. Says how
    /// far it is when that is long.
    pub(crate) fn await_embedder(&mut self, all: bool) -> Result<()> {
        let mut progress = Progress::start();
        loop {
            let embedder = self.status()?.embedder.unwrap_or_default();
            match embedder.state() {
                EmbedderState::Ready if !all || embedder.pending == 0 => return Ok(()),
                EmbedderState::Ready | EmbedderState::Loading => {}
                EmbedderState::Unspecified
                | EmbedderState::Absent
                | EmbedderState::Failed
                | EmbedderState::Off => {
                    bail!("there is no embedder: {}", embedder.detail)
                }
            }
            progress.look(embedder.pending)?;
            std::thread::sleep(if embedder.pending > EMBED_MANY {
                EMBED_LONG_PAUSE
            } else {
                EMBED_PAUSE
            });
        }
    }
}

/// How the embedder gets on.
struct Progress {
    began: Instant,
    /// Texts that waited at first.
    whole: Option<u64>,
    /// Texts that waited when one was finished last, and when that was.
    last: (u64, Instant),
    said: Instant,
}

impl Progress {
    fn start() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            whole: None,
            last: (u64::MAX, now),
            said: now,
        }
    }

    /// Takes note of how many texts wait; fails when none was finished for long.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn look(&mut self, pending: u64) -> Result<()> {
        let whole = *self.whole.get_or_insert(pending);
        if pending < self.last.0 {
            self.last = (pending, Instant::now());
        }
        ensure!(
            self.last.1.elapsed() < EMBED_DEADLINE,
            "{pending} texts still wait for their vectors"
        );
        if self.said.elapsed() >= EMBED_WORD_EVERY {
            self.said = Instant::now();
            let rate = whole.saturating_sub(pending) as f64 / self.began.elapsed().as_secs_f64();
            let minutes = pending as f64 / rate.max(1.0) / 60.0;
            announce(&format!(
                "    {pending} texts to embed, {rate:.0} a second, {minutes:.0} min left"
            ));
        }
        Ok(())
    }
}

/// A home with memories, and its daemon.
pub(crate) struct Loaded {
    pub(crate) home: Home,
    daemon: Option<Daemon>,
    pub(crate) size: usize,
    /// How long loading took.
    pub(crate) load: Duration,
}

impl Loaded {
    /// Fills a fresh home with the first memories of a corpus.
    pub(crate) fn new(home: Home, corpus: &Corpus, size: usize) -> Result<Self> {
        let daemon = Daemon::start(&home)?;
        let mut connection = Connection::open(&home)?;
        let started = Instant::now();
        connection.store_all((0..size).map(|number| corpus.memory(number, size)))?;
        let load = started.elapsed();
        Ok(Self {
            home,
            daemon: Some(daemon),
            size,
            load,
        })
    }

    /// Starts a daemon on a home that has its memories already.
    pub(crate) fn restored(home: Home, size: usize) -> Result<Self> {
        let mut loaded = Self {
            home,
            daemon: None,
            size,
            load: Duration::ZERO,
        };
        loaded.load = loaded.start()?;
        Ok(loaded)
    }

    pub(crate) fn connect(&self) -> Result<Connection> {
        Connection::open(&self.home)
    }

    pub(crate) fn pid(&self) -> Result<u32> {
        self.daemon
            .as_ref()
            .map(Daemon::pid)
            .context("the daemon is stopped")
    }

    /// Ends the daemon, by the signal that asks or by the one that does not.
    pub(crate) fn end(&mut self, signal: Signal) -> Result<()> {
        let daemon = self.daemon.take().context("the daemon is stopped")?;
        daemon.signal(signal)?;
        daemon.wait()?;
        Ok(())
    }

    /// Starts the daemon again; returns how long it took to be ready.
    pub(crate) fn start(&mut self) -> Result<Duration> {
        let started = Instant::now();
        self.daemon = Some(Daemon::start(&self.home)?);
        Ok(started.elapsed())
    }
}

/// The loaded homes that sections share, made when first needed.
pub(crate) struct Fixtures {
    pub(crate) corpus: Corpus,
    loaded: BTreeMap<usize, Loaded>,
}

impl Fixtures {
    pub(crate) fn new() -> Self {
        Self {
            corpus: Corpus::new(),
            loaded: BTreeMap::new(),
        }
    }

    /// The home with `size` memories and no embedder, its daemon running.
    pub(crate) fn at(&mut self, size: usize) -> Result<&mut Loaded> {
        if !self.loaded.contains_key(&size) {
            let loaded = Loaded::new(Home::new()?, &self.corpus, size)?;
            self.loaded.insert(size, loaded);
        }
        self.loaded
            .get_mut(&size)
            .context("a home that was just loaded")
    }

    /// The same, which must have been loaded before.
    pub(crate) fn get(&self, size: usize) -> Result<&Loaded> {
        self.loaded
            .get(&size)
            .with_context(|| format!("no home with {size} memories is loaded"))
    }
}

/// Where a home's project is, in its scratch place.
fn project_root(home: &Home) -> PathBuf {
    home.scratch().join("project")
}

/// Makes one file of a home's project; returns the project's path and the file's.
pub(crate) fn project(home: &Home, relative: &str, text: &str) -> Result<(PathBuf, PathBuf)> {
    let root = project_root(home);
    let file = root.join(relative);
    fs::create_dir_all(file.parent().unwrap_or(&root))?;
    fs::write(&file, text)?;
    Ok((root, file))
}
