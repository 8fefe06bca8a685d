//! Links between memories of one import: by the names they had where they come from, set when all of them are stored.

use std::collections::HashMap;

use helix_engine::model::{MemoryId, MemoryNumber};

/// What the wanted links came to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Resolved {
    /// What each memory links to.
    pub(super) known: Vec<(MemoryNumber, Vec<MemoryId>)>,
    /// Those of them that were as they should be but for their links.
    pub(super) completed: u64,
    /// Links that name nothing, and whose they are.
    pub(super) unknown: Vec<(MemoryNumber, String)>,
}

/// What names of the file became which memories.
#[derive(Default)]
pub(super) struct Links {
    by_handle: HashMap<String, MemoryId>,
    /// Places in `ids`, in the order of the file.
    by_topic: HashMap<String, Vec<usize>>,
    ids: Vec<Option<MemoryId>>,
    wanted: Vec<Wanted>,
}

/// What a memory is to link to.
struct Wanted {
    number: MemoryNumber,
    links: Vec<String>,
    /// Those that it has, where nothing else of it changes: it is to get more, and to lose none.
    had: Option<Vec<MemoryId>>,
}

impl Links {
    /// Gives the file's next memory a place, whatever becomes of it.
    pub(super) fn place(&mut self, topic: &str) -> usize {
        let place = self.ids.len();
        self.ids.push(None);
        self.by_topic.entry(topic.to_owned()).or_default().push(place);
        place
    }

    /// Notes what the memory at a place became.
    pub(super) fn note(&mut self, place: usize, handle: Option<String>, id: MemoryId) {
        if let Some(slot) = self.ids.get_mut(place) {
            *slot = Some(id);
        }
        self.by_handle.extend(handle.map(|handle| (handle, id)));
    }

    /// Notes what a memory is to link to, which may be nothing.
    pub(super) fn want(&mut self, number: MemoryNumber, links: Vec<String>) {
        self.wanted.push(Wanted { number, links, had: None });
    }

    /// Notes what a memory that is as it should be has yet to link to.
    pub(super) fn complete(&mut self, number: MemoryNumber, had: &[MemoryId], links: Vec<String>) {
        self.wanted.push(Wanted { number, links, had: Some(had.to_vec()) });
    }

    /// What each memory links to; `elsewhere` knows the names that the file does not.
    pub(super) fn resolve(&mut self, elsewhere: impl Fn(&str) -> Option<MemoryId>) -> Resolved {
        let mut resolved = Resolved::default();
        for Wanted { number, links, had } in std::mem::take(&mut self.wanted) {
            let (mut ids, takes_all_away) = (Vec::new(), links.is_empty());
            for link in links {
                match self.find(&link).or_else(|| elsewhere(&link)) {
                    Some(id) => ids.push(id),
                    None => resolved.unknown.push((number, link)),
                }
            }
            let is_more = |had: &Vec<MemoryId>| ids.len() > had.len() && had.iter().all(|id| ids.contains(id));
            let is_wanted = had.as_ref().map_or(takes_all_away || !ids.is_empty(), is_more);
            if is_wanted {
                resolved.known.push((number, ids));
                resolved.completed += u64::from(had.is_some());
            }
        }
        resolved
    }

    fn find(&self, link: &str) -> Option<MemoryId> {
        let by_index = || {
            let (topic, index) = link.rsplit_once(':')?;
            let place = *self.by_topic.get(topic)?.get(index.parse::<usize>().ok()?)?;
            *self.ids.get(place)?
        };
        self.by_handle.get(link).copied().or_else(by_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_file_come_before_those_of_the_strand() {
        let id = |byte| MemoryId::from_bytes([byte; 16]);
        let mut links = Links::default();
        let places = [links.place("build"), links.place("build")];
        links.note(places[1], None, id(2));
        links.note(places[0], Some("build/one".to_owned()), id(1));
        links.want(
            MemoryNumber(7),
            vec!["build:1".to_owned(), "build/one".to_owned(), "x/y".to_owned(), "no".to_owned()],
        );
        links.want(MemoryNumber(8), vec!["no".to_owned()]);
        links.want(MemoryNumber(9), Vec::new());
        let both = || vec!["build:1".to_owned(), "build/one".to_owned()];
        links.complete(MemoryNumber(10), &[id(1)], both());
        links.complete(MemoryNumber(11), &[], vec!["no".to_owned()]);
        links.complete(MemoryNumber(12), &[id(9)], both());
        links.complete(MemoryNumber(13), &[id(2), id(1)], both());
        let resolved = links.resolve(|link| (link == "x/y").then(|| id(9)));
        let known = [(7, vec![id(2), id(1), id(9)]), (9, Vec::new()), (10, vec![id(2), id(1)])];
        assert_eq!(resolved.known, known.map(|(number, ids)| (MemoryNumber(number), ids)));
        assert_eq!(resolved.unknown, [7, 8, 11].map(|number| (MemoryNumber(number), "no".to_owned())));
        assert_eq!(resolved.completed, 1);
        assert_eq!(links.resolve(|_| None), Resolved::default());
    }
}
