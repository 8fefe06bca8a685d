//! One file a command: its arguments, and what it does.

mod add;
mod agent;
mod completions;
mod connect;
mod doctor;
mod down;
mod forget;
mod hook;
mod hooks;
mod man;
mod model;
mod read;
mod search;
mod status;
mod up;

pub(crate) use add::Add;
pub(crate) use completions::Completions;
pub(crate) use connect::{Connect, Disconnect};
pub(crate) use doctor::Doctor;
pub(crate) use down::Down;
pub(crate) use forget::Forget;
pub(crate) use hook::Hook;
pub(crate) use hooks::Hooks;
pub(crate) use man::Man;
pub(crate) use model::Model;
pub(crate) use read::Read;
pub(crate) use search::Search;
pub(crate) use status::Status;
pub(crate) use up::Up;
