//! The embedder: one thread with the model, fed with queries first and waiting texts when there are
//! none.

mod arithmetic;
mod bench;
mod choice;
mod copy;
mod files;
mod list;
mod load;
mod model;
mod passage;
mod pooling;
mod slot;
mod switch;
mod work;
mod worker;

pub(crate) use bench::Bench;
pub(crate) use choice::Choice;
pub(crate) use copy::{copy, remove};
pub(crate) use list::{Found, list};
pub(crate) use load::Loader;
pub(crate) use worker::{Embedder, EmbedderHandle};
