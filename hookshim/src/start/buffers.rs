//! The program's memory: static, zero, and untouched until something is read into it, so that it
//! costs nothing.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::frame::{HEADER_BYTES, INPUT_MAX_BYTES, REPLY_MAX_BYTES};

/// The two buffers, in this order: a small input then lies in the first pages behind the program's
/// data.
#[repr(C)]
pub(crate) struct Buffers {
    /// A reply with its header; also takes what is read only to be dropped.
    pub(crate) scratch: [u8; HEADER_BYTES + REPLY_MAX_BYTES],
    pub(crate) input: [u8; INPUT_MAX_BYTES],
}

struct Shelf(UnsafeCell<Buffers>);

// SAFETY: `take` hands the content out once, to one owner.
unsafe impl Sync for Shelf {}

static SHELF: Shelf = Shelf(UnsafeCell::new(Buffers {
    scratch: [0; HEADER_BYTES + REPLY_MAX_BYTES],
    input: [0; INPUT_MAX_BYTES],
}));
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Buffers {
    /// The buffers, the first time.
    pub(crate) fn take() -> Option<&'static mut Self> {
        if TAKEN.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: `TAKEN` lets exactly one caller come here, so this is the only reference.
        Some(unsafe { &mut *SHELF.0.get() })
    }
}
