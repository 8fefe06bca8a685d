//! Where a task stands, and what the session did.

use helix_client::v1::checkpoint_request::Action;
use helix_client::v1::{
    Caller, CheckpointReply, CheckpointRequest, ClearCheckpoint, LoadCheckpoint, SessionLogRequest,
    TaskCheckpoint,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::{Flag, Steps, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, View};

/// Earlier checkpoints that the daemon keeps.
const EARLIER_MAX: u32 = 10;

/// Changes that `session` lists; a session that imports makes hundreds.
const SESSION_SHOWN_MAX: u32 = 50;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Session {
    /// all known ones
    list: Flag,
    /// another one's id or its beginning
    session: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Checkpoint {
    /// what you work on
    task: Text,
    /// steps, split at ;
    #[serde(default)]
    done: Steps,
    /// split at ;
    #[serde(default)]
    next: Steps,
    /// split at ;
    #[serde(default)]
    hypotheses: Steps,
    /// by what
    #[serde(default)]
    blocked: Text,
    #[serde(default)]
    files: Words,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Resume {
    /// an earlier checkpoint, from 1
    index: Option<Whole<0, EARLIER_MAX>>,
}

impl Session {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let list = self.list.0;
        let request = SessionLogRequest {
            caller: Some(caller),
            session: self.session.trimmed(),
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
}

impl Checkpoint {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let reply = call(daemon, caller, Action::Save(self.into())).await?;
        Ok(render::checkpoint_saved(&reply))
    }
}

impl From<Checkpoint> for TaskCheckpoint {
    fn from(checkpoint: Checkpoint) -> Self {
        Self {
            task: checkpoint.task.0,
            done: checkpoint.done.0,
            next: checkpoint.next.0,
            hypotheses: checkpoint.hypotheses.0,
            blocked: checkpoint.blocked.0,
            files: checkpoint.files.0,
            ..Self::default()
        }
    }
}

impl Resume {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let earlier = self.index.map(|index| index.0).unwrap_or_default();
        let reply = call(daemon, caller, Action::Load(LoadCheckpoint { earlier })).await?;
        Ok(render::checkpoint_loaded(&reply, &View::local()))
    }
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

    use super::super::super::samples::{read, shown};
    use super::super::Topics;
    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = json!({
            "action": "checkpoint", "task": "Implement Metal attention kernel",
            "done": "Verified embeddings, twice;Built Q4K matvec", "next": ["Debug RMSNorm"],
            "hypotheses": "RoPE base may be wrong;", "blocked": "Need reference output", "files": "infer.rs, main.rs",
        });
        let Topics::Checkpoint(checkpoint) = read(&given).unwrap() else {
            unreachable!("a checkpoint is saved");
        };
        insta::assert_snapshot!(shown(&TaskCheckpoint::from(checkpoint)));
    }
}
