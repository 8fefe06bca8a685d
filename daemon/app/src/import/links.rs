//! Links between memories of one import: by the names they had where they come from, set when all
//! of them are stored.

use std::collections::HashMap;

use helix_memory::{MemoryId, MemoryNumber, Timestamp};

/// The links that a memory is to get.
#[derive(Debug, PartialEq)]
pub(super) struct Linked {
    pub(super) number: MemoryNumber,
    pub(super) ids: Vec<MemoryId>,
    /// When the rest of it was written.
    pub(super) at: Timestamp,
}

/// The links that were resolved.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Resolved {
    /// The links of each memory.
    pub(super) known: Vec<Linked>,
    /// Those of them that were as they should be but for their links.
    pub(super) completed: u64,
    /// Links that name nothing, and whose they are.
    pub(super) unknown: Vec<(Owner, String)>,
}

/// Whose links they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Owner {
    /// A memory of the strand.
    Stored(MemoryNumber),
    /// One that a dry run leaves out, by the handle that it would get.
    Foreseen(String),
}

/// Memories by their names in the file.
#[derive(Default)]
pub(super) struct Links {
    by_handle: HashMap<String, MemoryId>,
    /// Places in `ids`, in the order of the file.
    by_topic: HashMap<String, Vec<usize>>,
    ids: Vec<Option<MemoryId>>,
    /// The places of what stands in a flat list, by the list's file and the index there.
    by_index: HashMap<(usize, usize), usize>,
    /// The first place of each file after the first.
    later_files: Vec<usize>,
    wanted: Vec<Wanted>,
}

/// The links that a memory is to get, by name.
struct Wanted {
    owner: Owner,
    /// When what they complete is written; `None` for what is not.
    at: Option<Timestamp>,
    /// Its own place, which says in which file indices are to be looked up.
    place: usize,
    links: Vec<String>,
    /// Those that it has, where nothing else of it changes: it is to get more, and to lose none.
    had: Option<Vec<MemoryId>>,
}

impl Links {
    /// Gives the file's next memory a place, whatever becomes of it. `index` is where it stands in
    /// a flat list.
    pub(super) fn place(&mut self, topic: &str, index: Option<usize>) -> usize {
        let place = self.ids.len();
        self.by_index
            .extend(index.map(|index| ((self.later_files.len(), index), place)));
        self.ids.push(None);
        self.by_topic
            .entry(topic.to_owned())
            .or_default()
            .push(place);
        place
    }

    /// Begins another file.
    pub(super) fn end_file(&mut self) {
        self.later_files.push(self.ids.len());
    }

    /// Notes what the memory at a place became.
    pub(super) fn note(&mut self, place: usize, handle: Option<String>, id: MemoryId) {
        if let Some(slot) = self.ids.get_mut(place) {
            *slot = Some(id);
        }
        self.by_handle.extend(handle.map(|handle| (handle, id)));
    }

    /// Notes what the memory of a place, written at this time, is to link to, which may be nothing.
    pub(super) fn want(
        &mut self,
        number: MemoryNumber,
        at: Timestamp,
        place: usize,
        links: Vec<String>,
    ) {
        self.wanted.push(Wanted {
            owner: Owner::Stored(number),
            at: Some(at),
            place,
            links,
            had: None,
        });
    }

    /// Notes what a dry run does not store: the handle of the file, the one that it would get, and
    /// its links.
    pub(super) fn foresee(
        &mut self,
        place: usize,
        handle: Option<String>,
        proposed: String,
        links: Vec<String>,
    ) {
        let id = foreseen_id(place);
        self.note(place, handle, id);
        self.by_handle.entry(proposed.clone()).or_insert(id);
        if !links.is_empty() {
            self.wanted.push(Wanted {
                owner: Owner::Foreseen(proposed),
                at: None,
                place,
                links,
                had: None,
            });
        }
    }

    /// Notes what a memory that is as it should be has yet to link to.
    pub(super) fn complete(
        &mut self,
        number: MemoryNumber,
        at: Timestamp,
        place: usize,
        had: &[MemoryId],
        links: Vec<String>,
    ) {
        let owner = Owner::Stored(number);
        self.wanted.push(Wanted {
            owner,
            at: Some(at),
            place,
            links,
            had: Some(had.to_vec()),
        });
    }

    /// Resolves the links of each memory; `elsewhere` knows the names that the file does not.
    pub(super) fn resolve(&mut self, elsewhere: impl Fn(&str) -> Option<MemoryId>) -> Resolved {
        let mut resolved = Resolved::default();
        for Wanted {
            owner,
            at,
            place,
            links,
            had,
        } in std::mem::take(&mut self.wanted)
        {
            let (mut ids, takes_all_away) = (Vec::new(), links.is_empty());
            for link in links {
                let found = match index(&link) {
                    Some(index) => self.at_index(place, index),
                    None => self.find(&link).or_else(|| elsewhere(&link)),
                };
                match found {
                    Some(id) => ids.push(id),
                    None => resolved.unknown.push((owner.clone(), link)),
                }
            }
            let is_more = |had: &Vec<MemoryId>| {
                ids.len() > had.len() && had.iter().all(|id| ids.contains(id))
            };
            let is_wanted = had
                .as_ref()
                .map_or(takes_all_away || !ids.is_empty(), is_more);
            if let (Owner::Stored(number), Some(at)) = (owner, at)
                && is_wanted
            {
                resolved.known.push(Linked { number, ids, at });
                resolved.completed += u64::from(had.is_some());
            }
        }
        resolved
    }

    /// The memory at an index of the flat list in which the one at `place` stands.
    fn at_index(&self, place: usize, index: usize) -> Option<MemoryId> {
        let file = self.later_files.partition_point(|first| *first <= place);
        *self.ids.get(*self.by_index.get(&(file, index))?)?
    }

    fn find(&self, link: &str) -> Option<MemoryId> {
        let by_index = || {
            let (topic, index) = link.rsplit_once(':')?;
            let place = *self
                .by_topic
                .get(topic)?
                .get(index.parse::<usize>().ok()?)?;
            *self.ids.get(place)?
        };
        self.by_handle.get(link).copied().or_else(by_index)
    }
}

/// Stands for the id of what a dry run does not store; no memory has it, since ids begin with a
/// time.
fn foreseen_id(place: usize) -> MemoryId {
    let mut bytes = [0; 16];
    if let Some(last) = bytes.last_chunk_mut() {
        *last = (place as u64).to_be_bytes();
    }
    MemoryId::from_bytes(bytes)
}

/// Reads a link that is an index, with or without brackets. It never names a memory of the strand,
/// whose ids may begin so.
pub(super) fn index(link: &str) -> Option<usize> {
    let digits = link.trim_matches(['[', ']']);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_file_come_before_those_of_the_strand() {
        let id = |byte| MemoryId::from_bytes([byte; 16]);
        let mut links = Links::default();
        let places = [links.place("build", None), links.place("build", None)];
        links.note(places[1], None, id(2));
        links.note(places[0], Some("build/one".to_owned()), id(1));
        let (stored, now) = (Timestamp::from_micros(1), Timestamp::from_micros(2));
        links.want(
            MemoryNumber(7),
            stored,
            0,
            vec![
                "build:1".to_owned(),
                "build/one".to_owned(),
                "x/y".to_owned(),
                "no".to_owned(),
            ],
        );
        links.want(MemoryNumber(8), stored, 0, vec!["no".to_owned()]);
        links.want(MemoryNumber(9), stored, 0, Vec::new());
        let both = || vec!["build:1".to_owned(), "build/one".to_owned()];
        links.complete(MemoryNumber(10), now, 0, &[id(1)], both());
        links.complete(MemoryNumber(11), now, 0, &[], vec!["no".to_owned()]);
        links.complete(MemoryNumber(12), now, 0, &[id(9)], both());
        links.complete(MemoryNumber(13), now, 0, &[id(2), id(1)], both());
        let resolved = links.resolve(|link| (link == "x/y").then(|| id(9)));
        let known = [
            (7, stored, vec![id(2), id(1), id(9)]),
            (9, stored, Vec::new()),
            (10, now, vec![id(2), id(1)]),
        ];
        assert_eq!(
            resolved.known,
            known.map(|(number, at, ids)| Linked {
                number: MemoryNumber(number),
                ids,
                at
            })
        );
        assert_eq!(
            resolved.unknown,
            [7, 8, 11].map(|number| (Owner::Stored(MemoryNumber(number)), "no".to_owned()))
        );
        assert_eq!(resolved.completed, 1);
        assert_eq!(links.resolve(|_| None), Resolved::default());
    }

    #[test]
    fn a_dry_run_knows_what_would_be_there() {
        let mut links = Links::default();
        let places = [0, 1].map(|index| links.place("a", Some(index)));
        let owned = |links: &[&str]| {
            links
                .iter()
                .map(|link| (*link).to_owned())
                .collect::<Vec<_>>()
        };
        let wanted = owned(&["1", "a:1", "a/second", "old/second", "no", "a:9"]);
        links.foresee(places[0], None, "a/first".to_owned(), wanted);
        links.foresee(
            places[1],
            Some("old/second".to_owned()),
            "a/second".to_owned(),
            Vec::new(),
        );
        let at = Timestamp::from_micros(1);
        links.want(MemoryNumber(7), at, places[0], owned(&["a/first"]));
        let resolved = links.resolve(|_| None);
        let first = Owner::Foreseen("a/first".to_owned());
        assert_eq!(
            resolved.unknown,
            [(first.clone(), "no".to_owned()), (first, "a:9".to_owned())]
        );
        assert_eq!(
            resolved.known,
            [Linked {
                number: MemoryNumber(7),
                ids: vec![foreseen_id(places[0])],
                at
            }]
        );
    }

    #[test]
    fn an_index_is_one_of_the_same_file() {
        let id = |byte| MemoryId::from_bytes([byte; 16]);
        let mut links = Links::default();
        let first = [0, 1].map(|index| links.place("a", Some(index)));
        links.end_file();
        // What stood first in the second file could not be used.
        let second = links.place("a", Some(1));
        links.end_file();
        let topical = links.place("a", None);
        for (byte, place) in [(1, first[0]), (2, first[1]), (3, second), (4, topical)] {
            links.note(place, None, id(byte));
        }
        let both = || vec!["0".to_owned(), "[1]".to_owned()];
        let at = Timestamp::from_micros(1);
        links.want(MemoryNumber(1), at, first[0], both());
        links.want(MemoryNumber(3), at, second, both());
        links.want(MemoryNumber(4), at, topical, both());
        let resolved = links.resolve(|link| unreachable!("looked for {link} elsewhere"));
        let known = [(1, vec![id(1), id(2)]), (3, vec![id(3)])];
        assert_eq!(
            resolved.known,
            known.map(|(number, ids)| Linked {
                number: MemoryNumber(number),
                ids,
                at
            })
        );
        let owner = |number| Owner::Stored(MemoryNumber(number));
        let unknown =
            [(3, "0"), (4, "0"), (4, "[1]")].map(|(number, link)| (owner(number), link.to_owned()));
        assert_eq!(resolved.unknown, unknown);
        assert_eq!(
            ["007", "12a", "", "[]", "-1", "a:1"].map(index),
            [Some(7), None, None, None, None, None]
        );
    }
}
