//! Opens the committed index, and makes a new one where there is none that can be trusted.
//!
//! The index is derived, so whatever is wrong with it has one cure: remove its files and let the store replay. Every file
//! is read against its checksum before it is searched (20 MB for 100k memories, a few milliseconds), which is what keeps
//! tantivy, which trusts its files, from panicking over a torn one.

use std::fs;
use std::io;
use std::path::Path;

use tantivy::directory::{MmapDirectory, RamDirectory};
use tantivy::index::SegmentComponent;
use tantivy::{Index, IndexMeta, IndexSettings};

use super::LexicalError;
use super::fields::{Fields, TOKENIZER_NAME};
use super::tokenizer::TantivyTokenizer;

/// The format of what is indexed. Raise it whenever the tokenizer or the fields change what they write.
const FORMAT: u32 = 3;

/// What a commit's payload starts with; the format and the sequence follow.
const PAYLOAD_NAME: &str = "helix-lexical";

/// An index that can be searched.
pub(super) struct Opened {
    pub(super) index: Index,
    pub(super) watermark: u64,
    /// Whether it was made anew and is empty.
    pub(super) is_new: bool,
}

/// Why an index on disk is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("there is no index yet")]
    Missing,
    #[error("its format or schema is another one")]
    OtherFormat,
    #[error("its file {0} is missing or damaged")]
    Damaged(String),
    #[error("tantivy cannot open it: {0}")]
    Tantivy(#[from] tantivy::TantivyError),
}

/// Writes the payload of a commit.
pub(super) fn payload(sequence: u64) -> String {
    format!("{PAYLOAD_NAME} {FORMAT} {sequence}")
}

/// Opens the index of a directory, or replaces it by an empty one.
pub(super) fn open(directory: &Path, fields: &Fields) -> Result<Opened, LexicalError> {
    let tell = |source| LexicalError::Directory { path: directory.to_owned(), source };
    fs::create_dir_all(directory).map_err(tell)?;
    let mut opened = match load(directory, fields) {
        Ok(opened) => opened,
        Err(reason) => {
            if !matches!(reason, Unusable::Missing) {
                tracing::warn!(directory = %directory.display(), %reason, "the lexical index is made anew");
            }
            clear(directory).map_err(tell)?;
            create(directory, fields)?
        }
    };
    register(&mut opened.index);
    Ok(opened)
}

/// Makes an empty index that lives in RAM.
pub(super) fn in_memory(fields: &Fields) -> Result<Opened, LexicalError> {
    let mut index = Index::create(RamDirectory::create(), fields.schema.clone(), IndexSettings::default())
        .map_err(LexicalError::Create)?;
    register(&mut index);
    Ok(Opened { index, watermark: 0, is_new: true })
}

fn register(index: &mut Index) {
    index.tokenizers().register(TOKENIZER_NAME, TantivyTokenizer::default());
}

fn create(directory: &Path, fields: &Fields) -> Result<Opened, LexicalError> {
    let index = Index::create_in_dir(directory, fields.schema.clone()).map_err(LexicalError::Create)?;
    Ok(Opened { index, watermark: 0, is_new: true })
}

fn load(directory: &Path, fields: &Fields) -> Result<Opened, Unusable> {
    let mapped = MmapDirectory::open(directory).map_err(tantivy::TantivyError::from)?;
    if !Index::exists(&mapped).map_err(tantivy::TantivyError::from)? {
        return Err(Unusable::Missing);
    }
    let index = Index::open(mapped)?;
    if index.schema() != fields.schema {
        return Err(Unusable::OtherFormat);
    }
    let metas = index.load_metas()?;
    let watermark = read_watermark(&metas).ok_or(Unusable::OtherFormat)?;
    verify(directory, &index, &metas)?;
    Ok(Opened { index, watermark, is_new: false })
}

/// Reads the sequence from the last commit's payload. An index without a commit has neither payload nor segments.
fn read_watermark(metas: &IndexMeta) -> Option<u64> {
    let Some(payload) = &metas.payload else {
        return metas.segments.is_empty().then_some(0);
    };
    let mut words = payload.split(' ');
    let format = words.next() == Some(PAYLOAD_NAME) && words.next()?.parse() == Ok(FORMAT);
    let sequence = words.next()?.parse().ok()?;
    (format && words.next().is_none()).then_some(sequence)
}

/// Checks that every file of every segment is there and is what was written.
fn verify(directory: &Path, index: &Index, metas: &IndexMeta) -> Result<(), Unusable> {
    for segment in &metas.segments {
        let mut components = vec![
            SegmentComponent::Postings,
            SegmentComponent::Positions,
            SegmentComponent::FastFields,
            SegmentComponent::FieldNorms,
            SegmentComponent::Terms,
            SegmentComponent::Store,
        ];
        if segment.has_deletes() {
            components.push(SegmentComponent::Delete);
        }
        for component in components {
            let file = segment.relative_path(component);
            let is_sound =
                directory.join(&file).is_file() && index.directory().validate_checksum(&file).unwrap_or(false);
            if !is_sound {
                return Err(Unusable::Damaged(file.display().to_string()));
            }
        }
    }
    Ok(())
}

/// Removes the files that tantivy wrote, and nothing else: a mistaken path must not cost anything.
pub(super) fn clear(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && is_tantivy_file(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// `meta.json`, `.managed.json`, `.tantivy-writer.lock`, and `<32 hexadecimal digits>.<extension>`.
fn is_tantivy_file(name: &str) -> bool {
    let is_segment = name
        .split_once('.')
        .is_some_and(|(id, _)| id.len() == SEGMENT_ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_segment || matches!(name, "meta.json" | ".managed.json") || name.starts_with(".tantivy-")
}

/// A segment's id is a UUID without dashes.
const SEGMENT_ID_DIGITS: usize = 32;
