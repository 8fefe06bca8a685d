//! `Checkpoint`: where the project's task stands, saved until it is cleared.

use std::sync::Arc;

use helix_app::Refusal;
use helix_engine::model::{Checkpoint, Scope};
use helix_engine::neutral::one_line;
use helix_engine::policy::checkpoint::admit;
use helix_engine::strand::Request;
use helix_engine::surface::checkpoint::{age, render};
use helix_proto::v1;
use helix_proto::v1::checkpoint_request::Action;
use helix_redact::{Redact, Secrets, redaction_note};

use super::{convert, off_thread};
use crate::runtime::{Asker, Runtime};

/// Characters of a task where it is only mentioned.
const TASK_MAX_CHARS: usize = 200;

/// Said of a checkpoint that was replaced.
const KEPT: &str = ", which is kept as the first of the earlier ones";

/// How a checkpoint is saved, for those who look for one.
const HOW_TO_SAVE: &str = "save one with the action `checkpoint` and a `task` (and `done`, `next`, `hypotheses`, `blocked`, `files`)";

/// An answer, and what must be durable before it is given.
struct Answer {
    write: Vec<Request>,
    reply: v1::CheckpointReply,
}

/// Saves, loads or clears the checkpoint of the caller's project.
pub(super) async fn checkpoint(
    runtime: &Arc<Runtime>,
    request: v1::CheckpointRequest,
) -> Result<v1::CheckpointReply, Refusal> {
    let Answer { write, reply } =
        off_thread(runtime, move |runtime| decide(runtime, request)).await?;
    if !write.is_empty() {
        for outcome in runtime
            .writer
            .write(write)
            .await
            .map_err(|error| Refusal::from(error))?
        {
            outcome.map_err(|error| Refusal::of(error.kind(), &error))?;
        }
    }
    Ok(reply)
}

fn decide(runtime: &Runtime, request: v1::CheckpointRequest) -> Result<Answer, Refusal> {
    let asker = runtime.asker(request.caller.as_ref());
    // As with memories, what was saved before the project had its name of today is still its own.
    let saved = runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.newest_checkpoint(asker.project.names()));
    let saved = saved.map_err(|error| Refusal::of(error.kind(), &error))?;
    match request.action {
        Some(Action::Save(new)) => save(runtime, &asker, new, saved.as_ref()),
        Some(Action::Load(v1::LoadCheckpoint { earlier: 0 })) => {
            load(runtime, &asker, saved.as_ref())
        }
        Some(Action::Load(wanted)) => load_earlier(runtime, &asker, wanted.earlier),
        Some(Action::Restore(wanted)) => {
            let again = convert::task_checkpoint(&earlier(runtime, &asker, wanted.earlier)?);
            save(runtime, &asker, again, saved.as_ref())
        }
        Some(Action::Clear(_)) => Ok(clear(runtime, &asker, saved.as_ref())),
        None => Err(Refusal::invalid(
            "the request has no action; save, load, clear or restore the checkpoint",
        )),
    }
}

fn save(
    runtime: &Runtime,
    asker: &Asker,
    new: v1::TaskCheckpoint,
    replaced: Option<&Checkpoint>,
) -> Result<Answer, Refusal> {
    let mut new = convert::checkpoint(new, runtime.now(), asker.actor.agent.clone());
    let mut secrets = Secrets::default();
    new.redact(&mut secrets);
    let new = admit(new).map_err(|error| Refusal::of(error.kind(), &error))?;
    let mut text = format!(
        "Checkpoint saved for {}: {}",
        place(asker),
        one_line(&new.task, TASK_MAX_CHARS)
    );
    let replaced = replaced
        .map(|replaced| mention(runtime, replaced))
        .unwrap_or_default();
    if !replaced.is_empty() {
        text.push_str("\nIt replaced ");
        text.push_str(&replaced);
        text.push_str(KEPT);
    }
    let warnings = redaction_note(secrets.count()).into_iter().collect();
    let checkpoint = Some(convert::task_checkpoint(&new));
    let reply = v1::CheckpointReply {
        checkpoint,
        text,
        warnings,
        replaced,
        earlier: Vec::new(),
    };
    let write = vec![write(&asker.project.scope, Some(new))];
    Ok(Answer { write, reply })
}

/// The checkpoint that was replaced or cleared so many ago.
fn earlier(runtime: &Runtime, asker: &Asker, wanted: u32) -> Result<Checkpoint, Refusal> {
    let mut earlier = all_earlier(runtime, asker)?;
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

fn all_earlier(runtime: &Runtime, asker: &Asker) -> Result<Vec<Checkpoint>, Refusal> {
    let read = runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.earlier_checkpoints(asker.project.names()));
    read.map_err(|error| Refusal::of(error.kind(), &error))
}

fn load_earlier(runtime: &Runtime, asker: &Asker, wanted: u32) -> Result<Answer, Refusal> {
    let found = earlier(runtime, asker, wanted)?;
    let (text, checkpoint) = (
        render(&found, runtime.now()),
        Some(convert::task_checkpoint(&found)),
    );
    let reply = v1::CheckpointReply {
        checkpoint,
        text,
        ..v1::CheckpointReply::default()
    };
    Ok(Answer {
        write: Vec::new(),
        reply,
    })
}

fn load(runtime: &Runtime, asker: &Asker, saved: Option<&Checkpoint>) -> Result<Answer, Refusal> {
    let text = match saved {
        Some(saved) => render(saved, runtime.now()),
        None => format!("No checkpoint is saved for {}; {HOW_TO_SAVE}", place(asker)),
    };
    let earlier = all_earlier(runtime, asker)?
        .iter()
        .map(convert::task_checkpoint)
        .collect();
    let checkpoint = saved.map(convert::task_checkpoint);
    let reply = v1::CheckpointReply {
        checkpoint,
        text,
        earlier,
        ..v1::CheckpointReply::default()
    };
    Ok(Answer {
        write: Vec::new(),
        reply,
    })
}

/// Clears what is saved under any of the project's names: an older one would come to light else.
fn clear(runtime: &Runtime, asker: &Asker, saved: Option<&Checkpoint>) -> Answer {
    let Some(saved) = saved else {
        let text = format!(
            "No checkpoint is saved for {}; there is nothing to clear",
            place(asker)
        );
        return Answer {
            write: Vec::new(),
            reply: v1::CheckpointReply {
                text,
                ..v1::CheckpointReply::default()
            },
        };
    };
    let text = format!(
        "Checkpoint cleared for {}: {}",
        place(asker),
        mention(runtime, saved)
    );
    let checkpoint = Some(convert::task_checkpoint(saved));
    let reply = v1::CheckpointReply {
        checkpoint,
        text,
        ..v1::CheckpointReply::default()
    };
    Answer {
        write: asker
            .project
            .names()
            .map(|scope| write(scope, None))
            .collect(),
        reply,
    }
}

fn write(scope: &Scope, checkpoint: Option<Checkpoint>) -> Request {
    Request::Checkpoint {
        scope: scope.clone(),
        checkpoint: checkpoint.map(Box::new),
    }
}

/// A checkpoint in passing: its task and age.
fn mention(runtime: &Runtime, checkpoint: &Checkpoint) -> String {
    let task = one_line(&checkpoint.task, TASK_MAX_CHARS);
    format!(
        "{task} (saved {} ago)",
        age(checkpoint.saved_at, runtime.now())
    )
}

/// What a checkpoint belongs to, for people.
fn place(asker: &Asker) -> String {
    match &asker.project.scope {
        Scope::Global => "work outside of any project".to_owned(),
        Scope::Project(_) | Scope::Session(_) => {
            format!("project {}", one_line(&asker.project.name, TASK_MAX_CHARS))
        }
    }
}
