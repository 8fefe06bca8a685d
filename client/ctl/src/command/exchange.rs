//! Many memories at once: into the strand, and out of it.

mod batch;
mod export;
mod format;
mod import;

pub(crate) use batch::Batch;
pub(crate) use export::Export;
pub(crate) use import::Import;
