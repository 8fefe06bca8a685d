//! What a memory is, and every rule about memories that needs nothing but them.
//!
//! `model` holds the values: a memory and its parts, the edges between two, kinds, scopes, times.
//! `policy` holds the decisions about them: what may be stored, what resembles or contradicts what,
//! which change is allowed, how a memory fades. A decision takes everything as an argument.
//!
//! Absent on purpose: stores, indexes, searches, files, clocks and randomness. Who keeps memories,
//! shows them or writes them into files stands on this crate alone.
//!
//! ```
//! use helix_memory::{Admitted, Draft, Kinds, Scope};
//!
//! let draft = Draft {
//!     topic: "deploys".to_owned(),
//!     text: "The staging cluster is rebuilt every Monday.".to_owned(),
//!     ..Draft::default()
//! };
//! let admitted = Admitted::of(draft, &Scope::Global, &Kinds::default())?;
//! assert_eq!(admitted.topic.as_str(), "deploys");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    unreachable_pub,
    reason = "what is public is listed below; within, `pub` is what a module shows to the others"
)]

mod error;
mod model;
mod policy;

// A memory and its parts.
pub use model::{
    Actor, Checkpoint, Departure, Draft, Edge, EdgeKey, EdgeStatus, GitContext, Handle,
    InvalidScope, InvalidTopic, Kind, KindSpec, Kinds, Memory, MemoryId, MemoryNumber, Moment,
    Origin, Provenance, Relation, SIMILARITY, Scope, Sequence, Shape, Sketch, SourceRef, Status,
    Timestamp, Tombstone, Topic, TopicPattern, is_shown_unasked, spellings,
};

// What may be stored, and how it may change.
pub use policy::admit::Admitted;
pub use policy::edit::{
    ATTRIBUTE_UNTRUSTED, ATTRIBUTE_WITHHELD, Absorbed, Edit, EditError, Fields as EditedFields,
    Sourced,
};
pub use policy::scales::Stated as StatedImportance;
pub use policy::suspect::{grave_names_of, names_of, suspicions, suspicions_of_all, weighed};
pub use policy::tags::Tags;

// What resembles, repeats or contradicts what.
pub use policy::apart::Particulars;
pub use policy::consolidate::{
    EXTRACTOR, Standing as TextStanding, Statement, Verdict, Why as VerdictReason, conflict, relate,
};
pub use policy::duplicates::{Alike as AlikeText, Pair as TextPair, Texts};
pub use policy::episodes::{COMPARED_MAX, Episode, Group, OCCASIONS_MIN};
pub use policy::forgotten::{Returning, prefix, text_hash, word_hashes};
pub use policy::named::{Role, normalised, role_of_kind};
pub use policy::nearby::{Keys, Nearby};
pub use policy::resemble::{WordSet, is_unspaced};
pub use policy::same::{SAME_FROM, Saying};
pub use policy::stems::stem;

// How a memory fades, and what becomes of its source.
pub use policy::decay::{Fading, Recalls, effective_confidence};
pub use policy::lifecycle::{Due, Life, Step as LifeStep};
pub use policy::stale::{LineHash, NoSources, Recorded as RecordedSource, SourceState, Sources};

pub use policy::{consolidate, edit, episodes, forgotten, lifecycle, named, times, turn};

// Classes of errors.
pub use error::{ErrorKind, Fault};
