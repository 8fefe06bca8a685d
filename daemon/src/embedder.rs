//! The embedder: one thread with the model, fed with queries first and waiting texts when there are
//! none.

mod files;
mod model;
mod worker;

pub(crate) use worker::{Embedder, EmbedderHandle};
