//! What holds for every call before it reaches its handler: a deadline of its kind, and room for
//! its request.
//!
//! A call that is cut off is dropped where it waits. What it has written is written in whole
//! transactions, and what it has not begun is not begun.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use helix_proto::limits::{CALL_DEADLINE, MAINTENANCE_DEADLINE};
use tokio::time::timeout;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};
use tracing::Instrument;

use super::bodies::{Bodies, MESSAGE_DEADLINE};
use super::span;

/// How long a call may take that looks at nothing.
const GREETING_DEADLINE: Duration = Duration::from_secs(5);

/// How long a stream may take to begin; from then on each piece has a deadline of its own.
const STREAM_DEADLINE: Duration = Duration::from_mins(3);

/// How long a call may take, by its name. A test holds this against the protocol.
fn deadline(call: &str) -> Option<Duration> {
    Some(match call {
        "Hello" | "Shutdown" | "Hook" => GREETING_DEADLINE,
        "Store" | "StoreBatch" | "Search" | "Read" | "Edit" | "ListTopics" | "Recent" | "Stats"
        | "CrossReferences" | "Graph" | "Prune" | "SessionLog" | "Receipts" | "Checkpoint"
        | "Brief" | "Context" | "Upgrade" | "Forget" | "Status" | "Conflicts" | "Settle"
        | "Relate" | "Unrelate" | "Traverse" | "Path" | "Log" | "Diff" | "Revert" | "Why"
        | "Metrics" | "Review" | "Judge" | "Event" | "Examine" => CALL_DEADLINE,
        "Stale" | "Compact" | "Reindex" | "Check" | "Lifecycle" | "Backup" | "Purge"
        | "Capture" | "Consolidate" | "Models" | "BenchModels" | "Provider" => MAINTENANCE_DEADLINE,
        "Export" | "Import" | "CaptureImport" => STREAM_DEADLINE,
        _ => return None,
    })
}

/// Puts this before a service.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    /// Shared by all connections.
    pub(super) bodies: Bodies,
}

impl<S> Layer<S> for Limits {
    type Service = Limited<S>;

    fn layer(&self, inner: S) -> Limited<S> {
        Limited {
            inner,
            bodies: self.bodies.clone(),
        }
    }
}

/// A service with this before it.
#[derive(Clone, Debug)]
pub(super) struct Limited<S> {
    inner: S,
    bodies: Bodies,
}

impl<S> Service<Request<Body>> for Limited<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let call = request.uri().path().rsplit('/').next().unwrap_or_default();
        let known = deadline(call);
        // What nobody knows is not repeated.
        let span = span::of(if known.is_some() { call } else { "unknown" });
        let deadline = known.unwrap_or(GREETING_DEADLINE);
        // What is imported may be made while it is sent.
        let patience = if call == "Import" {
            deadline
        } else {
            MESSAGE_DEADLINE
        };
        // The one that is ready is taken, and a copy left.
        let next = self.inner.clone();
        let (mut inner, bodies) = (
            std::mem::replace(&mut self.inner, next),
            self.bodies.clone(),
        );
        let answer = async move {
            let answered = async {
                match bodies.admit(request, patience).await {
                    Ok((request, _room)) => {
                        let answer = inner.call(request).await;
                        tracing::debug!("answered");
                        answer
                    }
                    Err(status) => Ok(status.into_http()),
                }
            };
            timeout(deadline, answered).await.unwrap_or_else(|_| {
                let seconds = deadline.as_secs();
                tracing::warn!(seconds, "a call was cut off");
                let message =
                    format!("the call took longer than {seconds} s and was ended; nothing of it is half done");
                Ok(Status::deadline_exceeded(message).into_http())
            })
        };
        Box::pin(answer.instrument(span))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::{Instant, sleep};
    use tonic::Code;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_long_call_may_take_longer_than_an_ordinary_one() {
        let slow = tower::service_fn(async |_: Request<Body>| {
            sleep(CALL_DEADLINE + Duration::from_secs(1)).await;
            Ok::<_, Infallible>(Response::new(Body::default()))
        });
        let mut limited = Limits::default().layer(slow);
        for (call, is_cut_off) in [
            ("Search", true),
            ("Compact", false),
            ("Reindex", false),
            ("Stale", false),
        ] {
            let request = Request::builder()
                .uri(format!("/helix.v1.Helix/{call}"))
                .body(Body::default())
                .unwrap();
            let response = limited.call(request).await.unwrap();
            let status = Status::from_header_map(response.headers());
            assert_eq!(
                status.is_some_and(|status| status.code() == Code::DeadlineExceeded),
                is_cut_off,
                "{call}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_cut_off_goes_no_further() {
        for (call, allowed) in [
            ("Hello", GREETING_DEADLINE),
            ("Search", CALL_DEADLINE),
            ("Compact", MAINTENANCE_DEADLINE),
            ("Import", STREAM_DEADLINE),
            ("Unheard", GREETING_DEADLINE),
        ] {
            let steps = Arc::new(AtomicU32::new(0));
            let done = Arc::clone(&steps);
            let slow = tower::service_fn(move |_: Request<Body>| {
                let done = Arc::clone(&done);
                async move {
                    sleep(allowed / 2).await;
                    done.fetch_add(1, Ordering::SeqCst);
                    sleep(allowed).await;
                    done.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, Infallible>(Response::new(Body::default()))
                }
            });
            let request = Request::builder()
                .uri(format!("/helix.v1.Helix/{call}"))
                .body(Body::default())
                .unwrap();
            let began = Instant::now();
            let response = Limits::default().layer(slow).call(request).await.unwrap();
            let status = Status::from_header_map(response.headers()).unwrap();
            assert_eq!(status.code(), Code::DeadlineExceeded, "{call}");
            let said = format!("longer than {} s and was ended", allowed.as_secs());
            assert!(status.message().contains(&said), "{call}: {status:?}");
            // A timer is a millisecond late at most.
            let took = began.elapsed();
            assert!(took >= allowed, "{call}: {took:?}");
            assert!(
                took <= allowed + Duration::from_millis(1),
                "{call}: {took:?}"
            );
            sleep(allowed * 2).await;
            assert_eq!(steps.load(Ordering::SeqCst), 1, "{call}");
        }
    }

    #[test]
    fn every_call_of_the_protocol_has_a_deadline() {
        let protocol = include_str!("../../../proto/proto/helix/v1/helix.proto");
        let calls = protocol
            .lines()
            .filter_map(|line| line.trim().strip_prefix("rpc ")?.split('(').next());
        let calls: Vec<&str> = calls.collect();
        assert!(calls.len() > 20, "{calls:?}");
        for call in calls {
            assert!(deadline(call).is_some(), "{call}");
        }
        assert!(deadline("Compact") > deadline("Search"));
    }
}
