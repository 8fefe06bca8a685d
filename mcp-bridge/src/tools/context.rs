//! `context`: what matters now, packed into a budget of tokens. The tools of the set `context` are
//! below it.

mod current;
mod event;
mod recall;
mod store;

use helix_client::v1::{Caller, ContextRequest};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use super::moment::moment;
use super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, ANSWER_MAX_TOKENS};

pub(super) use current::Current;
pub(super) use event::Event;
pub(super) use recall::Recall;
pub(super) use store::Store;

/// Smallest budget, in tokens: less holds no memory.
const BUDGET_MIN_TOKENS: u32 = 50;

/// A number of tokens that an answer may have.
pub(super) type Budget = Whole<BUDGET_MIN_TOKENS, ANSWER_MAX_TOKENS>;

/// What to pack.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Context {
    /// the task, in words
    query: Text,
    scope: Words,
    /// default 1500, at most 5000
    budget_tokens: Option<Budget>,
    as_of: Text,
    valid_at: Text,
}

impl Call for Context {
    const DESCRIPTION: Description = Description {
        name: "context",
        title: "Load what matters",
        about: "What matters now in this project, or for a query, packed into a token budget. Use \
                it when you start or switch tasks.",
        nature: Nature::Reads,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        packed(daemon, self.request(caller, &Zoned::now())?).await
    }
}

impl Context {
    fn request(self, caller: Caller, now: &Zoned) -> Result<ContextRequest, ArgumentError> {
        Ok(ContextRequest {
            caller: Some(caller),
            query: self.query.trimmed(),
            scopes: self.scope.0,
            budget_tokens: self
                .budget_tokens
                .map(|tokens| tokens.0)
                .unwrap_or_default(),
            moment: moment(&self.as_of, &self.valid_at, now)?,
        })
    }
}

/// Packs what matters into an answer.
pub(super) async fn packed(daemon: &Daemon, request: ContextRequest) -> Result<String, Failure> {
    let (query, budget_tokens) = (request.query.clone(), request.budget_tokens);
    let mut reply = daemon
        .call(async move |rpc| rpc.context(request.clone()).await)
        .await?;
    reply.notes = daemon.untold(reply.notes);
    Ok(render::packed_context(&reply, &query, budget_tokens))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::{read, shown};
    use super::*;

    fn asked(given: &Value) -> Result<ContextRequest, ArgumentError> {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        read::<Context>(given)?.request(Caller::default(), &now)
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({}),
            json!({"query": "fix the linker", "scope": "project,global", "budget_tokens": "800"}),
            json!({"as_of": "today", "valid_at": "2026-11-20T10:00"}),
        ]
        .map(|given| shown(&asked(&given).unwrap()));
        insta::assert_snapshot!(requests.join("\n"));
    }

    #[test]
    fn a_budget_that_cannot_be_shown_is_refused() {
        insta::assert_snapshot!(
            asked(&json!({"budget_tokens": 50_000})).unwrap_err(),
            @"budget_tokens: expected a whole number from 50 to 5000, got 50000"
        );
    }
}
