//! Checks that the process behind the socket is ours.

use nix::unistd::Uid;
use tokio::net::UnixStream;

/// Returns whether the peer runs as our own user. A socket of another user could record what agents
/// store.
pub(crate) fn is_ours(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == Uid::effective().as_raw())
}
