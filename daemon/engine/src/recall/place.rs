//! Where a page begins: behind the hits that earlier pages showed, in a strand that may have
//! changed since.
//!
//! What was stored since is left out of later pages: it would push hits that were shown onto them
//! again. What was forgotten or reworded may move others all the same, which is noticed by a digest
//! of what was shown; the page then begins behind the last hit that was.

use helix_memory::MemoryNumber;

/// A place in what a search finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Hits before it.
    pub offset: usize,
    /// Memories from this number on were stored after the first page.
    pub(super) extent: u32,
    /// The last of the hits before it, and a digest of them all.
    pub(super) shown: Option<(MemoryNumber, u32)>,
}

impl Place {
    /// The place behind so many hits, whichever they are.
    #[must_use]
    pub const fn at(offset: usize) -> Self {
        Self {
            offset,
            extent: u32::MAX,
            shown: None,
        }
    }

    /// The place behind these hits, which is where it was asked for when there were `extent`
    /// memories.
    pub(super) fn behind(hits: &[MemoryNumber], extent: u32) -> Self {
        Self {
            offset: hits.len(),
            extent,
            shown: hits.last().map(|last| (*last, digest(hits))),
        }
    }

    /// Returns whether the memory was there when the first page was made.
    pub(super) const fn knows(&self, number: u32) -> bool {
        number < self.extent
    }

    /// Where a page begins in what is found now, and whether that may be wrong, because other hits
    /// stand before it.
    pub(super) fn start(&self, found: &[MemoryNumber]) -> (usize, bool) {
        let Some((last, shown)) = self.shown else {
            return (self.offset, false);
        };
        if found
            .get(..self.offset)
            .is_some_and(|before| digest(before) == shown)
        {
            return (self.offset, false);
        }
        let behind_last = found
            .iter()
            .position(|number| *number == last)
            .map(|at| at + 1);
        (behind_last.unwrap_or(self.offset), true)
    }
}

impl Default for Place {
    /// The beginning.
    fn default() -> Self {
        Self::at(0)
    }
}

/// A hash of a set of memories. Their order does not matter: what was shown is behind the reader in
/// any.
fn digest(hits: &[MemoryNumber]) -> u32 {
    let mut numbers: Vec<u32> = hits.iter().map(|number| number.0).collect();
    numbers.sort_unstable();
    let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    blake3::hash(&bytes)
        .as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(of: &[u32]) -> Vec<MemoryNumber> {
        of.iter().copied().map(MemoryNumber).collect()
    }

    #[test]
    fn a_page_begins_behind_what_was_shown() {
        let place = Place::behind(&numbers(&[7, 3, 9]), 20);
        let start = |found: &[u32]| place.start(&numbers(found));
        assert_eq!(start(&[7, 3, 9, 1, 2]), (3, false));
        assert_eq!(start(&[3, 9, 7, 1, 2]), (3, false), "in another order");
        assert_eq!(start(&[7, 9, 1, 2]), (2, true), "one was forgotten");
        assert_eq!(start(&[7, 3, 5, 9, 1]), (4, true), "one came in between");
        assert_eq!(start(&[7, 3, 1, 2]), (3, true), "the last was forgotten");
        assert_eq!(Place::at(3).start(&numbers(&[1, 2, 3, 4])), (3, false));
        assert!(place.knows(19) && !place.knows(20) && Place::default().knows(u32::MAX - 1));
    }

    #[test]
    fn digests_tell_sets_apart() {
        let seen: std::collections::HashSet<u32> = (0..200)
            .flat_map(|a| (0..a).map(move |b| digest(&[MemoryNumber(a), MemoryNumber(b)])))
            .collect();
        assert_eq!(seen.len(), 200 * 199 / 2);
    }
}
