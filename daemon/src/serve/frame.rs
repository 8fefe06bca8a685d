//! One HLX1 exchange: a hook request in, the bytes for its stdout out.

use std::sync::Arc;
use std::time::Duration;

use helix_proto::frame::{HEADER_BYTES, MAGIC, REPLY_MAX_BYTES, REQUEST_MAX_BYTES, header};
use helix_proto::v1::HookRequest;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::bodies::{Bodies, Room};
use crate::hook;
use crate::peer::Peer;
use crate::runtime::Runtime;

/// How long a shim may take to send its request; its own deadline is shorter.
const REQUEST_DEADLINE: Duration = Duration::from_millis(500);

/// How long it may take to read the reply.
const REPLY_DEADLINE: Duration = Duration::from_millis(500);

/// Answers one hook. Whatever goes wrong, the shim gets an empty reply or a closed socket, and
/// prints nothing.
pub(super) async fn answer(mut stream: UnixStream, runtime: &Arc<Runtime>, bodies: &Bodies) {
    let (request, _room) = match timeout(REQUEST_DEADLINE, read_request(&mut stream, bodies)).await
    {
        Ok(Ok(request)) => request,
        Ok(Err(error)) => return tracing::debug!(%error, "a hook's request was not readable"),
        Err(_) => return tracing::debug!("a hook did not send its request in time"),
    };
    let peer = Peer::of(&stream);
    let stdout = hook::answer(Arc::clone(runtime), request, peer)
        .await
        .stdout;
    let stdout = if stdout.len() > REPLY_MAX_BYTES {
        Vec::new()
    } else {
        stdout
    };
    let length = u32::try_from(stdout.len()).unwrap_or(0);
    let reply: Vec<u8> = header(length).into_iter().chain(stdout).collect();
    if !matches!(
        timeout(REPLY_DEADLINE, stream.write_all(&reply)).await,
        Ok(Ok(()))
    ) {
        tracing::debug!("a hook did not take its reply");
    }
}

/// Reads the rest of the frame, whose magic is already consumed.
async fn read_request(
    stream: &mut UnixStream,
    bodies: &Bodies,
) -> std::io::Result<(HookRequest, Room)> {
    let mut size = [0; HEADER_BYTES - MAGIC.len()];
    stream.read_exact(&mut size).await?;
    let size = u32::from_le_bytes(size) as usize;
    if size > REQUEST_MAX_BYTES {
        return Err(std::io::Error::other(format!(
            "{size} bytes are more than the limit of {REQUEST_MAX_BYTES}"
        )));
    }
    let room = bodies
        .room(size, REQUEST_DEADLINE)
        .await
        .ok_or(std::io::ErrorKind::OutOfMemory)?;
    let mut body = Vec::new();
    // Grows with what really arrives, so that a length alone reserves nothing.
    stream.take(size as u64).read_to_end(&mut body).await?;
    if body.len() < size {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let request = HookRequest::decode(body.as_slice()).map_err(std::io::Error::other)?;
    Ok((request, room))
}
