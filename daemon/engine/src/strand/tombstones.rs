//! Tombstones in RAM: nothing automatic brings back what was forgotten, refused or purged.
//!
//! Words are compared before anything is stored. Meaning follows: a tombstone has the vector that
//! its memory had, or gets one as memories do, and what came by itself is compared as soon as its
//! own vector is there (`meaning`).

mod meaning;

pub use meaning::Returned;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use hashbrown::HashMap;
use unicode_segmentation::UnicodeSegmentation as _;

use super::Strand;
use crate::index::vectors::Code;
use crate::model::{Departure, MemoryId, MemoryNumber, Scope, Timestamp, Tombstone};
use crate::policy::forgotten::{self, Returning, prefix};
use crate::store::{Change, Snapshot, StoreError, WriteError};

/// All tombstones of a strand.
#[derive(Debug, Default)]
pub struct Tombstones {
    by_id: BTreeMap<MemoryId, Tombstone>,
    /// Those of texts with this hash.
    by_text: HashMap<u64, Vec<MemoryId>>,
    /// Those that have a word in their [`prefix`].
    by_word: HashMap<u32, Vec<MemoryId>>,
    /// Those that are compared by meaning, by their scope.
    by_scope: HashMap<String, BTreeSet<MemoryId>>,
    /// Their vectors.
    codes: HashMap<MemoryId, Code>,
    /// Those whose vector is being made, by the number of the memory that they are for.
    embedding: HashMap<MemoryNumber, MemoryId>,
    /// Those whose vector cannot be made: their text is not here.
    without_text: BTreeSet<MemoryId>,
    /// Those whose vector is not written yet.
    unsaved: BTreeSet<MemoryId>,
}

impl Tombstones {
    pub(super) fn read(snapshot: &Snapshot) -> Result<Self, StoreError> {
        let mut all = Self::default();
        for (id, mut tombstone) in snapshot.tombstones()? {
            if forgotten::is_outdated(&tombstone.sketch)
                && let Some((_, text)) = text_of(snapshot, id, &tombstone)?
            {
                // An earlier version of Helix kept none, or read the text in another way.
                tombstone.sketch = forgotten::sketch(&text);
            }
            all.insert(id, tombstone);
        }
        Ok(all)
    }

    fn follow(&mut self, id: MemoryId, tombstone: Option<&Tombstone>) {
        self.remove(id);
        if let Some(tombstone) = tombstone {
            self.insert(id, tombstone.clone());
        }
    }

    fn insert(&mut self, id: MemoryId, tombstone: Tombstone) {
        self.by_text
            .entry(tombstone.text_hash)
            .or_default()
            .push(id);
        for word in prefix(&tombstone.word_hashes) {
            self.by_word.entry(*word).or_default().push(id);
        }
        if !tombstone.sketch.is_empty() {
            let of_scope = self.by_scope.entry(tombstone.scope.clone()).or_default();
            of_scope.insert(id);
        }
        if let Ok(code) = Code::from_bytes(&tombstone.code) {
            self.codes.insert(id, code);
        }
        self.by_id.insert(id, tombstone);
    }

    fn remove(&mut self, id: MemoryId) {
        let Some(tombstone) = self.by_id.remove(&id) else {
            return;
        };
        leave(&mut self.by_text, &tombstone.text_hash, id);
        for word in prefix(&tombstone.word_hashes) {
            leave(&mut self.by_word, word, id);
        }
        if let Some(of_scope) = self.by_scope.get_mut(&tombstone.scope) {
            of_scope.remove(&id);
            if of_scope.is_empty() {
                self.by_scope.remove(&tombstone.scope);
            }
        }
        self.codes.remove(&id);
        self.without_text.remove(&id);
        self.unsaved.remove(&id);
        self.embedding.retain(|_, other| *other != id);
    }

    /// Those that are compared by meaning.
    fn all_meanings(&self) -> impl Iterator<Item = (&MemoryId, &Tombstone)> {
        let ids = self.by_scope.values().flatten();
        ids.filter_map(|id| Some((id, self.by_id.get(id)?)))
    }

    /// Those that are compared by meaning with what comes into a scope.
    fn meanings(&self, scope: &str) -> impl Iterator<Item = (&MemoryId, &Tombstone)> {
        let known = self.by_scope.iter();
        let ids = known.filter(move |(known, _)| overlap(known, scope));
        let ids = ids.flat_map(|(_, ids)| ids);
        ids.filter_map(|id| Some((id, self.by_id.get(id)?)))
    }

    /// Whether something that comes into a scope may say what was forgotten.
    fn has_meanings(&self, scope: &str) -> bool {
        self.by_scope.keys().any(|known| overlap(known, scope))
    }

    /// Whether a tombstone has no vector of a model, and will have one.
    fn awaits_vector(&self, id: &MemoryId, tombstone: &Tombstone, model: &str) -> bool {
        let has_vector = tombstone.model == model && self.codes.contains_key(id);
        !has_vector && !self.without_text.contains(id)
    }

    /// The tombstone of a scope that is nearest in meaning to a text and for what it says, of those
    /// set up before the text came.
    fn find_meaning(&self, arrival: &Arrival<'_>) -> Option<&Tombstone> {
        let candidates = self.meanings(arrival.scope).filter_map(|(id, stone)| {
            let is_comparable = stone.model == arrival.model && stone.at <= arrival.at;
            let code = self.codes.get(id).filter(|_| is_comparable)?;
            let cosine = code.cosine(arrival.code);
            arrival.text.means(stone, cosine).then_some((cosine, stone))
        });
        let nearest = candidates.max_by(|(one, _), (other, _)| one.total_cmp(other));
        nearest.map(|(_, stone)| stone)
    }

    /// The first tombstone of a scope that is for a text.
    fn find(
        &self,
        returning: &Returning<'_>,
        scope: &str,
        likeness: Likeness,
    ) -> Option<&Tombstone> {
        let same = self.by_text.get(&returning.text_hash());
        let words = prefix(returning.word_hashes()).iter();
        let alike = words.filter_map(|word| self.by_word.get(word));
        let candidates: BTreeSet<MemoryId> =
            same.into_iter().chain(alike).flatten().copied().collect();
        let mut found = candidates.iter().filter_map(|id| self.by_id.get(id));
        found.find(|stone| overlap(&stone.scope, scope) && likeness.fits(returning, stone))
    }
}

/// Whether some project sees what is in both of two scopes: what was forgotten in a project would be
/// back there if it held everywhere.
fn overlap(one: &str, other: &str) -> bool {
    let everywhere = Scope::Global.to_string();
    one == other || one == everywhere || other == everywhere
}

/// A text of the same length whose lines go on in the next one, where that is no other block.
fn flowing(text: &str) -> String {
    let mut flowing = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let goes_on = lines.peek().is_some_and(|next| !begins_block(next));
        match line
            .strip_suffix('\n')
            .filter(|line| goes_on && !is_block(line))
        {
            Some(line) => flowing.extend([line, " "]),
            None => flowing.push_str(line),
        }
    }
    flowing
}

/// Whether a line of Markdown is a block of its own.
fn is_block(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', '|']) || line.starts_with("```")
}

/// Whether a line of Markdown begins another block.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = line.starts_with(['-', '*', '+', '>'])
        || (numbered.len() < line.len() && numbered.starts_with(['.', ')']));
    is_block(line) || is_item
}

/// How like a text must be to what was forgotten.
#[derive(Clone, Copy)]
enum Likeness {
    /// As [`Returning::is`] says.
    Text,
    /// As [`Returning::is_nearly`] says.
    Section,
}

impl Likeness {
    fn fits(self, returning: &Returning<'_>, stone: &Tombstone) -> bool {
        match self {
            Self::Text => returning.is(stone),
            Self::Section => returning.is_nearly(stone),
        }
    }
}

/// A text that came, as it is compared with what was forgotten.
struct Arrival<'a> {
    text: &'a Returning<'a>,
    scope: &'a str,
    code: &'a Code,
    model: &'a str,
    at: Timestamp,
}

/// The number and text of the memory that a tombstone is for; `None` where that is not here, or has
/// another text by now.
fn text_of(
    snapshot: &Snapshot,
    id: MemoryId,
    tombstone: &Tombstone,
) -> Result<Option<(MemoryNumber, String)>, StoreError> {
    if tombstone.departure == Departure::Purged {
        return Ok(None);
    }
    let Some(number) = snapshot.number_of_id(&id)? else {
        return Ok(None);
    };
    let text = snapshot.memory(number)?.map(|memory| memory.text);
    let is_same = |text: &String| forgotten::text_hash(text) == tombstone.text_hash;
    Ok(text.filter(is_same).map(|text| (number, text)))
}

/// Takes an id out of a list, and an empty list out of the index.
fn leave<K: Eq + Hash>(index: &mut HashMap<K, Vec<MemoryId>>, key: &K, id: MemoryId) {
    if let Some(ids) = index.get_mut(key) {
        ids.retain(|other| *other != id);
        if ids.is_empty() {
            index.remove(key);
        }
    }
}

impl Strand {
    /// The tombstone of what a text in a scope says, if it was forgotten before: in the same words
    /// or nearly the same.
    #[must_use]
    pub fn forgotten(&self, text: &str, scope: &str) -> Option<Tombstone> {
        let tombstones = self.tombstones();
        if tombstones.by_id.is_empty() {
            return None;
        }
        tombstones
            .find(&Returning::of(text), scope, Likeness::Text)
            .cloned()
    }

    /// Whether anything was forgotten, refused or purged.
    #[must_use]
    pub fn has_tombstones(&self) -> bool {
        !self.tombstones().by_id.is_empty()
    }

    /// The tombstone of what a section of a file says, if it was forgotten before, maybe under
    /// another heading.
    #[must_use]
    pub fn forgotten_section(&self, text: &str, scope: &str) -> Option<Tombstone> {
        self.tombstones()
            .find(&Returning::of(text), scope, Likeness::Section)
            .cloned()
    }

    /// The tombstone of a text as a whole or of one of its sentences: what nobody asked for must not
    /// bring a forgotten sentence back among others.
    #[must_use]
    pub fn tells_forgotten(&self, text: &str, scope: &str) -> Option<Tombstone> {
        Self::said_in(text)
            .into_iter()
            .find_map(|said| self.forgotten(said, scope))
    }

    /// The sentences of a text that were forgotten, where it has others, too.
    #[must_use]
    pub fn forgotten_sentences<'t>(&self, text: &'t str, scope: &str) -> Vec<(&'t str, Tombstone)> {
        if !self.has_tombstones() {
            return Vec::new();
        }
        let sentences = Self::said_in(text).into_iter().skip(1);
        sentences
            .filter_map(|said| Some((said, self.forgotten(said, scope)?)))
            .collect()
    }

    /// A text as a whole and, where there are several, each of its sentences. A sentence goes on in
    /// the next line.
    #[must_use]
    pub fn said_in(text: &str) -> Vec<&str> {
        let flowing = flowing(text);
        let mut said = vec![text];
        let bounds: Vec<(usize, &str)> = flowing.split_sentence_bound_indices().collect();
        if bounds.len() > 1 {
            let parts = bounds
                .iter()
                .filter_map(|(at, part)| text.get(*at..at + part.len()));
            let parts = parts
                .map(str::trim)
                .filter(|part| part.contains(char::is_alphanumeric));
            said.extend(parts);
        }
        said
    }

    /// Follows a commit.
    pub(super) fn follow_tombstones(&self, changes: &[Result<Change, WriteError>]) {
        for change in changes {
            let (id, tombstone) = match change {
                Ok(Change::Tombstone(id, tombstone)) => (*id, tombstone.as_deref()),
                Ok(Change::Purged { id, tombstone, .. }) => (*id, Some(tombstone.as_ref())),
                Ok(_) | Err(_) => continue,
            };
            self.tombstones_mut().follow(id, tombstone);
        }
    }

    fn tombstones(&self) -> RwLockReadGuard<'_, Tombstones> {
        self.tombstones
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn tombstones_mut(&self) -> RwLockWriteGuard<'_, Tombstones> {
        self.tombstones
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Origin, Sketch};
    use crate::policy::forgotten::{text_hash, word_hashes};

    fn stone(text: &str, scope: &str) -> Tombstone {
        Tombstone {
            scope: scope.to_owned(),
            text_hash: text_hash(text),
            word_hashes: word_hashes(text),
            sketch: Sketch::default(),
            code: Vec::new(),
            model: String::new(),
            departure: Departure::Forgotten,
            origin: Origin::User,
            agent: String::new(),
            at: Timestamp::default(),
            handle: text.to_owned(),
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec("[a-l]", 1..14).prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn the_index_finds_what_a_look_at_all_of_them_finds(
            texts in prop::collection::vec((text(), any::<bool>()), 1..40),
            gone in 0..40_usize,
            returning in text(),
        ) {
            let mut all = Tombstones::default();
            for (place, (text, is_global)) in (0_u8..).zip(&texts) {
                let scope = if *is_global { "global" } else { "project:a" };
                all.follow(MemoryId::from_bytes([place; 16]), Some(&stone(text, scope)));
            }
            if let Some(id) = all.by_id.keys().nth(gone).copied() {
                all.follow(id, None);
            }
            let returning = Returning::of(&returning);
            for scope in ["global", "project:a", "project:b"] {
                let mut each = all.by_id.values().filter(|stone| overlap(&stone.scope, scope));
                let expected = each.find(|stone| returning.is(stone));
                prop_assert_eq!(all.find(&returning, scope, Likeness::Text), expected);
            }
        }
    }
}
