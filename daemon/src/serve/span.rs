//! What the lines of a request have in common in the log: its number, and what it asks for.

use std::sync::atomic::{AtomicU64, Ordering};

use tracing::Span;

/// Numbers count from the start of the daemon.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The span of a request. Work on other threads takes it along.
pub(super) fn of(call: &str) -> Span {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    tracing::info_span!("request", id, call)
}
