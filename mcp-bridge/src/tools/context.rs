//! `context`: what matters now, packed into a budget of tokens.

use helix_client::v1::{Caller, ContextRequest};

use super::{Description, Nature, at_commas};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, ANSWER_MAX_TOKENS};
use crate::schema::{Parameter, Shape};

/// Smallest budget, in tokens: less holds no memory.
const BUDGET_MIN_TOKENS: u32 = 50;

pub(super) const DESCRIPTION: Description = Description {
    name: "context",
    title: "Load what matters",
    about: "What matters now in this project, or for a query, packed into a token budget. Use it when you start or switch \
            tasks.",
    parameters: &PARAMETERS,
    nature: Nature::Reads,
};

const PARAMETERS: [Parameter; 3] = [
    Parameter::optional("query", Shape::Text, "the task, in words"),
    Parameter::optional("scope", Shape::List, ""),
    Parameter::optional("budget_tokens", Shape::Whole, "default 1500, at most 5000"),
];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = request(caller, arguments)?;
    let (query, budget_tokens) = (request.query.clone(), request.budget_tokens);
    let mut reply = daemon
        .call(async move |rpc| rpc.context(request.clone()).await)
        .await?;
    reply.notes = daemon.untold(reply.notes);
    Ok(render::packed_context(&reply, &query, budget_tokens))
}

fn request(caller: Caller, arguments: &Arguments) -> Result<ContextRequest, ArgumentError> {
    Ok(ContextRequest {
        caller: Some(caller),
        query: arguments
            .text("query")?
            .unwrap_or_default()
            .trim()
            .to_owned(),
        scopes: arguments.list("scope", at_commas)?,
        budget_tokens: arguments
            .whole("budget_tokens", BUDGET_MIN_TOKENS..=ANSWER_MAX_TOKENS)?
            .unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::shown;
    use super::*;

    fn asked(given: &Value) -> Result<ContextRequest, ArgumentError> {
        request(
            Caller::default(),
            &Arguments::new("context", &PARAMETERS, given.as_object().cloned()).unwrap(),
        )
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({}),
            json!({"query": "fix the linker", "scope": "project,global", "budget_tokens": "800"}),
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
