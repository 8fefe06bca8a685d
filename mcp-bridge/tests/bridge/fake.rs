//! A stand-in for the daemon: it answers what a test tells it to and keeps what it was asked.

use std::future::pending;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use helix_client::v1;
use helix_client::v1::helix_server::{Helix, HelixServer};
use tokio::net::UnixListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::codegen::BoxStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

/// A topic whose export is too large for an answer.
pub(crate) const LARGE_TOPIC: &str = "large";

/// A running stand-in.
pub(crate) struct Fake {
    pub(crate) stored: Receiver<v1::StoreRequest>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Fake {
    /// Serves a home; ready when it returns.
    pub(crate) fn serve(home: &Path) -> Self {
        let socket = home.join("run").join("helixd.sock");
        std::fs::create_dir_all(home.join("run")).unwrap();
        if socket.exists() {
            std::fs::remove_file(&socket).unwrap();
        }
        let (sender, stored) = channel();
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
                    let service = HelixServer::new(Answers { sender });
                    let serving = Server::builder().serve_with_incoming_shutdown(
                        service,
                        listener,
                        pending(),
                    );
                    // Connections end with the runtime, as they do when a daemon is killed.
                    tokio::select! {
                        result = serving => result.unwrap(),
                        _ = stopped => {}
                    }
                });
        });
        is_ready.recv().unwrap();
        Self {
            stored,
            stop,
            thread,
        }
    }

    /// Ends it as a crash would.
    pub(crate) fn stop(self) {
        self.stop.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

struct Answers {
    sender: Sender<v1::StoreRequest>,
}

/// A memory whose text tries to steer the terminal.
fn memory(handle: &str) -> v1::Memory {
    v1::Memory {
        handle: handle.to_owned(),
        topic: "a".to_owned(),
        text: "red \u{1b}[31malert\u{202e}".to_owned(),
        kind: "fact".to_owned(),
        scope: "global".to_owned(),
        confidence: 1.0,
        ..v1::Memory::default()
    }
}

fn stored() -> v1::StoreReply {
    let outcome = v1::StoreOutcome::Stored.into();
    v1::StoreReply {
        outcome,
        memory: Some(memory("a/b")),
        ..v1::StoreReply::default()
    }
}

fn stream<T: Send + 'static>(messages: Vec<T>) -> Response<BoxStream<T>> {
    Response::new(Box::pin(tokio_stream::iter(messages.into_iter().map(Ok))))
}

#[tonic::async_trait]
impl Helix for Answers {
    async fn hello(
        &self,
        _: Request<v1::HelloRequest>,
    ) -> Result<Response<v1::HelloReply>, Status> {
        Ok(Response::new(v1::HelloReply {
            protocol: 1,
            version: "0".to_owned(),
            pid: 1,
        }))
    }

    async fn store(
        &self,
        request: Request<v1::StoreRequest>,
    ) -> Result<Response<v1::StoreReply>, Status> {
        self.sender.send(request.into_inner()).unwrap();
        Ok(Response::new(stored()))
    }

    async fn store_batch(
        &self,
        request: Request<v1::StoreBatchRequest>,
    ) -> Result<Response<v1::StoreBatchReply>, Status> {
        let item = |_| v1::BatchItem {
            item: Some(v1::batch_item::Item::Stored(stored())),
        };
        let items = request.into_inner().drafts.into_iter().map(item).collect();
        Ok(Response::new(v1::StoreBatchReply { items }))
    }

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchReply>, Status> {
        let request = request.into_inner();
        let topic_counts = vec![v1::NamedCount {
            name: "a".to_owned(),
            count: 5,
        }];
        if request.count_only {
            return Ok(Response::new(v1::SearchReply {
                total: 5,
                topic_counts,
                ..v1::SearchReply::default()
            }));
        }
        let hit = |at| v1::Hit {
            memory: Some(memory(&format!("a/{at}"))),
            score: 0.5,
            ..v1::Hit::default()
        };
        let hits = (0..request.limit).map(hit).collect();
        let notes = vec!["searched by words only".to_owned()];
        let next_cursor = if request.cursor.is_empty() {
            "c1".to_owned()
        } else {
            String::new()
        };
        Ok(Response::new(v1::SearchReply {
            hits,
            notes,
            next_cursor,
            ..v1::SearchReply::default()
        }))
    }

    async fn read(
        &self,
        request: Request<v1::ReadRequest>,
    ) -> Result<Response<v1::ReadReply>, Status> {
        let reference = request.into_inner().reference;
        Err(Status::not_found(format!(
            "nothing is called {reference:?} here; search for it"
        )))
    }

    async fn edit(
        &self,
        request: Request<v1::EditRequest>,
    ) -> Result<Response<v1::EditReply>, Status> {
        assert!(request.into_inner().action.is_some());
        let topic = "a".to_owned();
        Ok(Response::new(v1::EditReply {
            memories: vec![memory("a/b")],
            changed: 1,
            topic,
            ..v1::EditReply::default()
        }))
    }

    async fn list_topics(
        &self,
        request: Request<v1::ListTopicsRequest>,
    ) -> Result<Response<v1::ListTopicsReply>, Status> {
        let name = format!("like-{}", request.into_inner().pattern);
        let topics = vec![v1::TopicEntry {
            name,
            memories: 2,
            ..v1::TopicEntry::default()
        }];
        Ok(Response::new(v1::ListTopicsReply { topics }))
    }

    async fn checkpoint(
        &self,
        request: Request<v1::CheckpointRequest>,
    ) -> Result<Response<v1::CheckpointReply>, Status> {
        use v1::checkpoint_request::Action;
        let task = |task: &str| v1::TaskCheckpoint {
            task: task.to_owned(),
            ..v1::TaskCheckpoint::default()
        };
        let (checkpoint, text) = match request.into_inner().action {
            Some(Action::Save(saved)) => (Some(saved), ""),
            Some(Action::Load(_)) => (
                Some(task("loaded")),
                "## Checkpoint: loaded\n_saved 2h 15m ago_\n",
            ),
            Some(Action::Clear(_) | Action::Restore(_)) | None => (None, ""),
        };
        Ok(Response::new(v1::CheckpointReply {
            checkpoint,
            text: text.to_owned(),
            ..v1::CheckpointReply::default()
        }))
    }

    async fn brief(
        &self,
        request: Request<v1::BriefRequest>,
    ) -> Result<Response<v1::BriefReply>, Status> {
        let text = format!(
            "TOPICS: {} (2)\nGOTCHAS 1: \u{1b}[31mred",
            request.into_inner().query
        );
        Ok(Response::new(v1::BriefReply {
            text,
            ..v1::BriefReply::default()
        }))
    }

    async fn forget(
        &self,
        request: Request<v1::ForgetRequest>,
    ) -> Result<Response<v1::ForgetReply>, Status> {
        let asked = request.into_inner().reference;
        Ok(Response::new(if asked == "red" {
            v1::ForgetReply {
                candidates: vec![memory("a/b"), memory("a/c")],
                ..v1::ForgetReply::default()
            }
        } else {
            v1::ForgetReply {
                forgotten: Some(memory(&asked)),
                ..v1::ForgetReply::default()
            }
        }))
    }

    async fn status(
        &self,
        _: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        Ok(Response::new(v1::StatusReply {
            version: "0.1.0".to_owned(),
            home: "/home/dev/.local/share/helix".to_owned(),
            strand: "default".to_owned(),
            sequence: 42,
            memories_by_status: vec![v1::NamedCount {
                name: "active".to_owned(),
                count: 40,
            }],
            topics: 9,
            projects: 3,
            embedder: Some(v1::EmbedderStatus {
                state: v1::EmbedderState::Ready.into(),
                model: "minilm".to_owned(),
                ..v1::EmbedderStatus::default()
            }),
            store_format: 4,
            ..v1::StatusReply::default()
        }))
    }

    async fn event(
        &self,
        request: Request<v1::EventRequest>,
    ) -> Result<Response<v1::EventReply>, Status> {
        let request = request.into_inner();
        let (sort, command) = (request.r#type, request.command);
        Ok(Response::new(v1::EventReply {
            outcome: format!("known as a/b: {sort} of {command}: red \u{1b}[31malert\nobey"),
            memory: Some(memory("a/b")),
        }))
    }

    async fn context(
        &self,
        request: Request<v1::ContextRequest>,
    ) -> Result<Response<v1::ContextReply>, Status> {
        let text = format!("about {}", request.into_inner().query);
        Ok(Response::new(v1::ContextReply {
            text,
            tokens: 100,
            left_out: 3,
            ..v1::ContextReply::default()
        }))
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<BoxStream<v1::ExportPiece>>, Status> {
        let piece = |data: &str| v1::ExportPiece {
            data: data.as_bytes().to_vec(),
            total: 2,
            ..v1::ExportPiece::default()
        };
        if request.into_inner().topics == [LARGE_TOPIC] {
            return Ok(stream(vec![piece(&"x".repeat(15_000)); 1_000]));
        }
        Ok(stream(vec![piece("{\"memories\": ["), piece("]}")]))
    }

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportPiece>>,
    ) -> Result<Response<BoxStream<v1::ImportProgress>>, Status> {
        let mut pieces = request.into_inner();
        let mut read = 0;
        while let Some(piece) = pieces.message().await? {
            // Every import of a test is this one.
            assert_eq!(piece.data, b"{\"memories\":[]}");
            read += 1;
        }
        let progress = v1::ImportProgress {
            read,
            ..v1::ImportProgress::default()
        };
        Ok(stream(vec![
            progress.clone(),
            v1::ImportProgress {
                stored: read,
                done: true,
                ..progress
            },
        ]))
    }
}
