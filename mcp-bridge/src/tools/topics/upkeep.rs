//! Keeping what there is in order: counts, changed sources, idle topics, near duplicates, indexes.

use helix_client::v1::{
    Caller, CompactRequest, PruneRequest, ReindexRequest, StaleRequest, StatsRequest,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::DAYS_MAX;
use crate::arguments::{Choice, Flag, Text, Whole, Words};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Compacted, StatsDetail, View};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Stats {
    detail: Option<Choice<Detail>>,
    scope: Words,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Detail {
    Tags,
    Index,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Stale {
    topic: Text,
    /// show the source as it is now
    refresh: Flag,
    scope: Words,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Prune {
    /// default 30
    days: Option<Whole<1, DAYS_MAX>>,
    scope: Words,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Compact {
    /// do it
    apply: Flag,
    /// the files too
    log: Flag,
    /// repair times instead
    mode: Option<Choice<Mode>>,
    scope: Words,
}

/// Ways to compact besides merging.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Migrate,
}

impl Stats {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let detail = match self.detail {
            None => StatsDetail::Overview,
            Some(Choice(Detail::Tags)) => StatsDetail::Tags,
            Some(Choice(Detail::Index)) => StatsDetail::Index,
        };
        let request = StatsRequest {
            caller: Some(caller),
            scopes: self.scope.0,
        };
        let reply = daemon
            .call(async move |rpc| rpc.stats(request.clone()).await)
            .await?;
        Ok(render::stats(&reply, detail, &View::local()))
    }
}

impl Stale {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let refresh = request.refresh;
        let reply = daemon
            .call(async move |rpc| rpc.stale(request.clone()).await)
            .await?;
        Ok(render::stale(&reply, refresh, &View::local()))
    }

    fn request(self, caller: Caller) -> StaleRequest {
        StaleRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            topic: self.topic.trimmed(),
            refresh: self.refresh.0,
        }
    }
}

impl Prune {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let reply = daemon
            .call(async move |rpc| rpc.prune(request.clone()).await)
            .await?;
        Ok(render::prune(&reply, &View::local()))
    }

    fn request(self, caller: Caller) -> PruneRequest {
        PruneRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            days: self.days.map(|days| days.0).unwrap_or_default(),
        }
    }
}

impl Compact {
    pub(super) async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = self.request(caller);
        let (apply, log, migrate) = (request.apply, request.log, request.migrate);
        let reply = daemon
            .call(async move |rpc| rpc.compact(request.clone()).await)
            .await?;
        Ok(render::compacted(
            &Compacted {
                reply: &reply,
                apply,
                log,
                migrate,
            },
            &View::local(),
        ))
    }

    fn request(self, caller: Caller) -> CompactRequest {
        CompactRequest {
            caller: Some(caller),
            scopes: self.scope.0,
            apply: self.apply.0,
            log: self.log.0,
            migrate: matches!(self.mode, Some(Choice(Mode::Migrate))),
        }
    }
}

pub(super) async fn reindex(daemon: &Daemon) -> Result<String, Failure> {
    let reply = daemon
        .call(async move |rpc| rpc.reindex(ReindexRequest {}).await)
        .await?;
    Ok(render::reindexed(&reply))
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
        let caller = Caller::default();
        match read(given).unwrap() {
            Topics::Stale(stale) => shown(&stale.request(caller)),
            Topics::Prune(prune) => shown(&prune.request(caller)),
            Topics::Compact(compact) => shown(&compact.request(caller)),
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn every_argument_reaches_the_daemon() {
        let requests = [
            json!({"action": "stale", "topic": "build", "refresh": "true", "scope": "all"}),
            json!({"action": "prune", "days": "90"}),
            json!({"action": "compact", "apply": "true", "log": true, "mode": "migrate", "scope": "project"}),
            json!({"action": "compact"}),
        ]
        .map(|given| asked(&given));
        insta::assert_snapshot!(requests.join("\n"));
    }
}
