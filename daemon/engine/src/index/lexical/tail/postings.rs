//! The tail's inverted lists, in two growing allocations however many tokens there are: linking a
//! memory in and dropping a generation would otherwise cost an allocation for every token.

use compact_str::CompactString;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::super::fields::SCORED_FIELDS;
use super::prepared::hash_of;

/// One token in one field of one slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) slot: u32,
    pub(super) frequency: u16,
    pub(super) place: u8,
    pub(super) length_id: u8,
}

/// Ends a list.
const NONE: u32 = u32::MAX;

/// A posting and where the one added before it to the same list is.
#[derive(Debug)]
struct Link {
    posting: Posting,
    next: u32,
}

#[derive(Debug)]
struct List {
    hash: u64,
    name: CompactString,
    head: u32,
    /// Where the first posting that was added is.
    end: u32,
    /// Postings of each field, those of dead slots too.
    counts: [u32; SCORED_FIELDS],
}

/// Every token's list of postings, the latest first.
#[derive(Debug, Default)]
pub(super) struct Postings {
    lists: HashTable<List>,
    links: Vec<Link>,
}

impl Postings {
    /// Adds postings to a token's list. They are dropped once there are 2^32 of them, which the
    /// flush limits keep far away.
    pub(super) fn add(&mut self, token: &str, hash: u64, postings: impl Iterator<Item = Posting>) {
        let Self { lists, links } = self;
        let mut entry = match lists.entry(hash, |list| list.name == token, |list| list.hash) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                let name = CompactString::new(token);
                entry.insert(List {
                    hash,
                    name,
                    head: NONE,
                    end: NONE,
                    counts: [0; SCORED_FIELDS],
                })
            }
        };
        let list = entry.get_mut();
        for posting in postings {
            let Some(at) = u32::try_from(links.len()).ok().filter(|&at| at != NONE) else {
                break;
            };
            links.push(Link {
                posting,
                next: list.head,
            });
            list.head = at;
            list.end = if list.end == NONE { at } else { list.end };
            if let Some(count) = list.counts.get_mut(usize::from(posting.place)) {
                *count += 1;
            }
        }
    }

    /// Puts other lists in front of these; their slots begin at `first_slot`. Costs one look-up for
    /// each token instead of one for each token of each memory.
    pub(super) fn absorb(&mut self, others: Self, first_slot: u32) {
        let Self { lists, links } = self;
        let base = links.len();
        // Like those of `add`, they are dropped once there are too many.
        let Some(base) = u32::try_from(base)
            .ok()
            .filter(|base| base.checked_add(others.count()).is_some())
        else {
            return;
        };
        links.extend(others.links.into_iter().map(|Link { posting, next }| {
            let posting = Posting {
                slot: posting.slot + first_slot,
                ..posting
            };
            Link {
                posting,
                next: if next == NONE { NONE } else { next + base },
            }
        }));
        for mut other in others.lists {
            if other.head == NONE {
                continue;
            }
            (other.head, other.end) = (other.head + base, other.end + base);
            match lists.entry(other.hash, |list| list.name == other.name, |list| list.hash) {
                Entry::Vacant(entry) => {
                    entry.insert(other);
                }
                Entry::Occupied(mut entry) => {
                    let list = entry.get_mut();
                    if let Some(link) = links.get_mut(other.end as usize) {
                        link.next = list.head;
                    }
                    list.head = other.head;
                    list.counts
                        .iter_mut()
                        .zip(other.counts)
                        .for_each(|(count, more)| *count += more);
                }
            }
        }
    }

    fn count(&self) -> u32 {
        u32::try_from(self.links.len()).unwrap_or(u32::MAX)
    }

    /// How many postings a token has in each field, those of dead slots too.
    pub(super) fn counts(&self, token: &str) -> [u32; SCORED_FIELDS] {
        self.list(token)
            .map_or([0; SCORED_FIELDS], |list| list.counts)
    }

    /// A token's postings, the latest first.
    pub(super) fn of(&self, token: &str) -> impl Iterator<Item = &Posting> {
        let mut at = self.list(token).map_or(NONE, |list| list.head);
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next;
            Some(&link.posting)
        })
    }

    fn list(&self, token: &str) -> Option<&List> {
        self.lists.find(hash_of(token), |list| list.name == token)
    }
}
