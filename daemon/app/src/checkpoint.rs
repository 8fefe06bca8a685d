//! The checkpoint: where the project's task stands, saved until it is cleared.

use std::sync::Arc;

use helix_engine::Request;
use helix_memory::{Checkpoint, Scope};
use helix_neutral::one_line;
use helix_redact::{Redact, Secrets};
use helix_surface::checkpoint::{age, render};

use crate::threads::off_thread;
use crate::{App, Asker, Refusal};

/// Characters of a task where it is only mentioned.
const TASK_MAX_CHARS: usize = 200;

/// Said of a checkpoint that was replaced.
const KEPT: &str = ", which is kept as the first of the earlier ones";

/// How a checkpoint is saved, for those who look for one.
const HOW_TO_SAVE: &str = "save one with the action `checkpoint` and a `task` (and `done`, `next`, `hypotheses`, `blocked`, `files`)";

/// An action on the checkpoint of the asker's project.
#[derive(Clone, Debug)]
pub enum Action {
    /// Saves this one. When and by whom is stamped.
    Save(Checkpoint),
    /// Loads the present one, or the one that was replaced or cleared so many ago.
    Load {
        /// 0 for the present one.
        earlier: u32,
    },
    /// Saves again what was replaced or cleared so many ago.
    Restore {
        /// 1 for the last.
        earlier: u32,
    },
    /// Clears it.
    Clear,
}

/// The result of the action.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The checkpoint that was saved, loaded or cleared; `None` when there is none.
    pub checkpoint: Option<Checkpoint>,
    /// The same for readers.
    pub text: String,
    /// Warnings for whoever saved it.
    pub warnings: Vec<String>,
    /// Task and age of the one that was replaced; empty when there was none.
    pub replaced: String,
    /// When the present one is loaded: those that were replaced or cleared before, newest first.
    pub earlier: Vec<Checkpoint>,
}

/// An answer, and what must be durable before it is given.
struct Decided {
    write: Vec<Request>,
    answer: Answer,
}

impl Decided {
    /// Nothing is to be written.
    fn only(answer: Answer) -> Self {
        Self {
            write: Vec::new(),
            answer,
        }
    }
}

/// Saves, loads or clears the checkpoint of the asker's project. `who` says who asks, and may look
/// at the disk for it.
///
/// # Errors
/// When it cannot be admitted, there is none, or it is not written.
pub async fn checkpoint(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    action: Action,
) -> Result<Answer, Refusal> {
    let decided = off_thread(app, move |app| decide(app, &who(), action));
    let Decided { write, answer } = decided.await?;
    if !write.is_empty() {
        for outcome in app.writer.submit(write)?.await? {
            outcome?;
        }
    }
    Ok(answer)
}

fn decide(app: &App, asker: &Asker, action: Action) -> Result<Decided, Refusal> {
    // As with memories, what was saved before the project had its name of today is still its own.
    let snapshot = app.memory.strand.snapshot()?;
    let saved = snapshot.newest_checkpoint(asker.project.names())?;
    match action {
        Action::Save(new) => save(app, asker, new, saved.as_ref()),
        Action::Load { earlier: 0 } => load(app, asker, saved),
        Action::Load { earlier } => load_earlier(app, asker, earlier),
        Action::Restore { earlier } => {
            let again = self::earlier(app, asker, earlier)?;
            save(app, asker, again, saved.as_ref())
        }
        Action::Clear => Ok(clear(app, asker, saved)),
    }
}

fn save(
    app: &App,
    asker: &Asker,
    new: Checkpoint,
    replaced: Option<&Checkpoint>,
) -> Result<Decided, Refusal> {
    let mut new = Checkpoint {
        saved_at: app.memory.now(),
        agent: asker.actor.agent.clone(),
        session: asker.actor.session.clone(),
        ..new
    };
    let mut secrets = Secrets::default();
    new.redact(&mut secrets);
    let new = new.admitted()?;
    let mut text = format!(
        "Checkpoint saved for {}: {}",
        place(asker),
        one_line(&new.task, TASK_MAX_CHARS)
    );
    let replaced = replaced
        .map(|replaced| mention(app, replaced))
        .unwrap_or_default();
    if !replaced.is_empty() {
        text.push_str("\nIt replaced ");
        text.push_str(&replaced);
        text.push_str(KEPT);
    }
    let suspicions = new.suspicions();
    let orders = (!suspicions.is_empty()).then(|| {
        let why = suspicions.join(", ");
        format!("it looks like orders to an agent ({why}): no session is told of it unasked")
    });
    let answer = Answer {
        checkpoint: Some(new.clone()),
        text,
        warnings: secrets.note().into_iter().chain(orders).collect(),
        replaced,
        earlier: Vec::new(),
    };
    Ok(Decided {
        write: vec![write(&asker.project.scope, Some(new))],
        answer,
    })
}

/// The checkpoint that was replaced or cleared so many ago.
fn earlier(app: &App, asker: &Asker, wanted: u32) -> Result<Checkpoint, Refusal> {
    let mut earlier = all_earlier(app, asker)?;
    let at = (wanted as usize).wrapping_sub(1);
    if at < earlier.len() {
        return Ok(earlier.swap_remove(at));
    }
    let kept = earlier.len();
    Err(Refusal::not_found(format!(
        "there is no earlier checkpoint {wanted} of {}; {kept} are kept",
        place(asker)
    )))
}

fn all_earlier(app: &App, asker: &Asker) -> Result<Vec<Checkpoint>, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    Ok(snapshot.earlier_checkpoints(asker.project.names())?)
}

fn load_earlier(app: &App, asker: &Asker, wanted: u32) -> Result<Decided, Refusal> {
    let found = earlier(app, asker, wanted)?;
    Ok(Decided::only(Answer {
        text: render(&found, app.memory.now()),
        checkpoint: Some(found),
        ..Answer::default()
    }))
}

fn load(app: &App, asker: &Asker, saved: Option<Checkpoint>) -> Result<Decided, Refusal> {
    let text = match &saved {
        Some(saved) => render(saved, app.memory.now()),
        None => format!("No checkpoint is saved for {}; {HOW_TO_SAVE}", place(asker)),
    };
    Ok(Decided::only(Answer {
        checkpoint: saved,
        text,
        earlier: all_earlier(app, asker)?,
        ..Answer::default()
    }))
}

/// Clears what is saved under any of the project's names: an older one would come to light else.
fn clear(app: &App, asker: &Asker, saved: Option<Checkpoint>) -> Decided {
    let Some(saved) = saved else {
        let text = format!(
            "No checkpoint is saved for {}; there is nothing to clear",
            place(asker)
        );
        return Decided::only(Answer {
            text,
            ..Answer::default()
        });
    };
    let text = format!(
        "Checkpoint cleared for {}: {}",
        place(asker),
        mention(app, &saved)
    );
    let names = asker.project.names();
    Decided {
        write: names.map(|scope| write(scope, None)).collect(),
        answer: Answer {
            checkpoint: Some(saved),
            text,
            ..Answer::default()
        },
    }
}

fn write(scope: &Scope, checkpoint: Option<Checkpoint>) -> Request {
    Request::Checkpoint {
        scope: scope.clone(),
        checkpoint: checkpoint.map(Box::new),
    }
}

/// A checkpoint in passing: its task and age.
fn mention(app: &App, checkpoint: &Checkpoint) -> String {
    let task = one_line(&checkpoint.task, TASK_MAX_CHARS);
    format!(
        "{task} (saved {} ago)",
        age(checkpoint.saved_at, app.memory.now())
    )
}

/// Names the owner of a checkpoint, for people.
fn place(asker: &Asker) -> String {
    match &asker.project.scope {
        Scope::Global => "work outside of any project".to_owned(),
        Scope::Project(_) | Scope::Session(_) => {
            format!("project {}", one_line(&asker.project.name, TASK_MAX_CHARS))
        }
    }
}
