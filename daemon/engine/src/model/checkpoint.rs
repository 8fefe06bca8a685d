//! The checkpoint: a task's durable save point.

use super::Timestamp;

/// Where a task stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// What is being done.
    pub task: String,
    /// What is finished.
    pub done: Vec<String>,
    /// What comes next, first things first.
    pub next: Vec<String>,
    /// What is suspected.
    pub hypotheses: Vec<String>,
    /// What it waits for; empty for nothing.
    pub blocked: String,
    /// The files it is about.
    pub files: Vec<String>,
    /// When it was saved.
    pub saved_at: Timestamp,
    /// The agent client that saved it; empty when unknown.
    pub agent: String,
}
