//! Answers to the actions of `topics`.

mod browse;
mod exchange;
mod graph;
mod stale;
mod stats;
mod task;
mod upkeep;

pub(crate) use browse::{cross_references, recent, topic_list};
pub(crate) use exchange::{Exported, exported, imported};
pub(crate) use graph::graph;
pub(crate) use stale::stale;
pub(crate) use stats::{StatsDetail, reindexed, stats};
pub(crate) use task::{checkpoint_cleared, checkpoint_loaded, checkpoint_saved, session, sessions};
pub(crate) use upkeep::{Compacted, compacted, prune};

use helix_client::v1::{IndexStatus, TopicEntry};

use super::View;
use super::memory::INDENT;
use crate::{clean, dates};

/// `name (12)  2026-11-21`: a topic, its memories, its last change.
fn topic_line(topic: &TopicEntry, view: &View) -> String {
    let day = dates::day_of(topic.last_recorded_at_us, &view.zone);
    format!("{} ({})  {day}", clean::line(&topic.name), topic.memories)
}

/// How an index is: a line of its own.
fn index_line(index: &IndexStatus) -> String {
    let problem = if index.problem.is_empty() {
        "healthy".to_owned()
    } else {
        clean::line(&index.problem)
    };
    format!(
        "{INDENT}{}: {} entries, at sequence {}, {problem}",
        clean::line(&index.name),
        index.entries,
        index.watermark
    )
}
