//! Finds the few facts worth keeping in what was said and done.
//!
//! The way of the data: a reader turns a source (a client's transcript, a log of git, a document)
//! into [`Slice`]s; a [`Gate`] drops most of them; an [`Extractor`] makes [`Candidate`]s of the
//! rest. What becomes of a candidate (redaction, corrections, tombstones, review) is decided where
//! every write is decided, not here.
//!
//! Pure: text comes in and values go out. It opens no file, asks no clock and knows no memory; what
//! is known already is asked for through [`Novelty`].
//!
//! # Example
//!
//! A note says by its words that it is a preference, and so one of the person's:
//!
//! ```
//! let inferred = helix_capture::note::infer("I prefer small commits", &[]);
//! assert_eq!(inferred.kind, "preference");
//! assert!(inferred.is_about_user);
//! ```

mod candidate;
mod cues;
mod deeds;
mod entities;
mod gate;
#[cfg(any(test, feature = "golden"))]
pub mod golden;
mod known;
mod language;
pub mod memories;
mod message;
pub mod note;
mod passage;
mod patterns;
pub mod read;
mod resolve;
mod rules;
mod slice;
mod statement;
#[cfg(test)]
mod testing;
mod topic;
mod wording;

pub use candidate::{Candidate, Evidence, Extractor, Novelty};
pub use gate::{Gate, Part, Verdict};
pub use known::KnownTexts;
pub use language::Language;
pub use rules::{Extraction, Options, Rules};
pub use slice::{Deed, Place, Slice, SliceKind, Speaker};
