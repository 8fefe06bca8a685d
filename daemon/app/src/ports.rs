//! What the use cases need of the world.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::project::Project;

pub use helix_engine::ports::Clock;

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

/// Called with a vector, or with nothing when there is none in time.
pub type Embedded = Box<dyn FnOnce(Option<Vec<f32>>) + Send>;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// What it can do now.
    fn state(&self) -> EmbedderState;

    /// Embeds a text within `patience`, for which it blocks; `None` when there is no vector by then.
    fn embed(&self, text: &str, patience: Duration) -> Option<Vec<f32>>;

    /// The same without blocking: hands the vector to `then` when it is made.
    fn embed_later(&self, text: String, patience: Duration, then: Embedded);
}

/// Finds projects, for which it may run git.
pub trait Projects: Send + Sync {
    /// The project of a directory; `None` when nothing there answers within `patience`, for which it blocks.
    fn project(&self, directory: &Path, patience: Duration) -> Option<Arc<Project>>;
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
