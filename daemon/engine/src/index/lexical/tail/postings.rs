//! The tail's inverted lists, in two growing allocations however many tokens there are: linking a memory in and dropping a
//! generation would otherwise cost an allocation for every token.

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
    /// Adds postings to a token's list. They are dropped once there are 2^32 of them, which the flush limits keep far away.
    pub(super) fn add(&mut self, token: &str, hash: u64, postings: impl Iterator<Item = Posting>) {
        let Self { lists, links } = self;
        let mut entry = match lists.entry(hash, |list| list.name == token, |list| list.hash) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => {
                let name = CompactString::new(token);
                entry.insert(List { hash, name, head: NONE, counts: [0; SCORED_FIELDS] })
            }
        };
        let list = entry.get_mut();
        for posting in postings {
            let Some(at) = u32::try_from(links.len()).ok().filter(|&at| at != NONE) else { break };
            links.push(Link { posting, next: list.head });
            list.head = at;
            if let Some(count) = list.counts.get_mut(usize::from(posting.place)) {
                *count += 1;
            }
        }
    }

    /// How many postings a token has in each field, those of dead slots too.
    pub(super) fn counts(&self, token: &str) -> [u32; SCORED_FIELDS] {
        self.list(token).map_or([0; SCORED_FIELDS], |list| list.counts)
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
