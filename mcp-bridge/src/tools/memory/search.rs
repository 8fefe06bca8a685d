//! `memory.search`: memories by words and by meaning, packed into a budget.

use helix_client::limits::SEARCH_LIMIT_DEFAULT;
use helix_client::v1::{Caller, Filter, SearchRequest, TextShown};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::context::Budget;
use super::super::{Call, Description, Nature, search};
use crate::arguments::{Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;

/// What to find.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Search {
    /// words, not a sentence
    query: Text,
    /// project, global or all; default project and global
    #[serde(default)]
    scope: Words,
    /// most memories, default 10
    k: Option<search::Limit>,
    /// e.g. decision,gotcha
    #[serde(default)]
    types: Words,
    /// default 1500, at most 5000
    budget_tokens: Option<Budget>,
}

impl Call for Search {
    const DESCRIPTION: Description = Description {
        name: "memory.search",
        title: "Search memories",
        about: "Find memories by words and meaning, best first, with their source and confidence. \
                Search before working on something unfamiliar, before deciding, and when an error \
                looks known.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let budget_tokens = self.budget_tokens.map(|tokens| tokens.0);
        search::packed(daemon, self.request(caller), budget_tokens).await
    }
}

impl Search {
    fn request(self, caller: Caller) -> SearchRequest {
        SearchRequest {
            caller: Some(caller),
            query: self.query.0,
            filter: Some(Filter {
                kinds: self.types.0,
                scopes: self.scope.0,
                ..Filter::default()
            }),
            limit: self.k.map_or(SEARCH_LIMIT_DEFAULT, |limit| limit.0),
            shown: TextShown::Body.into(),
            budget_tokens: self
                .budget_tokens
                .map(|tokens| tokens.0)
                .unwrap_or_default(),
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
        let given = json!({"query": "linker", "scope": "all", "k": "3", "types": ["gotcha"]});
        let call: Search = read(&given).unwrap();
        insta::assert_snapshot!(shown(&call.request(Caller::default())), @r#"SearchRequest { query: "linker", filter: Some(Filter { topics: [], tags: [], kinds: ["gotcha"], scopes: ["all"], statuses: [], source: "", after_us: None, before_us: None }), limit: 3, mode: Auto, retriever: Hybrid, explain: false, passive: false, cursor: "", count_only: false, shown: Body, moment: None, why_not: "", budget_tokens: 0 }"#);
    }
}
