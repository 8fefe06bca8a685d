//! Editing: one memory or a whole topic changed, never on a guess.
//!
//! The target is found on a snapshot; what becomes of it is decided by the writer, on the record as
//! it is then.

mod fields;
mod gone;
mod lines;
mod name;
mod plan;
mod seen;
mod split;
mod tags;
mod target;
mod together;
mod topic;
mod write;

pub(crate) use self::write::write;

use std::sync::Arc;

use helix_engine::{Edited, Request};
use helix_memory::{Sequence, Status};

use self::plan::{Planned, plan};
use self::target::Several;
use crate::threads::off_thread;
use crate::told::Told;
use crate::{App, Asker, Refusal, suspicion};

/// Which memory of a topic, or which memory by name.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// A handle, an id, a unique prefix of either, `topic:index`, or a topic.
    pub reference: String,
    /// The one at this place of a topic.
    pub index: Option<u32>,
    /// The one of a topic whose text has this; empty for any.
    pub match_text: String,
    /// The newest of a topic with this tag; empty for any.
    pub tag: String,
}

/// Fields that are to be set; what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct SetFields {
    /// The name of its kind.
    pub kind: Option<String>,
    /// The file that it is about; empty for none.
    pub source: Option<String>,
    /// 0 to 1.
    pub importance: Option<f32>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Whether it is exempt from decay.
    pub pinned: Option<bool>,
    /// What it is to link to.
    pub links: Vec<String>,
    /// Whether its other links go.
    pub replace_links: bool,
    /// The name of where it came from; only a person may say it.
    pub origin: Option<String>,
    /// One line for lists; an empty one is taken away.
    pub summary: Option<String>,
    /// Importance from 1 to 10, in its place.
    pub priority: Option<i64>,
    /// Importance from 1 to 5, in its place.
    pub weight: Option<i64>,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Action {
    /// Adds lines to a text.
    Append {
        /// The memory; of a topic its newest.
        target: Target,
        /// The lines.
        text: String,
    },
    /// Gives a memory another text.
    Revise {
        /// The memory; of a topic its only one.
        target: Target,
        /// The text.
        text: String,
    },
    /// Forgets one memory.
    Delete {
        /// The memory; of a topic its newest.
        target: Target,
        /// Must be empty: one memory has a scope of its own.
        scopes: Vec<String>,
    },
    /// Forgets a whole topic.
    DeleteAll {
        /// The topic.
        target: Target,
        /// Where; empty for the asker's project.
        scopes: Vec<String>,
    },
    /// Adds and removes tags.
    Tag {
        /// The memory; of a topic its newest.
        target: Target,
        /// Tags to add.
        add: Vec<String>,
        /// Tags to remove.
        remove: Vec<String>,
    },
    /// Sets fields that are not text.
    Set {
        /// The memory; of a topic its only one.
        target: Target,
        /// The fields.
        fields: SetFields,
    },
    /// Gives a topic another name.
    Rename {
        /// The topic.
        topic: String,
        /// Its name from now on.
        new_name: String,
    },
    /// Moves a topic's memories into another.
    Merge {
        /// The topic.
        topic: String,
        /// The other one.
        into: String,
    },
    /// Makes several memories of one.
    Split {
        /// The memory; of a topic its only one.
        target: Target,
        /// Their texts; empty to have the text taken apart.
        into: Vec<String>,
        /// Whether it is only asked what the parts would be.
        is_preview: bool,
    },
    /// Makes a memory active again.
    Restore {
        /// The memory; of a topic what is deleted of it.
        target: Target,
    },
    /// Makes everything of a topic active again.
    RestoreAll {
        /// The topic.
        topic: String,
    },
}

/// What somebody wants changed.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What is to be done.
    pub action: Action,
    /// The operation that changed the one memory last, as the asker read it.
    pub expected: Option<Sequence>,
}

/// What an edit came to.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The memories as they are now; of a topic some of them.
    pub memories: Vec<Told>,
    /// How many changed.
    pub changed: usize,
    /// The topic that they are in now.
    pub topic: String,
    /// What whoever asked should know.
    pub warnings: Vec<String>,
    /// Memories that could be meant, when several could and nothing was done.
    pub candidates: Vec<Told>,
    /// How many could be meant, where these are not all of them; else 0.
    pub candidates_total: usize,
    /// Of the preview of a split: the texts of its parts.
    pub parts: Vec<String>,
}

/// Changes what is named. `who` says who asks, and may look at the disk for it.
///
/// # Errors
/// When nothing is meant, it makes no sense, the asker may not, or it is not written.
pub async fn edit(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Wanted,
) -> Result<Answer, Refusal> {
    match off_thread(app, move |app| plan(app, &who(), wanted)).await? {
        Planned::Candidates { several, warnings } => {
            off_thread(app, move |app| candidates(app, &several, warnings)).await
        }
        Planned::Preview { parts, warnings } => Ok(Answer {
            warnings,
            parts,
            ..Answer::default()
        }),
        Planned::Write {
            requests,
            mut warnings,
            is_shared,
        } => {
            let edited = write_all(app, requests, &mut warnings).await?;
            if is_shared {
                warnings.extend(topic::global_note(&edited));
            }
            off_thread(app, move |app| Ok(answer(app, &edited, warnings))).await
        }
    }
}

/// Writes the requests of one edit, and returns what they changed. What the first does is
/// acknowledged, so that where a later one fails is told, and no error.
async fn write_all(
    app: &App,
    requests: Vec<Request>,
    warnings: &mut Vec<String>,
) -> Result<Edited, Refusal> {
    let mut edited: Option<Edited> = None;
    for request in requests {
        edited = match (write(app, request).await, edited) {
            (Ok(first), None) => Some(first),
            (Ok(now), Some(before)) => Some(Edited {
                changed: now.changed.max(before.changed),
                ..now
            }),
            (Err(refusal), None) => return Err(refusal),
            (Err(refusal), before) => {
                warnings.push(format!(
                    "the text was changed, and not all that its lines say: {refusal}"
                ));
                before
            }
        };
    }
    edited.ok_or_else(|| Refusal::internal("the edit came to nothing"))
}

fn candidates(app: &App, several: &Several, warnings: Vec<String>) -> Result<Answer, Refusal> {
    let Several { shown, total } = several;
    let candidates_total = if *total > shown.len() { *total } else { 0 };
    Ok(Answer {
        candidates: Told::all(app, shown)?,
        candidates_total,
        warnings,
        ..Answer::default()
    })
}

fn answer(app: &App, edited: &Edited, mut warnings: Vec<String>) -> Answer {
    if edited.changed == 0 {
        warnings.push("nothing changed: it is so already".to_owned());
    }
    if let [memory] = edited.memories.as_slice() {
        let waits = memory.status == Status::Quarantined;
        warnings.extend(suspicion::note(&memory.suspicions, waits));
    }
    let waiting = edited
        .memories
        .iter()
        .filter(|memory| memory.status == Status::Quarantined);
    let waiting = waiting.count();
    if edited.memories.len() > 1 && waiting > 0 {
        warnings.push(suspicion::held(waiting));
    }
    let topic = edited.memories.first().map(|memory| memory.topic.as_str());
    Answer {
        topic: topic.unwrap_or_default().to_owned(),
        memories: edited
            .memories
            .iter()
            .map(|memory| Told::of(app, memory))
            .collect(),
        changed: edited.changed,
        warnings,
        ..Answer::default()
    }
}
