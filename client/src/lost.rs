//! The meaning of a lost connection for the call that was on it.

use std::error::Error;
use std::io;

use tonic::{Code, Status};

/// Returns whether the connection broke, rather than the daemon refusing.
#[must_use]
pub fn is_lost_connection(status: &Status) -> bool {
    // `Unavailable` from the daemon itself carries no transport error as its source.
    matches!(
        status.code(),
        Code::Unavailable | Code::Unknown | Code::Cancelled
    ) && status.source().is_some()
}

/// Returns whether the daemon surely did nothing about the call, because it never got it or said
/// that it would not serve it.
pub(crate) fn never_arrived(status: &Status) -> bool {
    let mut cause = status.source().filter(|_| is_lost_connection(status));
    while let Some(error) = cause {
        if was_before_the_call(error) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn was_before_the_call(error: &(dyn Error + 'static)) -> bool {
    // The connection was gone before the request was handed to it.
    let not_sent = error
        .downcast_ref::<hyper::Error>()
        .is_some_and(hyper::Error::is_canceled);
    // Nobody listened.
    let not_connected = error.downcast_ref::<io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
        )
    });
    // A daemon that ends or hands over serves the streams that it has taken, and refuses the rest
    // by these two.
    let refused = error.downcast_ref::<h2::Error>().is_some_and(|error| {
        (error.is_go_away() && error.is_remote())
            || error.reason() == Some(h2::Reason::REFUSED_STREAM)
    });
    not_sent || not_connected || refused
}

/// Says that a call may or may not have been done.
pub(crate) fn unknown_outcome() -> Status {
    Status::aborted(
        "the daemon went away before it answered, so this may or may not have been done; read the memory, then repeat it \
         if it was not",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    use helix_proto::v1::HelloRequest;
    use helix_proto::v1::helix_client::HelixClient;
    use hyper_util::rt::TokioIo;
    use tokio::net::UnixStream;
    use tonic::ConnectError;
    use tonic::transport::{Endpoint, Uri};
    use tower::service_fn;

    use super::*;

    fn status(error: impl Error + Send + Sync + 'static) -> Status {
        Status::from_error(Box::new(error))
    }

    /// Says that no connection can be made for a call.
    async fn unconnected(path: &Path) -> Status {
        let path = path.to_owned();
        let connector = service_fn(move |_: Uri| {
            let connecting = UnixStream::connect(path.clone());
            async move { connecting.await.map(TokioIo::new) }
        });
        let channel = Endpoint::from_static("http://helix").connect_with_connector_lazy(connector);
        HelixClient::new(channel)
            .hello(HelloRequest::default())
            .await
            .unwrap_err()
    }

    #[tokio::test]
    async fn a_call_that_nobody_listened_to_never_arrived() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let absent = unconnected(&path).await;
        drop(UnixListener::bind(&path).unwrap());
        let refused = unconnected(&path).await;
        for status in [absent, refused] {
            assert!(
                is_lost_connection(&status) && never_arrived(&status),
                "{status:?}"
            );
        }
        // The same way, but of a connection that was there.
        let broken = status(ConnectError(Box::new(io::Error::from(
            io::ErrorKind::BrokenPipe,
        ))));
        assert!(
            is_lost_connection(&broken) && !never_arrived(&broken),
            "{broken:?}"
        );
    }

    #[test]
    fn only_what_never_arrived_may_be_repeated() {
        let refused = h2::Error::from(h2::Reason::REFUSED_STREAM);
        assert!(never_arrived(&status(refused)));
        assert!(!never_arrived(&status(h2::Error::from(
            h2::Reason::INTERNAL_ERROR
        ))));
        assert!(!never_arrived(&Status::unavailable("the writer is busy")));
    }
}
