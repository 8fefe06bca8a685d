//! Finding the memory that a person or an agent means: handle, id, unique prefix of either,
//! `topic:index`.

use std::sync::RwLockReadGuard;

use helix_memory::{MemoryId, MemoryNumber, Scope, Topic, TopicPattern};

use super::Strand;
use crate::index::catalog::Catalog;
use crate::lock_order::Ordered;
use crate::store::{Snapshot, StoreError};
use helix_neutral::quoted;
use helix_redact::{Redact, Secrets};

/// Handles or ids that a prefix may pass over because other projects have them: some ten
/// milliseconds.
const RESOLVE_LOOKED_AT_MAX: usize = 50_000;

/// Hex digits of a whole id.
const ID_DIGITS: usize = 32;

/// Hex digits from which an id's prefix is tried; shorter ones are more likely words.
const ID_PREFIX_DIGITS_MIN: usize = 6;

/// Memories that are named where a link could mean several.
const SEVERAL_SHOWN_MAX: usize = 2;

/// Characters of a link that a note repeats.
const LINK_SHOWN_MAX_CHARS: usize = 80;

/// The meaning of a reference.
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
    /// Candidates returned for a prefix that fits several memories.
    pub const CANDIDATES_MAX: usize = 10;

    fn of(numbers: Vec<MemoryNumber>) -> Self {
        match numbers.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => Self::Several(numbers),
        }
    }

    /// Says of a link that it leads nowhere. It is no memory's name, and may hold a secret.
    #[must_use]
    pub fn leads_nowhere(link: &str) -> String {
        let mut link = link.to_owned();
        link.redact(&mut Secrets::default());
        let link: String = link.chars().take(LINK_SHOWN_MAX_CHARS).collect();
        format!("link {} names no memory and was left out", quoted(&link))
    }
}

/// The targets of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkTargets {
    /// The memories, each once.
    pub ids: Vec<MemoryId>,
    /// Links that mean nothing.
    pub unknown: Vec<String>,
    /// Links that could mean several memories, and the handles of some of these.
    pub several: Vec<(String, Vec<String>)>,
    /// Links to what was superseded, and the handles of what took its place.
    pub followed: Vec<(String, String)>,
}

impl LinkTargets {
    /// Returns the warnings for whoever gave the links.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unknown = self
            .unknown
            .iter()
            .map(|link| Resolution::leads_nowhere(link));
        let several = self.several.iter().map(|(link, handles)| {
            format!(
                "link {} names several memories and was left out; link to one of them, such as {}",
                quoted(link),
                handles.join(" or ")
            )
        });
        let followed = self.followed.iter().map(|(link, handle)| {
            format!(
                "link {} names a superseded memory; {handle} took its place and is linked instead",
                quoted(link)
            )
        });
        unknown.chain(several).chain(followed).collect()
    }
}

/// Returns whether a link can be the place of an earlier draft in a batch.
fn is_place(link: &str) -> bool {
    link.bytes().all(|byte| byte.is_ascii_digit())
}

/// The memories that a prefix could mean to somebody who sees these scopes.
struct Candidates<'a> {
    catalog: Ordered<RwLockReadGuard<'a, Catalog>>,
    /// By their numbers.
    scopes: Vec<u32>,
    living: Vec<MemoryNumber>,
    forgotten: Vec<MemoryNumber>,
    looked_at: usize,
}

impl<'a> Candidates<'a> {
    fn new(strand: &'a Strand, scopes: &[Scope]) -> Self {
        let catalog = strand.catalog();
        let scopes = catalog.scope_numbers(scopes);
        Self {
            catalog,
            scopes,
            living: Vec::new(),
            forgotten: Vec::new(),
            looked_at: 0,
        }
    }

    /// Takes a memory if it can be meant; returns whether to go on.
    fn look_at(&mut self, number: MemoryNumber) -> bool {
        self.looked_at += 1;
        let row = self.catalog.row(number);
        // An examination's memory is meant only by its whole name.
        let row = row.filter(|_| !self.catalog.is_scratch(number));
        if let Some(row) = row.filter(|row| row.is_in(&self.scopes)) {
            let list = if row.status.is_indexed() {
                &mut self.living
            } else {
                &mut self.forgotten
            };
            if list.len() < Resolution::CANDIDATES_MAX && !list.contains(&number) {
                list.push(number);
            }
        }
        self.living.len() < Resolution::CANDIDATES_MAX && self.looked_at < RESOLVE_LOOKED_AT_MAX
    }

    fn into_resolution(self) -> Resolution {
        Resolution::of(if self.living.is_empty() {
            self.forgotten
        } else {
            self.living
        })
    }
}

impl Strand {
    /// Resolves a reference. A whole handle or id names its memory wherever it is; a prefix and
    /// `topic:index` look only in `scopes`, so that a guess never reaches another project. What
    /// is forgotten is found by a prefix only when nothing else is.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn resolve(&self, reference: &str, scopes: &[Scope]) -> Result<Resolution, StoreError> {
        let reference = reference.trim();
        if reference.is_empty() {
            return Ok(Resolution::None);
        }
        let snapshot = self.snapshot()?;
        if let Some(exact) = snapshot.number_of_handle(reference)? {
            return Ok(Resolution::One(exact));
        }
        let mut by_handle = Candidates::new(self, scopes);
        snapshot.for_each_handle_from(reference, |number| by_handle.look_at(number))?;
        let by_handle = by_handle.into_resolution();
        if reference.contains('/') && by_handle != Resolution::None {
            return Ok(by_handle);
        }
        if let Some(number) = self.by_topic_index(reference, scopes) {
            return Ok(Resolution::One(number));
        }
        match self.by_id_prefix(&snapshot, reference, scopes)? {
            Resolution::None => Ok(by_handle),
            by_id => Ok(by_id),
        }
    }

    /// Resolves links to ids, each once.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn resolve_links(
        &self,
        links: &[String],
        scopes: &[Scope],
    ) -> Result<LinkTargets, StoreError> {
        let mut targets = LinkTargets::default();
        if links.is_empty() {
            return Ok(targets);
        }
        let snapshot = self.snapshot()?;
        for link in links {
            let number = match self.resolve(link, scopes)? {
                Resolution::One(number) => number,
                Resolution::Several(numbers) if !is_place(link) => {
                    let some =
                        self.memories(numbers.get(..SEVERAL_SHOWN_MAX).unwrap_or(&numbers))?;
                    let handles = some
                        .into_iter()
                        .map(|memory| memory.handle.as_str().to_owned());
                    targets.several.push((link.clone(), handles.collect()));
                    continue;
                }
                Resolution::Several(_) | Resolution::None => {
                    targets.unknown.push(link.clone());
                    continue;
                }
            };
            let Some(named) = self.memories(&[number])?.pop() else {
                continue;
            };
            let target = Self::living(&snapshot, &named.id)?.unwrap_or_else(|| named.clone());
            if target.id != named.id {
                targets
                    .followed
                    .push((link.clone(), target.handle.as_str().to_owned()));
            }
            if !targets.ids.contains(&target.id) {
                targets.ids.push(target.id);
            }
        }
        Ok(targets)
    }

    fn by_id_prefix(
        &self,
        snapshot: &Snapshot,
        reference: &str,
        scopes: &[Scope],
    ) -> Result<Resolution, StoreError> {
        let digits: String = reference.chars().filter(|c| *c != '-').collect();
        let is_hex = digits.chars().all(|c| c.is_ascii_hexdigit());
        if !is_hex || !(ID_PREFIX_DIGITS_MIN..=ID_DIGITS).contains(&digits.len()) {
            return Ok(Resolution::None);
        }
        let (Some(first), Some(last)) = (padded(&digits, '0'), padded(&digits, 'f')) else {
            return Ok(Resolution::None);
        };
        if digits.len() == ID_DIGITS {
            return Ok(snapshot
                .number_of_id(&MemoryId::from_bytes(first))?
                .map_or(Resolution::None, Resolution::One));
        }
        let mut candidates = Candidates::new(self, scopes);
        snapshot.for_each_id(first, last, |number| candidates.look_at(number))?;
        Ok(candidates.into_resolution())
    }

    fn by_topic_index(&self, reference: &str, scopes: &[Scope]) -> Option<MemoryNumber> {
        let (topic, index) = reference.rsplit_once(':')?;
        let index: usize = index.parse().ok()?;
        if TopicPattern::is_glob(topic) {
            // Read as a name it would be another topic's.
            return None;
        }
        let topic = Topic::parse(topic).ok()?;
        self.topic_members(topic.as_str(), scopes)
            .get(index)
            .copied()
    }
}

fn padded(digits: &str, fill: char) -> Option<[u8; 16]> {
    let digits: String = digits
        .chars()
        .chain(std::iter::repeat(fill))
        .take(32)
        .collect();
    u128::from_str_radix(&digits, 16)
        .ok()
        .map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_repeats_no_secret() {
        let said = Resolution::leads_nowhere("https://u:S3cretPw79x@host.example/notes");
        assert!(said.contains("names no memory"), "{said}");
        assert!(!said.contains("S3cretPw79x"), "{said}");
    }
}
