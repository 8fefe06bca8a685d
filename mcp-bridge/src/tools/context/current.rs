//! `context.getCurrent`: what matters for the task and the file at hand.

use helix_client::v1::{Caller, ContextRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature};
use super::{Budget, packed};
use crate::arguments::{Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;

/// What is at hand.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::tools) struct Current {
    /// the task, in words
    query: Text,
    /// the file you work on
    current_file: Text,
    /// project, global or all; default project and global
    scope: Words,
    /// default 1500, at most 5000
    budget_tokens: Option<Budget>,
}

impl Call for Current {
    const DESCRIPTION: Description = Description {
        name: "context.getCurrent",
        title: "Load what matters",
        about: "What matters now in this project, for a task or a file, packed into a token \
                budget. Use it when you start or switch tasks.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        packed(daemon, self.request(caller)).await
    }
}

impl Current {
    fn request(self, caller: Caller) -> ContextRequest {
        let (task, file) = (self.query.trimmed(), self.current_file.trimmed());
        let budget = self.budget_tokens.map(|tokens| tokens.0);
        ContextRequest {
            caller: Some(caller),
            query: format!("{task} {file}").trim().to_owned(),
            scopes: self.scope.0,
            budget_tokens: budget.unwrap_or_default(),
            ..ContextRequest::default()
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
    fn the_task_and_the_file_are_asked_for_together() {
        for (given, query) in [
            (json!({}), ""),
            (json!({"query": " fix it "}), "fix it"),
            (json!({"current_file": "src/a.rs"}), "src/a.rs"),
            (
                json!({"query": "fix it", "current_file": "src/a.rs"}),
                "fix it src/a.rs",
            ),
        ] {
            let call: Current = read(&given).unwrap();
            assert_eq!(call.request(Caller::default()).query, query, "{given}");
        }
    }
}
