//! `store`: one memory, acknowledged after its durable commit.

use helix_client::Rpc;
use helix_client::v1::{self, Caller, StoreRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Description, Nature};
use crate::arguments::{Flag, Fraction, Handles, Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// A memory to store, and how.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Store {
    #[serde(flatten)]
    draft: Draft,
    /// store despite a near-duplicate
    #[serde(default)]
    force: Flag,
    /// minimal answer
    #[serde(default)]
    terse: Flag,
}

/// A memory to store, here and in each entry of a batch.
#[expect(clippy::doc_markdown, reason = "the model reads it as it stands")]
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Draft {
    /// group, e.g. build-gotchas; inferred if left out
    #[serde(default)]
    topic: Text,
    /// the fact; first line is its summary
    text: Text,
    /// e.g. "gotcha,build"
    #[serde(default)]
    tags: Words,
    /// path:line it is about
    #[serde(default)]
    source: Text,
    /// 0-1, default 1
    confidence: Option<Fraction>,
    /// related handles
    #[serde(default)]
    links: Handles,
    /// decision, convention, procedure, gotcha, bug_fix, pattern, architecture, preference, fact …;
    /// default from tags
    #[serde(default)]
    kind: Text,
    /// project (default) or global
    #[serde(default)]
    scope: Text,
    /// 0-1
    importance: Option<Fraction>,
    /// never fades
    #[serde(default)]
    pinned: Flag,
}

impl Call for Store {
    const DESCRIPTION: Description = Description {
        name: "store",
        title: "Store a memory",
        about: "Save one durable fact for future sessions: a decision and its reason, a gotcha, a \
                convention, how something works. Self-contained, one fact per call. Near-duplicates \
                are reported, not stored; correct those with edit.",
        nature: Nature::Adds,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let is_terse = self.terse.0;
        let reply = store(daemon, self.request(caller)).await?;
        Ok(render::stored(&reply, is_terse))
    }
}

impl Store {
    fn request(self, caller: Caller) -> StoreRequest {
        StoreRequest {
            caller: Some(caller),
            draft: Some(self.draft.into()),
            force: self.force.0,
        }
    }
}

/// Stores a memory. The same again is recognised, unless it is forced.
pub(super) async fn store(
    daemon: &Daemon,
    request: StoreRequest,
) -> Result<v1::StoreReply, Failure> {
    let is_forced = request.force;
    let call = async move |rpc: &mut Rpc| rpc.store(request.clone()).await;
    let reply = if is_forced {
        daemon.call_at_most_once(call).await?
    } else {
        daemon.call(call).await?
    };
    Ok(reply)
}

impl From<Draft> for v1::Draft {
    fn from(draft: Draft) -> Self {
        Self {
            topic: draft.topic.0,
            text: draft.text.0,
            kind: draft.kind.0,
            tags: draft.tags.0,
            scope: draft.scope.0,
            source: draft.source.0,
            links: draft.links.0,
            importance: draft.importance.map(|importance| importance.0),
            confidence: draft.confidence.map(|confidence| confidence.0),
            pinned: draft.pinned.0,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::samples::read;
    use super::*;
    use crate::arguments::ArgumentError;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = json!({
            "topic": "build-gotchas", "text": "Needs arm64.\nElse linking fails.", "tags": "gotcha, build",
            "source": "build.rs:12", "confidence": "0.85", "links": "a/b, c:3 d/e", "kind": "gotcha", "scope": "global",
            "importance": 0.5, "pinned": "true", "force": true,
        });
        let call: Store = read(&given).unwrap();
        insta::assert_debug_snapshot!(call.request(Caller::default()));
    }

    #[test]
    fn a_text_is_required_and_a_topic_is_not() {
        let missing = read::<Store>(&json!({"topic": "build"})).unwrap_err();
        assert_eq!(missing, ArgumentError::Missing("text".to_owned()));
        let note: Store = read(&json!({"text": "Linking needs arm64."})).unwrap();
        assert_eq!(note.draft.topic.0, "");
    }
}
