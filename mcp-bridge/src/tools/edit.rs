//! `edit`: changes to a memory or a whole topic, relations, settled conflicts, and undo.

use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    Caller, EditRequest, RelateRequest, RevertRequest, SettleRequest, UnrelateRequest,
};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Flag, Fraction, Handles, Index, Parts, Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Change, View};

mod back;
mod relations;
mod request;

use back::{Rollback, Undo};
use relations::{Relate, Settle, Supersede, Unrelate};

/// A change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "lowercase")]
pub(super) enum Edit {
    Append(Append),
    Revise(Revise),
    Delete(Delete),
    Tag(Tag),
    Set(Set),
    Rename(Rename),
    Merge(Merge),
    Restore(Restore),
    Relate(Relate),
    Unrelate(Unrelate),
    Settle(Settle),
    Supersede(Supersede),
    Split(Split),
    Undo(Undo),
    Rollback(Rollback),
}

/// The memory that is meant, by itself or in its topic.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Pointer {
    /// topic, handle, id or topic:index
    topic: Text,
    /// 0-based, in the topic
    index: Option<Index>,
    /// text that only the one you mean has
    match_str: Option<Text>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Append {
    #[serde(flatten)]
    memory: Pointer,
    text: Text,
    /// to the newest with this tag
    tag: Option<Text>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Revise {
    #[serde(flatten)]
    memory: Pointer,
    text: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Delete {
    #[serde(flatten)]
    memory: Pointer,
    /// the whole topic
    #[serde(default)]
    all: Flag,
    /// where all deletes: project (default), global or all
    #[serde(default)]
    scope: Words,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Tag {
    #[serde(flatten)]
    memory: Pointer,
    /// to add
    #[serde(default)]
    tags: Words,
    /// to remove
    #[serde(default)]
    remove: Words,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Set {
    #[serde(flatten)]
    memory: Pointer,
    kind: Option<Text>,
    /// path:line, or none
    source: Option<Text>,
    confidence: Option<Fraction>,
    importance: Option<Fraction>,
    pinned: Option<Flag>,
    /// replaces all, or none
    #[serde(default)]
    links: Handles,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Rename {
    /// topic, handle, id or topic:index
    topic: Text,
    new_name: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Merge {
    /// topic, handle, id or topic:index
    topic: Text,
    /// topic, or the handle that takes over the text of the one in topic
    into: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Restore {
    #[serde(flatten)]
    memory: Pointer,
    /// the whole topic
    #[serde(default)]
    all: Flag,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Split {
    #[serde(flatten)]
    memory: Pointer,
    /// texts; default its paragraphs and list items
    #[serde(default)]
    parts: Parts,
}

/// A change as it goes to the daemon.
#[derive(Debug)]
enum Asked {
    /// Of a memory or a topic; with the topic of the call.
    Edit(Change, Text, Action),
    Relate(RelateRequest),
    Unrelate(UnrelateRequest),
    Settle(SettleRequest),
    Undo(RevertRequest),
    Rollback(RevertRequest),
}

impl Call for Edit {
    const DESCRIPTION: Description = Description {
        name: "edit",
        title: "Change memories",
        about: "Correct what is stored, as soon as you see that it is wrong or outdated. append or \
                revise (text), delete, tag (tags, remove), set (source, confidence and so on), \
                rename a topic (new_name), merge it (into), restore what was deleted. append, \
                delete and tag with a topic alone mean its newest memory. relate, unrelate two \
                memories; settle a contradiction; supersede (by); split (parts); undo; rollback \
                (to) shows, apply does.",
        nature: Nature::Changes { idempotent: false },
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        match self.asked(&caller)? {
            Asked::Edit(change, topic, action) => {
                edit(daemon, caller, change, &topic, action).await
            }
            Asked::Relate(request) => relate(daemon, request).await,
            Asked::Unrelate(request) => unrelate(daemon, request).await,
            Asked::Settle(request) => settle(daemon, request).await,
            Asked::Undo(request) => undo(daemon, request).await,
            Asked::Rollback(request) => rollback(daemon, request).await,
        }
    }
}

async fn edit(
    daemon: &Daemon,
    caller: Caller,
    change: Change,
    topic: &Text,
    action: Action,
) -> Result<String, Failure> {
    let request = EditRequest {
        caller: Some(caller),
        action: Some(action),
        ..EditRequest::default()
    };
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.edit(request.clone()).await)
        .await?;
    Ok(render::edited(&reply, change, &topic.0, &View::local()))
}

async fn relate(daemon: &Daemon, request: RelateRequest) -> Result<String, Failure> {
    let reply = daemon
        .call(async move |rpc| rpc.relate(request.clone()).await)
        .await?;
    Ok(render::related(&reply))
}

async fn unrelate(daemon: &Daemon, request: UnrelateRequest) -> Result<String, Failure> {
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.unrelate(request.clone()).await)
        .await?;
    Ok(render::unrelated(&reply))
}

async fn settle(daemon: &Daemon, request: SettleRequest) -> Result<String, Failure> {
    let settlement = request.settlement();
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.settle(request.clone()).await)
        .await?;
    Ok(render::settled(&reply, settlement))
}

async fn undo(daemon: &Daemon, request: RevertRequest) -> Result<String, Failure> {
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.revert(request.clone()).await)
        .await?;
    Ok(render::undone(&reply, &View::local()))
}

async fn rollback(daemon: &Daemon, request: RevertRequest) -> Result<String, Failure> {
    let is_preview = request.preview;
    let reply = daemon
        .call_at_most_once(async move |rpc| rpc.revert(request.clone()).await)
        .await?;
    Ok(render::rolled_back(&reply, is_preview, &View::local()))
}

impl Edit {
    fn asked(self, caller: &Caller) -> Result<Asked, ArgumentError> {
        let caller = caller.clone();
        Ok(match self {
            Self::Append(one) => {
                Asked::Edit(Change::Append, one.memory.topic.clone(), one.action()?)
            }
            Self::Revise(one) => {
                Asked::Edit(Change::Revise, one.memory.topic.clone(), one.action()?)
            }
            Self::Delete(one) => {
                Asked::Edit(Change::Delete, one.memory.topic.clone(), one.action()?)
            }
            Self::Tag(one) => Asked::Edit(Change::Tag, one.memory.topic.clone(), one.action()?),
            Self::Set(one) => Asked::Edit(Change::Set, one.memory.topic.clone(), one.action()?),
            Self::Rename(one) => Asked::Edit(Change::Rename, one.topic.clone(), one.action()),
            Self::Merge(one) if one.is_of_memories() => Asked::Settle(one.request(caller)),
            Self::Merge(one) => Asked::Edit(Change::Merge, one.topic.clone(), one.action()),
            Self::Restore(one) => {
                Asked::Edit(Change::Restore, one.memory.topic.clone(), one.action()?)
            }
            Self::Relate(relate) => Asked::Relate(relate.request(caller)),
            Self::Unrelate(unrelate) => Asked::Unrelate(unrelate.request(caller)),
            Self::Settle(settle) => Asked::Settle(settle.request(caller)),
            Self::Supersede(supersede) => Asked::Settle(supersede.request(caller)),
            Self::Split(one) => Asked::Edit(Change::Split, one.memory.topic.clone(), one.action()?),
            Self::Undo(undo) => Asked::Undo(undo.request(caller)),
            Self::Rollback(back) => Asked::Rollback(back.request(caller, &Zoned::now())?),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::{read, shown};
    use super::*;

    /// The request that a call makes of the daemon.
    fn asked(given: &Value) -> Result<String, ArgumentError> {
        Ok(match read::<Edit>(given)?.asked(&Caller::default())? {
            Asked::Edit(_, _, action) => shown(&action),
            Asked::Relate(request) => shown(&request),
            Asked::Unrelate(request) => shown(&request),
            Asked::Settle(request) => shown(&request),
            Asked::Undo(request) | Asked::Rollback(request) => shown(&request),
        })
    }

    #[test]
    fn every_action_reaches_the_daemon() {
        let requests = [
            json!({"action": "append", "topic": "build", "text": "more", "tag": "gotcha"}),
            json!({"action": "revise", "topic": "build", "text": "new", "index": "3"}),
            json!({"action": "delete", "topic": "build", "match_str": "old linker"}),
            json!({"action": "delete", "topic": "build", "all": "true"}),
            json!({"action": "delete", "topic": "build", "all": true, "scope": "global"}),
            json!({"action": "tag", "topic": "build:2", "tags": "gotcha, perf", "remove": ["todo"]}),
            json!({"action": "set", "topic": "build", "index": 0, "source": "build.rs:9", "confidence": "0.5"}),
            json!({"action": "set", "topic": "build/arch", "pinned": "false", "links": "a/b c:3", "kind": "gotcha"}),
            json!({"action": "set", "topic": "build/arch", "source": "none", "links": "none"}),
            json!({"action": "rename", "topic": "build", "new_name": "building"}),
            json!({"action": "merge", "topic": "build", "into": "ci"}),
            json!({"action": "restore", "topic": "build/arch"}),
            json!({"action": "restore", "topic": "build", "index": 1}),
            json!({"action": "restore", "topic": "build", "all": true}),
            json!({"action": "relate", "topic": "a/b", "relation": "uses", "to": "c:1", "strength": "0.5", "reason": "says so"}),
            json!({"action": "unrelate", "topic": "a/b", "relation": "uses", "to": "c:1"}),
            json!({"action": "settle", "topic": "a/b", "other": "a/c", "how": "Keep"}),
            json!({"action": "settle", "topic": "a/b", "other": "a/c", "how": "both"}),
            json!({"action": "supersede", "topic": "a/b", "by": "a/c"}),
            json!({"action": "merge", "topic": "a/b", "into": "a/c"}),
            json!({"action": "undo"}),
            json!({"action": "undo", "sequence": "41", "force": "true"}),
            json!({"action": "split", "topic": "a/b"}),
            json!({"action": "split", "topic": "a", "index": 2, "parts": ["one, or two", "three"]}),
            json!({"action": "rollback", "to": 41}),
            json!({"action": "rollback", "to": "2026-11-21T14:30:00Z", "apply": "true"}),
        ]
        .map(|given| asked(&given).unwrap());
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn wrong_calls_say_what_to_do() {
        let errors = [
            json!({"topic": "build"}),
            json!({"action": "replace", "topic": "build"}),
            json!({"action": "revise", "topic": "build"}),
            json!({"action": "rename", "topic": "build"}),
            json!({"action": "merge", "topic": "build", "into": "ci", "index": 0}),
            json!({"action": "tag", "topic": "build"}),
            json!({"action": "set", "topic": "build"}),
            json!({"action": "revise", "topic": "build", "text": "a", "index": 0, "match_str": "b"}),
            json!({"action": "delete", "topic": "build", "all": true, "index": 0}),
            json!({"action": "restore"}),
            json!({"action": "relate", "topic": "a/b", "to": "a/c"}),
            json!({"action": "settle", "topic": "a/b", "other": "a/c"}),
            json!({"action": "settle", "topic": "a/b", "other": "a/c", "how": "fight"}),
            json!({"action": "undo", "sequence": 0}),
            json!({"action": "split"}),
            json!({"action": "rollback"}),
            json!({"action": "rollback", "to": "someday"}),
        ]
        .map(|given| asked(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
