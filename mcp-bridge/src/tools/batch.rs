//! `batch`: several memories in one commit.

use std::borrow::Cow;

use helix_client::Rpc;
use helix_client::limits::BATCH_MAX;
use helix_client::v1::batch_item::Item;
use helix_client::v1::{self, Caller, StoreBatchRequest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

use super::store::Draft;
use super::{Call, Description, Nature};
use crate::arguments::{ArgumentError, Flag, Form, Given};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Batched};

const NAME: &str = "batch";

/// Memories to store, and how.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Batch {
    entries: Entries,
    /// store near-duplicates too
    #[serde(default)]
    force: Flag,
    /// say what became of each
    #[serde(default)]
    verbose: Flag,
}

/// Memories to store, as they came: a wrong one costs only itself.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Given")]
struct Entries(Vec<Value>);

/// A batch as it goes to the daemon.
#[derive(Debug)]
struct Planned {
    request: StoreBatchRequest,
    /// Entries that cannot be understood, by their positions, and why. In the request an empty
    /// draft, which the daemon refuses, stands for each: entries link to each other by
    /// position.
    wrong: Vec<(usize, String)>,
}

impl Call for Batch {
    const DESCRIPTION: Description = Description {
        name: NAME,
        title: "Store several memories",
        about: "Store several facts in one call (at most 1000, 4 MiB), each as in store. Use it \
                when a task taught you more than one thing. A wrong entry costs only itself.",
        nature: Nature::Adds,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let verbose = self.verbose.0;
        let Planned { request, wrong } = self.planned(caller)?;
        let (sent, is_forced) = (request.drafts.len(), request.force);
        let call = async move |rpc: &mut Rpc| rpc.store_batch(request.clone()).await;
        let mut reply = if is_forced {
            daemon.call_at_most_once(call).await?
        } else {
            daemon.call(call).await?
        };
        for (at, why) in wrong {
            if let Some(item) = reply.items.get_mut(at) {
                item.item = Some(Item::Refused(why));
            }
        }
        Ok(render::batched(&Batched {
            sent,
            reply: &reply,
            verbose,
        }))
    }
}

impl Batch {
    fn planned(self, caller: Caller) -> Result<Planned, ArgumentError> {
        let entries = self.entries.checked()?;
        let form = Form::of::<Draft>(NAME, None);
        let (mut drafts, mut wrong) = (Vec::new(), Vec::new());
        for (at, entry) in entries.into_iter().enumerate() {
            match draft(&form, entry) {
                Ok(draft) => drafts.push(draft),
                Err(error) => {
                    drafts.push(v1::Draft::default());
                    wrong.push((at, error.to_string()));
                }
            }
        }
        Ok(Planned {
            request: StoreBatchRequest {
                caller: Some(caller),
                drafts,
                force: self.force.0,
            },
            wrong,
        })
    }
}

impl Entries {
    fn checked(self) -> Result<Vec<Value>, ArgumentError> {
        match self.0.len() {
            0 => Err(ArgumentError::Missing("entries".to_owned())),
            got if got > BATCH_MAX => Err(ArgumentError::TooMany {
                name: "entries",
                got,
                limit: BATCH_MAX,
            }),
            _ => Ok(self.0),
        }
    }
}

impl TryFrom<Given> for Entries {
    type Error = ArgumentError;

    fn try_from(given: Given) -> Result<Self, ArgumentError> {
        let expected = "an array like [{\"topic\": \"a\", \"text\": \"b\"}]";
        given.objects(expected).map(Self)
    }
}

impl JsonSchema for Entries {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Entries".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let outline = Form::of::<Draft>(NAME, None).outline();
        json_schema!({
            "type": ["array", "string"],
            "items": {"type": "object"},
            "description": format!("[{{{outline}}}]; a link may be an earlier entry's index"),
        })
    }
}

fn draft(form: &Form, entry: Value) -> Result<v1::Draft, ArgumentError> {
    let Value::Object(entry) = entry else {
        let expected = "an object like {\"topic\": \"a\", \"text\": \"b\"}";
        return Err(ArgumentError::wrong("entry", expected, &entry.to_string()));
    };
    Ok(form.read::<Draft>(Some(entry))?.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::super::samples::read;
    use super::*;

    fn planned(given: &Value) -> Result<StoreBatchRequest, ArgumentError> {
        request_of(given).map(|planned| planned.request)
    }

    fn request_of(given: &Value) -> Result<Planned, ArgumentError> {
        read::<Batch>(given)?.planned(Caller::default())
    }

    #[test]
    fn entries_come_as_an_array_or_as_text() {
        let entries = json!([
            {"topic": "build", "text": "one", "tags": "gotcha, arm64", "confidence": "0.5", "kind": "gotcha"},
            {"topic": "ci", "text": "two", "source": "ci.yml:3", "links": "build:0"},
        ]);
        let given = planned(&json!({"entries": entries, "force": "true"})).unwrap();
        insta::assert_debug_snapshot!(given);
        let written = planned(&json!({"entries": entries.to_string(), "force": true})).unwrap();
        assert_eq!(given, written);
    }

    #[test]
    fn an_index_is_a_link() {
        let given = json!({"entries": [
            {"topic": "a", "text": "one"},
            {"topic": "a", "text": "two", "links": [0]},
            {"topic": "a", "text": "three", "links": [0, "build/arch", 1]},
            {"topic": "a", "text": "four", "links": 2},
        ]});
        let links: Vec<Vec<String>> = planned(&given)
            .unwrap()
            .drafts
            .into_iter()
            .map(|draft| draft.links)
            .collect();
        assert_eq!(
            links,
            [vec![], vec!["0"], vec!["0", "build/arch", "1"], vec!["2"]]
        );
    }

    #[test]
    fn a_wrong_entry_costs_only_itself() {
        let entries = json!([
            {"topic": "a", "text": "b"}, {"topic": "a"}, "a: b", {"topic": "a", "text": "b", "force": true},
            {"topic": "a", "text": "c", "links": [0]},
        ]);
        let Planned { request, wrong } = request_of(&json!({"entries": entries})).unwrap();
        let texts: Vec<&str> = request
            .drafts
            .iter()
            .map(|draft| draft.text.as_str())
            .collect();
        assert_eq!(texts, ["b", "", "", "", "c"]);
        let begins = [
            "text: required",
            "entry: expected an object",
            "unknown argument force; batch takes: topic",
        ];
        for ((at, why), (expected, begin)) in wrong.iter().zip((1..).zip(begins)) {
            assert!(*at == expected && why.starts_with(begin), "{at}: {why}");
        }
        assert_eq!(wrong.len(), 3);
    }

    #[test]
    fn errors_name_the_entry() {
        let many: Vec<Value> = (0..=BATCH_MAX)
            .map(|at| json!({"topic": "a", "text": at}))
            .collect();
        let errors = [
            planned(&json!({})),
            planned(&json!({"entries": "topic=a text=b"})),
            planned(&json!({"entries": many})),
        ]
        .map(|planned| planned.unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"));
    }
}
