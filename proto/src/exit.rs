//! Exit codes of every Helix program but the shim, which always exits 0.

/// Done.
pub const OK: u8 = 0;
/// The command line, the request, or a part of what was to be imported was wrong.
pub const USAGE: u8 = 64;
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
