//! The way into the program: its memory, and its arguments and variables as the system hands them
//! over.

mod buffers;
#[cfg(helix_freestanding)]
mod freestanding;
#[cfg(not(helix_freestanding))]
pub(crate) mod hosted;
#[cfg(helix_freestanding)]
mod memory;
mod strings;

pub(crate) use buffers::Buffers;
pub(crate) use strings::Strings;
