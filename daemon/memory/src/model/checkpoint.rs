//! The checkpoint: a task's durable save point.

use super::Timestamp;

/// Where a task stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The task at hand.
    pub task: String,
    /// Finished steps.
    pub done: Vec<String>,
    /// Next steps, first things first.
    pub next: Vec<String>,
    /// Suspicions.
    pub hypotheses: Vec<String>,
    /// The thing that it waits for; empty for nothing.
    pub blocked: String,
    /// The files it is about.
    pub files: Vec<String>,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// The agent client that saved it; empty when unknown.
    pub agent: String,
}
