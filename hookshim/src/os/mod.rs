//! The seam to the system: the same few calls for the shipped Linux program and for every other
//! Unix.
//!
//! `linux` makes system calls without libc; `portable` uses std and serves macOS. `--cfg
//! helix_portable` selects the latter on Linux too, so that it can be compiled and tested there.

/// Declares which implementation is in use.
macro_rules! implementation {
    ($name:ident) => {
        mod $name;
        pub(crate) use $name::{
            Lock, Socket, age_s, exists, ignore_broken_pipes, is_executable, is_open_to_others,
            make_directory, now_ns, own_executable, pause, read_file, read_lock, read_stdin,
            remove_file, rename, start_detached, stdin_ready, touch, write_stderr, write_stdout,
        };
    };
}

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(helix_portable)
))]
mod raw;

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(helix_portable)
))]
implementation!(linux);

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(helix_portable)
)))]
implementation!(portable);

#[cfg(helix_freestanding)]
pub(crate) use raw::exit;

/// Permissions of others that would let them write what the shim believes.
const OTHERS: u32 = 0o077;

/// Why a call failed, as far as the shim tells cases apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Would block, or a queue is full, or a lock is held.
    Again,
    /// Nobody listens at the path.
    Absent,
    /// A signal came in between.
    Interrupted,
    /// The other end closed, with something unread.
    Reset,
    /// The new descriptor took the number of a standard stream, which is closed.
    LowDescriptor,
    /// Anything else.
    Other,
}

/// A condition to wait for on a socket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readiness {
    Read,
    Write,
}
