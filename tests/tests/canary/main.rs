//! Of every string of every request that the wire has, none that is a secret reaches the disk: each
//! is filled with one, one after the other, and sent to a daemon. A request that is new and not
//! sent here fails the test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

mod needles;
mod rules;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helix_client::caller;
use helix_client::v1::{self, Program};
use helix_tests::fixtures::hook_samples;
use helix_tests::{Home, Project, Rpc, Served};
use prost::Message;
use protox::prost_reflect::{
    DescriptorPool, DynamicMessage, Kind, MapKey, MessageDescriptor, ReflectMessage, Value,
};
use serde_json::{Value as Json, json};
use tokio_stream::iter;

use needles::Needles;

/// What every canary has in it; no other text has.
const MARK: &str = "a1b2c3d4e5f6g7h8i9j0k1l2m3n4";

/// A token of a kind that is known by its shape, and another one each time.
fn canary(at: usize) -> String {
    format!("{}_{MARK}{at:06}", "ghp")
}

/// A secret as the field of a request would have it.
fn planted(field: &str, at: usize) -> String {
    let canary = canary(at);
    match field {
        "cwd" | "project_dir" | "program" => format!("/tmp/{canary}"),
        "scope" | "scopes" => format!("project:{canary}"),
        "text" | "task" | "match_text" | "query" => {
            format!("Deploys use {canary} for this, number {at}.")
        }
        "source" | "path" => format!("src/{canary}/a.rs:3"),
        _ => canary,
    }
}

/// One place in a message that a string may stand at.
type Place = Vec<u32>;

/// The places of a message's strings, in whatever it holds.
fn places(message: &MessageDescriptor) -> Vec<Place> {
    message
        .fields()
        .flat_map(|field| match field.kind() {
            Kind::String => vec![vec![field.number()]],
            Kind::Message(_) if field.is_map() => {
                vec![vec![field.number(), 1], vec![field.number(), 2]]
            }
            Kind::Message(inner) => {
                let below = |place: Place| [vec![field.number()], place].concat();
                places(&inner).into_iter().map(below).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

/// Puts a secret in one place of a message.
fn plant(message: &mut DynamicMessage, place: &[u32], at: usize) {
    let field = message.descriptor().get_field(place[0]).unwrap();
    let text = planted(field.name(), at);
    let value = message.get_field_mut(&field);
    match value {
        Value::String(old) => *old = text,
        Value::Map(map) => {
            let (name, held) = if place[1] == 1 {
                (text, "x".to_owned())
            } else {
                ("name".to_owned(), text)
            };
            map.insert(MapKey::String(name), Value::String(held));
        }
        Value::List(list) => match field.kind() {
            Kind::Message(inner) => {
                if list.is_empty() {
                    list.push(Value::Message(DynamicMessage::new(inner)));
                }
                let Value::Message(first) = &mut list[0] else {
                    panic!("not a message")
                };
                plant(first, &place[1..], at);
            }
            _ => list.push(Value::String(text)),
        },
        Value::Message(inner) => plant(inner, &place[1..], at),
        other => panic!("{other:?} is no text"),
    }
}

/// Requests that are kept, about a topic that has one memory; a request of which nothing is kept is
/// empty.
fn bases(method: &str, topic: &str, cwd: &Path) -> Vec<Vec<u8>> {
    use v1::edit_request::Action;
    let caller = Some(caller(Program::Mcp, cwd, "tests", "a-session"));
    let target = Some(v1::Target {
        reference: topic.to_owned(),
        ..v1::Target::default()
    });
    let draft = v1::Draft {
        topic: topic.to_owned(),
        text: format!("A further text on {topic}."),
        ..v1::Draft::default()
    };
    let encoded = |action: Action| {
        let caller = caller.clone();
        v1::EditRequest {
            caller,
            action: Some(action),
            ..v1::EditRequest::default()
        }
        .encode_to_vec()
    };
    match method {
        "Store" => vec![
            v1::StoreRequest {
                caller,
                draft: Some(draft),
                force: true,
            }
            .encode_to_vec(),
        ],
        "StoreBatch" => vec![
            v1::StoreBatchRequest {
                caller,
                drafts: vec![draft],
                force: true,
            }
            .encode_to_vec(),
        ],
        "Checkpoint" => {
            let save = v1::TaskCheckpoint {
                task: "Move it".to_owned(),
                ..v1::TaskCheckpoint::default()
            };
            let action = Some(v1::checkpoint_request::Action::Save(save));
            vec![v1::CheckpointRequest { caller, action }.encode_to_vec()]
        }
        "Edit" => {
            let text = "More of it.".to_owned();
            let one = vec!["tag".to_owned()];
            vec![
                encoded(Action::Append(v1::AppendText {
                    target: target.clone(),
                    text: text.clone(),
                })),
                encoded(Action::Revise(v1::ReviseText {
                    target: target.clone(),
                    text,
                })),
                encoded(Action::Tag(v1::ChangeTags {
                    target: target.clone(),
                    add: one,
                    remove: Vec::new(),
                })),
                encoded(Action::Set(v1::SetFields {
                    target: target.clone(),
                    pinned: Some(true),
                    ..v1::SetFields::default()
                })),
                encoded(Action::Rename(v1::RenameTopic {
                    topic: topic.to_owned(),
                    new_name: format!("{topic}-new"),
                })),
                encoded(Action::Merge(v1::MergeTopic {
                    topic: topic.to_owned(),
                    into: format!("{topic}-other"),
                })),
                encoded(Action::Delete(v1::DeleteMemories {
                    target,
                    all: false,
                    scopes: Vec::new(),
                })),
                encoded(Action::Restore(v1::RestoreMemory {
                    reference: topic.to_owned(),
                    ..v1::RestoreMemory::default()
                })),
            ]
        }
        "Import" => vec![
            v1::ImportPiece {
                caller,
                format: v1::ExchangeFormat::Markdown.into(),
                file: format!("{topic}.md"),
                data: format!(
                    "# {topic}\n\n- An imported text on {topic}, with {}.\n",
                    canary(0)
                )
                .into_bytes(),
                ..v1::ImportPiece::default()
            }
            .encode_to_vec(),
        ],
        "Hook" => {
            let sample = hook_samples()
                .unwrap()
                .into_iter()
                .find(|sample| sample.name.ends_with("/UserPromptSubmit"));
            let stdin = sample.unwrap().input.to_string().into_bytes();
            vec![
                v1::HookRequest {
                    event: "prompt".to_owned(),
                    stdin,
                    ..v1::HookRequest::default()
                }
                .encode_to_vec(),
            ]
        }
        _ => vec![Vec::new()],
    }
}

/// Sends a request. What becomes of it does not matter: many are refused.
fn send(rpc: &mut Rpc, method: &str, bytes: &[u8]) {
    macro_rules! unary {
        ($call:ident, $request:ident) => {{
            let request = v1::$request::decode(bytes).unwrap();
            drop(rpc.call(async |client| client.$call(request.clone()).await));
        }};
    }
    match method {
        "Hello" => unary!(hello, HelloRequest),
        "Store" => unary!(store, StoreRequest),
        "StoreBatch" => unary!(store_batch, StoreBatchRequest),
        "Search" => unary!(search, SearchRequest),
        "Read" => unary!(read, ReadRequest),
        "Edit" => unary!(edit, EditRequest),
        "ListTopics" => unary!(list_topics, ListTopicsRequest),
        "Recent" => unary!(recent, RecentRequest),
        "Stats" => unary!(stats, StatsRequest),
        "CrossReferences" => unary!(cross_references, CrossReferencesRequest),
        "Graph" => unary!(graph, GraphRequest),
        "Stale" => unary!(stale, StaleRequest),
        "Prune" => unary!(prune, PruneRequest),
        "Compact" => unary!(compact, CompactRequest),
        "Reindex" => unary!(reindex, ReindexRequest),
        "SessionLog" => unary!(session_log, SessionLogRequest),
        "Receipts" => unary!(receipts, ReceiptsRequest),
        "Checkpoint" => unary!(checkpoint, CheckpointRequest),
        "Brief" => unary!(brief, BriefRequest),
        "Context" => unary!(context, ContextRequest),
        "Export" => unary!(export, ExportRequest),
        "Upgrade" => unary!(upgrade, UpgradeRequest),
        "Forget" => unary!(forget, ForgetRequest),
        "Hook" => unary!(hook, HookRequest),
        "Status" => unary!(status, StatusRequest),
        "Conflicts" => unary!(conflicts, ConflictsRequest),
        "Settle" => unary!(settle, SettleRequest),
        "Relate" => unary!(relate, RelateRequest),
        "Unrelate" => unary!(unrelate, UnrelateRequest),
        "Traverse" => unary!(traverse, TraverseRequest),
        "Path" => unary!(path, PathRequest),
        "Log" => unary!(log, LogRequest),
        "Diff" => unary!(diff, DiffRequest),
        "Revert" => unary!(revert, RevertRequest),
        "Why" => unary!(why, WhyRequest),
        "Lifecycle" => unary!(lifecycle, LifecycleRequest),
        "Backup" => unary!(backup, BackupRequest),
        "Metrics" => unary!(metrics, MetricsRequest),
        "Review" => unary!(review, ReviewRequest),
        "Judge" => unary!(judge, JudgeRequest),
        "Purge" => unary!(purge, PurgeRequest),
        "Capture" => unary!(capture, CaptureRequest),
        "Examine" => unary!(examine, ExamineRequest),
        "CaptureImport" => unary!(capture_import, CaptureImportRequest),
        "Event" => unary!(event, EventRequest),
        "Consolidate" => unary!(consolidate, ConsolidateRequest),
        "Models" => unary!(models, ModelsRequest),
        "BenchModels" => unary!(bench_models, BenchModelsRequest),
        "Provider" => unary!(provider, ProviderRequest),
        "Check" => unary!(check, CheckRequest),
        // It has no string, and would end the daemon.
        "Shutdown" => {}
        "Import" => import(rpc, &v1::ImportPiece::decode(bytes).unwrap()),
        other => panic!("{other} is a request that is not sent here; send it"),
    }
}

fn import(rpc: &mut Rpc, piece: &v1::ImportPiece) {
    let outcome = rpc.call(async |client| {
        let mut reports = client.import(iter([piece.clone()])).await?.into_inner();
        while reports.message().await?.is_some() {}
        Ok(tonic::Response::new(()))
    });
    drop(outcome);
}

/// Every place of a document that holds a text.
fn leaves(document: &Json, at: &str) -> Vec<String> {
    match document {
        Json::String(_) => vec![at.to_owned()],
        Json::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(n, item)| leaves(item, &format!("{at}/{n}")))
            .collect(),
        Json::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| leaves(field, &format!("{at}/{name}")))
            .collect(),
        _ => Vec::new(),
    }
}

fn contract() -> DescriptorPool {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/proto");
    DescriptorPool::from_file_descriptor_set(
        protox::compile(["helix/v1/helix.proto"], [proto]).unwrap(),
    )
    .unwrap()
}

/// The files below a directory that have the mark of the canaries.
fn holding(directory: &Path) -> Vec<(PathBuf, String)> {
    Needles::of(&[MARK]).held_below(directory)
}

#[test]
fn the_search_finds_what_is_planted() {
    let home = Home::new().unwrap();
    let directory = home.scratch().join("planted");
    fs::create_dir(&directory).unwrap();
    let token = canary(1);
    let wide: Vec<u8> = token.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [
        token.clone().into_bytes(),
        token.to_uppercase().into_bytes(),
        wide,
        STANDARD.encode(&token).into_bytes(),
        STANDARD.encode(format!("ab{token}")).into_bytes(),
    ] {
        fs::write(directory.join("file"), bytes).unwrap();
        assert_eq!(holding(&directory).len(), 1);
    }
}

#[test]
fn no_string_of_any_request_reaches_the_disk_with_a_secret() {
    let home = Home::new().unwrap();
    fs::create_dir_all(&home.paths.home).unwrap();
    fs::set_permissions(&home.paths.home, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.paths.home.join("config.toml"), "log = 'debug'\n").unwrap();
    let Served {
        mut rpc,
        daemon,
        home,
    } = Served::on(home).unwrap();
    let project = Project::new(&home, "billing").unwrap();
    let pool = contract();
    let service = pool.get_service_by_name("helix.v1.Helix").unwrap();
    let mut at = 0;
    for method in service.methods() {
        let input = method.input();
        let places = places(&input);
        for base in 0..bases(method.name(), "t", &project.root).len() {
            for place in &places {
                at += 1;
                let topic = format!("topic-{at}");
                let draft =
                    helix_tests::rpc::draft(&topic, &format!("What is known of {topic}."), "");
                if bases(method.name(), "t", &project.root).len() > 1 {
                    rpc.store(Program::Mcp, &project.root, draft).unwrap();
                }
                let bytes = bases(method.name(), &topic, &project.root).swap_remove(base);
                let mut message = DynamicMessage::decode(input.clone(), bytes.as_slice()).unwrap();
                plant(&mut message, place, at);
                send(&mut rpc, method.name(), &message.encode_to_vec());
            }
            if places.is_empty() {
                send(&mut rpc, method.name(), &[]);
            }
        }
    }
    // What travels as bytes: the events of hooks, and the formats of imports.
    for sample in hook_samples().unwrap() {
        let events = [
            "session",
            "prompt",
            "ambient",
            "error-context",
            "subagent",
            "stop",
            "pre-compact",
        ];
        for leaf in leaves(&sample.input, "") {
            at += 1;
            let mut input = sample.input.clone();
            if !leaf.ends_with("/hook_event_name") && !leaf.ends_with("/tool_name") {
                *input.pointer_mut(&leaf).unwrap() = canary(at).into();
            }
            let event = events[at % events.len()].to_owned();
            let stdin = input.to_string().into_bytes();
            let request = v1::HookRequest {
                event,
                stdin,
                ..v1::HookRequest::default()
            };
            send(&mut rpc, "Hook", &request.encode_to_vec());
        }
    }
    let exported = json!([{
        "topic": "imported", "text": "An imported text.", "kind": "fact", "tags": ["one"], "source": "src/a.rs:3", "links": ["a/b"],
        "scope": "global", "handle": "imported/text", "attributes": {"name": "value"}, "origin": "agent", "status": "active",
        "provenance": [{"agent": "a", "reference": "r", "extractor": "e", "origin": "agent", "at": "2026-01-01T00:00:00Z"}],
    }]);
    for leaf in leaves(&exported, "") {
        at += 1;
        let mut document = exported.clone();
        document[0]["text"] = format!("An imported text, number {at}.").into();
        let field = leaf.rsplit('/').next().unwrap().to_owned();
        *document.pointer_mut(&leaf).unwrap() = planted(&field, at).into();
        let piece = v1::ImportPiece {
            caller: Some(caller(Program::Ctl, &project.root, "tests", "")),
            format: v1::ExchangeFormat::Json.into(),
            data: document.to_string().into_bytes(),
            trust: true,
            ..v1::ImportPiece::default()
        };
        import(&mut rpc, &piece);
    }
    let status = rpc.status().unwrap();
    let kept: u64 = status
        .memories_by_status
        .iter()
        .map(|counted| counted.count)
        .sum();
    assert!(kept > 100, "{kept} memories are kept");
    let found = holding(&home.paths.home);
    assert!(found.is_empty(), "while it runs: {found:#?}");
    drop(rpc);
    assert!(daemon.stop().unwrap().success());
    let found = holding(&home.paths.home);
    assert!(found.is_empty(), "when it has ended: {found:#?}");
}
