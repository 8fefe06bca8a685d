//! Leaving the parent, so that a daemon started from a hook or a bridge holds nothing of theirs.

use std::collections::HashSet;
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::{env, fs};

use nix::unistd;

use crate::failure::{Failure, io_failure};
use crate::listen::Inherited;

/// Directory that lists the process's open descriptors.
const DESCRIPTORS: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};

/// First descriptor that is not a standard stream.
const FIRST_BEYOND_STREAMS: RawFd = 3;

/// Starts a session of its own and closes every inherited descriptor but the standard streams,
/// which the starter pointed at /dev/null, and activation sockets. Must run before anything is
/// opened.
pub(crate) fn leave_parent(inherited: &Inherited) -> Result<(), Failure> {
    // Fails only when the process already leads a group, as under a shell; then it has left enough.
    unistd::setsid().ok();
    env::set_current_dir("/").map_err(io_failure("changing to", "/"))?;
    let keep: HashSet<RawFd> = inherited.listeners.iter().map(AsRawFd::as_raw_fd).collect();
    for descriptor in open_descriptors()? {
        if descriptor >= FIRST_BEYOND_STREAMS && !keep.contains(&descriptor) {
            // The one that listed the directory is among them and already closed.
            unistd::close(descriptor).ok();
        }
    }
    Ok(())
}

/// Leaves the file in which the starter looks for why a start failed: the daemon's own log takes
/// over.
pub(crate) fn leave_start_log() {
    if let Ok(nowhere) = fs::OpenOptions::new().write(true).open("/dev/null")
        && let Err(error) = unistd::dup2_stderr(nowhere)
    {
        tracing::warn!(%error, "the start's log stays open");
    }
}

fn open_descriptors() -> Result<Vec<RawFd>, Failure> {
    let entries =
        fs::read_dir(Path::new(DESCRIPTORS)).map_err(io_failure("listing", DESCRIPTORS))?;
    let names = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name());
    Ok(names
        .filter_map(|name| name.to_str()?.parse().ok())
        .collect())
}
