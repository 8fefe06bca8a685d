//! Links between memories of one import: by the names they had where they come from, set when all of them are stored.

use std::collections::HashMap;

use helix_engine::model::{MemoryId, MemoryNumber};

/// What the wanted links came to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Resolved {
    /// What each memory links to.
    pub(super) known: Vec<(MemoryNumber, Vec<MemoryId>)>,
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
    wanted: Vec<(MemoryNumber, Vec<String>)>,
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
        self.wanted.push((number, links));
    }

    /// What each memory links to; `elsewhere` knows the names that the file does not.
    pub(super) fn resolve(&mut self, elsewhere: impl Fn(&str) -> Option<MemoryId>) -> Resolved {
        let mut resolved = Resolved::default();
        for (number, links) in std::mem::take(&mut self.wanted) {
            let (mut ids, takes_all_away) = (Vec::new(), links.is_empty());
            for link in links {
                match self.find(&link).or_else(|| elsewhere(&link)) {
                    Some(id) => ids.push(id),
                    None => resolved.unknown.push((number, link)),
                }
            }
            if takes_all_away || !ids.is_empty() {
                resolved.known.push((number, ids));
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
        let resolved = links.resolve(|link| (link == "x/y").then(|| id(9)));
        assert_eq!(resolved.known, [(MemoryNumber(7), vec![id(2), id(1), id(9)]), (MemoryNumber(9), Vec::new())]);
        assert_eq!(resolved.unknown, [(MemoryNumber(7), "no".to_owned()), (MemoryNumber(8), "no".to_owned())]);
        assert_eq!(links.resolve(|_| None), Resolved::default());
    }
}
