//! Exit codes of every Helix program but the shim, which always exits 0.

/// Done.
pub const OK: u8 = 0;
/// The command line or the request was wrong.
pub const USAGE: u8 = 64;
/// A part of the input of a batch or an import was not taken; the rest was.
pub const DATA: u8 = 65;
/// The daemon cannot be reached, or cannot do this now.
pub const UNAVAILABLE: u8 = 69;
/// A fault of Helix itself.
pub const INTERNAL: u8 = 70;
/// The disk failed.
pub const IO: u8 = 74;
/// Another daemon holds the home directory.
pub const ALREADY_RUNNING: u8 = 75;
/// The data was written by a newer Helix.
pub const NEWER_FORMAT: u8 = 76;
/// Not allowed.
pub const PERMISSION: u8 = 77;
/// Ended by Ctrl-C, as shells say it.
pub const INTERRUPTED: u8 = 130;

/// Returns whether a code is one of these, so that who ended with it is one of Helix's programs.
#[must_use]
pub const fn is_known(code: u8) -> bool {
    matches!(
        code,
        OK | USAGE
            | DATA
            | UNAVAILABLE
            | INTERNAL
            | IO
            | ALREADY_RUNNING
            | NEWER_FORMAT
            | PERMISSION
            | INTERRUPTED
    )
}
