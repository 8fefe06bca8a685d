//! `memory.write`: one memory, acknowledged after its durable commit.

use helix_client::v1::{Caller, Draft, StoreRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature, store};
use super::TOPIC;
use crate::arguments::Text;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// A memory to store.
#[expect(clippy::doc_markdown, reason = "the model reads it as it stands")]
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Write {
    /// the fact; first line is its summary
    content: Text,
    /// decision, convention, procedure, gotcha, bug_fix, pattern, architecture, preference, fact …
    #[serde(default, rename = "type")]
    kind: Text,
    /// project (default) or global
    #[serde(default)]
    scope: Text,
    /// path:line it is about
    #[serde(default)]
    source: Text,
    /// group, e.g. build-gotchas; default the type
    topic: Option<Text>,
}

impl Call for Write {
    const DESCRIPTION: Description = Description {
        name: "memory.write",
        title: "Write a memory",
        about: "Save one durable fact for future sessions: a decision and its reason, a gotcha, a \
                convention, how something works. Self-contained, one fact per call. Near-duplicates \
                are reported, not stored.",
        nature: Nature::Adds,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let reply = store::store(daemon, self.request(caller)).await?;
        Ok(render::written(&reply))
    }
}

impl Write {
    fn request(self, caller: Caller) -> StoreRequest {
        let kind = self.kind.trimmed();
        let topic = match self.topic {
            Some(topic) => topic.0,
            None if kind.is_empty() => TOPIC.to_owned(),
            None => kind.clone(),
        };
        StoreRequest {
            caller: Some(caller),
            draft: Some(Draft {
                topic,
                text: self.content.0,
                kind,
                scope: self.scope.0,
                source: self.source.0,
                ..Draft::default()
            }),
            force: false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::samples::read;
    use super::*;

    #[test]
    fn a_memory_without_a_topic_gets_one() {
        let drafts = [
            json!({"content": "a"}),
            json!({"content": "a", "type": "gotcha", "scope": "global", "source": "b.rs:1"}),
            json!({"content": "a", "type": "gotcha", "topic": "build"}),
        ]
        .map(|given| {
            let call: Write = read(&given).unwrap();
            let draft = call.request(Caller::default()).draft.unwrap();
            [draft.topic, draft.kind, draft.scope, draft.source].join("|")
        });
        assert_eq!(
            drafts,
            ["notes|||", "gotcha|gotcha|global|b.rs:1", "build|gotcha||"]
        );
    }
}
