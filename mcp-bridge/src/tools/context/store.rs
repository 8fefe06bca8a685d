//! `context.store`: one memory; what is left out is inferred.

use helix_client::v1::{Caller, Draft, StoreRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature, store};
use crate::arguments::{Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// A memory to store.
#[expect(clippy::doc_markdown, reason = "the model reads it as it stands")]
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Store {
    /// the fact; first line is its summary
    content: Text,
    /// decision, convention, procedure, gotcha, bug_fix, pattern, architecture, preference, fact …
    #[serde(default, rename = "type")]
    kind: Text,
    /// e.g. "gotcha,build"
    #[serde(default)]
    tags: Words,
    /// project (default) or global
    #[serde(default)]
    scope: Text,
    /// path:line it is about
    #[serde(default)]
    source: Text,
}

impl Call for Store {
    const DESCRIPTION: Description = Description {
        name: "context.store",
        title: "Store a memory",
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

impl Store {
    fn request(self, caller: Caller) -> StoreRequest {
        StoreRequest {
            caller: Some(caller),
            draft: Some(Draft {
                text: self.content.0,
                kind: self.kind.trimmed(),
                tags: self.tags.0,
                scope: self.scope.0,
                source: self.source.0,
                ..Draft::default()
            }),
            force: false,
        }
    }
}
