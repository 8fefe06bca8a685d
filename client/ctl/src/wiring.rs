//! Wiring Helix into an agent's own configuration files, and out of them again.
//!
//! Text goes one way: [`Target`] names a file and [`Spec`] what should stand in it; `plan` turns the present
//! text into the next one, editing a syntax tree so that comments, order, indentation and line ends stay;
//! `verify` checks the result with other means; `file` replaces the file atomically; `undo` remembers enough to
//! put the original bytes back. Nothing here knows the daemon, prints, or reads the environment.
//!
//! Invariants: an error leaves the named file untouched; installing twice changes nothing; uninstalling a file
//! that nobody edited since restores it to the byte, and otherwise takes out nothing but ours.

mod apply;
mod diff;
mod document;
mod error;
mod file;
mod hooks;
mod plan;
mod prune;
mod server;
mod spec;
mod status;
mod target;
mod undo;
mod verify;

#[cfg(test)]
mod tests;

pub(crate) use apply::{Change, Report, Run, install, status, uninstall};
pub(crate) use error::WiringError;
pub(crate) use plan::Part;
#[cfg(test)]
pub(crate) use plan::{plan_install, plan_uninstall};
pub(crate) use spec::{HOOK_PROGRAM, HOOK_ROWS, HookRow, SERVER_PROGRAM, Spec};
pub(crate) use status::WiringStatus;
#[cfg(test)]
pub(crate) use status::plan_status;
#[cfg(test)]
pub(crate) use target::Level;
pub(crate) use target::{Place, Scope, Target};
