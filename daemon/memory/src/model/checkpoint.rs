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
    /// The session that saved it; empty when unknown.
    pub session: String,
}

impl Checkpoint {
    /// Returns all that it says, in the order in which it is shown.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.done, &self.next, &self.hypotheses, &self.files];
        let lists = lists.into_iter().flatten();
        let all = [&self.task].into_iter().chain(lists).chain([&self.blocked]);
        all.map(String::as_str)
    }
}
