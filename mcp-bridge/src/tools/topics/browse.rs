//! What there is: topics, newest memories, a topic's entries, who mentions whom.

use helix_client::v1::{
    Caller, CrossReferencesRequest, GraphRequest, ListTopicsRequest, ReadRequest, RecentRequest,
    TextShown,
};
use jiff::Zoned;

use super::super::{DAYS_MAX, HOURS_MAX, at_commas, read};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::dates;
use crate::failure::Failure;
use crate::render::{self, View};

/// How far `recent` looks back unless told, in days.
const RECENT_DAYS: u32 = 7;

pub(super) async fn list(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = list_request(caller, arguments)?;
    let pattern = request.pattern.clone();
    let reply = daemon
        .call(async move |rpc| rpc.list_topics(request.clone()).await)
        .await?;
    Ok(render::topic_list(&reply, &pattern, &View::local()))
}

fn list_request(caller: Caller, arguments: &Arguments) -> Result<ListTopicsRequest, ArgumentError> {
    Ok(ListTopicsRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        pattern: focus(arguments)?,
    })
}

pub(super) async fn recent(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let now = Zoned::now();
    let request = recent_request(caller, arguments, &now)?;
    let hours = hours(arguments)?;
    let reply = daemon
        .call(async move |rpc| rpc.recent(request.clone()).await)
        .await?;
    Ok(render::recent(
        &reply,
        hours,
        &View {
            zone: now.time_zone().clone(),
        },
    ))
}

fn recent_request(
    caller: Caller,
    arguments: &Arguments,
    now: &Zoned,
) -> Result<RecentRequest, ArgumentError> {
    let after = dates::hours_ago(hours(arguments)?, now).map(|at| at.timestamp().as_microsecond());
    Ok(RecentRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        after_us: after.unwrap_or_default(),
        ..RecentRequest::default()
    })
}

/// The time to look back: `hours`, else `days`.
fn hours(arguments: &Arguments) -> Result<u32, ArgumentError> {
    let days = arguments
        .whole("days", 1..=DAYS_MAX)?
        .unwrap_or(RECENT_DAYS);
    Ok(arguments
        .whole("hours", 1..=HOURS_MAX)?
        .unwrap_or(days * 24))
}

pub(super) async fn entries(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = read::request(caller, arguments)?;
    let shown = if request.index.is_some() {
        TextShown::Body
    } else {
        TextShown::Line
    };
    read::paged(
        daemon,
        ReadRequest {
            shown: shown.into(),
            ..request
        },
        render::entries,
    )
    .await
}

pub(super) async fn xref(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = xref_request(caller, arguments)?;
    let topic = request.topic.clone();
    let reply = daemon
        .call(async move |rpc| rpc.cross_references(request.clone()).await)
        .await?;
    Ok(render::cross_references(&reply, &topic, &View::local()))
}

fn xref_request(
    caller: Caller,
    arguments: &Arguments,
) -> Result<CrossReferencesRequest, ArgumentError> {
    let topic = arguments.required_text("topic")?.trim().to_owned();
    Ok(CrossReferencesRequest {
        caller: Some(caller),
        topic,
        scopes: scopes(arguments)?,
    })
}

pub(super) async fn graph(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = graph_request(caller, arguments)?;
    let focus = request.focus.clone();
    let reply = daemon
        .call(async move |rpc| rpc.graph(request.clone()).await)
        .await?;
    Ok(render::graph(&reply, &focus))
}

fn graph_request(caller: Caller, arguments: &Arguments) -> Result<GraphRequest, ArgumentError> {
    Ok(GraphRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        focus: focus(arguments)?,
    })
}

fn scopes(arguments: &Arguments) -> Result<Vec<String>, ArgumentError> {
    arguments.list("scope", at_commas)
}

fn focus(arguments: &Arguments) -> Result<String, ArgumentError> {
    Ok(arguments
        .text("focus")?
        .unwrap_or_default()
        .trim()
        .to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::super::samples::shown;
    use super::super::tests::arguments;
    use super::*;

    #[test]
    fn every_argument_reaches_the_daemon() {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        let recent =
            |given| shown(&recent_request(Caller::default(), &arguments(&given), &now).unwrap());
        let list = json!({"action": "list", "focus": "iris-*", "scope": "all"});
        let xref = json!({"action": "xref", "topic": " build ", "scope": ["project"]});
        let graph = json!({"action": "graph", "focus": "iris-*"});
        let requests = [
            shown(&list_request(Caller::default(), &arguments(&json!({}))).unwrap()),
            shown(&list_request(Caller::default(), &arguments(&list)).unwrap()),
            recent(json!({"action": "recent"})),
            recent(json!({"action": "recent", "days": "2", "scope": "global"})),
            recent(json!({"action": "recent", "days": 2, "hours": "3"})),
            shown(&xref_request(Caller::default(), &arguments(&xref)).unwrap()),
            shown(&graph_request(Caller::default(), &arguments(&graph)).unwrap()),
        ];
        insta::assert_snapshot!(requests.join("\n"));
    }
}
