//! A connection for the gRPC server, with the bytes that were read to recognise it put back in front.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::sync::OwnedSemaphorePermit;
use tonic::transport::server::Connected;

use crate::runtime::Runtime;

/// A recognised connection; gives its place free when it ends.
pub(super) struct GrpcStream {
    stream: UnixStream,
    first: [u8; 4],
    replayed: usize,
    runtime: Arc<Runtime>,
    _place: OwnedSemaphorePermit,
}

impl GrpcStream {
    pub(super) fn new(stream: UnixStream, first: [u8; 4], place: OwnedSemaphorePermit, runtime: Arc<Runtime>) -> Self {
        runtime.connections.fetch_add(1, Ordering::Relaxed);
        Self { stream, first, replayed: 0, runtime, _place: place }
    }
}

impl Drop for GrpcStream {
    fn drop(&mut self) {
        self.runtime.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connected for GrpcStream {
    type ConnectInfo = ();

    fn connect_info(&self) -> Self::ConnectInfo {}
}

impl AsyncRead for GrpcStream {
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

impl AsyncWrite for GrpcStream {
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
