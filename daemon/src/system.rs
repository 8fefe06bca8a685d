//! The real clock, the real randomness, and the way out.

use std::time::{SystemTime, UNIX_EPOCH};

use helix_app::ports::{Clock, Randomness};
use helix_memory::Timestamp;

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    }
}

/// The system's random bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn entropy(&self) -> [u8; 10] {
        let mut bytes = [0; 10];
        // A random UUID draws from the system's generator; version and variant bits lie outside of
        // what is taken.
        let random = uuid::Uuid::new_v4();
        let (head, tail) = random.as_bytes().split_at(6);
        bytes
            .iter_mut()
            .zip(head.iter().chain(tail.get(3..).unwrap_or_default()))
            .for_each(|(to, from)| *to = *from);
        bytes
    }
}

/// Ends the process at once. Everything is closed by then; the destructors of the C libraries would
/// wait for the embedder's thread, or race with it.
pub(crate) fn leave(code: u8) -> ! {
    #[expect(
        unsafe_code,
        reason = "the standard library has no exit without the C library's destructors"
    )]
    // SAFETY: nothing runs after it, so nothing can be left in a wrong state.
    unsafe {
        nix::libc::_exit(i32::from(code))
    }
}
