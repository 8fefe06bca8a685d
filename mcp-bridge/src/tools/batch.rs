//! `batch`: several memories in one commit.

use helix_client::Rpc;
use helix_client::limits::BATCH_MAX;
use helix_client::v1::batch_item::Item;
use helix_client::v1::{Caller, Draft, StoreBatchRequest};
use rmcp::model::JsonObject;

use super::{Description, Nature, store};
use crate::arguments::{ArgumentError, Arguments};
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render::{self, Batched};
use crate::schema::{Parameter, Shape};

const NAME: &str = "batch";

pub(super) const DESCRIPTION: Description = Description {
    name: NAME,
    title: "Store several memories",
    about: "Store several facts in one call (at most 1000, 4 MiB), each as in store. Use it when a task taught you more than \
            one thing. A wrong entry costs only itself.",
    parameters: &PARAMETERS,
    nature: Nature::Adds,
};

/// What an error says that entries should be.
const ENTRIES_SHAPE: &str = "an array like [{\"topic\": \"a\", \"text\": \"b\"}]";

const PARAMETERS: [Parameter; 3] = [
    Parameter::required(
        "entries",
        Shape::Objects,
        "[{topic, text, tags?, source?, confidence?, links?, kind?, scope?, importance?, pinned?}]; a link may be an earlier \
         entry's index",
    ),
    Parameter::optional("force", Shape::Flag, "store near-duplicates too"),
    Parameter::optional("verbose", Shape::Flag, "say what became of each"),
];

pub(super) async fn run(
    daemon: &Daemon,
    caller: Caller,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let verbose = arguments.flag("verbose")?;
    let Planned { request, wrong } = request(caller, arguments)?;
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

/// A batch as it goes to the daemon.
struct Planned {
    request: StoreBatchRequest,
    /// Entries that cannot be understood, by their positions, and why. In the request an empty
    /// draft, which the daemon refuses, stands for each: entries link to each other by
    /// position.
    wrong: Vec<(usize, String)>,
}

fn request(caller: Caller, arguments: &Arguments) -> Result<Planned, ArgumentError> {
    let force = arguments.flag("force")?;
    let (mut drafts, mut wrong) = (Vec::new(), Vec::new());
    for (at, draft) in self::drafts(arguments)?.into_iter().enumerate() {
        drafts.push(draft.unwrap_or_else(|error| {
            wrong.push((at, error.to_string()));
            Draft::default()
        }));
    }
    Ok(Planned {
        request: StoreBatchRequest {
            caller: Some(caller),
            drafts,
            force,
        },
        wrong,
    })
}

fn drafts(arguments: &Arguments) -> Result<Vec<Result<Draft, ArgumentError>>, ArgumentError> {
    let entries = arguments.objects("entries", ENTRIES_SHAPE)?;
    if entries.is_empty() {
        return Err(ArgumentError::Missing("entries"));
    }
    if entries.len() > BATCH_MAX {
        return Err(ArgumentError::TooMany {
            name: "entries",
            got: entries.len(),
            limit: BATCH_MAX,
        });
    }
    Ok(entries
        .into_iter()
        .map(|entry| entry.and_then(draft))
        .collect())
}

fn draft(entry: JsonObject) -> Result<Draft, ArgumentError> {
    store::draft(&Arguments::new(NAME, store::DRAFT_PARAMETERS, Some(entry))?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    fn planned(given: &Value) -> Result<StoreBatchRequest, ArgumentError> {
        request_of(given).map(|planned| planned.request)
    }

    fn request_of(given: &Value) -> Result<Planned, ArgumentError> {
        request(
            Caller::default(),
            &Arguments::new(NAME, &PARAMETERS, given.as_object().cloned()).unwrap(),
        )
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
