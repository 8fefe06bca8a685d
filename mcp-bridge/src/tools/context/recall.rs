//! `context.recall`: memories by words, by meaning, or by both.

use helix_client::limits::SEARCH_LIMIT_DEFAULT;
use helix_client::v1::{Caller, Filter, Retriever, SearchRequest, TextShown};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature, search};
use super::Budget;
use crate::arguments::{Choice, Text, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;

/// What to find.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Recall {
    /// words, not a sentence
    query: Text,
    /// default hybrid
    mode: Option<Choice<Mode>>,
    /// e.g. decision,gotcha
    #[serde(default)]
    types: Words,
    /// project, global or all; default project and global
    #[serde(default)]
    scope: Words,
    /// default 10
    limit: Option<search::Limit>,
    /// default 1500, at most 5000
    budget_tokens: Option<Budget>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Hybrid,
    Semantic,
    Keyword,
}

impl Call for Recall {
    const DESCRIPTION: Description = Description {
        name: "context.recall",
        title: "Recall memories",
        about: "Find memories by words and meaning, best first, with their source and confidence. \
                Recall before working on something unfamiliar, before deciding, and when an error \
                looks known.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let budget_tokens = self.budget_tokens.map(|tokens| tokens.0);
        search::packed(daemon, self.request(caller), budget_tokens).await
    }
}

impl Recall {
    fn request(self, caller: Caller) -> SearchRequest {
        let retriever = match self.mode {
            None | Some(Choice(Mode::Hybrid)) => Retriever::Hybrid,
            Some(Choice(Mode::Semantic)) => Retriever::Meaning,
            Some(Choice(Mode::Keyword)) => Retriever::Words,
        };
        SearchRequest {
            caller: Some(caller),
            query: self.query.0,
            filter: Some(Filter {
                kinds: self.types.0,
                scopes: self.scope.0,
                ..Filter::default()
            }),
            limit: self.limit.map_or(SEARCH_LIMIT_DEFAULT, |limit| limit.0),
            retriever: retriever.into(),
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

    use super::super::super::samples::read;
    use super::*;

    #[test]
    fn the_modes_are_those_of_the_search() {
        for (mode, retriever) in [
            (json!({"query": "a"}), Retriever::Hybrid),
            (json!({"query": "a", "mode": "hybrid"}), Retriever::Hybrid),
            (
                json!({"query": "a", "mode": "semantic"}),
                Retriever::Meaning,
            ),
            (json!({"query": "a", "mode": "keyword"}), Retriever::Words),
        ] {
            let call: Recall = read(&mode).unwrap();
            let request = call.request(Caller::default());
            assert_eq!(request.retriever(), retriever, "{mode}");
        }
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let given = json!({"query": "linker", "scope": "all", "limit": "3", "types": ["gotcha"], "budget_tokens": 600});
        let call: Recall = read(&given).unwrap();
        let request = call.request(Caller::default());
        assert_eq!(request.query, "linker");
        assert_eq!(request.limit, 3);
        assert_eq!(request.budget_tokens, 600);
        let filter = request.filter.unwrap();
        assert_eq!(filter.kinds, ["gotcha"]);
        assert_eq!(filter.scopes, ["all"]);
    }
}
