//! The exact side of the index: levels, scales and numbers in one order, and the way from a number
//! to its row.

use super::code::Code;

/// In the map: this number has no row.
const ABSENT: u32 = u32::MAX;

/// Vectors by position. Position and number find each other: `positions[numbers[p]] == p`.
#[derive(Debug, Default)]
pub(super) struct Rows {
    width: usize,
    levels: Vec<i8>,
    scales: Vec<f32>,
    numbers: Vec<u32>,
    positions: Vec<u32>,
}

impl Rows {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn position(&self, number: u32) -> Option<usize> {
        let &position = self.positions.get(number as usize)?;
        (position != ABSENT).then_some(position as usize)
    }

    /// Writes a number's row, at the end if it is new, and answers where.
    pub(super) fn put(&mut self, number: u32, code: &Code) -> usize {
        if let Some(position) = self.position(number) {
            self.scales[position] = code.scale();
            self.levels[position * self.width..][..self.width].copy_from_slice(code.levels());
            return position;
        }
        let position = self.len();
        if self.positions.len() <= number as usize {
            self.positions.resize(number as usize + 1, ABSENT);
        }
        self.positions[number as usize] = narrow(position);
        self.numbers.push(number);
        self.scales.push(code.scale());
        self.levels.extend_from_slice(code.levels());
        position
    }

    /// Drops a row; the last one takes its place.
    pub(super) fn swap_remove(&mut self, position: usize) {
        let last = self.len() - 1;
        let number = self.numbers.swap_remove(position);
        self.scales.swap_remove(position);
        self.levels
            .copy_within(last * self.width.., position * self.width);
        self.levels.truncate(last * self.width);
        self.positions[number as usize] = ABSENT;
        if let Some(&moved) = self.numbers.get(position) {
            self.positions[moved as usize] = narrow(position);
        }
    }

    pub(super) fn number(&self, position: usize) -> u32 {
        self.numbers[position]
    }

    /// All numbers, by position.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    pub(super) fn scale(&self, position: usize) -> f32 {
        self.scales[position]
    }

    pub(super) fn levels(&self, position: usize) -> &[i8] {
        &self.levels[position * self.width..][..self.width]
    }

    /// All levels, row after row.
    pub(super) fn all_levels(&self) -> &[i8] {
        &self.levels
    }

    /// Scale and levels of every row, by position.
    pub(super) fn iter(&self) -> impl Iterator<Item = (f32, &[i8])> {
        self.scales
            .iter()
            .copied()
            .zip(self.levels.chunks_exact(self.width.max(1)))
    }

    #[cfg(test)]
    pub(super) fn resident_bytes(&self) -> usize {
        self.levels.capacity()
            + self.scales.capacity() * size_of::<f32>()
            + (self.numbers.capacity() + self.positions.capacity()) * size_of::<u32>()
    }
}

/// A position as the map holds it: one number has one row, and numbers are bounded.
#[expect(
    clippy::cast_possible_truncation,
    reason = "there are at most MAX_NUMBER + 1 rows"
)]
pub(super) fn narrow(position: usize) -> u32 {
    position as u32
}
