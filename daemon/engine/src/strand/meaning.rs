//! The semantic side of a strand: vectors, kept in their own file, searched in RAM, made in the
//! background.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicBool;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use helix_memory::{Memory, MemoryNumber, Sequence, WordSet};

use super::Strand;
use crate::index::catalog::Catalog;
use crate::index::vectors::{
    Candidates, Code, Hit, TextVectors, TokenQuery, TokenSigns, VectorError, VectorIndex,
};
use crate::lock_order::{Lock, Ordered};
use crate::ports::Storage;
use crate::store::{
    MemoryStorage, NEXT_VECTOR_FILE, StoreError, VECTOR_FILE, VectorEntry, VectorFile, VectorRecord,
};

/// Of so many vectors one may be missing before a search by meaning is one-sided.
const LACKING_SHARE: usize = 20;

/// Memories that may wait for their vectors unsaid: those that were stored just now.
const LACKING_MIN: usize = 10;

/// Tokens of all candidates that a question is compared with, at most: a millisecond or two.
const TOKENS_COMPARED_MAX: usize = 8_192;

/// The embedding spaces of a strand; absent until the embedder says which model it has.
#[derive(Default)]
pub(super) struct Meaning {
    spaces: RwLock<Spaces>,
    /// Vectors are made, or will be once a model is loaded.
    pub(super) is_expected: AtomicBool,
}

/// The space that is searched, and the one that another model makes meanwhile.
#[derive(Default)]
struct Spaces {
    answering: Option<Space>,
    next: Option<Space>,
}

impl Spaces {
    fn of(&self, role: Role) -> Option<&Space> {
        match role {
            Role::Answering => self.answering.as_ref(),
            Role::Next => self.next.as_ref(),
        }
    }

    fn of_mut(&mut self, role: Role) -> Option<&mut Space> {
        match role {
            Role::Answering => self.answering.as_mut(),
            Role::Next => self.next.as_mut(),
        }
    }

    fn set(&mut self, role: Role, space: Space) {
        match role {
            Role::Answering => self.answering = Some(space),
            Role::Next => self.next = Some(space),
        }
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Space> {
        self.answering.iter_mut().chain(&mut self.next)
    }
}

/// One of the two spaces that a strand may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The one that is searched.
    Answering,
    /// The one that another model makes, to be searched when it is whole.
    Next,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Answering, Self::Next];

    fn file_name(self) -> &'static str {
        match self {
            Self::Answering => VECTOR_FILE,
            Self::Next => NEXT_VECTOR_FILE,
        }
    }
}

struct Space {
    model: String,
    index: VectorIndex,
    file: VectorFile,
    /// Memories without a vector of their present text.
    pending: BTreeSet<u32>,
}

/// The vectors of a file that are still of their memories' texts.
struct Loaded {
    index: VectorIndex,
    /// The hash of the text of each.
    held: HashMap<u32, u64>,
}

impl Loaded {
    /// Reads them without holding a lock: it takes as long as there are many.
    fn read(
        file: &VectorFile,
        dimensions: usize,
        wanted: &HashMap<u32, u64>,
    ) -> Result<Self, StoreError> {
        let mut index = VectorIndex::new(dimensions);
        let mut held = HashMap::new();
        file.for_each(
            |VectorRecord {
                 number,
                 text_hash,
                 code,
             }| {
                if wanted.get(&number.0) == Some(&text_hash)
                    && let Ok(code) = Code::from_bytes(&code)
                    && index.insert(number.0, &code).is_ok()
                {
                    held.insert(number.0, text_hash);
                }
            },
        )?;
        index.rebuild();
        Ok(Self { index, held })
    }
}

/// A text that waits for its vector.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Whose text it is.
    pub number: MemoryNumber,
    /// Hash of the text, given back with the vector.
    pub text_hash: u64,
    /// The text.
    pub text: String,
}

/// How far the vectors are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeaningStatus {
    /// Name, variant and hash of the model; empty without one.
    pub model: String,
    /// Vectors held.
    pub vectors: usize,
    /// Memories that wait for one.
    pub pending: usize,
    /// Everything up to here has its vector.
    pub watermark: Sequence,
}

/// Why vectors were not taken.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// The file failed.
    #[error("keeping vectors: {0}")]
    Store(#[from] StoreError),
    /// A vector is unusable.
    #[error("a vector was refused: {0}")]
    Vector(#[from] VectorError),
    /// No space is open.
    #[error("no embedding space is open; load a model first")]
    Closed,
}

impl Strand {
    /// Opens the embedding space of a model, in one of the two places: reads its vectors and finds
    /// out which memories lack one. A file there of another model is made anew.
    ///
    /// Takes a moment at many memories; words answer meanwhile, and writes go on.
    ///
    /// # Errors
    /// When the store cannot be read. Vectors that cannot be kept in a file are kept in RAM.
    pub fn open_space(
        &self,
        storage: &dyn Storage,
        role: Role,
        model: &str,
        dimensions: usize,
    ) -> Result<(), SpaceError> {
        let identity = self.snapshot()?.identity()?;
        let name = role.file_name();
        let file = VectorFile::open(storage, name, model, &identity).or_else(|error| {
            tracing::warn!(%error, "vectors cannot be kept in a file, and are made again after the next start");
            VectorFile::open(&MemoryStorage, name, model, &identity)
        })?;
        let loaded = Loaded::read(&file, dimensions, &self.wanted_vectors())?;
        // The catalog's lock is always taken before the space's. While it is held no commit reaches
        // the catalog, so none falls between the two. What was stored or changed while the
        // vectors were read is few by now.
        let catalog = self.catalog();
        let mut spaces = self.spaces_mut();
        let Loaded { mut index, held } = loaded;
        let mut pending = BTreeSet::new();
        for (number, row) in catalog.rows() {
            let wanted = row.status.is_indexed().then_some(row.text_hash);
            let held = held.get(&number.0).copied();
            if held.is_some() && held != wanted {
                index.remove(number.0);
            }
            if wanted.is_some() && held != wanted {
                pending.insert(number.0);
            }
        }
        let space = Space {
            model: model.to_owned(),
            index,
            file,
            pending,
        };
        spaces.set(role, space);
        Ok(())
    }

    /// The model whose vectors were searched last in this strand, by its file.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn model_of_vectors(&self, storage: &dyn Storage) -> Result<Option<String>, StoreError> {
        let identity = self.snapshot()?.identity()?;
        Ok(VectorFile::model_in(storage, VECTOR_FILE, &identity))
    }

    /// Searches the next space from now on and lets go of the other one. A crash leaves one of the
    /// two files under the name that is opened first.
    ///
    /// # Errors
    /// [`SpaceError::Closed`] where no space is being made.
    pub fn promote_next_space(&self, storage: &dyn Storage) -> Result<(), SpaceError> {
        let mut spaces = self.spaces_mut();
        let next = spaces.next.take().ok_or(SpaceError::Closed)?;
        if let Err(error) = storage.replace(VECTOR_FILE, NEXT_VECTOR_FILE) {
            tracing::warn!(%error, "the new vectors keep their old name, and are made again after the next start");
        }
        spaces.answering = Some(next);
        Ok(())
    }

    /// Lets go of the next space and of its file.
    pub fn drop_next_space(&self, storage: &dyn Storage) {
        self.spaces_mut().next = None;
        if let Err(error) = storage.remove(NEXT_VECTOR_FILE) {
            tracing::warn!(%error, "vectors that nobody needs stay on the disk");
        }
    }

    /// The memories that are to have a vector, each with the hash of its text.
    fn wanted_vectors(&self) -> HashMap<u32, u64> {
        let catalog = self.catalog();
        let indexed = catalog.rows().filter(|(_, row)| row.status.is_indexed());
        indexed
            .map(|(number, row)| (number.0, row.text_hash))
            .collect()
    }

    /// Texts that wait for a vector, newest first, so that what was just stored is found by meaning
    /// soon.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn pending_vectors(&self, role: Role, limit: usize) -> Result<Vec<Pending>, StoreError> {
        // What was forgotten first: what comes meanwhile waits for it.
        if role == Role::Answering {
            let tombstones = self.pending_tombstones()?;
            if !tombstones.is_empty() {
                return Ok(tombstones);
            }
        }
        let numbers: Vec<MemoryNumber> = {
            let spaces = self.spaces();
            let pending = spaces
                .of(role)
                .map(|space| space.pending.iter().rev().take(limit));
            pending
                .into_iter()
                .flatten()
                .copied()
                .map(MemoryNumber)
                .collect()
        };
        let memories = self.memories(&numbers)?;
        let wait = |memory: Memory| Pending {
            number: memory.number,
            text_hash: WordSet::text_hash(&memory.text),
            text: memory.text,
        };
        Ok(memories.into_iter().map(wait).collect())
    }

    /// Takes vectors: makes them durable, then searchable. Those of texts that changed meanwhile
    /// are dropped.
    ///
    /// # Errors
    /// [`SpaceError::Vector`] when a vector is not finite or of another dimension; none of the
    /// group is taken then.
    pub fn put_vectors(
        &self,
        role: Role,
        vectors: &[(MemoryNumber, u64, TextVectors)],
    ) -> Result<(), SpaceError> {
        let mut codes = Vec::with_capacity(vectors.len());
        let mut entries = Vec::with_capacity(vectors.len());
        for (number, text_hash, TextVectors { whole, tokens }) in vectors {
            let code = Code::quantize(whole)?;
            if role == Role::Answering && self.put_tombstone_vector(*number, &code) {
                continue;
            }
            entries.push(VectorEntry {
                vector: VectorRecord {
                    number: *number,
                    text_hash: *text_hash,
                    code: code.to_bytes(),
                },
                tokens: TokenSigns::of(tokens).to_bytes(),
            });
            codes.push((*number, *text_hash, code));
        }
        let file = self
            .spaces()
            .of(role)
            .map(|space| space.file.clone())
            .ok_or(SpaceError::Closed)?;
        file.put(&entries)?;
        let catalog = self.catalog();
        let mut spaces = self.spaces_mut();
        let space = spaces.of_mut(role).ok_or(SpaceError::Closed)?;
        for (number, text_hash, code) in codes {
            if catalog
                .row(number)
                .is_some_and(|row| row.text_hash == text_hash && row.status.is_indexed())
            {
                space.index.insert(number.0, &code)?;
                space.pending.remove(&number.0);
            }
        }
        Ok(())
    }

    /// Gives up on a text that cannot be embedded, until the daemon starts again.
    pub fn skip_vector(&self, role: Role, number: MemoryNumber) {
        self.skip_tombstone_vector(number);
        let mut spaces = self.spaces_mut();
        if let Some(space) = spaces.of_mut(role) {
            space.pending.remove(&number.0);
        }
    }

    /// Compares the vectors with the catalog: drops those of memories that have none by right, and
    /// notes every memory that lacks one. Returns how many wait now; those that were given up
    /// on are tried again.
    pub(super) fn check_vectors(&self) -> usize {
        let catalog = self.catalog();
        let mut spaces = self.spaces_mut();
        for space in spaces.each_mut() {
            for (number, row) in catalog.rows() {
                let has_vector = space.index.code(number.0).is_some();
                match (row.status.is_indexed(), has_vector) {
                    (true, false) => {
                        space.pending.insert(number.0);
                    }
                    (false, true) => {
                        space.index.remove(number.0);
                    }
                    (true, true) | (false, false) => {}
                }
            }
        }
        let answering = spaces.answering.as_ref();
        answering.map_or(0, |space| space.pending.len())
    }

    /// Whether so many memories wait for their vectors that a search by meaning is one-sided.
    #[must_use]
    pub fn lacks_vectors(&self) -> bool {
        let spaces = self.spaces();
        spaces.answering.as_ref().is_some_and(|space| {
            let pending = space.pending.len();
            pending >= LACKING_MIN && pending * LACKING_SHARE > space.index.len()
        })
    }

    /// How far the vectors are.
    #[must_use]
    pub fn meaning_status(&self, role: Role, newest: Sequence) -> MeaningStatus {
        let catalog = self.catalog();
        let spaces = self.spaces();
        let Some(space) = spaces.of(role) else {
            return MeaningStatus::default();
        };
        let first_pending = space
            .pending
            .iter()
            .filter_map(|&number| catalog.row(MemoryNumber(number)))
            .map(|row| row.sequence.0)
            .min();
        MeaningStatus {
            model: space.model.clone(),
            vectors: space.index.len(),
            pending: space.pending.len(),
            watermark: first_pending.map_or(newest, |first| Sequence(first.saturating_sub(1))),
        }
    }

    /// Drops the vectors of texts that are gone and gives their room back; returns how many. 0
    /// without a space. A vector that is put meanwhile may be dropped from the file, and is
    /// made again at the next start.
    ///
    /// # Errors
    /// When the disk fails. The vectors that are wanted stay.
    pub fn compact_vectors(&self) -> Result<u64, StoreError> {
        let mut dropped = 0;
        for role in Role::ALL {
            dropped += self.compact_space(role)?;
        }
        Ok(dropped)
    }

    fn compact_space(&self, role: Role) -> Result<u64, StoreError> {
        let extent = self.catalog().extent();
        let wanted = self.wanted_vectors();
        let file = self.spaces().of(role).map(|space| space.file.clone());
        let Some(file) = file else { return Ok(0) };
        let dropped = file.retain(|number, text_hash| {
            number.0 as usize >= extent
                || wanted
                    .get(&number.0)
                    .is_some_and(|wanted| *wanted == text_hash)
        })?;
        drop(file);
        // Nobody may use the file while it shrinks; searches by meaning wait for the moment that it
        // takes.
        let mut spaces = self.spaces_mut();
        if let Some(space) = spaces.of_mut(role) {
            space.file.shrink()?;
        }
        Ok(dropped)
    }

    /// Follows a change of a memory's text or status.
    pub(super) fn note_meaning(&self, memory: &Memory) {
        for space in self.spaces_mut().each_mut() {
            space.index.remove(memory.number.0);
            if memory.status.is_indexed() {
                space.pending.insert(memory.number.0);
            } else {
                space.pending.remove(&memory.number.0);
            }
        }
    }

    /// Takes out the vector of a memory that is gone.
    pub(super) fn forget_meaning(&self, number: MemoryNumber) {
        for space in self.spaces_mut().each_mut() {
            space.index.remove(number.0);
            space.pending.remove(&number.0);
        }
    }

    /// The nearest memories to a vector; empty without a space, and for a vector that was made by
    /// the model before.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        limit: usize,
        candidates: Candidates<'_>,
    ) -> Result<Vec<Hit>, VectorError> {
        match self.spaces().answering.as_ref() {
            Some(space) if space.index.dimensions() == query.len() => {
                space.index.search(query, limit, candidates)
            }
            Some(_) | None => Ok(Vec::new()),
        }
    }

    /// Hash of the text that each of some memories has, where its vector is of that text; 0 where it
    /// is not.
    pub(crate) fn embedded_texts(
        &self,
        catalog: &Catalog,
        numbers: &[MemoryNumber],
    ) -> Vec<(MemoryNumber, u64)> {
        let hash_of = |number: &MemoryNumber| {
            let row = catalog.row(*number).filter(|_| self.says_the_same(*number));
            (*number, row.map_or(0, |row| row.text_hash))
        };
        numbers.iter().map(hash_of).collect()
    }

    /// How near the tokens of some memories, best first, with the hashes of their texts, are to those
    /// of a question; `None` for a memory without tokens, and where there are too many. None has any where the file cannot be read: it
    /// is derived, and a search goes on. Reads the disk, so the catalog must not be held.
    pub(crate) fn token_scores(
        &self,
        query: &TokenQuery,
        texts: &[(MemoryNumber, u64)],
    ) -> Vec<Option<f32>> {
        let file = self
            .spaces()
            .answering
            .as_ref()
            .map(|space| space.file.clone());
        let found = file.map_or_else(|| Ok(Vec::new()), |file| file.tokens(texts));
        let mut found = found.unwrap_or_else(|error| {
            tracing::warn!(%error, "the tokens of memories cannot be read");
            Vec::new()
        });
        found.resize(texts.len(), None);
        let mut left = TOKENS_COMPARED_MAX;
        let score = |bytes: Option<Vec<u8>>| {
            let signs = TokenSigns::from_bytes(&bytes?).ok()?;
            left = left.checked_sub(signs.len())?;
            query.score(&signs)
        };
        found.into_iter().map(score).collect()
    }

    /// How crowded it is around each of some memories: see [`VectorIndex::crowding`].
    ///
    /// [`VectorIndex::crowding`]: crate::index::vectors::VectorIndex::crowding
    pub(crate) fn crowding(&self, numbers: &[MemoryNumber], nearest: usize) -> Vec<f32> {
        let numbers: Vec<u32> = numbers.iter().map(|number| number.0).collect();
        match self.spaces().answering.as_ref() {
            Some(space) => space.index.crowding(&numbers, nearest),
            None => vec![0.0; numbers.len()],
        }
    }

    /// Whether a memory has a vector that is searched.
    pub(crate) fn has_vector(&self, number: MemoryNumber) -> bool {
        self.says_the_same(number)
            && self
                .spaces()
                .answering
                .as_ref()
                .is_some_and(|space| space.index.contains(number.0))
    }

    /// Whether a memory waits for its vector.
    #[must_use]
    pub fn awaits_vector(&self, number: MemoryNumber) -> bool {
        let spaces = self.spaces();
        spaces
            .answering
            .as_ref()
            .is_some_and(|space| space.pending.contains(&number.0))
    }

    /// The model whose vectors are searched.
    pub(super) fn answering_model(&self) -> Option<String> {
        let spaces = self.spaces();
        spaces.answering.as_ref().map(|space| space.model.clone())
    }

    /// The model and the bytes of a memory's vector, where it has one.
    pub(crate) fn code_of(&self, number: MemoryNumber) -> Option<(String, Vec<u8>)> {
        let spaces = self.spaces();
        let space = spaces.answering.as_ref()?;
        let code = space.index.code(number.0)?;
        Some((space.model.clone(), code.to_bytes()))
    }

    /// The vectors' codes of some memories, where they have one.
    pub(crate) fn codes(&self, numbers: &[MemoryNumber]) -> Vec<Option<Code>> {
        let spaces = self.spaces();
        let code = |number: &MemoryNumber| {
            let answering = spaces.answering.as_ref();
            let space = answering.filter(|_| self.says_the_same(*number))?;
            space.index.code(number.0)
        };
        numbers.iter().map(code).collect()
    }

    /// The cosines of so many pairs of different memories, the same ones each time while nothing
    /// changes; none where fewer than `least` have vectors.
    pub(crate) fn random_nearness(&self, pairs: usize, least: usize) -> Vec<f32> {
        let extent = self.catalog().extent() as u64;
        let spaces = self.spaces();
        let Some(space) = spaces
            .answering
            .as_ref()
            .filter(|space| space.index.len() >= least.max(2))
        else {
            return Vec::new();
        };
        let mut state = 0_u64;
        // Most numbers have a vector; where few have, fewer pairs have to do.
        let codes = (0..pairs * 4).filter_map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = u32::try_from((state >> 33) % extent.max(1)).ok()?;
            Some((number, space.index.code(number)?))
        });
        let codes: Vec<(u32, Code)> = codes.take(pairs * 2).collect();
        let pairs = codes
            .as_chunks::<2>()
            .0
            .iter()
            .filter(|[(one, _), (other, _)]| one != other);
        pairs
            .map(|[(_, one), (_, other)]| one.cosine(other))
            .collect()
    }

    fn spaces(&self) -> Ordered<RwLockReadGuard<'_, Spaces>> {
        Ordered::take(Lock::Space, || {
            self.meaning
                .spaces
                .read()
                .unwrap_or_else(PoisonError::into_inner)
        })
    }

    fn spaces_mut(&self) -> Ordered<RwLockWriteGuard<'_, Spaces>> {
        Ordered::take(Lock::Space, || {
            self.meaning
                .spaces
                .write()
                .unwrap_or_else(PoisonError::into_inner)
        })
    }
}

#[cfg(test)]
mod tests;
