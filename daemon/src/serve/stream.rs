//! A connection for the gRPC server, with the bytes that were read to recognise it put back in front.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tonic::transport::server::Connected;

use crate::runtime::Runtime;

/// Counts a connection as open, and keeps its place, for as long as it lives.
pub(super) struct OpenConnection {
    runtime: Arc<Runtime>,
    _place: OwnedSemaphorePermit,
}

impl OpenConnection {
    pub(super) fn new(runtime: Arc<Runtime>, place: OwnedSemaphorePermit) -> Self {
        runtime.connections.fetch_add(1, Ordering::Relaxed);
        Self { runtime, _place: place }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.runtime.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A recognised connection, whose first bytes are read again.
pub(super) struct Replayed<S, G> {
    stream: S,
    first: [u8; 4],
    replayed: usize,
    _guard: G,
}

impl<S, G> Replayed<S, G> {
    pub(super) fn new(stream: S, first: [u8; 4], guard: G) -> Self {
        Self { stream, first, replayed: 0, _guard: guard }
    }
}

impl<S, G> Connected for Replayed<S, G> {
    type ConnectInfo = ();

    fn connect_info(&self) -> Self::ConnectInfo {}
}

impl<S: AsyncRead + Unpin, G: Unpin> AsyncRead for Replayed<S, G> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let rest = this.first.get(this.replayed..).unwrap_or_default();
        if rest.is_empty() {
            return Pin::new(&mut this.stream).poll_read(cx, buffer);
        }
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(rest.get(..count).unwrap_or_default());
        this.replayed += count;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, G: Unpin> AsyncWrite for Replayed<S, G> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn the_first_bytes_come_again_and_the_rest_follows() {
        let stream = tokio_test::io::Builder::new().read(b" * HTTP/2.0").write(b"reply").build();
        let mut replayed = Replayed::new(stream, *b"PRI ", ());
        tokio_test::block_on(async {
            let mut two = [0; 2];
            replayed.read_exact(&mut two).await.unwrap();
            assert_eq!(&two, b"PR");
            let mut rest = [0; 13];
            replayed.read_exact(&mut rest).await.unwrap();
            assert_eq!(&rest, b"I  * HTTP/2.0");
            replayed.write_all(b"reply").await.unwrap();
        });
    }
}
