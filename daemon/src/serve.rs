//! The accept loop: checks the peer, tells the two protocols apart by their first bytes, keeps the limits.

mod frame;
mod peer;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use helix_proto::frame::MAGIC;
use helix_proto::limits::MESSAGE_MAX_BYTES;
use helix_proto::v1::helix_server::HelixServer;
use nix::unistd::Uid;
use tokio::io::AsyncReadExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Server;

use crate::rpc::Service;
use crate::runtime::Runtime;
pub(crate) use peer::Peer;
use stream::{OpenConnection, Replayed};

/// A connection that the gRPC server takes over.
type GrpcStream = Replayed<UnixStream, OpenConnection>;

/// Connections at once: every agent, bridge and shell of one person, many times over.
const CONNECTIONS_MAX: usize = 512;

/// gRPC requests at once on one connection.
const STREAMS_MAX: u32 = 128;

/// How long a new connection may take to say which protocol it speaks.
const FIRST_BYTES_DEADLINE: Duration = Duration::from_secs(2);

/// How long one gRPC request may take.
const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

/// Largest gRPC header list, in bytes: ours have a few hundred.
const HEADERS_MAX_BYTES: u32 = 16 * 1024;

/// Largest HTTP/2 frame, in bytes: what a batch needs in few pieces.
const FRAME_MAX_BYTES: u32 = 64 * 1024;

/// Bytes in flight before the peer must say that it read some.
const WINDOW_BYTES: u32 = 1024 * 1024;

/// Streams that a peer may open and reset at once before its connection is closed.
const RESETS_MAX: usize = 32;

/// Connections that wait to be taken over by the gRPC server.
const HANDOVER_MAX: usize = 64;

/// How often a quiet gRPC connection is checked, and how long its answer may take.
const KEEPALIVE: (Duration, Duration) = (Duration::from_mins(1), Duration::from_secs(20));

/// Pause after a failed accept, such as too many open files, so that the loop does not spin.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(50);

/// What becomes of those who connected and were not accepted when the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backlog {
    /// They are served: nobody new finds the socket, and nobody listens there next.
    Served,
    /// Whoever listens there next serves them.
    Left,
}

/// Serves until `stop` is told, then lets requests in flight finish.
pub(crate) async fn serve(listener: UnixListener, runtime: Arc<Runtime>, mut stop: oneshot::Receiver<Backlog>) {
    let (grpc, connections) = mpsc::channel(HANDOVER_MAX);
    let stopping = Arc::new(Notify::new());
    let server =
        tokio::spawn(serve_grpc(ReceiverStream::new(connections), Arc::clone(&runtime), Arc::clone(&stopping)));
    let mut door = Door { places: Arc::new(Semaphore::new(CONNECTIONS_MAX)), greeted: JoinSet::new(), grpc, runtime };
    let backlog = loop {
        let accepted = tokio::select! {
            told = &mut stop => break told.unwrap_or(Backlog::Left),
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => door.open(stream),
            Err(error) => {
                tracing::error!(%error, "accepting a connection failed");
                tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
            }
        }
    };
    match backlog {
        Backlog::Served => waiting(listener).into_iter().for_each(|stream| door.open(stream)),
        Backlog::Left => drop(listener),
    }
    let Door { mut greeted, grpc, .. } = door;
    drop(grpc);
    stopping.notify_one();
    while greeted.join_next().await.is_some() {}
    if let Err(error) = server.await {
        tracing::error!(%error, "the gRPC server ended badly");
    }
}

/// Who connected and was not accepted yet, as many as are served at once.
fn waiting(listener: UnixListener) -> Vec<UnixStream> {
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    // It does not block, so that this ends with the last one.
    let accepted = std::iter::from_fn(|| listener.accept().ok()).take(CONNECTIONS_MAX);
    let prepared = accepted.filter_map(|(stream, _)| stream.set_nonblocking(true).ok().map(|()| stream));
    prepared.filter_map(|stream| UnixStream::from_std(stream).ok()).collect()
}

/// Where connections come in.
struct Door {
    places: Arc<Semaphore>,
    greeted: JoinSet<()>,
    grpc: mpsc::Sender<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
}

impl Door {
    /// Has a connection greeted, where there is a place.
    fn open(&mut self, stream: UnixStream) {
        while self.greeted.try_join_next().is_some() {}
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("refused a connection: {CONNECTIONS_MAX} are open");
            return;
        };
        self.greeted.spawn(greet(stream, place, self.grpc.clone(), Arc::clone(&self.runtime)));
    }
}

async fn serve_grpc(
    connections: ReceiverStream<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
    stopping: Arc<Notify>,
) {
    let service = HelixServer::new(Service::new(runtime))
        .max_decoding_message_size(MESSAGE_MAX_BYTES)
        .max_encoding_message_size(MESSAGE_MAX_BYTES);
    let served = Server::builder()
        .timeout(REQUEST_DEADLINE)
        .max_concurrent_streams(STREAMS_MAX)
        .concurrency_limit_per_connection(STREAMS_MAX as usize)
        .http2_max_header_list_size(HEADERS_MAX_BYTES)
        .max_frame_size(FRAME_MAX_BYTES)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .http2_max_pending_accept_reset_streams(Some(RESETS_MAX))
        .http2_max_local_error_reset_streams(Some(RESETS_MAX))
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .serve_with_incoming_shutdown(service, connections, async move { stopping.notified().await })
        .await;
    if let Err(error) = served {
        tracing::error!(%error, "the gRPC server failed");
    }
}

/// Checks who connected and which protocol it speaks.
async fn greet(
    mut stream: UnixStream,
    place: OwnedSemaphorePermit,
    grpc: mpsc::Sender<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
) {
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == Uid::effective().as_raw()) {
        tracing::warn!("refused a connection of another user");
        return;
    }
    let mut first = [0; MAGIC.len()];
    // Somebody who only looks whether we are here sends nothing.
    let Ok(Ok(_)) = timeout(FIRST_BYTES_DEADLINE, stream.read_exact(&mut first)).await else { return };
    if first == MAGIC {
        let _open = OpenConnection::new(Arc::clone(&runtime), place);
        frame::answer(stream, &runtime).await;
    } else {
        // A stopping server takes no more; the client tries the next daemon.
        drop(grpc.send(Ok(Replayed::new(stream, first, OpenConnection::new(runtime, place)))).await);
    }
}
