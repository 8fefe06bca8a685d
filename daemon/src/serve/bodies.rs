//! How much of requests is kept at once. A message says how long it is before it comes, so it is
//! let in as a whole when there is room for it, and never waits half read for others that do the
//! same.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use helix_proto::limits::MESSAGE_MAX_BYTES;
use http_body::Frame;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep, timeout};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Body as HttpBody, Bytes, http};

/// Bytes of an ordinary request: nearly all are smaller.
const SMALL_MAX_BYTES: usize = 64 * 1024;

/// Bytes of ordinary requests at once.
const SMALL_TOGETHER_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of larger requests at once: two of the largest.
const LARGE_TOGETHER_BYTES: usize = 2 * MESSAGE_MAX_BYTES + LARGE_SLACK_BYTES;

/// Room of two of the largest beside their messages.
const LARGE_SLACK_BYTES: usize = 64 * 1024;

/// How long a request waits for room.
const ROOM_DEADLINE: Duration = Duration::from_secs(5);

/// How long a message may take to come.
pub(super) const MESSAGE_DEADLINE: Duration = Duration::from_secs(10);

/// Bytes before a message: whether it is compressed, and its length in four.
const PREFIX_BYTES: usize = 5;

/// The room for requests.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

/// Room that is taken, for as long as the value lives.
pub(super) type Room = OwnedSemaphorePermit;

impl Default for Bodies {
    fn default() -> Self {
        let room = |bytes: usize| Arc::new(Semaphore::new(kib(bytes) as usize));
        Self {
            small: room(SMALL_TOGETHER_BYTES),
            large: room(LARGE_TOGETHER_BYTES),
        }
    }
}

/// Whole kibibytes, and one for what is kept beside.
fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}

impl Bodies {
    /// Waits for room for a request of so many bytes; `None` when none comes free in time.
    pub(super) async fn room(&self, bytes: usize, deadline: Duration) -> Option<Room> {
        let room = if bytes <= SMALL_MAX_BYTES {
            &self.small
        } else {
            &self.large
        };
        timeout(deadline, Arc::clone(room).acquire_many_owned(kib(bytes)))
            .await
            .ok()?
            .ok()
    }

    /// Waits, for at most `patience`, until a request's first message is announced, and until it
    /// has room. What follows it is a stream's, which is taken piece by piece.
    ///
    /// # Errors
    /// When it does not come in time, or there is no room.
    pub(super) async fn admit(
        &self,
        request: http::Request<Body>,
        patience: Duration,
    ) -> Result<(http::Request<Body>, Room), Status> {
        let (parts, mut body) = request.into_parts();
        let announced = timeout(patience, announced(&mut body))
            .await
            .map_err(|_| late())??;
        let length = announced.length.min(MESSAGE_MAX_BYTES);
        let room = self.room(length, ROOM_DEADLINE).await.ok_or_else(|| {
            Status::unavailable(
                "too many large requests come at once; try again in a moment, or send less at once",
            )
        })?;
        let body = Admitted {
            awaited: (length + PREFIX_BYTES).saturating_sub(announced.came),
            frames: announced.frames,
            rest: body,
            deadline: Box::pin(sleep(MESSAGE_DEADLINE)),
        };
        Ok((http::Request::from_parts(parts, Body::new(body)), room))
    }
}

fn late() -> Status {
    Status::deadline_exceeded(format!(
        "the request did not come whole within {} s",
        MESSAGE_DEADLINE.as_secs()
    ))
}

/// The beginning of a body.
struct Announced {
    frames: VecDeque<Frame<Bytes>>,
    /// Bytes that are there.
    came: usize,
    /// Bytes of the first message; 0 where there is none.
    length: usize,
}

async fn announced(body: &mut Body) -> Result<Announced, Status> {
    let (mut frames, mut prefix, mut came) = (VecDeque::new(), Vec::with_capacity(PREFIX_BYTES), 0);
    while prefix.len() < PREFIX_BYTES {
        let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context))
            .await
            .transpose()?
        else {
            break;
        };
        if let Some(data) = frame.data_ref() {
            came += data.len();
            prefix.extend(data.iter().take(PREFIX_BYTES - prefix.len()));
        }
        frames.push_back(frame);
    }
    let length = match prefix.as_slice() {
        [_, length @ ..] => length.try_into().map_or(0, u32::from_be_bytes) as usize,
        [] => 0,
    };
    Ok(Announced {
        frames,
        came,
        length,
    })
}

/// A body whose first message has room.
struct Admitted {
    frames: VecDeque<Frame<Bytes>>,
    rest: Body,
    /// Bytes of the message that have not come yet.
    awaited: usize,
    deadline: Pin<Box<Sleep>>,
}

impl HttpBody for Admitted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if let Some(frame) = this.frames.pop_front() {
            return Poll::Ready(Some(Ok(frame)));
        }
        let polled = Pin::new(&mut this.rest).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            this.awaited = this
                .awaited
                .saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
        if this.awaited > 0
            && polled.is_pending()
            && this.deadline.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Some(Err(late())));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty() && self.rest.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn message(length: usize, sent: usize) -> http::Request<Body> {
        let mut bytes = vec![0];
        bytes.extend(u32::try_from(length).unwrap().to_be_bytes());
        bytes.resize(PREFIX_BYTES + sent, 7);
        let frames = VecDeque::from([Frame::data(Bytes::from(bytes))]);
        let (rest, deadline) = (Body::default(), Box::pin(sleep(MESSAGE_DEADLINE)));
        http::Request::new(Body::new(Admitted {
            frames,
            rest,
            awaited: 0,
            deadline,
        }))
    }

    #[tokio::test]
    async fn large_requests_have_room_one_after_the_other_and_small_ones_beside_them() {
        let bodies = Bodies::default();
        let (_, first) = bodies
            .admit(message(MESSAGE_MAX_BYTES, 10), MESSAGE_DEADLINE)
            .await
            .unwrap();
        let (_, second) = bodies
            .admit(message(MESSAGE_MAX_BYTES, 10), MESSAGE_DEADLINE)
            .await
            .unwrap();
        assert!(
            bodies
                .room(MESSAGE_MAX_BYTES, Duration::ZERO)
                .await
                .is_none()
        );
        assert!(
            bodies
                .admit(message(100, 100), MESSAGE_DEADLINE)
                .await
                .is_ok()
        );
        drop((first, second));
        assert!(
            bodies
                .room(MESSAGE_MAX_BYTES, Duration::ZERO)
                .await
                .is_some()
        );
    }

    #[tokio::test]
    async fn a_body_comes_as_it_was_sent() {
        let (request, _room) = Bodies::default()
            .admit(message(3, 3), MESSAGE_DEADLINE)
            .await
            .unwrap();
        let mut body = request.into_body();
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            frame.into_data().unwrap().as_ref(),
            [0, 0, 0, 0, 3, 7, 7, 7]
        );
        assert!(
            poll_fn(|context| Pin::new(&mut body).poll_frame(context))
                .await
                .is_none()
        );
    }
}
