use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode as FileMode;
use nix::unistd::mkfifo;

use super::{document, find, marks};
use crate::index::lexical::{LexicalIndex, Marks, Mode};

/// Makes an index of two segments with deletions, and a stranger's file beside them.
fn build(directory: &Path) {
    let index = LexicalIndex::open(directory, marks()).unwrap();
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
    let index = LexicalIndex::open(home.path(), marks()).unwrap();
    assert!(index.rebuilt(), "{}", file.display());
    assert_eq!((index.watermark(), index.document_count().unwrap()), (0, 0));
    index.upsert(5, &document(1, "sound text"));
    index.flush().unwrap();
    drop(index);
    let index = LexicalIndex::open(home.path(), marks()).unwrap();
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
    let files = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_segment = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() > 32);
    let mut files: Vec<_> = files.filter(is_segment).collect();
    files.sort();
    files
}

#[test]
fn a_sound_index_is_kept() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let index = LexicalIndex::open(home.path(), marks()).unwrap();
    assert_eq!(
        (
            index.rebuilt(),
            index.watermark(),
            index.document_count().unwrap()
        ),
        (false, 41, 40)
    );
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
fn every_changed_byte_of_the_small_files_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    for name in ["meta.json", ".managed.json"] {
        let file = home.path().join(name);
        for at in (0..fs::metadata(&file).unwrap().len()).step_by(37) {
            check(&file, |path| {
                let mut bytes = fs::read(path).unwrap();
                bytes[usize::try_from(at).unwrap()] ^= 1;
                fs::write(path, bytes).unwrap();
            });
        }
    }
}

#[test]
fn the_index_of_another_store_or_another_past_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let others: [Marks; 3] = [
        Box::new(|sequence| Some(format!("two-{sequence}"))),
        Box::new(|_| None),
        Box::new(|_| Some("one-40".to_owned())),
    ];
    for other in others {
        let copied = tempfile::tempdir().unwrap();
        copy(home.path(), copied.path());
        let index = LexicalIndex::open(copied.path(), other).unwrap();
        assert_eq!((index.rebuilt(), index.watermark()), (true, 0));
    }
}

/// What may stand in the place of a file.
#[test]
fn what_is_no_file_of_ours_is_replaced_and_nothing_is_written_through_it() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let outside = tempfile::tempdir().unwrap();
    let mut files = segment_files(home.path());
    files.extend(["meta.json", ".managed.json"].map(|name| home.path().join(name)));
    for file in files {
        let elsewhere = outside.path().join(file.file_name().unwrap());
        check(&file, |path| {
            fs::rename(path, &elsewhere).unwrap();
            symlink(&elsewhere, path).unwrap();
        });
        let untouched = fs::read(&elsewhere).unwrap();
        check(&file, |path| {
            fs::remove_file(path).unwrap();
            fs::hard_link(&elsewhere, path).unwrap();
        });
        assert_eq!(fs::read(&elsewhere).unwrap(), untouched);
        check(&file, |path| {
            fs::remove_file(path).unwrap();
            mkfifo(path, FileMode::S_IRWXU).unwrap();
        });
        check(&file, |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        });
    }
}

#[test]
fn files_that_are_cut_under_an_open_index_are_missed_by_nobody() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    let index = LexicalIndex::open(home.path(), marks()).unwrap();
    for file in segment_files(home.path()) {
        fs::write(file, "").unwrap();
    }
    assert_eq!(find(&index, "sound", Mode::All).len(), 40);
    index.upsert(42, &document(60, "sound text"));
    index.flush().unwrap();
    index.compact().unwrap();
    assert_eq!(find(&index, "sound", Mode::All).len(), 41);
}

#[test]
fn another_format_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    build(home.path());
    for (from, to) in [
        ("helix-lexical 4 41 one-41", "helix-lexical 1 41 one-41"),
        ("helix-lexical 4 41 one-41", "41"),
        ("\"tags\"", "\"labels\""),
    ] {
        check(&home.path().join("meta.json"), |path| {
            let bytes = fs::read(path).unwrap();
            let text = str::from_utf8(&bytes[..bytes.len() - 32]).unwrap();
            assert!(text.contains(from));
            let text = text.replace(from, to);
            fs::write(
                path,
                [text.as_bytes(), blake3::hash(text.as_bytes()).as_bytes()].concat(),
            )
            .unwrap();
        });
    }
}
