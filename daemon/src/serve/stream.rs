//! A connection for the gRPC server, with the bytes that were read to recognise it put back in
//! front. It ends when its first request does not come in time, or when it has to give way until
//! then.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};
use tonic::transport::server::Connected;

use super::first::Opening;
use super::places::{Cut, Place};
use crate::runtime::Runtime;

/// How long the first request of a connection may take to come.
const FIRST_REQUEST_DEADLINE: Duration = Duration::from_secs(5);

/// Counts a connection as open, and keeps its place, for as long as it lives.
pub(super) struct OpenConnection {
    runtime: Arc<Runtime>,
    place: Place,
}

impl OpenConnection {
    pub(super) fn new(runtime: Arc<Runtime>, place: Place) -> Self {
        runtime.connections.fetch_add(1, Ordering::Relaxed);
        Self { runtime, place }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.runtime.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Told that a connection has asked for something.
pub(super) trait Asked {
    fn asked(&self);
}

impl Asked for OpenConnection {
    fn asked(&self) {
        self.place.asked();
    }
}

/// A recognised connection, whose first bytes are read again.
pub(super) struct Replayed<S, G> {
    stream: S,
    first: [u8; 4],
    replayed: usize,
    guard: G,
    /// `None` once its first request is there.
    silence: Option<Silence>,
}

/// A connection that has asked for nothing yet.
struct Silence {
    opening: Opening,
    deadline: Pin<Box<Sleep>>,
    cut: Cut,
}

impl<S, G> Replayed<S, G> {
    pub(super) fn new(stream: S, first: [u8; 4], guard: G, cut: Cut) -> Self {
        let silence = Silence {
            opening: Opening::new(),
            deadline: Box::pin(sleep(FIRST_REQUEST_DEADLINE)),
            cut,
        };
        Self {
            stream,
            first,
            replayed: 0,
            guard,
            silence: Some(silence),
        }
    }
}

impl Silence {
    fn poll(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.deadline.as_mut().poll(cx).is_ready() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if self.cut.is_terminated() {
            return Ok(());
        }
        match Pin::new(&mut self.cut).poll(cx) {
            Poll::Ready(Ok(())) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Ready(Err(_)) | Poll::Pending => Ok(()),
        }
    }
}

impl<S, G> Connected for Replayed<S, G> {
    type ConnectInfo = ();

    fn connect_info(&self) -> Self::ConnectInfo {}
}

impl<S: AsyncRead + Unpin, G: Asked + Unpin> AsyncRead for Replayed<S, G> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(silence) = &mut this.silence {
            silence.poll(cx)?;
        }
        let before = buffer.filled().len();
        let rest = this.first.get(this.replayed..).unwrap_or_default();
        if rest.is_empty() {
            ready!(Pin::new(&mut this.stream).poll_read(cx, buffer))?;
        } else {
            let count = rest.len().min(buffer.remaining());
            buffer.put_slice(rest.get(..count).unwrap_or_default());
            this.replayed += count;
        }
        let came = buffer.filled().get(before..).unwrap_or_default();
        if this
            .silence
            .as_mut()
            .is_some_and(|silence| silence.opening.follow(came))
        {
            this.silence = None;
            this.guard.asked();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, G: Unpin> AsyncWrite for Replayed<S, G> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
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

    impl Asked for () {
        fn asked(&self) {}
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_for_nothing_is_cut_off() {
        let preface = b"* HTTP/2.0\r\n\r\nSM\r\n\r\n";
        for gives_way in [false, true] {
            let (mut theirs, ours) = tokio::io::duplex(64);
            let (give_way, cut) = tokio::sync::oneshot::channel();
            let mut replayed = Replayed::new(ours, *b"PRI ", (), cut);
            theirs.write_all(preface).await.unwrap();
            let mut read = vec![0; 4 + preface.len()];
            replayed.read_exact(&mut read).await.unwrap();
            if gives_way {
                give_way.send(()).unwrap();
            }
            let kind = replayed.read_u8().await.unwrap_err().kind();
            let why = if gives_way {
                io::ErrorKind::ConnectionAborted
            } else {
                io::ErrorKind::TimedOut
            };
            assert_eq!(kind, why);
        }
    }

    #[test]
    fn the_first_bytes_come_again_and_the_rest_follows() {
        let stream = tokio_test::io::Builder::new()
            .read(b" * HTTP/2.0")
            .write(b"reply")
            .build();
        tokio_test::block_on(async {
            let mut replayed =
                Replayed::new(stream, *b"PRI ", (), tokio::sync::oneshot::channel().1);
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
