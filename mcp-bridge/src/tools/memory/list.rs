//! `memory.list`: the newest memories.

use helix_client::limits::SEARCH_LIMIT_DEFAULT;
use helix_client::v1::{Caller, Filter, SearchRequest, TextShown};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature, search};
use crate::arguments::Words;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, View};

/// What to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::tools) struct List {
    /// project, global or all; default project and global
    scope: Words,
    /// e.g. decision
    #[serde(rename = "type")]
    kind: Words,
    /// default 10
    limit: Option<search::Limit>,
}

impl Call for List {
    const DESCRIPTION: Description = Description {
        name: "memory.list",
        title: "List memories",
        about: "List the newest memories, one line each, to see what is stored.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let reply = daemon
            .call(async move |rpc| rpc.search(request.clone()).await)
            .await?;
        Ok(render::listed(&reply, &View::local()))
    }
}

impl List {
    fn request(self, caller: Caller) -> SearchRequest {
        SearchRequest {
            caller: Some(caller),
            filter: Some(Filter {
                kinds: self.kind.0,
                scopes: self.scope.0,
                ..Filter::default()
            }),
            limit: self.limit.map_or(SEARCH_LIMIT_DEFAULT, |limit| limit.0),
            passive: true,
            shown: TextShown::Line.into(),
            ..SearchRequest::default()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::samples::{read, shown};
    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let call: List = read(&json!({"scope": "all", "type": "gotcha", "limit": 5})).unwrap();
        insta::assert_snapshot!(shown(&call.request(Caller::default())), @r#"SearchRequest { query: "", filter: Some(Filter { topics: [], tags: [], kinds: ["gotcha"], scopes: ["all"], statuses: [], source: "", after_us: None, before_us: None }), limit: 5, mode: Auto, retriever: Hybrid, explain: false, passive: true, cursor: "", count_only: false, shown: Line, moment: None, why_not: "", budget_tokens: 0 }"#);
    }
}
