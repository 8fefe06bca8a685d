//! What there is: topics, newest memories, a topic's entries, who mentions whom.

use helix_client::v1::{
    Caller, CrossReferencesRequest, GraphRequest, ListTopicsRequest, RecentRequest, TextShown,
};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{DAYS_MAX, HOURS_MAX, read};
use crate::arguments::{Index, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::dates;
use crate::failure::Failure;
use crate::render::{self, View};

/// How far `recent` looks back unless told, in days.
const RECENT_DAYS: u32 = 7;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct List {
    /// glob like iris-*
    focus: Text,
    /// project, global or all
    scope: Words,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Recent {
    /// default 7
    days: Option<Whole<1, DAYS_MAX>>,
    /// overrides days
    hours: Option<Whole<1, HOURS_MAX>>,
    scope: Words,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Entries {
    /// topic; why, neighbours, traverse: handle; log: either; stale: iris-* too
    #[schemars(with = "Text")]
    topic: Words,
    /// only this one, whole
    index: Option<Index>,
    /// only those with this text
    #[serde(default)]
    match_str: Text,
    limit: Option<read::Limit>,
    /// the next page
    #[serde(default)]
    cursor: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Xref {
    topic: Text,
    #[serde(default)]
    scope: Words,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Graph {
    /// glob like iris-*
    focus: Text,
    scope: Words,
}

impl List {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let pattern = request.pattern.clone();
        let reply = daemon
            .call(async move |rpc| rpc.list_topics(request.clone()).await)
            .await?;
        Ok(render::topic_list(&reply, &pattern, &View::local()))
    }

    fn request(self, caller: Caller) -> ListTopicsRequest {
        ListTopicsRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            pattern: self.focus.trimmed(),
        }
    }
}

impl Recent {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let now = Zoned::now();
        let hours = self.hours();
        let request = self.request(caller, &now);
        let reply = daemon
            .call(async move |rpc| rpc.recent(request.clone()).await)
            .await?;
        let zone = now.time_zone().clone();
        Ok(render::recent(&reply, hours, &View { zone }))
    }

    fn request(self, caller: Caller, now: &Zoned) -> RecentRequest {
        let after = dates::hours_ago(self.hours(), now);
        let after_us = after.map(|at| at.timestamp().as_microsecond());
        RecentRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            after_us: after_us.unwrap_or_default(),
            ..RecentRequest::default()
        }
    }

    /// The time to look back: `hours`, else `days`.
    fn hours(&self) -> u32 {
        let days = self.days.map_or(RECENT_DAYS, |days| days.0);
        self.hours.map_or(days * 24, |hours| hours.0)
    }
}

impl Entries {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let shown = if self.index.is_some() {
            TextShown::Body
        } else {
            TextShown::Line
        };
        let read = read::Read {
            topic: self.topic,
            index: self.index,
            match_str: self.match_str,
            limit: self.limit,
            cursor: self.cursor,
            as_of: Text::default(),
            valid_at: Text::default(),
        };
        read::paged(daemon, read.request(caller, shown)?, render::entries).await
    }
}

impl Xref {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let topic = request.topic.clone();
        let reply = daemon
            .call(async move |rpc| rpc.cross_references(request.clone()).await)
            .await?;
        Ok(render::cross_references(&reply, &topic, &View::local()))
    }

    fn request(self, caller: Caller) -> CrossReferencesRequest {
        CrossReferencesRequest {
            caller: Some(caller),
            topic: self.topic.trimmed(),
            scopes: self.scope.0,
        }
    }
}

impl Graph {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let focus = request.focus.clone();
        let reply = daemon
            .call(async move |rpc| rpc.graph(request.clone()).await)
            .await?;
        Ok(render::graph(&reply, &focus))
    }

    fn request(self, caller: Caller) -> GraphRequest {
        GraphRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            focus: self.focus.trimmed(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::super::samples::{read, shown};
    use super::super::Topics;
    use super::*;

    /// The request that a call makes of the daemon.
    fn asked(given: &Value) -> String {
        let now = "2026-11-21T22:14:00+00:00[UTC]".parse().unwrap();
        let caller = Caller::default();
        match read(given).unwrap() {
            Topics::List(list) => shown(&list.request(caller)),
            Topics::Recent(recent) => shown(&recent.request(caller, &now)),
            Topics::Xref(xref) => shown(&xref.request(caller)),
            Topics::Graph(graph) => shown(&graph.request(caller)),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({}),
            json!({"action": "list", "focus": "iris-*", "scope": "all"}),
            json!({"action": "recent"}),
            json!({"action": "recent", "days": "2", "scope": "global"}),
            json!({"action": "recent", "days": 2, "hours": "3"}),
            json!({"action": "xref", "topic": " build ", "scope": ["project"]}),
            json!({"action": "graph", "focus": "iris-*"}),
        ]
        .map(|given| asked(&given));
        insta::assert_snapshot!(requests.join("\n"));
    }
}
