//! Tells whether a caller still waits. A daemon that was suspended finds requests of which nobody
//! will read the answer.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};
use tokio::net::UnixStream;

/// The other end of a hook's connection.
#[derive(Clone, Debug, Default)]
pub(crate) enum Peer {
    /// Nobody can be looked at, and so counts as there.
    #[default]
    Unseen,
    /// The connection.
    Connected(Arc<OwnedFd>),
    /// It is known to wait no more.
    Gone,
}

impl Peer {
    /// Looks at a connection, whoever reads from it. One that cannot be looked at counts as there.
    pub(crate) fn of(stream: &UnixStream) -> Self {
        stream
            .as_fd()
            .try_clone_to_owned()
            .map_or(Self::Unseen, |socket| Self::Connected(Arc::new(socket)))
    }

    /// Returns whether the other end was closed. A shim sends its whole request first, so that
    /// nothing else can follow it.
    pub(crate) fn is_gone(&self) -> bool {
        let socket = match self {
            Self::Unseen => return false,
            Self::Connected(socket) => socket,
            Self::Gone => return true,
        };
        let found = recv(
            socket.as_raw_fd(),
            &mut [0],
            MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT,
        );
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
