//! Keeping what there is in order: counts, changed sources, idle topics, near duplicates, indexes.

use helix_client::v1::{
    Caller, CompactRequest, PruneRequest, ReindexRequest, StaleRequest, StatsRequest,
};

use super::super::{DAYS_MAX, at_commas};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Compacted, StatsDetail, View};

const STATS_DETAILS: [(&str, StatsDetail); 2] =
    [("tags", StatsDetail::Tags), ("index", StatsDetail::Index)];

/// Ways to compact besides merging; the value is whether times are repaired.
const COMPACT_MODES: [(&str, bool); 1] = [("migrate", true)];

pub(super) async fn stats(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let detail = arguments
        .choice("detail", &STATS_DETAILS)?
        .unwrap_or(StatsDetail::Overview);
    let request = StatsRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
    };
    let reply = daemon
        .call(async move |rpc| rpc.stats(request.clone()).await)
        .await?;
    Ok(render::stats(&reply, detail, &View::local()))
}

pub(super) async fn stale(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = stale_request(caller, arguments)?;
    let refresh = request.refresh;
    let reply = daemon
        .call(async move |rpc| rpc.stale(request.clone()).await)
        .await?;
    Ok(render::stale(&reply, refresh, &View::local()))
}

fn stale_request(caller: Caller, arguments: &Arguments) -> Result<StaleRequest, ArgumentError> {
    Ok(StaleRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        topic: arguments
            .text("topic")?
            .unwrap_or_default()
            .trim()
            .to_owned(),
        refresh: arguments.flag("refresh")?,
    })
}

pub(super) async fn prune(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = prune_request(caller, arguments)?;
    let reply = daemon
        .call(async move |rpc| rpc.prune(request.clone()).await)
        .await?;
    Ok(render::prune(&reply, &View::local()))
}

fn prune_request(caller: Caller, arguments: &Arguments) -> Result<PruneRequest, ArgumentError> {
    let days = arguments.whole("days", 1..=DAYS_MAX)?.unwrap_or_default();
    Ok(PruneRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        days,
    })
}

pub(super) async fn compact(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let request = compact_request(caller, arguments)?;
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

fn compact_request(caller: Caller, arguments: &Arguments) -> Result<CompactRequest, ArgumentError> {
    Ok(CompactRequest {
        caller: Some(caller),
        scopes: scopes(arguments)?,
        apply: arguments.flag("apply")?,
        log: arguments.flag("log")?,
        migrate: arguments
            .choice("mode", &COMPACT_MODES)?
            .unwrap_or_default(),
    })
}

pub(super) async fn reindex(daemon: &Daemon) -> Result<String, Failure> {
    let reply = daemon
        .call(async move |rpc| rpc.reindex(ReindexRequest {}).await)
        .await?;
    Ok(render::reindexed(&reply))
}

fn scopes(arguments: &Arguments) -> Result<Vec<String>, ArgumentError> {
    arguments.list("scope", at_commas)
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
        let stale = json!({"action": "stale", "topic": "build", "refresh": "true", "scope": "all"});
        let prune = json!({"action": "prune", "days": "90"});
        let compact = json!({"action": "compact", "apply": "true", "log": true, "mode": "migrate", "scope": "project"});
        let compact_dry = json!({"action": "compact"});
        let requests = [
            shown(&stale_request(Caller::default(), &arguments(&stale)).unwrap()),
            shown(&prune_request(Caller::default(), &arguments(&prune)).unwrap()),
            shown(&compact_request(Caller::default(), &arguments(&compact)).unwrap()),
            shown(&compact_request(Caller::default(), &arguments(&compact_dry)).unwrap()),
        ];
        insta::assert_snapshot!(requests.join("\n"));
    }
}
