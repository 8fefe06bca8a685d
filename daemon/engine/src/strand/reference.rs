//! Finding the memory that a person or an agent means: handle, id, unique prefix of either, `topic:index`.

use super::Strand;
use crate::model::{MemoryId, MemoryNumber, Scope, Topic};
use crate::store::{Snapshot, StoreError};

/// Candidates returned for a prefix that fits several memories.
pub const RESOLVE_CANDIDATES_MAX: usize = 10;

/// Hex digits from which an id's prefix is tried; shorter ones are more likely words.
const ID_PREFIX_DIGITS_MIN: usize = 6;

/// What a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly one memory.
    One(MemoryNumber),
    /// Several fit; never act on these.
    Several(Vec<MemoryNumber>),
    /// Nothing fits.
    None,
}

impl Resolution {
    fn of(numbers: Vec<MemoryNumber>) -> Self {
        match numbers.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => Self::Several(numbers),
        }
    }
}

impl Strand {
    /// Resolves a reference. `scopes` decide what `topic:index` counts.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn resolve(&self, reference: &str, scopes: &[Scope]) -> Result<Resolution, StoreError> {
        let reference = reference.trim();
        if reference.is_empty() {
            return Ok(Resolution::None);
        }
        let snapshot = self.snapshot()?;
        // An examination's memory is meant only by its whole name.
        let is_meant = |number| !self.catalog().is_scratch(number);
        let by_handle = snapshot.numbers_of_handle(reference, RESOLVE_CANDIDATES_MAX, is_meant)?;
        if reference.contains('/') && !by_handle.is_empty() {
            return Ok(Resolution::of(by_handle));
        }
        if let Some(number) = self.by_topic_index(reference, scopes) {
            return Ok(Resolution::One(number));
        }
        let by_id = by_id_prefix(&snapshot, reference, is_meant)?;
        if !by_id.is_empty() {
            return Ok(Resolution::of(by_id));
        }
        Ok(Resolution::of(by_handle))
    }

    /// Resolves links to ids; returns those that mean nothing beside.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn resolve_links(
        &self,
        links: &[String],
        scopes: &[Scope],
    ) -> Result<(Vec<MemoryId>, Vec<String>), StoreError> {
        let (mut ids, mut unknown) = (Vec::new(), Vec::new());
        for link in links {
            match self.resolve(link, scopes)? {
                Resolution::One(number) => ids.extend(self.memories(&[number])?.into_iter().map(|memory| memory.id)),
                Resolution::Several(_) | Resolution::None => unknown.push(link.clone()),
            }
        }
        Ok((ids, unknown))
    }

    fn by_topic_index(&self, reference: &str, scopes: &[Scope]) -> Option<MemoryNumber> {
        let (topic, index) = reference.rsplit_once(':')?;
        let index: usize = index.parse().ok()?;
        let topic = Topic::parse(topic).ok()?;
        self.topic_members(topic.as_str(), scopes).get(index).copied()
    }
}

fn by_id_prefix(
    snapshot: &Snapshot,
    reference: &str,
    is_meant: impl Fn(MemoryNumber) -> bool,
) -> Result<Vec<MemoryNumber>, StoreError> {
    let digits: String = reference.chars().filter(|c| *c != '-').collect();
    let is_hex = digits.chars().all(|c| c.is_ascii_hexdigit());
    if !is_hex || !(ID_PREFIX_DIGITS_MIN..=32).contains(&digits.len()) {
        return Ok(Vec::new());
    }
    let (Some(first), Some(last)) = (padded(&digits, '0'), padded(&digits, 'f')) else { return Ok(Vec::new()) };
    snapshot.numbers_of_ids(first, last, RESOLVE_CANDIDATES_MAX, |number| first == last || is_meant(number))
}

fn padded(digits: &str, fill: char) -> Option<[u8; 16]> {
    let digits: String = digits.chars().chain(std::iter::repeat(fill)).take(32).collect();
    u128::from_str_radix(&digits, 16).ok().map(u128::to_be_bytes)
}
