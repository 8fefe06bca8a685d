//! Values of the domain: what a memory is, and the words that describe it.
//!
//! Nothing here reads a clock, a disk or an environment, and nothing below `model` is imported.

mod actor;
mod checkpoint;
mod draft;
mod edge;
mod id;
mod kind;
mod memory;
mod moment;
mod path;
#[cfg(test)]
pub(crate) mod sample;
mod scope;
mod time;
mod tombstone;
mod topic;
mod topic_pattern;

pub use actor::{Actor, GitContext, Origin};
pub use checkpoint::Checkpoint;
pub use draft::Draft;
pub use edge::{Edge, EdgeKey, EdgeStatus, Relation, SIMILARITY};
pub use id::{Handle, MemoryId, MemoryNumber, Sequence};
pub use kind::{Kind, KindSpec, Kinds, Shape, UnknownKind};
pub use memory::is_shown_unasked;
pub use memory::{Memory, Provenance, SourceRef, Status};
pub use moment::Moment;
pub use path::spellings;
pub use scope::{InvalidScope, Scope};
pub use time::Timestamp;
pub use tombstone::{Departure, Sketch, Tombstone};
pub use topic::{InvalidTopic, TOPIC_MAX_BYTES, Topic};
pub use topic_pattern::TopicPattern;
