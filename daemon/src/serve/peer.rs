//! Whether whoever asked still waits. A daemon that was suspended finds requests of which nobody will read the answer.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};
use tokio::net::UnixStream;

/// The other end of a hook's connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer(Option<Arc<OwnedFd>>);

impl Peer {
    /// Looks at a connection, whoever reads from it. One that cannot be looked at counts as there.
    pub(super) fn of(stream: &UnixStream) -> Self {
        Self(stream.as_fd().try_clone_to_owned().ok().map(Arc::new))
    }

    /// Whether the other end was closed. A shim sends its whole request first, so that nothing else can follow it.
    pub(crate) fn is_gone(&self) -> bool {
        let Some(socket) = &self.0 else { return false };
        let found = recv(socket.as_raw_fd(), &mut [0], MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT);
        matches!(found, Ok(0) | Err(Errno::ECONNRESET | Errno::EPIPE))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn an_end_that_was_closed_is_gone() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let peer = Peer::of(&ours);
        assert!(!peer.is_gone());
        assert!(!Peer::default().is_gone(), "nobody to look at");
        drop(theirs);
        assert!(peer.is_gone());
    }
}
