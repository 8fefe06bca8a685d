//! Errors of the vector index.

use super::MAX_NUMBER;
use crate::index::vectors::VectorIndex;

/// Why a vector, a code or a number was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The vector has no components, or more than [`VectorIndex::DIMENSIONS_MAX`].
    #[error("a vector of {dimensions} dimensions was refused; give 1 to {dimensions_max}", dimensions_max = VectorIndex::DIMENSIONS_MAX)]
    Length {
        /// Components given.
        dimensions: usize,
    },
    /// A component is infinite or not a number.
    #[error("component {position} of a vector is not finite; embed the text again")]
    NotFinite {
        /// The first such component.
        position: usize,
    },
    /// Every component is zero, so the vector has no direction.
    #[error("a zero vector has no direction; embed the text again")]
    Zero,
    /// The vector belongs to a space of another dimension.
    #[error(
        "a vector of {given} dimensions does not fit a space of {expected}; embed it with this space's model"
    )]
    Dimension {
        /// Dimensions of the index.
        expected: usize,
        /// Dimensions of the vector.
        given: usize,
    },
    /// The number is beyond what the index addresses.
    #[error(
        "memory number {number} is over the limit of {MAX_NUMBER}; number memories densely from 0"
    )]
    Number {
        /// The number given.
        number: u32,
    },
    /// Stored bytes are not a code of a version known here.
    #[error("stored bytes are not a vector code: {reason}; embed the memory again")]
    Damaged {
        /// The flaw.
        reason: &'static str,
    },
}
