//! Finds the few facts worth keeping in what was said and done.
//!
//! The way of the data: a reader turns a source (a client's transcript, a log of git, a document)
//! into [`Slice`]s; a gate drops most of them; an [`Extractor`] makes [`Candidate`]s of the rest.
//! What becomes of a candidate (redaction, corrections, tombstones, review) is decided where every
//! write is decided, not here.
//!
//! Pure: text comes in and values go out. It opens no file, asks no clock and knows no memory; what
//! is known already is asked for through [`Novelty`].

mod candidate;
mod slice;

pub use candidate::{Candidate, Evidence, Extractor, Novelty};
pub use slice::{Deed, Place, Slice, SliceKind, Speaker};
