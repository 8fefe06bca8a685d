//! Memories and topics changed: their text, tags, fields and names. Every change is an operation in
//! the history.

mod append;
mod apply;
mod edit;
mod forget;
mod merge;
mod rename;
mod restore;
mod revise;
mod set;
mod settle;
mod split;
mod tag;
mod target;

pub(crate) use append::Append;
pub(crate) use edit::Edit;
pub(crate) use forget::Forget;
pub(crate) use merge::Merge;
pub(crate) use rename::Rename;
pub(crate) use restore::Restore;
pub(crate) use revise::Revise;
pub(crate) use set::Set;
pub(crate) use settle::{Settle, Supersede};
pub(crate) use split::SplitUp;
pub(crate) use tag::Tag;
