//! Where a task stands, and what the session did.

use helix_client::v1::checkpoint_request::Action;
use helix_client::v1::{
    Caller, CheckpointReply, CheckpointRequest, ClearCheckpoint, LoadCheckpoint, SessionLogRequest,
    TaskCheckpoint,
};

use super::super::{at_commas, at_semicolons};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, View};

/// Earlier checkpoints that the daemon keeps.
const EARLIER_MAX: u32 = 10;

/// Changes that `session` lists; a session that imports makes hundreds.
const SESSION_SHOWN_MAX: u32 = 50;

pub(super) async fn session(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let list = arguments.flag("list")?;
    let session = arguments
        .text("session")?
        .unwrap_or_default()
        .trim()
        .to_owned();
    let request = SessionLogRequest {
        caller: Some(caller),
        session,
        limit: SESSION_SHOWN_MAX,
        list,
    };
    let reply = daemon
        .call(async move |rpc| rpc.session_log(request.clone()).await)
        .await?;
    let view = View::local();
    Ok(if list {
        render::sessions(&reply, &view)
    } else {
        render::session(&reply, &view)
    })
}

pub(super) async fn save(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let reply = call(daemon, caller, Action::Save(checkpoint(arguments)?)).await?;
    Ok(render::checkpoint_saved(&reply))
}

fn checkpoint(arguments: &Arguments) -> Result<TaskCheckpoint, ArgumentError> {
    Ok(TaskCheckpoint {
        task: arguments.required_text("task")?,
        done: arguments.list("done", at_semicolons)?,
        next: arguments.list("next", at_semicolons)?,
        hypotheses: arguments.list("hypotheses", at_semicolons)?,
        blocked: arguments.text("blocked")?.unwrap_or_default(),
        files: arguments.list("files", at_commas)?,
        ..TaskCheckpoint::default()
    })
}

pub(super) async fn load(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let earlier = arguments
        .whole("index", 0..=EARLIER_MAX)?
        .unwrap_or_default();
    let reply = call(daemon, caller, Action::Load(LoadCheckpoint { earlier })).await?;
    Ok(render::checkpoint_loaded(&reply, &View::local()))
}

pub(super) async fn clear(daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
    Ok(render::checkpoint_cleared(
        &call(daemon, caller, Action::Clear(ClearCheckpoint {})).await?,
    ))
}

async fn call(daemon: &Daemon, caller: Caller, action: Action) -> Result<CheckpointReply, Failure> {
    let request = CheckpointRequest {
        caller: Some(caller),
        action: Some(action),
    };
    Ok(daemon
        .call(async move |rpc| rpc.checkpoint(request.clone()).await)
        .await?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::samples::shown;
    use super::super::tests::arguments;
    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = arguments(&json!({
            "action": "checkpoint", "task": "Implement Metal attention kernel",
            "done": "Verified embeddings, twice;Built Q4K matvec", "next": ["Debug RMSNorm"],
            "hypotheses": "RoPE base may be wrong;", "blocked": "Need reference output", "files": "infer.rs, main.rs",
        }));
        insta::assert_snapshot!(shown(&checkpoint(&given).unwrap()));
    }
}
