//! Tombstones in RAM: nothing automatic brings back what was forgotten, refused or purged.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::PoisonError;

use hashbrown::HashMap;
use unicode_segmentation::UnicodeSegmentation as _;

use super::Strand;
use crate::model::{MemoryId, Tombstone};
use crate::policy::forgotten::{Returning, prefix};
use crate::store::{Change, Snapshot, StoreError, WriteError};

/// All tombstones of a strand.
#[derive(Debug, Default)]
pub struct Tombstones {
    by_id: BTreeMap<MemoryId, Tombstone>,
    /// Those of texts with this hash.
    by_text: HashMap<u64, Vec<MemoryId>>,
    /// Those that have a word in their [`prefix`].
    by_word: HashMap<u32, Vec<MemoryId>>,
}

impl Tombstones {
    pub(super) fn read(snapshot: &Snapshot) -> Result<Self, StoreError> {
        let mut all = Self::default();
        for (id, tombstone) in snapshot.tombstones()? {
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
    }

    /// The first tombstone of a scope that is for a text.
    fn find(&self, returning: &Returning, scope: &str) -> Option<&Tombstone> {
        let same = self.by_text.get(&returning.text_hash());
        let words = prefix(returning.word_hashes()).iter();
        let alike = words.filter_map(|word| self.by_word.get(word));
        let candidates: BTreeSet<MemoryId> =
            same.into_iter().chain(alike).flatten().copied().collect();
        let mut found = candidates.iter().filter_map(|id| self.by_id.get(id));
        found.find(|stone| stone.scope == scope && returning.is(stone))
    }
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
        let tombstones = self
            .tombstones
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if tombstones.by_id.is_empty() {
            return None;
        }
        tombstones.find(&Returning::of(text), scope).cloned()
    }

    /// The tombstone of a text as a whole or of one of its sentences: what nobody asked for must not
    /// bring a forgotten sentence back among others.
    #[must_use]
    pub fn tells_forgotten(&self, text: &str, scope: &str) -> Option<Tombstone> {
        let sentences = text.unicode_sentences();
        std::iter::once(text)
            .chain(sentences)
            .find_map(|said| self.forgotten(said, scope))
    }

    /// Follows a commit.
    pub(super) fn follow_tombstones(&self, changes: &[Result<Change, WriteError>]) {
        for change in changes {
            let (id, tombstone) = match change {
                Ok(Change::Tombstone(id, tombstone)) => (*id, tombstone.as_deref()),
                Ok(Change::Purged { id, tombstone, .. }) => (*id, Some(tombstone.as_ref())),
                Ok(_) | Err(_) => continue,
            };
            let mut tombstones = self
                .tombstones
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            tombstones.follow(id, tombstone);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Departure, Origin, Timestamp};
    use crate::policy::forgotten::{text_hash, word_hashes};

    fn stone(text: &str, scope: &str) -> Tombstone {
        Tombstone {
            scope: scope.to_owned(),
            text_hash: text_hash(text),
            word_hashes: word_hashes(text),
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
            let mut each = all.by_id.values().filter(|stone| stone.scope == "global");
            let expected = each.find(|stone| returning.is(stone));
            prop_assert_eq!(all.find(&returning, "global"), expected);
        }
    }
}
