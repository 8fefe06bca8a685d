//! `topics`: browsing, upkeep, exchange, and where a task stands.

use helix_client::v1::Caller;
use rmcp::model::JsonObject;

use super::actions::{Action, chosen};
use super::{Description, Nature};
use crate::arguments::Arguments;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::schema::{Parameter, Shape};
use crate::turn::Effect;

mod browse;
mod exchange;
mod task;
mod upkeep;

pub(super) const DESCRIPTION: Description = Description {
    name: "topics",
    title: "Browse and maintain",
    about: "Browse: list, recent, entries (of a topic, numbered), stats, xref (who mentions a topic), graph. Upkeep: stale \
            (sources that changed), prune (idle topics; reports only), compact (near-duplicates; apply merges same \
            ones), reindex, export, import. Tasks: checkpoint saves where you stand, before a break or compaction; \
            resume loads it; clear_checkpoint; session lists what this session changed.",
    parameters: &PARAMETERS,
    nature: Nature::Changes { idempotent: true },
};

const PARAMETERS: [Parameter; 24] = [
    Parameter::optional(
        "action",
        Shape::Choice(&[
            "list",
            "recent",
            "entries",
            "stats",
            "xref",
            "graph",
            "stale",
            "prune",
            "compact",
            "export",
            "import",
            "reindex",
            "session",
            "checkpoint",
            "resume",
            "clear_checkpoint",
        ]),
        "default list",
    ),
    Parameter::optional(
        "topic",
        Shape::Text,
        "entries, xref, stale (or iris-*), export",
    ),
    Parameter::optional("days", Shape::Whole, "recent: default 7; prune: default 30"),
    Parameter::optional("hours", Shape::Whole, "recent: overrides days"),
    Parameter::optional("detail", Shape::Choice(&["tags", "index"]), "stats"),
    Parameter::optional(
        "index",
        Shape::Whole,
        "entries: only this one, whole; resume: an earlier checkpoint, from 1",
    ),
    Parameter::optional(
        "match_str",
        Shape::Text,
        "entries: only those with this text",
    ),
    Parameter::optional("limit", Shape::Whole, "entries"),
    Parameter::optional("cursor", Shape::Text, "entries: the next page"),
    Parameter::optional("focus", Shape::Text, "list, graph: glob like iris-*"),
    Parameter::optional("scope", Shape::List, "project, global or all"),
    Parameter::optional(
        "refresh",
        Shape::Flag,
        "stale: show the source as it is now",
    ),
    Parameter::optional("apply", Shape::Flag, "compact: do it"),
    Parameter::optional("log", Shape::Flag, "compact: the files too"),
    Parameter::optional(
        "mode",
        Shape::Choice(&["migrate"]),
        "compact: repair times instead",
    ),
    Parameter::optional("json", Shape::Json, "import: an export, at most 4 MiB"),
    Parameter::optional("list", Shape::Flag, "session: all known ones"),
    Parameter::optional("session", Shape::Text, "another one's id or its beginning"),
    Parameter::optional("task", Shape::Text, "checkpoint: what you work on"),
    Parameter::optional("done", Shape::List, "checkpoint: steps, split at ;"),
    Parameter::optional("next", Shape::List, "split at ;"),
    Parameter::optional("hypotheses", Shape::List, "split at ;"),
    Parameter::optional("blocked", Shape::Text, "checkpoint: by what"),
    Parameter::optional("files", Shape::List, "checkpoint"),
];

/// What a call of `topics` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topics {
    List,
    Recent,
    Entries,
    Stats,
    Xref,
    Graph,
    Stale,
    Prune,
    Compact,
    Export,
    Import,
    Reindex,
    Session,
    Checkpoint,
    Resume,
    ClearCheckpoint,
}

/// What a call does that names no action.
const DEFAULT_ACTION: &str = "list";

const ACTIONS: [Action<Topics>; 16] = [
    Action {
        name: DEFAULT_ACTION,
        is: Topics::List,
        needs: &[],
        takes: &["focus", "scope"],
    },
    Action {
        name: "recent",
        is: Topics::Recent,
        needs: &[],
        takes: &["days", "hours", "scope"],
    },
    Action {
        name: "entries",
        is: Topics::Entries,
        needs: &["topic"],
        takes: &["index", "match_str", "limit", "cursor"],
    },
    Action {
        name: "stats",
        is: Topics::Stats,
        needs: &[],
        takes: &["detail", "scope"],
    },
    Action {
        name: "xref",
        is: Topics::Xref,
        needs: &["topic"],
        takes: &["scope"],
    },
    Action {
        name: "graph",
        is: Topics::Graph,
        needs: &[],
        takes: &["focus", "scope"],
    },
    Action {
        name: "stale",
        is: Topics::Stale,
        needs: &[],
        takes: &["topic", "refresh", "scope"],
    },
    Action {
        name: "prune",
        is: Topics::Prune,
        needs: &[],
        takes: &["days", "scope"],
    },
    Action {
        name: "compact",
        is: Topics::Compact,
        needs: &[],
        takes: &["apply", "log", "mode", "scope"],
    },
    Action {
        name: "export",
        is: Topics::Export,
        needs: &[],
        takes: &["topic", "scope"],
    },
    Action {
        name: "import",
        is: Topics::Import,
        needs: &["json"],
        takes: &["scope"],
    },
    Action {
        name: "reindex",
        is: Topics::Reindex,
        needs: &[],
        takes: &[],
    },
    Action {
        name: "session",
        is: Topics::Session,
        needs: &[],
        takes: &["list", "session"],
    },
    Action {
        name: "checkpoint",
        is: Topics::Checkpoint,
        needs: &["task"],
        takes: &["done", "next", "hypotheses", "blocked", "files"],
    },
    Action {
        name: "resume",
        is: Topics::Resume,
        needs: &[],
        takes: &["index"],
    },
    Action {
        name: "clear_checkpoint",
        is: Topics::ClearCheckpoint,
        needs: &[],
        takes: &[],
    },
];

impl Topics {
    fn effect(self) -> Effect {
        match self {
            Self::List
            | Self::Recent
            | Self::Entries
            | Self::Stats
            | Self::Xref
            | Self::Graph
            | Self::Stale
            | Self::Prune
            | Self::Export
            | Self::Session
            | Self::Resume => Effect::Reads,
            Self::Compact
            | Self::Import
            | Self::Reindex
            | Self::Checkpoint
            | Self::ClearCheckpoint => Effect::Writes,
        }
    }
}

/// What a call does to what later calls see. One that will be refused does nothing.
pub(super) fn effect(given: Option<&JsonObject>) -> Effect {
    let arguments = Arguments::new(DESCRIPTION.name, &PARAMETERS, given.cloned());
    let action = arguments.and_then(|arguments| chosen(&arguments, &ACTIONS, Some(DEFAULT_ACTION)));
    action.map_or(Effect::Reads, Topics::effect)
}

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    match chosen(arguments, &ACTIONS, Some(DEFAULT_ACTION))? {
        Topics::List => browse::list(daemon, caller, arguments).await,
        Topics::Recent => browse::recent(daemon, caller, arguments).await,
        Topics::Entries => browse::entries(daemon, caller, arguments).await,
        Topics::Xref => browse::xref(daemon, caller, arguments).await,
        Topics::Graph => browse::graph(daemon, caller, arguments).await,
        Topics::Stats => upkeep::stats(daemon, caller, arguments).await,
        Topics::Stale => upkeep::stale(daemon, caller, arguments).await,
        Topics::Prune => upkeep::prune(daemon, caller, arguments).await,
        Topics::Compact => upkeep::compact(daemon, caller, arguments).await,
        Topics::Reindex => upkeep::reindex(daemon).await,
        Topics::Export => exchange::export(daemon, caller, arguments).await,
        Topics::Import => exchange::import(daemon, caller, arguments).await,
        Topics::Session => task::session(daemon, caller, arguments).await,
        Topics::Checkpoint => task::save(daemon, caller, arguments).await,
        Topics::Resume => task::load(daemon, caller, arguments).await,
        Topics::ClearCheckpoint => task::clear(daemon, caller).await,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    /// Reads a call's arguments as `run` does.
    pub(super) fn arguments(given: &Value) -> Arguments {
        let arguments = Arguments::new("topics", &PARAMETERS, given.as_object().cloned()).unwrap();
        chosen(&arguments, &ACTIONS, Some(DEFAULT_ACTION)).unwrap();
        arguments
    }

    #[test]
    fn the_schema_names_every_action_in_order() {
        let listed = PARAMETERS.first().map(|one| one.shape);
        let names: Vec<&str> = ACTIONS.iter().map(|one| one.name).collect();
        assert!(matches!(listed, Some(Shape::Choice(listed)) if listed == names));
    }

    #[test]
    fn what_changes_nothing_needs_no_turn_of_its_own() {
        let effect = |given: Value| effect(given.as_object());
        for given in [
            json!({}),
            json!({"action": "List"}),
            json!({"action": "resume"}),
            json!({"action": "browse"}),
        ] {
            assert_eq!(effect(given.clone()), Effect::Reads, "{given}");
        }
        for given in [
            json!({"action": " CHECKPOINT", "task": "a"}),
            json!({"action": "import", "json": "[]"}),
        ] {
            assert_eq!(effect(given.clone()), Effect::Writes, "{given}");
        }
    }

    #[test]
    fn every_parameter_belongs_to_an_action() {
        for parameter in PARAMETERS.iter().skip(1) {
            let takes = |action: &Action<Topics>| {
                action.needs.contains(&parameter.name) || action.takes.contains(&parameter.name)
            };
            assert!(ACTIONS.iter().any(takes), "{}", parameter.name);
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
        .map(|given| {
            let arguments =
                Arguments::new("topics", &PARAMETERS, given.as_object().cloned()).unwrap();
            chosen(&arguments, &ACTIONS, Some(DEFAULT_ACTION))
                .unwrap_err()
                .to_string()
        });
        insta::assert_snapshot!(errors.join("\n"));
    }
}
