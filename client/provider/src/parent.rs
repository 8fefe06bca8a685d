//! The parent's end is the end of this process, also when it is killed: for the agent programs that
//! helix-provider starts, from its main thread. Itself it ends when its input does; a parent of many
//! threads is gone for the system when the one is that started the child.

/// Has the system end this process when its parent ends.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_it() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Where it is refused, the deadline ends the program.
    set_parent_process_death_signal(Some(Signal::KILL)).ok();
}

/// Elsewhere the deadline has to do.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_with_it() {}
