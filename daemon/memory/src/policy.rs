//! Pure decisions: what may be stored and how, what resembles what, how memories fade.
//!
//! Nothing here does I/O or reads a clock.

pub mod admit;
pub mod apart;
pub mod checkpoint;
pub mod consolidate;
pub mod decay;
pub mod duplicates;
pub mod edit;
pub mod episodes;
pub mod forgotten;
pub mod importance;
pub mod kept;
pub mod lifecycle;
pub mod named;
pub mod nearby;
pub mod resemble;
pub mod same;
pub mod scales;
pub mod stale;
pub(crate) mod stems;
pub mod suspect;
pub mod tags;
pub mod times;
pub mod turn;

crate::faults!(
    admit::AdmitError,
    checkpoint::CheckpointError,
    edit::EditError,
);
