//! `memory.context`: what matters now, packed into a budget of tokens.

use helix_client::v1::{Caller, ContextRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::context::{Budget, packed};
use super::super::{Call, Description, Nature};
use crate::arguments::{Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;

/// What to pack.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::tools) struct Context {
    /// project, global or all; default project and global
    scope: Words,
    /// default 1500, at most 5000
    budget_tokens: Option<Budget>,
    /// the task, in words
    query: Text,
}

impl Call for Context {
    const DESCRIPTION: Description = Description {
        name: "memory.context",
        title: "Load what matters",
        about: "What matters now in this project, or for a query, packed into a token budget. Use \
                it when you start or switch tasks.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = ContextRequest {
            caller: Some(caller),
            query: self.query.trimmed(),
            scopes: self.scope.0,
            budget_tokens: self
                .budget_tokens
                .map(|tokens| tokens.0)
                .unwrap_or_default(),
            ..ContextRequest::default()
        };
        packed(daemon, request).await
    }
}
