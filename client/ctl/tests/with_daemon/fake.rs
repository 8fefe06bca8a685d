//! A stand-in for the daemon: it answers what a test tells it to and keeps what it was asked.

use std::future::pending;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use helix_client::v1;
use helix_client::v1::helix_server::{Helix, HelixServer};
use tokio::net::UnixListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio_stream::wrappers::UnixListenerStream;
use tokio_stream::{StreamExt, iter, pending as endless};
use tonic::codegen::BoxStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

/// The stand-in's answers, and the requests that it got.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that a test may ask for"
)]
#[derive(Default)]
pub(crate) struct State {
    /// The one memory; its sequence grows by this with every reading.
    pub(crate) memory: v1::Memory,
    pub(crate) sequence_step: u64,
    /// More memories that a reading returns.
    pub(crate) others: Vec<v1::Memory>,
    pub(crate) candidates: Vec<v1::Memory>,
    pub(crate) edits: Vec<v1::edit_request::Action>,
    /// Edits that succeed before one fails.
    pub(crate) edits_max: Option<usize>,
    pub(crate) batches: Vec<v1::StoreBatchRequest>,
    pub(crate) refuse_text: String,
    pub(crate) exports: Vec<v1::ExportRequest>,
    pub(crate) pieces: Vec<v1::ExportPiece>,
    /// The export breaks after its pieces.
    pub(crate) export_breaks: bool,
    pub(crate) imported: Vec<v1::ImportPiece>,
    pub(crate) import_ended: bool,
    pub(crate) import_reply: v1::ImportProgress,
    pub(crate) import_refused: bool,
    /// Imports and exports never end.
    pub(crate) hangs: bool,
    pub(crate) upgraded: Option<String>,
    pub(crate) calls: Vec<String>,
    pub(crate) checkpoint: Option<v1::TaskCheckpoint>,
}

/// A running stand-in.
pub(crate) struct Fake {
    state: Arc<Mutex<State>>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Fake {
    /// Serves a home; ready when it returns.
    pub(crate) fn serve(home: &Path, state: State) -> Self {
        let socket = home.join("run").join("helixd.sock");
        std::fs::create_dir_all(home.join("run")).unwrap();
        let state = Arc::new(Mutex::new(state));
        let answers = Answers {
            state: Arc::clone(&state),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, is_ready) = channel();
        let thread = thread::spawn(move || {
            Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(async {
                    let listener = UnixListenerStream::new(UnixListener::bind(socket).unwrap());
                    ready.send(()).unwrap();
                    let serving = Server::builder().serve_with_incoming_shutdown(
                        HelixServer::new(answers),
                        listener,
                        pending(),
                    );
                    tokio::select! {
                        result = serving => result.unwrap(),
                        _ = stopped => {}
                    }
                });
        });
        is_ready.recv().unwrap();
        Self {
            state,
            running: Some((stop, thread)),
        }
    }

    /// Looks at what was asked.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.state.lock().unwrap())
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            // A stand-in that failed has said so already.
            if stop.send(()).is_ok() {
                thread.join().unwrap();
            }
        }
    }
}

struct Answers {
    state: Arc<Mutex<State>>,
}

/// A memory whose text tries to steer the terminal.
pub(crate) fn memory() -> v1::Memory {
    v1::Memory {
        id: vec![7; 16],
        handle: "build/arch".to_owned(),
        topic: "build".to_owned(),
        text: "use arm64\n\n---\n# not a comment \u{1b}[31m".to_owned(),
        kind: "gotcha".to_owned(),
        tags: vec!["build".to_owned()],
        scope: "global".to_owned(),
        confidence: 1.0,
        importance: 0.5,
        sequence: 4,
        index: Some(0),
        ..v1::Memory::default()
    }
}

impl Answers {
    fn with<T>(&self, call: &str, answer: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap();
        state.calls.push(call.to_owned());
        answer(&mut state)
    }
}

fn stored(refuse: &str, draft: &v1::Draft) -> v1::BatchItem {
    let memory = v1::Memory {
        handle: format!("{}/{}", draft.topic, draft.text),
        ..v1::Memory::default()
    };
    let reply = v1::StoreReply {
        outcome: v1::StoreOutcome::Stored.into(),
        memory: Some(memory),
        ..v1::StoreReply::default()
    };
    let item = if draft.text == refuse {
        v1::batch_item::Item::Refused("it is refused".to_owned())
    } else {
        v1::batch_item::Item::Stored(reply)
    };
    v1::BatchItem { item: Some(item) }
}

#[tonic::async_trait]
impl Helix for Answers {
    async fn hello(
        &self,
        _: Request<v1::HelloRequest>,
    ) -> Result<Response<v1::HelloReply>, Status> {
        let upgraded = self.with("hello", |state| state.upgraded.is_some());
        let (version, pid) = if upgraded { ("0.2.0", 2) } else { ("0.1.0", 1) };
        Ok(Response::new(v1::HelloReply {
            protocol: 1,
            version: version.to_owned(),
            pid,
        }))
    }

    async fn read(
        &self,
        request: Request<v1::ReadRequest>,
    ) -> Result<Response<v1::ReadReply>, Status> {
        if request.into_inner().reference == "nothing" {
            return Err(Status::not_found(
                "nothing is called \"nothing\"; search for it",
            ));
        }
        self.with("read", |state| {
            let memories: Vec<_> = [state.memory.clone()]
                .into_iter()
                .chain(state.others.clone())
                .collect();
            state.memory.sequence += state.sequence_step;
            let topic = if memories.len() > 1 {
                state.memory.topic.clone()
            } else {
                String::new()
            };
            let total = u32::try_from(memories.len()).unwrap();
            Ok(Response::new(v1::ReadReply {
                memories,
                topic,
                total,
                ..v1::ReadReply::default()
            }))
        })
    }

    async fn edit(
        &self,
        request: Request<v1::EditRequest>,
    ) -> Result<Response<v1::EditReply>, Status> {
        let v1::EditRequest {
            action,
            expected_sequence,
            ..
        } = request.into_inner();
        let action = action.unwrap();
        self.with("edit", |state| {
            if expected_sequence.is_some_and(|expected| expected != state.memory.sequence) {
                return Err(Status::aborted(
                    "build/arch was changed meanwhile; read it again and repeat",
                ));
            }
            if state
                .edits_max
                .is_some_and(|most| state.edits.len() >= most)
            {
                return Err(Status::unavailable("the disk is full; free some space"));
            }
            state.edits.push(action);
            if !state.candidates.is_empty() {
                return Ok(Response::new(v1::EditReply {
                    candidates: state.candidates.clone(),
                    ..v1::EditReply::default()
                }));
            }
            let warnings = vec![format!("warning {}", state.edits.len())];
            let memories = vec![state.memory.clone()];
            Ok(Response::new(v1::EditReply {
                memories,
                changed: 1,
                warnings,
                ..v1::EditReply::default()
            }))
        })
    }

    async fn store_batch(
        &self,
        request: Request<v1::StoreBatchRequest>,
    ) -> Result<Response<v1::StoreBatchReply>, Status> {
        let request = request.into_inner();
        self.with("store_batch", |state| {
            let items = request
                .drafts
                .iter()
                .map(|draft| stored(&state.refuse_text, draft))
                .collect();
            state.batches.push(request);
            Ok(Response::new(v1::StoreBatchReply { items }))
        })
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<BoxStream<v1::ExportPiece>>, Status> {
        self.with("export", |state| {
            state.exports.push(request.into_inner());
            let pieces = state.pieces.clone().into_iter().map(Ok);
            let end = state.export_breaks.then(|| {
                Err(Status::internal(
                    "reading the store failed; run helixctl doctor",
                ))
            });
            let pieces = iter(pieces.chain(end).collect::<Vec<_>>());
            let stream: BoxStream<v1::ExportPiece> = if state.hangs {
                Box::pin(pieces.chain(endless()))
            } else {
                Box::pin(pieces)
            };
            Ok(Response::new(stream))
        })
    }

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportPiece>>,
    ) -> Result<Response<BoxStream<v1::ImportProgress>>, Status> {
        let mut pieces = request.into_inner();
        while let Some(piece) = pieces.message().await? {
            self.with("import", |state| state.imported.push(piece));
            if self.with("import", |state| state.import_refused) {
                return Err(Status::invalid_argument(
                    "byte 0 is no record; is it another format?",
                ));
            }
        }
        let hangs = self.with("import", |state| {
            state.import_ended = true;
            state.hangs
        });
        if hangs {
            return pending().await;
        }
        self.with("import", |state| {
            let working = v1::ImportProgress {
                read: 1,
                ..v1::ImportProgress::default()
            };
            let stream: BoxStream<v1::ImportProgress> =
                Box::pin(iter([Ok(working), Ok(state.import_reply.clone())]));
            Ok(Response::new(stream))
        })
    }

    async fn upgrade(
        &self,
        request: Request<v1::UpgradeRequest>,
    ) -> Result<Response<v1::UpgradeReply>, Status> {
        self.with("upgrade", |state| {
            state.upgraded = Some(request.into_inner().program);
        });
        let (old_version, new_version) = ("0.1.0".to_owned(), "0.2.0".to_owned());
        Ok(Response::new(v1::UpgradeReply {
            pid: 2,
            old_version,
            new_version,
            waits_for: Vec::new(),
        }))
    }

    async fn list_topics(
        &self,
        request: Request<v1::ListTopicsRequest>,
    ) -> Result<Response<v1::ListTopicsReply>, Status> {
        let request = request.into_inner();
        let topic = v1::TopicEntry {
            name: format!("{}|{}", request.pattern, request.scopes.join("|")),
            ..v1::TopicEntry::default()
        };
        Ok(Response::new(v1::ListTopicsReply {
            topics: vec![topic],
        }))
    }

    async fn checkpoint(
        &self,
        request: Request<v1::CheckpointRequest>,
    ) -> Result<Response<v1::CheckpointReply>, Status> {
        self.with("checkpoint", |state| {
            if let Some(v1::checkpoint_request::Action::Save(saved)) = request.into_inner().action {
                state.checkpoint = Some(saved);
            }
            let text = state
                .checkpoint
                .as_ref()
                .map(|saved| format!("## Checkpoint: {}\n", saved.task));
            let (checkpoint, text) = (state.checkpoint.clone(), text.unwrap_or_default());
            Ok(Response::new(v1::CheckpointReply {
                checkpoint,
                text,
                ..v1::CheckpointReply::default()
            }))
        })
    }

    async fn brief(
        &self,
        request: Request<v1::BriefRequest>,
    ) -> Result<Response<v1::BriefReply>, Status> {
        let request = request.into_inner();
        let (query, since, focus) = (&request.query, request.since_hours, request.focus.join(","));
        let text = format!(
            "{query} {:?} {since} {focus} {}\u{1b}[2J",
            request.detail(),
            request.compact
        );
        Ok(Response::new(v1::BriefReply {
            text,
            json: r#"{"topics":["a"]}"#.to_owned(),
            memories: 3,
        }))
    }
}
