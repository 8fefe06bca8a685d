//! The vectors' own file: memory number → int8 code and signs of tokens, for one embedding model.
//!
//! Derived from the texts, so it may be deleted; kept because embedding a text costs milliseconds.
//! A file of its own shortens the store's repair walk after a crash. Each record remembers the hash
//! of the text it was made from, so that a vector of an older text is recognised as missing.

use std::sync::Arc;

use helix_memory::MemoryNumber;
use redb::{
    Database, Durability, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
    WriteTransaction,
};

use super::backend::Injected;
use super::guard::guarded;
use super::{StoreError, open_error};
use crate::ports::Storage;

/// File of the vectors that are searched, inside a strand.
pub const VECTOR_FILE: &str = "vectors.redb";

/// File of the vectors that another model makes meanwhile.
pub const NEXT_VECTOR_FILE: &str = "vectors-next.redb";

/// Page cache, in bytes: the codes are read once, at the start.
const CACHE_BYTES: usize = 8 * 1024 * 1024;

/// Version of the layout; another one is discarded and made anew.
const FORMAT: &str = "3";

const VECTORS: TableDefinition<u32, (u64, &[u8])> = TableDefinition::new("vectors");
/// The signs of each memory's tokens, apart from the vectors: those are read at the start, these
/// where a search compares them.
const TOKENS: TableDefinition<u32, (u64, &[u8])> = TableDefinition::new("tokens");
const META: TableDefinition<&str, &str> = TableDefinition::new("meta");

/// A vector as it is kept.
#[derive(Clone, Debug)]
pub struct VectorRecord {
    /// Whose vector it is.
    pub number: MemoryNumber,
    /// Hash of the text it was made from.
    pub text_hash: u64,
    /// The int8 code's bytes.
    pub code: Vec<u8>,
}

/// What is kept of a text: its vector and its tokens.
#[derive(Clone, Debug)]
pub struct VectorEntry {
    /// The vector.
    pub vector: VectorRecord,
    /// The bytes of its tokens' signs.
    pub tokens: Vec<u8>,
}

/// The open file.
#[derive(Clone)]
pub struct VectorFile {
    database: Arc<Database>,
}

impl VectorFile {
    /// Opens a file for one model and one store, by its mark. A file of another model, store or
    /// format, a damaged one, and what is no file of our own, is made anew.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn open(
        storage: &dyn Storage,
        name: &str,
        model: &str,
        store: &str,
    ) -> Result<Self, StoreError> {
        let found = guarded(|| {
            let file = Self::open_once(storage, name)?;
            Ok::<_, StoreError>(file.matches(model, store)?.then_some(file))
        });
        if let Ok(Some(file)) = found {
            return Ok(file);
        }
        storage.remove(name).map_err(StoreError::Open)?;
        guarded(|| {
            let file = Self::open_once(storage, name)?;
            file.stamp(model, store)?;
            Ok(file)
        })
    }

    /// The model whose vectors a file holds; `None` without a sound file of this store.
    #[must_use]
    pub fn model_in(storage: &dyn Storage, name: &str, store: &str) -> Option<String> {
        storage.read(name).ok()?;
        let read = guarded(|| {
            let file = Self::open_once(storage, name)?;
            let meta = file.database.begin_read()?.open_table(META)?;
            let value = |key| -> Result<Option<String>, StoreError> {
                Ok(meta.get(key)?.map(|found| found.value().to_owned()))
            };
            Ok::<_, StoreError>((value("format")?, value("store")?, value("model")?))
        });
        match read {
            Ok((Some(format), Some(of), model)) if format == FORMAT && of == store => model,
            Ok(_) | Err(_) => None,
        }
    }

    fn open_once(storage: &dyn Storage, name: &str) -> Result<Self, StoreError> {
        let backend = storage.open_derived(name).map_err(StoreError::Open)?;
        let database = Database::builder()
            .set_cache_size(CACHE_BYTES)
            .set_check_integrity_on_open(true)
            .create_with_backend(Injected(backend))
            .map_err(open_error)?;
        Ok(Self {
            database: Arc::new(database),
        })
    }

    fn matches(&self, model: &str, store: &str) -> Result<bool, StoreError> {
        let transaction = self.database.begin_read()?;
        let meta = transaction.open_table(META)?;
        let is = |key, wanted: &str| -> Result<bool, StoreError> {
            Ok(meta.get(key)?.is_some_and(|found| found.value() == wanted))
        };
        Ok(is("format", FORMAT)? && is("model", model)? && is("store", store)?)
    }

    fn stamp(&self, model: &str, store: &str) -> Result<(), StoreError> {
        let transaction = self.database.begin_write()?;
        {
            let mut meta = transaction.open_table(META)?;
            meta.insert("format", FORMAT)?;
            meta.insert("model", model)?;
            meta.insert("store", store)?;
            transaction.open_table(VECTORS)?;
            transaction.open_table(TOKENS)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Keeps vectors and tokens, replacing earlier ones; durable when it returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn put(&self, entries: &[VectorEntry]) -> Result<(), StoreError> {
        guarded(|| {
            let transaction = self.begin()?;
            {
                let mut vectors = transaction.open_table(VECTORS)?;
                let mut all_tokens = transaction.open_table(TOKENS)?;
                for VectorEntry { vector, tokens } in entries {
                    let (number, hash) = (vector.number.0, vector.text_hash);
                    vectors.insert(number, (hash, vector.code.as_slice()))?;
                    all_tokens.insert(number, (hash, tokens.as_slice()))?;
                }
            }
            Ok(transaction.commit()?)
        })
    }

    fn begin(&self) -> Result<WriteTransaction, StoreError> {
        let mut transaction = self.database.begin_write()?;
        transaction
            .set_durability(Durability::Immediate)
            .map_err(redb::Error::from)?;
        transaction.set_quick_repair(true);
        Ok(transaction)
    }

    /// Drops the vectors that nobody wants, and returns how many; durable when it returns.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn retain(&self, is_wanted: impl Fn(MemoryNumber, u64) -> bool) -> Result<u64, StoreError> {
        guarded(|| {
            let transaction = self.begin()?;
            let dropped = {
                let mut vectors = transaction.open_table(VECTORS)?;
                let before = vectors.len()?;
                vectors
                    .retain(|number, (text_hash, _)| is_wanted(MemoryNumber(number), text_hash))?;
                transaction
                    .open_table(TOKENS)?
                    .retain(|number, (text_hash, _)| is_wanted(MemoryNumber(number), text_hash))?;
                before - vectors.len()?
            };
            transaction.commit()?;
            Ok(dropped)
        })
    }

    /// Gives free pages back to the file system. Does nothing while somebody else uses the file;
    /// returns whether it did.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn shrink(&mut self) -> Result<bool, StoreError> {
        let Some(database) = Arc::get_mut(&mut self.database) else {
            return Ok(false);
        };
        guarded(|| Ok(database.compact().map_err(redb::Error::from)?))
    }

    /// Reads the bytes of the tokens of some memories, each with the hash of the text that they are
    /// to be of; `None` where there are none of this text.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn tokens(
        &self,
        wanted: &[(MemoryNumber, u64)],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        guarded(|| {
            let table = self.database.begin_read()?.open_table(TOKENS)?;
            let mut found = Vec::with_capacity(wanted.len());
            for (number, wanted_hash) in wanted {
                let row = table.get(number.0)?;
                found.push(row.and_then(|row| {
                    let (text_hash, bytes) = row.value();
                    (text_hash == *wanted_hash).then(|| bytes.to_vec())
                }));
            }
            Ok(found)
        })
    }

    /// Reads every vector in the order of their numbers.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn for_each(&self, mut each: impl FnMut(VectorRecord)) -> Result<(), StoreError> {
        guarded(|| {
            let transaction = self.database.begin_read()?;
            for entry in transaction.open_table(VECTORS)?.iter()? {
                let (key, value) = entry?;
                let (text_hash, code) = value.value();
                each(VectorRecord {
                    number: MemoryNumber(key.value()),
                    text_hash,
                    code: code.to_vec(),
                });
            }
            Ok(())
        })
    }
}
