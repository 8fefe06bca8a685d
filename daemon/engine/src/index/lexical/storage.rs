//! Opens the committed index, and makes a new one where there is none that can be trusted.
//!
//! The index is derived, so whatever is wrong with it has one cure: remove its files and let the
//! store replay. Every file is read against its checksum before it is searched (20 MB for 100k
//! memories, a few milliseconds), which is what keeps tantivy, which trusts its files, from
//! panicking over a torn one. A commit's payload carries the store's mark at its sequence,
//! so that an index of another store, or of another past of this one, is not believed.

use std::fs;
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use tantivy::directory::RamDirectory;
use tantivy::index::SegmentComponent;
use tantivy::{Index, IndexMeta, IndexSettings, SegmentMeta};

use super::fields::{Fields, TOKENIZER_NAME};
use super::held::HeldDirectory;
use super::tokenizer::TantivyTokenizer;
use super::{LexicalError, Marks};
use crate::derived;

/// The format of what is indexed. Raise it whenever the tokenizer or the fields change what they
/// write.
const FORMAT: u32 = 4;

/// Beginning of a commit's payload; the format, the sequence and the store's mark follow.
const PAYLOAD_NAME: &str = "helix-lexical";

/// An index that can be searched.
pub(super) struct Opened {
    pub(super) index: Index,
    pub(super) watermark: u64,
    /// True if it was made anew and is empty.
    pub(super) is_new: bool,
}

/// Why an index on disk is not used.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("there is no index yet")]
    Missing,
    #[error("its format or schema is another one")]
    OtherFormat,
    #[error("it is of another store, or of another past of this one")]
    OtherStore,
    #[error("tantivy panicked over it")]
    Panicked,
    #[error("its file {0} is missing or damaged")]
    Damaged(String),
    #[error("tantivy cannot open it: {0}")]
    Tantivy(#[from] tantivy::TantivyError),
}

/// Stands for the mark of a sequence that the store does not have, and is never the mark of one
/// that it has.
const UNMARKED: &str = "-";

/// Writes the payload of a commit.
pub(super) fn payload(sequence: u64, marks: &Marks) -> String {
    let mark = marks(sequence);
    format!(
        "{PAYLOAD_NAME} {FORMAT} {sequence} {}",
        mark.as_deref().unwrap_or(UNMARKED)
    )
}

/// Opens the index of a directory, or replaces it by an empty one.
pub(super) fn open(
    directory: &Path,
    fields: &Fields,
    marks: &Marks,
) -> Result<Opened, LexicalError> {
    let tell = |source| LexicalError::Directory {
        path: directory.to_owned(),
        source,
    };
    fs::create_dir_all(directory).map_err(tell)?;
    let mut opened = match load_unharmed(directory, fields, marks) {
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

/// As [`load`]; tantivy trusts its files, and a panic over one is no reason not to start.
fn load_unharmed(directory: &Path, fields: &Fields, marks: &Marks) -> Result<Opened, Unusable> {
    // What a panic leaves half made is dropped.
    let loaded = catch_unwind(std::panic::AssertUnwindSafe(|| {
        load(directory, fields, marks)
    }));
    loaded.unwrap_or(Err(Unusable::Panicked))
}

/// Makes an empty index that lives in RAM.
pub(super) fn in_memory(fields: &Fields) -> Result<Opened, LexicalError> {
    let mut index = Index::create(
        RamDirectory::create(),
        fields.schema.clone(),
        IndexSettings::default(),
    )
    .map_err(LexicalError::Create)?;
    register(&mut index);
    Ok(Opened {
        index,
        watermark: 0,
        is_new: true,
    })
}

fn register(index: &mut Index) {
    index
        .tokenizers()
        .register(TOKENIZER_NAME, TantivyTokenizer::default());
}

fn create(directory: &Path, fields: &Fields) -> Result<Opened, LexicalError> {
    let files = HeldDirectory::new(directory);
    let index = Index::create(files, fields.schema.clone(), IndexSettings::default())
        .map_err(LexicalError::Create)?;
    Ok(Opened {
        index,
        watermark: 0,
        is_new: true,
    })
}

fn load(directory: &Path, fields: &Fields, marks: &Marks) -> Result<Opened, Unusable> {
    let files = HeldDirectory::new(directory);
    if !Index::exists(&files).map_err(tantivy::TantivyError::from)? {
        return Err(Unusable::Missing);
    }
    let index = Index::open(files)?;
    if index.schema() != fields.schema {
        return Err(Unusable::OtherFormat);
    }
    let metas = index.load_metas()?;
    let (watermark, mark) = read_watermark(&metas).ok_or(Unusable::OtherFormat)?;
    if mark.is_some_and(|mark| marks(watermark).as_deref() != Some(mark)) {
        return Err(Unusable::OtherStore);
    }
    verify(&index, &metas)?;
    Ok(Opened {
        index,
        watermark,
        is_new: false,
    })
}

/// Reads the sequence and the store's mark from the last commit's payload. An index without a
/// commit has neither payload nor segments.
fn read_watermark(metas: &IndexMeta) -> Option<(u64, Option<&str>)> {
    let Some(payload) = &metas.payload else {
        return metas.segments.is_empty().then_some((0, None));
    };
    let mut words = payload.split(' ');
    let format = words.next() == Some(PAYLOAD_NAME) && words.next()?.parse() == Ok(FORMAT);
    let sequence = words.next()?.parse().ok()?;
    let mark = words.next()?;
    (format && words.next().is_none()).then_some((sequence, Some(mark)))
}

/// Makes the directory of an index and the one above it. What stands in their places and is no
/// directory is cleared away, and no link is followed.
pub(crate) fn make_directory(directory: &Path) -> Result<(), LexicalError> {
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let above = directory.parent();
    let root = above.and_then(Path::parent).unwrap_or(directory);
    let made = derived::directories(root, &[&name(above), &name(Some(directory))]);
    made.map(drop).map_err(|source| LexicalError::Directory {
        path: directory.to_owned(),
        source,
    })
}

/// Puts an empty index where the files of one are gone.
pub(super) fn make_anew(directory: &Path, fields: &Fields) -> Result<(), LexicalError> {
    make_directory(directory)?;
    clear(directory).map_err(|source| LexicalError::Directory {
        path: directory.to_owned(),
        source,
    })?;
    create(directory, fields).map(drop)
}

/// Names a file or directory of an open index that is not where it was written. What is damaged
/// inside is not looked for.
pub(super) fn lost(directory: &Path, index: &Index) -> Option<String> {
    let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let above = directory.parent().unwrap_or(directory);
    if let Some(path) = [above, directory]
        .into_iter()
        .find(|path| !is_directory(path))
    {
        return Some(path.display().to_string());
    }
    let Ok(metas) = index.load_metas() else {
        return Some(directory.join("meta.json").display().to_string());
    };
    let is_file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    metas
        .segments
        .iter()
        .flat_map(files)
        .map(|file| directory.join(file))
        .find(|path| !is_file(path))
        .map(|path| path.display().to_string())
}

/// The files of a segment.
fn files(segment: &SegmentMeta) -> Vec<PathBuf> {
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
    components
        .into_iter()
        .map(|component| segment.relative_path(component))
        .collect()
}

/// Checks that every file of every segment is there and is what was written.
fn verify(index: &Index, metas: &IndexMeta) -> Result<(), Unusable> {
    for file in metas.segments.iter().flat_map(files) {
        if !index.directory().validate_checksum(&file).unwrap_or(false) {
            return Err(Unusable::Damaged(file.display().to_string()));
        }
    }
    Ok(())
}

/// Removes the files that tantivy wrote and what stands in their places, and nothing else: a
/// mistaken path must not cost anything.
pub(super) fn clear(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if is_tantivy_file(&name) {
            derived::clear_away(directory, &name)?;
        }
    }
    Ok(())
}

/// `meta.json`, `.managed.json`, `.tantivy-writer.lock`, and `<32 hexadecimal digits>.<extension>`.
fn is_tantivy_file(name: &str) -> bool {
    let is_segment = name.split_once('.').is_some_and(|(id, _)| {
        id.len() == SEGMENT_ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    is_segment || matches!(name, "meta.json" | ".managed.json") || name.starts_with(".tantivy-")
}

/// A segment's id is a UUID without dashes.
const SEGMENT_ID_DIGITS: usize = 32;
