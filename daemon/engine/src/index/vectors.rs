//! The vector index: which memories mean nearly what a query means.
//!
//! In the flow: the store keeps a [`Code`] for each memory → this index holds them all in RAM →
//! recall asks for the best by cosine and fuses them with the lexical list. Rebuilt from the store
//! at start; nothing here is written to disk.
//!
//! One index is one embedding space: vectors of different models never meet. Each vector is one row
//! in several arrays of one order (int8 levels, scale, binary code, number), so that a scan reads
//! memory in a line; removing moves the last row into the gap. At 384 dimensions a vector takes 384
//! bytes of levels, 48 of bits and 20 beside them.
//!
//! Absent on purpose: the original floats, locks (one owner writes, readers borrow), threads,
//! unsafe code.

mod binary;
mod code;
mod crowd;
mod error;
mod kernel;
mod plan;
mod rows;
mod search;
mod tokens;
mod top;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use code::Code;
pub use error::VectorError;
pub use plan::Candidates;
use rows::Rows;
pub use search::Hit;
pub use tokens::{TextVectors, TokenQuery, TokenSigns, TokenVector};

use binary::Binary;

/// The largest memory number. Bounds the map from numbers to rows at 64 MiB, whatever a caller
/// passes.
pub const MAX_NUMBER: u32 = (1 << 24) - 1;

/// The vectors of one embedding space, by memory number.
#[derive(Debug)]
pub struct VectorIndex {
    dimensions: usize,
    rows: Rows,
    binary: Binary,
}

impl VectorIndex {
    /// The most dimensions of a space. Larger than any embedding model in use, and small enough for
    /// `i32` sums of products.
    pub const DIMENSIONS_MAX: usize = 4_096;

    /// Makes an empty space. Dimensions outside 1 to [`VectorIndex::DIMENSIONS_MAX`] make a space that no code
    /// fits.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        let usable = dimensions.min(VectorIndex::DIMENSIONS_MAX);
        Self {
            dimensions,
            rows: Rows::new(usable),
            binary: Binary::new(usable),
        }
    }

    /// The dimension of the space.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Sets a memory's vector, replacing what it had. About a microsecond, but for when the count
    /// has doubled and the binary codes are made anew.
    ///
    /// # Errors
    ///
    /// Refuses a code of another dimension and a number over `MAX_NUMBER`.
    pub fn insert(&mut self, number: u32, code: &Code) -> Result<(), VectorError> {
        self.check_dimension(code.dimensions())?;
        if number > MAX_NUMBER {
            return Err(VectorError::Number { number });
        }
        if let Some(position) = self.rows.position(number) {
            self.binary
                .take(self.rows.scale(position), self.rows.levels(position));
        }
        let position = self.rows.put(number, code);
        self.binary.put(position, code.scale(), code.levels());
        if self.binary.is_stale() {
            self.rebuild();
        }
        Ok(())
    }

    /// Removes a memory's vector; answers whether there was one.
    pub fn remove(&mut self, number: u32) -> bool {
        let Some(position) = self.rows.position(number) else {
            return false;
        };
        self.binary
            .take(self.rows.scale(position), self.rows.levels(position));
        self.binary.swap_remove(position);
        self.rows.swap_remove(position);
        true
    }

    /// Returns whether a memory has a vector here.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.rows.position(number).is_some()
    }

    /// A memory's vector, as it was given.
    #[must_use]
    pub fn code(&self, number: u32) -> Option<Code> {
        let position = self.rows.position(number)?;
        Some(Code::from_parts(
            self.rows.scale(position),
            self.rows.levels(position),
        ))
    }

    /// How many memories have a vector.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the bytes that the index holds in memory, spare capacity included.
    #[cfg(test)]
    pub fn resident_bytes(&self) -> usize {
        self.rows.resident_bytes() + self.binary.resident_bytes()
    }

    /// Makes the binary codes anew around the present centre. Worth calling after many removals or
    /// replacements; growth does it by itself.
    pub fn rebuild(&mut self) {
        self.binary.recode(self.rows.iter());
    }

    fn check_dimension(&self, given: usize) -> Result<(), VectorError> {
        if given == self.dimensions {
            Ok(())
        } else {
            Err(VectorError::Dimension {
                expected: self.dimensions,
                given,
            })
        }
    }
}
