//! What the use cases need of the world.

use std::any::Any;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use helix_engine::{Outcome, Request, Shrunk, TextVectors, WriteError};
use helix_memory::{ErrorKind, Timestamp};

use crate::pool::{Full, Job};
use crate::project::Project;

pub use crate::exchange::{Pieces, Reports};

/// What the embedder can do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmbedderState {
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

/// Called with the vectors of a text, or with nothing when there are none in time.
pub type Embedded = Box<dyn FnOnce(Option<TextVectors>) + Send>;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Returns now.
    fn now(&self) -> Timestamp;
}

/// Gives random bytes.
pub trait Randomness: Send + Sync {
    /// Returns ten random bytes, enough for a `UUIDv7`.
    fn entropy(&self) -> [u8; 10];
}

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// What it can do now.
    fn state(&self) -> EmbedderState;

    /// Embeds a text within `patience`, for which it blocks; `None` when there are no vectors
    /// by then.
    fn embed(&self, text: &str, patience: Duration) -> Option<TextVectors>;

    /// Embeds a query in its turn: only a few wait for the model at once, so that a hook's text
    /// waits behind no more.
    fn query<'e>(&'e self, text: &'e str, patience: Duration) -> Later<'e, Option<TextVectors>>;

    /// Embeds a text as a memory's is embedded, in its turn.
    fn passage<'e>(&'e self, text: &'e str, patience: Duration) -> Later<'e, Option<Vec<f32>>>;

    /// The same as [`Self::passage`] for a thread that blocks, and that hooks' texts need not wait
    /// behind.
    fn embed_passage(&self, text: &str, patience: Duration) -> Option<Vec<f32>>;

    /// The same as [`Self::embed`] without blocking: hands the vectors to `then` when they are
    /// made.
    fn embed_later(&self, text: String, patience: Duration, then: Embedded);
}

/// Finds projects and what is in their histories, for which it may run git.
pub trait Projects: Send + Sync {
    /// The project of a directory; `None` when nothing there answers within `patience`, for which
    /// it blocks.
    fn project(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>>;

    /// What git keeps under a blob's id in the repository of a work tree, without white space at
    /// its end; `None` for what is no text. It blocks for git.
    fn committed(&self, root: &Path, id: &[u8; 20]) -> Option<String>;

    /// The log of the repository of a work tree, as [`helix_capture::read::git`] reads it, behind a
    /// commit; the latest commits of a long one. `None` where git has none or does not answer. It
    /// blocks for git.
    fn log(&self, root: &Path, after: Option<&str>) -> Option<Vec<u8>>;
}

/// How the program fares that this is a part of.
pub trait Life: Send + Sync {
    /// Whether it is about to end.
    fn is_ending(&self) -> bool;

    /// Whether it took over from another program just now: what came meanwhile waited for it.
    fn has_just_taken_over(&self) -> bool;
}

/// Who waits for an answer.
pub trait Awaiting: Send + Sync {
    /// Whether nobody waits any more.
    fn is_gone(&self) -> bool;
}

/// Something that comes later.
pub type Later<'l, T> = Pin<Box<dyn Future<Output = T> + Send + 'l>>;

/// What became of the requests of one write, in their order.
pub type Outcomes = Vec<Result<Outcome, WriteError>>;

/// Why a write was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// Too many writes wait, or too large ones.
    #[error("as many writes are waiting as may wait; try again in a moment")]
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

impl SubmitError {
    /// Its class.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Busy | Self::Stopping => ErrorKind::Unavailable,
            Self::Disk(_) => ErrorKind::Corrupt,
        }
    }
}

/// The only way to change the strand.
pub trait Writer: Send + Sync {
    /// Queues a write. What comes later is its answer, once it is durable.
    ///
    /// # Errors
    /// [`SubmitError`]: it was not queued, or in what comes later, not acknowledged.
    fn submit(
        &self,
        requests: Vec<Request>,
    ) -> Result<Later<'static, Result<Outcomes, SubmitError>>, SubmitError>;

    /// As [`Self::submit`], and blocks until there is room in place of being told to wait: for who
    /// brings one write after the other.
    ///
    /// # Errors
    /// As [`Self::submit`].
    fn submit_when_free(
        &self,
        requests: Vec<Request>,
    ) -> Result<Later<'static, Result<Outcomes, SubmitError>>, SubmitError>;

    /// Rewrites the store's file without what is free in it, after what waits now is written.
    fn shrink(&self) -> Later<'_, Result<Shrunk, SubmitError>>;

    /// Writes the store's file anew, row by row, after what waits now is written: nothing of what
    /// was removed is left in it.
    fn rewrite(&self) -> Later<'_, Result<Shrunk, SubmitError>>;
}

/// Kept for as long as something goes on.
pub type Hold = Arc<dyn Any + Send + Sync>;

/// Which threads do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Those of searches, reads, stores and the like.
    Quick,
    /// Those of what may take minutes.
    Long,
}

/// Threads that may block.
pub trait Threads: Send + Sync {
    /// Has a thread do this.
    ///
    /// # Errors
    /// [`Full`]: it is not done.
    fn start(&self, class: Class, job: Job) -> Result<(), Full>;

    /// Says that something goes on, which the daemon's end waits for, as long as what it returns is
    /// held.
    fn begin(&self) -> Hold;
}
