//! The parent's end is the end of this program, also when it is killed.

/// Has the system end this process when its parent ends.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_it() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Where it is refused, the end of the input still ends the program.
    set_parent_process_death_signal(Some(Signal::KILL)).ok();
}

/// Elsewhere the end of the input has to do.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_with_it() {}
