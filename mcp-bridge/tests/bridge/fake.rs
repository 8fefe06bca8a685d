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
use tonic::transport::Server;
use tonic::{Request, Response, Status};

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
            Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
                let listener = UnixListenerStream::new(UnixListener::bind(socket).unwrap());
                ready.send(()).unwrap();
                let service = HelixServer::new(Answers { sender });
                let serving = Server::builder().serve_with_incoming_shutdown(service, listener, pending());
                // Connections end with the runtime, as they do when a daemon is killed.
                tokio::select! {
                    result = serving => result.unwrap(),
                    _ = stopped => {}
                }
            });
        });
        is_ready.recv().unwrap();
        Self { stored, stop, thread }
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

fn unimplemented<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented(""))
}

#[tonic::async_trait]
impl Helix for Answers {
    async fn hello(&self, _: Request<v1::HelloRequest>) -> Result<Response<v1::HelloReply>, Status> {
        Ok(Response::new(v1::HelloReply { protocol: 1, version: "0".to_owned(), pid: 1 }))
    }

    async fn store(&self, request: Request<v1::StoreRequest>) -> Result<Response<v1::StoreReply>, Status> {
        self.sender.send(request.into_inner()).unwrap();
        let outcome = v1::StoreOutcome::Stored.into();
        Ok(Response::new(v1::StoreReply { outcome, memory: Some(memory("a/b")), ..v1::StoreReply::default() }))
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchReply>, Status> {
        let count = request.into_inner().limit;
        let hit = |at| v1::Hit { memory: Some(memory(&format!("a/{at}"))), score: 0.5, explanation: None };
        let hits = (0..count).map(hit).collect();
        let notes = vec!["searched by words only".to_owned()];
        Ok(Response::new(v1::SearchReply { hits, notes, ..v1::SearchReply::default() }))
    }

    async fn read(&self, request: Request<v1::ReadRequest>) -> Result<Response<v1::ReadReply>, Status> {
        let reference = request.into_inner().reference;
        Err(Status::not_found(format!("nothing is called {reference:?} here; search for it")))
    }

    async fn store_batch(&self, _: Request<v1::StoreBatchRequest>) -> Result<Response<v1::StoreBatchReply>, Status> {
        unimplemented()
    }

    async fn forget(&self, _: Request<v1::ForgetRequest>) -> Result<Response<v1::ForgetReply>, Status> {
        unimplemented()
    }

    async fn hook(&self, _: Request<v1::HookRequest>) -> Result<Response<v1::HookReply>, Status> {
        unimplemented()
    }

    async fn status(&self, _: Request<v1::StatusRequest>) -> Result<Response<v1::StatusReply>, Status> {
        unimplemented()
    }

    async fn check(&self, _: Request<v1::CheckRequest>) -> Result<Response<v1::CheckReply>, Status> {
        unimplemented()
    }

    async fn shutdown(&self, _: Request<v1::ShutdownRequest>) -> Result<Response<v1::ShutdownReply>, Status> {
        unimplemented()
    }
}
