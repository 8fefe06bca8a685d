//! Wiring Helix into a client's own configuration files, and out of them again.
//!
//! Text goes one way: `client` says which [`Target`] files a client reads and in which form,
//! `table` which hooks, and [`Programs`] what they run; `plan` turns the present text into the next
//! one, finding its places in a syntax tree and adding and removing there with `splice`, so that
//! comments, order, indentation and line ends stay; `verify` checks the result with other means;
//! `step` does so with one file and `apply` with several, a [`Plan`] that is shown and
//! then written; `file` replaces a file atomically; `record` is what is remembered of a file to put
//! its original bytes back, and `undo` where. Nothing here knows the daemon, prints, or reads the
//! environment.
//!
//! Invariants: an error leaves the named file untouched; installing twice changes nothing; a file
//! that nobody else edited is to the byte what it was once nothing of ours is in it any more, in
//! whatever order it came and went; otherwise nothing but ours is taken out.

mod apply;
mod client;
mod diff;
mod document;
mod error;
mod file;
mod hooks;
mod plan;
mod prune;
mod record;
mod server;
mod spec;
mod splice;
mod status;
mod step;
mod table;
mod target;
mod toml;
mod undo;
mod verify;

#[cfg(test)]
mod tests;

pub(crate) use apply::{Change, Plan, Report, status};
pub(crate) use client::{Client, Place, Scope};
pub(crate) use error::WiringError;
#[cfg(test)]
pub(crate) use plan::{plan_install, plan_uninstall};
#[cfg(test)]
pub(crate) use prune::Original;
pub(crate) use spec::{HOOK_PROGRAM, Programs, SERVER_PROGRAM};
pub(crate) use status::WiringStatus;
#[cfg(test)]
pub(crate) use status::plan_status;
pub(crate) use table::{CLAUDE as CLAUDE_HOOKS, HookRow};
pub(crate) use target::Target;
