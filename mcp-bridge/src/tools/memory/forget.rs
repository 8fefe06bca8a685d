//! `memory.forget`: takes a memory out of every search; its history stays.

use helix_client::v1::{Caller, ForgetRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Text};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// The memory that is meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::tools) struct Forget {
    /// handle or id
    id: Option<Text>,
    /// words; several matches are listed and none is forgotten
    query: Option<Text>,
}

impl Call for Forget {
    const DESCRIPTION: Description = Description {
        name: "memory.forget",
        title: "Forget a memory",
        about: "Forget one memory that is wrong or outdated, by id or by query. Its history stays.",
        nature: Nature::Changes { idempotent: true },
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let reference = self.reference()?;
        let request = ForgetRequest {
            caller: Some(caller),
            reference: reference.clone(),
        };
        let reply = daemon
            .call_at_most_once(async move |rpc| rpc.forget(request.clone()).await)
            .await?;
        Ok(render::forgotten(&reply, &reference))
    }
}

impl Forget {
    fn reference(self) -> Result<String, ArgumentError> {
        match (self.id, self.query) {
            (Some(_), Some(_)) => Err(ArgumentError::Together {
                one: "id",
                other: "query",
            }),
            (Some(reference), None) | (None, Some(reference)) => Ok(reference.trimmed()),
            (None, None) => Err(ArgumentError::Missing("id or query".to_owned())),
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
    fn one_of_id_and_query_is_needed() {
        let told = [
            json!({"id": " a/b "}),
            json!({"query": "old linker"}),
            json!({}),
            json!({"id": "a/b", "query": "old linker"}),
        ]
        .map(|given| {
            let reference = read::<Forget>(&given).unwrap().reference();
            reference.unwrap_or_else(|error| error.to_string())
        });
        insta::assert_snapshot!(told.join("\n"), @r"
        a/b
        old linker
        id or query: required; give it and call again
        id and query both say which memory is meant; give one of them
        ");
    }
}
