//! The threads that calls and hooks are worked on by.

use std::num::NonZeroUsize;
use std::thread;

use helix_app::pool::Pool;

use crate::{turn, work};

/// Threads for ordinary calls beside one for each core: such as wait for the disk.
const QUICK_THREADS_EXTRA: usize = 2;

/// Ordinary calls that wait for a thread; beyond it they are refused.
const QUICK_WAITING_MAX: usize = 1_024;

/// The threads that calls and hooks are worked on by, each class its own.
#[derive(Debug)]
pub(crate) struct Pools {
    /// Hooks: as many as their gate lets in, and those that hang.
    pub(crate) hooks: Pool,
    /// Searches, reads, stores and the like.
    pub(crate) quick: Pool,
    /// Minutes of work, as many as `Work::begin_long` lets in.
    pub(crate) long: Pool,
}

impl Default for Pools {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            // Nothing waits for long: what is let in has a thread, which may be at the end of the
            // one before.
            hooks: Pool::new("hook", turn::THREADS_MAX, turn::THREADS_MAX),
            quick: Pool::new("call", cores + QUICK_THREADS_EXTRA, QUICK_WAITING_MAX),
            long: Pool::new("long", work::LONG_MAX, work::LONG_MAX),
        }
    }
}
