//! What the files that memories are about hold now: read once for each content, remembered by time
//! of change and size.
//!
//! Files are read by the threads of [`Reach`], for which callers wait: call this off the async
//! threads.

mod cache;
mod file;
mod look;

pub use file::{Content, content, excerpt, first_change, hashes, hashes_again, modified};
pub use look::Look;

use std::sync::Arc;
use std::time::Duration;

use cache::Cache;

use crate::reach::Reach;

/// How long a call waits for files that a memory is about.
pub const FILES_PATIENCE: Duration = Duration::from_millis(500);

/// Largest file that is hashed, in bytes. A memory is rarely about a line of a larger one.
const SOURCE_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// What one search or read reads at most, in bytes: a tenth of a second of hashing, and only until
/// it is remembered.
pub const SEARCH_READ_MAX_BYTES: u64 = 32 * 1024 * 1024;

/// What one hook reads at most, in bytes: it has to answer within milliseconds.
pub const HOOK_READ_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What a listing of stale memories reads at most, in bytes: some seconds of hashing.
pub const LISTING_READ_MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// What one import reads at most, in bytes: half a second of hashing, and the hashes of its lines
/// fit into some ten megabytes.
pub const IMPORT_READ_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What is remembered of all files.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    cache: Arc<Cache>,
    reach: Reach,
}

impl Sources {
    /// Remembers nothing yet; reads by way of `reach`.
    #[must_use]
    pub fn by(reach: Reach) -> Self {
        Self {
            cache: Arc::default(),
            reach,
        }
    }
}
