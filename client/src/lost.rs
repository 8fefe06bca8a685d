//! What a lost connection means for the call that was on it.

use std::error::Error;
use std::io;

use tonic::{Code, Status};

/// Whether the connection broke, rather than the daemon refusing.
pub(crate) fn is_lost_connection(status: &Status) -> bool {
    // `Unavailable` from the daemon itself carries no transport error as its source.
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled) && status.source().is_some()
}

/// Whether the daemon surely did nothing about the call, because it never got it or said that it would not serve it.
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
    let not_sent = error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled);
    // Nobody listened.
    let not_connected = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused));
    // A daemon that ends or hands over serves the streams that it has taken, and refuses the rest by these two.
    let refused = error.downcast_ref::<h2::Error>().is_some_and(|error| {
        (error.is_go_away() && error.is_remote()) || error.reason() == Some(h2::Reason::REFUSED_STREAM)
    });
    not_sent || not_connected || refused
}

/// What to say of a call that may or may not have been done.
pub(crate) fn unknown_outcome() -> Status {
    Status::aborted(
        "the daemon went away before it answered, so this may or may not have been done; read the memory, then repeat it \
         if it was not",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(error: impl Error + Send + Sync + 'static) -> Status {
        Status::from_error(Box::new(error))
    }

    #[test]
    fn only_what_never_arrived_may_be_repeated() {
        let refused = h2::Error::from(h2::Reason::REFUSED_STREAM);
        assert!(never_arrived(&status(refused)));
        for kind in [io::ErrorKind::NotFound, io::ErrorKind::ConnectionRefused] {
            assert_eq!(
                never_arrived(&status(io::Error::from(kind))),
                is_lost_connection(&status(io::Error::from(kind)))
            );
        }
        assert!(!never_arrived(&status(io::Error::from(io::ErrorKind::BrokenPipe))));
        assert!(!never_arrived(&status(h2::Error::from(h2::Reason::INTERNAL_ERROR))));
        assert!(!never_arrived(&Status::unavailable("the writer is busy")));
    }
}
