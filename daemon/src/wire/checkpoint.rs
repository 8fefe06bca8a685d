//! `Checkpoint` as the wire has it.

use helix_app::Refusal;
use helix_app::checkpoint::{Action, Answer};
use helix_memory::{Checkpoint, Timestamp};
use helix_proto::v1;
use helix_proto::v1::checkpoint_request::Action as Wire;

/// Reads what is to be done with the checkpoint.
pub(crate) fn action(wire: Option<Wire>) -> Result<Action, Refusal> {
    match wire {
        Some(Wire::Save(new)) => Ok(Action::Save(checkpoint(new))),
        Some(Wire::Load(v1::LoadCheckpoint { earlier })) => Ok(Action::Load { earlier }),
        Some(Wire::Restore(v1::RestoreCheckpoint { earlier })) => Ok(Action::Restore { earlier }),
        Some(Wire::Clear(v1::ClearCheckpoint {})) => Ok(Action::Clear),
        None => Err(Refusal::invalid(
            "the request has no action; save, load, clear or restore the checkpoint",
        )),
    }
}

/// Reads a checkpoint. Who saved it and when is for the daemon to say.
fn checkpoint(wire: v1::TaskCheckpoint) -> Checkpoint {
    Checkpoint {
        task: wire.task,
        done: wire.done,
        next: wire.next,
        hypotheses: wire.hypotheses,
        blocked: wire.blocked,
        files: wire.files,
        saved_at: Timestamp::default(),
        agent: String::new(),
        session: String::new(),
    }
}

/// Writes what was done.
pub(crate) fn answer(answer: Answer) -> v1::CheckpointReply {
    let Answer {
        checkpoint,
        text,
        warnings,
        replaced,
        earlier,
    } = answer;
    v1::CheckpointReply {
        checkpoint: checkpoint.as_ref().map(task_checkpoint),
        text,
        warnings,
        replaced,
        earlier: earlier.iter().map(task_checkpoint).collect(),
    }
}

/// Writes a checkpoint.
pub(super) fn task_checkpoint(checkpoint: &Checkpoint) -> v1::TaskCheckpoint {
    v1::TaskCheckpoint {
        task: checkpoint.task.clone(),
        done: checkpoint.done.clone(),
        next: checkpoint.next.clone(),
        hypotheses: checkpoint.hypotheses.clone(),
        blocked: checkpoint.blocked.clone(),
        files: checkpoint.files.clone(),
        saved_at_us: checkpoint.saved_at.as_micros(),
        agent: checkpoint.agent.clone(),
    }
}
