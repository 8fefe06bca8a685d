//! `edit`: changes to a memory or a whole topic.

use helix_client::v1::edit_request::Action;
use helix_client::v1::{Caller, EditRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Flag, Fraction, Handles, Index, Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Change, View};

mod request;

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
    /// topic
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

impl Call for Edit {
    const DESCRIPTION: Description = Description {
        name: "edit",
        title: "Change memories",
        about: "Correct what is stored, as soon as you see that it is wrong or outdated. append or \
                revise (text), delete, tag (tags, remove), set (source, confidence and so on), \
                rename a topic (new_name), merge it (into), restore what was deleted. append, \
                delete and tag with a topic alone mean its newest memory.",
        nature: Nature::Changes { idempotent: false },
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let change = self.change();
        let asked = self.topic().0.clone();
        let request = EditRequest {
            caller: Some(caller),
            action: Some(self.action()?),
            ..EditRequest::default()
        };
        let reply = daemon
            .call_at_most_once(async move |rpc| rpc.edit(request.clone()).await)
            .await?;
        Ok(render::edited(&reply, change, &asked, &View::local()))
    }
}

impl Edit {
    fn change(&self) -> Change {
        match self {
            Self::Append(_) => Change::Append,
            Self::Revise(_) => Change::Revise,
            Self::Delete(_) => Change::Delete,
            Self::Tag(_) => Change::Tag,
            Self::Set(_) => Change::Set,
            Self::Rename(_) => Change::Rename,
            Self::Merge(_) => Change::Merge,
            Self::Restore(_) => Change::Restore,
        }
    }

    fn topic(&self) -> &Text {
        match self {
            Self::Append(Append { memory, .. })
            | Self::Revise(Revise { memory, .. })
            | Self::Delete(Delete { memory, .. })
            | Self::Tag(Tag { memory, .. })
            | Self::Set(Set { memory, .. })
            | Self::Restore(Restore { memory, .. }) => &memory.topic,
            Self::Rename(Rename { topic, .. }) | Self::Merge(Merge { topic, .. }) => topic,
        }
    }

    fn action(self) -> Result<Action, ArgumentError> {
        match self {
            Self::Append(append) => append.action(),
            Self::Revise(revise) => revise.action(),
            Self::Delete(delete) => delete.action(),
            Self::Tag(tag) => tag.action(),
            Self::Set(set) => set.action(),
            Self::Rename(rename) => Ok(rename.action()),
            Self::Merge(merge) => Ok(merge.action()),
            Self::Restore(restore) => restore.action(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::{read, shown};
    use super::*;

    fn asked(given: &Value) -> Result<Action, ArgumentError> {
        read::<Edit>(given)?.action()
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
        ]
        .map(|given| shown(&asked(&given).unwrap()));
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
        ]
        .map(|given| asked(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
