//! `topics`: browsing, history, relations, upkeep, exchange, and where a task stands.

use helix_client::v1::Caller;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Description, Nature};
use crate::arguments::Form;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::turn::Effect;

mod browse;
mod exchange;
mod history;
mod relations;
mod task;
mod upkeep;

/// What to do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(super) enum Topics {
    List(browse::List),
    Recent(browse::Recent),
    Entries(browse::Entries),
    Stats(upkeep::Stats),
    Xref(browse::Xref),
    Graph(browse::Graph),
    Log(history::Log),
    Diff(history::Diff),
    Why(history::Why),
    Neighbours(relations::Neighbours),
    Traverse(relations::Traverse),
    Path(relations::Path),
    Conflicts,
    Stale(upkeep::Stale),
    Prune(upkeep::Prune),
    Compact(upkeep::Compact),
    Export(exchange::Export),
    Import(exchange::Import),
    Reindex,
    Session(task::Session),
    Checkpoint(task::Checkpoint),
    Resume(task::Resume),
    ClearCheckpoint,
}

impl Call for Topics {
    const DESCRIPTION: Description = Description {
        name: "topics",
        title: "Browse and maintain",
        about: "Browse: list, recent, entries (of a topic, numbered), stats, xref (who mentions a \
                topic), graph. History: log, diff, why (where a memory comes from and what became \
                of it). Relations: neighbours, traverse, path, conflicts (open contradictions). \
                Upkeep: stale (sources that changed), prune (idle topics; reports only), compact \
                (near-duplicates; apply merges same ones), reindex, export, import. Tasks: \
                checkpoint saves where you stand, before a break or compaction; resume loads it; \
                clear_checkpoint; session lists what this session changed.",
        nature: Nature::Changes { idempotent: true },
        default_action: Some("list"),
    };

    /// A call that will be refused does nothing.
    fn effect(form: &Form, given: Option<&JsonObject>) -> Effect {
        match form.read::<Self>(given.cloned()) {
            Ok(call) if call.writes() => Effect::Writes,
            Ok(_) | Err(_) => Effect::Reads,
        }
    }

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        match self {
            Self::List(list) => list.run(daemon, caller).await,
            Self::Recent(recent) => recent.run(daemon, caller).await,
            Self::Entries(entries) => entries.run(daemon, caller).await,
            Self::Xref(xref) => xref.run(daemon, caller).await,
            Self::Graph(graph) => graph.run(daemon, caller).await,
            Self::Log(log) => log.run(daemon, caller).await,
            Self::Diff(diff) => diff.run(daemon, caller).await,
            Self::Why(why) => why.run(daemon, caller).await,
            Self::Neighbours(neighbours) => neighbours.run(daemon, caller).await,
            Self::Traverse(traverse) => traverse.run(daemon, caller).await,
            Self::Path(path) => path.run(daemon, caller).await,
            Self::Conflicts => relations::conflicts(daemon, caller).await,
            Self::Stats(stats) => stats.run(daemon, caller).await,
            Self::Stale(stale) => stale.run(daemon, caller).await,
            Self::Prune(prune) => prune.run(daemon, caller).await,
            Self::Compact(compact) => compact.run(daemon, caller).await,
            Self::Reindex => upkeep::reindex(daemon).await,
            Self::Export(export) => export.run(daemon, caller).await,
            Self::Import(import) => import.run(daemon, caller).await,
            Self::Session(session) => session.run(daemon, caller).await,
            Self::Checkpoint(checkpoint) => checkpoint.run(daemon, caller).await,
            Self::Resume(resume) => resume.run(daemon, caller).await,
            Self::ClearCheckpoint => task::clear(daemon, caller).await,
        }
    }
}

impl Topics {
    fn writes(&self) -> bool {
        match self {
            Self::List(_)
            | Self::Recent(_)
            | Self::Entries(_)
            | Self::Stats(_)
            | Self::Xref(_)
            | Self::Graph(_)
            | Self::Log(_)
            | Self::Diff(_)
            | Self::Why(_)
            | Self::Neighbours(_)
            | Self::Traverse(_)
            | Self::Path(_)
            | Self::Conflicts
            | Self::Stale(_)
            | Self::Prune(_)
            | Self::Export(_)
            | Self::Session(_)
            | Self::Resume(_) => false,
            Self::Compact(_)
            | Self::Import(_)
            | Self::Reindex
            | Self::Checkpoint(_)
            | Self::ClearCheckpoint => true,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::super::samples::read;
    use super::*;

    #[test]
    fn what_changes_nothing_needs_no_turn_of_its_own() {
        let form = Form::of::<Topics>("topics", Some("list"));
        let effect = |given: &Value| Topics::effect(&form, given.as_object());
        for given in [
            json!({}),
            json!({"action": "List"}),
            json!({"action": "resume"}),
            json!({"action": "browse"}),
            json!({"action": "checkpoint"}),
        ] {
            assert_eq!(effect(&given), Effect::Reads, "{given}");
        }
        for given in [
            json!({"action": " CHECKPOINT", "task": "a"}),
            json!({"action": "import", "json": "[]"}),
            json!({"action": "clear_checkpoint"}),
        ] {
            assert_eq!(effect(&given), Effect::Writes, "{given}");
        }
    }

    #[test]
    fn wrong_calls_say_what_to_do() {
        let errors = [
            json!({"action": "browse"}),
            json!({"topic": "build"}),
            json!({"action": "entries"}),
            json!({"action": "import"}),
            json!({"action": "checkpoint", "done": "a;b"}),
            json!({"action": "prune", "apply": true}),
            json!({"action": "resume", "task": "mine"}),
        ]
        .map(|given| read::<Topics>(&given).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
