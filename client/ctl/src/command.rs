//! One file a command: its arguments, and what it does. Commands that belong together share a
//! folder.

mod add;
mod agent;
mod browse;
mod capture;
mod care;
mod change;
mod checkpoint;
mod completions;
mod connect;
mod doctor;
mod down;
mod event;
mod exchange;
mod history;
mod hook;
mod hooks;
mod man;
mod model;
mod moment;
mod note;
mod provider;
mod purge;
mod read;
mod relations;
mod review;
mod search;
mod status;
mod up;
mod upgrade;

pub(crate) use add::Add;
pub(crate) use browse::{
    Brief, Entries, Graph, Pack, Receipts, Recent, Session, Stats, Topics, Xref,
};
pub(crate) use capture::Capture;
pub(crate) use care::{Backup, Compact, Conflicts, Consolidate, Lifecycle, Prune, Reindex, Stale};
pub(crate) use change::{
    Append, Edit, Forget, Merge, Rename, Restore, Revise, Set, Settle, SplitUp, Supersede, Tag,
};
pub(crate) use checkpoint::Checkpoint;
pub(crate) use completions::Completions;
pub(crate) use connect::{Connect, Disconnect};
pub(crate) use doctor::{Doctor, Reach};
pub(crate) use down::Down;
pub(crate) use event::Event;
pub(crate) use exchange::{Batch, Export, Import};
pub(crate) use history::{Diff, Log, Rollback, Undo, Why};
pub(crate) use hook::Hook;
pub(crate) use hooks::Hooks;
pub(crate) use man::Man;
pub(crate) use model::Model;
pub(crate) use note::Note;
pub(crate) use provider::Provider;
pub(crate) use purge::Purge;
pub(crate) use read::Read;
pub(crate) use relations::{Neighbours, Path, Relate, Traverse, Unrelate};
pub(crate) use review::Review;
pub(crate) use search::Search;
pub(crate) use status::Status;
pub(crate) use up::Up;
pub(crate) use upgrade::Upgrade;
