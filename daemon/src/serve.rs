//! The accept loop: checks the peer, tells the two protocols apart by their first bytes, keeps the
//! limits.

mod bodies;
mod calls;
mod first;
mod frame;
mod places;
mod span;
mod stream;

use std::mem;
use std::os::unix::net::UnixListener as StdListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use helix_proto::frame::MAGIC;
use helix_proto::limits::MESSAGE_MAX_BYTES;
use helix_proto::v1::helix_server::HelixServer;
use nix::unistd::Uid;
use tokio::io::AsyncReadExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Server;
use tracing::Instrument;

use crate::rpc::Service;
use crate::runtime::Runtime;
use bodies::Bodies;
use calls::Limits;
use places::{CONNECTIONS_MAX, Cut, Place, Places};
use stream::{OpenConnection, Replayed};

/// A connection that the gRPC server takes over.
type GrpcStream = Replayed<UnixStream, OpenConnection>;

/// gRPC requests at once on one connection.
const STREAMS_MAX: u32 = 128;

/// How long a new connection may take to say which protocol it speaks.
const FIRST_BYTES_DEADLINE: Duration = Duration::from_secs(2);

/// Largest gRPC header list, in bytes: ours have a few hundred.
const HEADERS_MAX_BYTES: u32 = 16 * 1024;

/// Largest HTTP/2 frame, in bytes: what a batch needs in few pieces.
const FRAME_MAX_BYTES: u32 = 64 * 1024;

/// Bytes of one connection that are kept unread: enough to be as fast as the socket is, and little
/// when all connections do it.
const WINDOW_BYTES: u32 = 128 * 1024;

/// Streams that a peer may open and reset at once before its connection is closed.
const RESETS_MAX: usize = 32;

/// Connections that wait to be taken over by the gRPC server.
const HANDOVER_MAX: usize = 64;

/// How often a quiet gRPC connection is checked, and how long its answer may take.
const KEEPALIVE: (Duration, Duration) = (Duration::from_mins(1), Duration::from_secs(20));

/// How often refusals are logged: whoever is refused may try again at once.
const REFUSAL_INTERVAL: Duration = Duration::from_secs(10);

/// Pause after a failed accept, such as too many open files, so that the loop does not spin.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The fate of those who connected and were not accepted when the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backlog {
    /// They are served: nobody new finds the socket, and nobody listens there next.
    Served,
    /// Whoever listens there next serves them.
    Left,
}

/// Serves until `stop` is told, then lets requests in flight finish. A `renewed` socket takes the
/// place of the one before it.
pub(crate) async fn serve(
    mut listener: UnixListener,
    mut renewed: mpsc::Receiver<StdListener>,
    runtime: Arc<Runtime>,
    mut stop: oneshot::Receiver<Backlog>,
) {
    let (grpc, connections) = mpsc::channel(HANDOVER_MAX);
    let stopping = Arc::new(Notify::new());
    let limits = Limits::default();
    let bodies = limits.bodies.clone();
    let server = tokio::spawn(serve_grpc(
        ReceiverStream::new(connections),
        Arc::clone(&runtime),
        Arc::clone(&stopping),
        limits,
    ));
    let mut door = Door {
        places: Arc::default(),
        greeted: JoinSet::new(),
        grpc,
        runtime,
        bodies,
        refused_at: None,
    };
    let backlog = loop {
        let accepted = tokio::select! {
            told = &mut stop => break told.unwrap_or(Backlog::Left),
            Some(next) = renewed.recv() => {
                match UnixListener::from_std(next) {
                    // Nobody finds the old one any more; who has, is served.
                    Ok(next) => waiting(mem::replace(&mut listener, next)).into_iter().for_each(|stream| door.open(stream)),
                    Err(error) => tracing::error!(%error, "serving a renewed socket failed"),
                }
                continue;
            }
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
        Backlog::Served => waiting(listener)
            .into_iter()
            .for_each(|stream| door.open(stream)),
        Backlog::Left => drop(listener),
    }
    let Door {
        mut greeted, grpc, ..
    } = door;
    drop(grpc);
    stopping.notify_one();
    while greeted.join_next().await.is_some() {}
    if let Err(error) = server.await {
        tracing::error!(%error, "the gRPC server ended badly");
    }
}

/// Who connected and was not accepted yet, as many as are served at once.
fn waiting(listener: UnixListener) -> Vec<UnixStream> {
    let Ok(listener) = listener.into_std() else {
        return Vec::new();
    };
    // It does not block, so that this ends with the last one.
    let accepted = std::iter::from_fn(|| listener.accept().ok()).take(CONNECTIONS_MAX);
    let prepared =
        accepted.filter_map(|(stream, _)| stream.set_nonblocking(true).ok().map(|()| stream));
    prepared
        .filter_map(|stream| UnixStream::from_std(stream).ok())
        .collect()
}

/// Where connections come in.
struct Door {
    places: Arc<Places>,
    greeted: JoinSet<()>,
    grpc: mpsc::Sender<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
    bodies: Bodies,
    /// When that was last logged.
    refused_at: Option<Instant>,
}

impl Door {
    /// Has a connection greeted, where there is a place.
    fn open(&mut self, stream: UnixStream) {
        while self.greeted.try_join_next().is_some() {}
        let Ok(peer) = stream.peer_cred() else { return };
        if peer.uid() != Uid::effective().as_raw() {
            tracing::warn!("refused a connection of another user");
            return;
        }
        let Some((place, cut)) = self.places.take(peer.pid()) else {
            let is_due = self
                .refused_at
                .is_none_or(|at| at.elapsed() >= REFUSAL_INTERVAL);
            if is_due {
                self.refused_at = Some(Instant::now());
                tracing::warn!(
                    pid = peer.pid(),
                    "refused a connection: too many are open, of its process or in all"
                );
            }
            return;
        };
        let (grpc, runtime, bodies) = (
            self.grpc.clone(),
            Arc::clone(&self.runtime),
            self.bodies.clone(),
        );
        self.greeted
            .spawn(greet(stream, (place, cut), grpc, runtime, bodies));
    }
}

async fn serve_grpc(
    connections: ReceiverStream<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
    stopping: Arc<Notify>,
    limits: Limits,
) {
    let service = HelixServer::new(Service::new(runtime))
        .max_decoding_message_size(MESSAGE_MAX_BYTES)
        .max_encoding_message_size(MESSAGE_MAX_BYTES);
    let served = Server::builder()
        .layer(limits)
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
        .serve_with_incoming_shutdown(
            service,
            connections,
            async move { stopping.notified().await },
        )
        .await;
    if let Err(error) = served {
        tracing::error!(%error, "the gRPC server failed");
    }
}

/// Finds out which protocol somebody speaks.
async fn greet(
    mut stream: UnixStream,
    (place, mut cut): (Place, Cut),
    grpc: mpsc::Sender<Result<GrpcStream, std::io::Error>>,
    runtime: Arc<Runtime>,
    bodies: Bodies,
) {
    let mut first = [0; MAGIC.len()];
    // Somebody who only looks whether we are here sends nothing.
    tokio::select! {
        read = timeout(FIRST_BYTES_DEADLINE, stream.read_exact(&mut first)) => if !matches!(read, Ok(Ok(_))) { return },
        Ok(()) = &mut cut => return,
    }
    if first == MAGIC {
        // From here on it has deadlines of its own.
        place.asked();
        let _open = OpenConnection::new(Arc::clone(&runtime), place);
        let answer = frame::answer(stream, &runtime, &bodies);
        answer.instrument(span::of("Hook")).await;
    } else {
        // A stopping server takes no more; the client tries the next daemon.
        drop(
            grpc.send(Ok(Replayed::new(
                stream,
                first,
                OpenConnection::new(runtime, place),
                cut,
            )))
            .await,
        );
    }
}
