//! Exports put into place, or not.
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::MetadataExt;

use tempfile::tempdir;

use super::*;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_when_it_is_whole() {
    let home = tempdir().unwrap();
    let path = home.path().join("out.json");
    fs::write(&path, "old").unwrap();
    let mut sink = Sink::file(&path, true).unwrap();
    sink.write("", b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(sink.finish().unwrap(), 1);
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
}

#[test]
fn a_file_that_came_meanwhile_stays() {
    let home = tempdir().unwrap();
    let path = home.path().join("out.json");
    let mut sink = Sink::file(&path, false).unwrap();
    sink.write("", b"new").unwrap();
    fs::write(&path, "somebody's").unwrap();
    assert!(sink.finish().is_err());
    assert_eq!(fs::read(&path).unwrap(), b"somebody's");
    assert_eq!(names(home.path()), ["out.json"]);
}

#[test]
fn what_is_not_finished_leaves_nothing() {
    let home = tempdir().unwrap();
    let mut file = Sink::file(&home.path().join("out.json"), false).unwrap();
    file.write("", b"half").unwrap();
    let mut directory = Sink::directory(&home.path().join("out"), false).unwrap();
    directory.write("a.md", b"half").unwrap();
    drop((file, directory));
    assert!(names(home.path()).is_empty());
}

#[test]
fn a_directory_appears_when_it_is_whole() {
    let home = tempdir().unwrap();
    let path = home.path().join("out");
    let mut sink = Sink::directory(&path, false).unwrap();
    for (name, data) in [
        ("a.md", "1"),
        ("a.md", "2"),
        ("b.md", "3"),
        ("a.md", "4"),
        ("", ""),
    ] {
        sink.write(name, data.as_bytes()).unwrap();
    }
    assert!(!path.exists());
    assert_eq!(sink.finish().unwrap(), 2);
    assert_eq!(fs::read_to_string(path.join("a.md")).unwrap(), "124");
    assert_eq!(
        (names(home.path()), names(&path)),
        (
            vec!["out".to_owned()],
            vec!["a.md".to_owned(), "b.md".to_owned()]
        )
    );
}

#[test]
fn a_directory_that_has_files_is_asked_for() {
    let home = tempdir().unwrap();
    let path = home.path().join("out");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("mine.txt"), "mine").unwrap();
    fs::write(path.join("a.md"), "old").unwrap();
    assert!(
        Sink::directory(&path, false)
            .unwrap_err()
            .to_string()
            .contains("--force")
    );
    let mut sink = Sink::directory(&path, true).unwrap();
    sink.write("a.md", b"new").unwrap();
    sink.finish().unwrap();
    assert_eq!(names(&path), ["a.md", "mine.txt"]);
    assert_eq!(fs::read(path.join("a.md")).unwrap(), b"new");
}

#[test]
fn a_name_that_leads_elsewhere_is_refused() {
    let home = tempdir().unwrap();
    let mut sink = Sink::directory(&home.path().join("out"), false).unwrap();
    for name in [
        "../a.md", "/a.md", "b/a.md", "..", ".", "", "./a.md", "a.md/",
    ] {
        assert!(sink.write(name, b"x").is_err(), "{name}");
    }
    assert!(!home.path().join("a.md").exists());
}

#[test]
fn a_directory_that_is_there_stays_the_users() {
    let home = tempdir().unwrap();
    let path = home.path().join("out");
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    let before = fs::metadata(&path).unwrap();
    let mut sink = Sink::directory(&path, false).unwrap();
    sink.write("a.md", b"1").unwrap();
    assert_eq!(sink.finish().unwrap(), 1);
    let after = fs::metadata(&path).unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
    assert_eq!(
        fs::metadata(path.join("a.md")).unwrap().mode() & 0o777,
        0o600
    );
    assert_eq!(names(home.path()), ["out"]);
}
