//! How many events wait, and who gives way to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many events wait for their turn and for what they look at.
#[derive(Debug, Default)]
pub struct Load {
    /// Events that wait for a place.
    pub waiting: AtomicUsize,
    /// Threads that work on after they gave their place away.
    pub hanging: AtomicUsize,
}

/// Threads that may work on after they gave their place away; later ones keep theirs. From then on
/// nothing is read of files. The one that reached this gave its place away too, so whatever the
/// others wait for, there is one that answers.
pub const HANGING_MAX: usize = 4;

/// How long a step waits at most for hooks that wait for their turn.
const GIVE_WAY_MAX: Duration = Duration::from_secs(5);

/// Pause between two looks at the hooks.
const GIVE_WAY_PAUSE: Duration = Duration::from_millis(10);

impl Load {
    /// Returns whether others wait for their turn, so that nobody may take longer than it must.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    /// Lets waiting hooks go first, between two steps of what nobody waits for; returns whether to
    /// go on.
    pub fn give_way(&self, is_ending: impl Fn() -> bool) -> bool {
        let deadline = Instant::now() + GIVE_WAY_MAX;
        while self.is_crowded() && !is_ending() && Instant::now() < deadline {
            thread::sleep(GIVE_WAY_PAUSE);
        }
        !is_ending()
    }

    /// Returns whether so many threads hang that no further one may wait for a file.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.hanging.load(Ordering::Acquire) >= HANGING_MAX
    }
}
