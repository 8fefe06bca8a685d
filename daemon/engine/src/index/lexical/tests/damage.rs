use std::fs;
use std::path::{Path, PathBuf};

use super::{document, find};
use crate::index::lexical::{LexicalIndex, Mode};

/// Makes an index of two segments with deletions, and a stranger's file beside them.
fn build(directory: &Path) {
    let index = LexicalIndex::open(directory).unwrap();
    assert!(index.rebuilt());
    for number in 0..40 {
        index.upsert(u64::from(number), &document(number, "sound text"));
    }
    index.flush().unwrap();
    index.remove(40, 3);
    index.upsert(41, &document(50, "sound text"));
    index.flush().unwrap();
    assert_eq!(index.segment_count(), 2);
    fs::write(directory.join("notes.txt"), "not ours").unwrap();
}

/// Damages one file of a fresh index, opens it and expects an empty index that works.
fn check(file: &Path, damage: impl Fn(&Path)) {
    let home = tempfile::tempdir().unwrap();
    copy(file.parent().unwrap(), home.path());
    damage(&home.path().join(file.file_name().unwrap()));
    let index = LexicalIndex::open(home.path()).unwrap();
    assert!(index.rebuilt(), "{}", file.display());
    assert_eq!((index.watermark(), index.document_count().unwrap()), (0, 0));
    index.upsert(5, &document(1, "sound text"));
    index.flush().unwrap();
    drop(index);
    let index = LexicalIndex::open(home.path()).unwrap();
    assert_eq!((index.rebuilt(), index.watermark()), (false, 5));
    assert_eq!(find(&index, "sound", Mode::All), [1]);
    assert!(home.path().join("notes.txt").exists());
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn segment_files(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let is_segment = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() > 32);
    let mut files: Vec<_> = files.filter(is_segment).collect();
    files.sort();
    files
}

#[test]
fn a_sound_index_is_kept() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let index = LexicalIndex::open(home.path()).unwrap();
    assert_eq!((index.rebuilt(), index.watermark(), index.document_count().unwrap()), (false, 41, 40));
}

#[test]
fn a_damaged_segment_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let files = segment_files(home.path());
    assert!(files.len() > 12, "{files:?}");
    for file in files {
        check(&file, |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        });
        check(&file, |path| fs::write(path, "").unwrap());
        check(&file, |path| fs::remove_file(path).unwrap());
        check(&file, |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[0] ^= 1;
            fs::write(path, bytes).unwrap();
        });
    }
}

#[test]
fn a_damaged_list_of_segments_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let meta = home.path().join("meta.json");
    check(&meta, |path| fs::remove_file(path).unwrap());
    check(&meta, |path| fs::write(path, "").unwrap());
    check(&meta, |path| fs::write(path, [0xFF; 64]).unwrap());
    check(&meta, |path| fs::write(path, "{\"segments\":[]}").unwrap());
    check(&home.path().join(".managed.json"), |path| {
        fs::write(path, "[").unwrap();
    });
}

#[test]
fn another_format_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    for (from, to) in
        [("helix-lexical 3 41", "helix-lexical 1 41"), ("helix-lexical 3 41", "41"), ("\"tags\"", "\"labels\"")]
    {
        check(&home.path().join("meta.json"), |path| {
            let text = fs::read_to_string(path).unwrap();
            assert!(text.contains(from));
            fs::write(path, text.replace(from, to)).unwrap();
        });
    }
}
