//! Where sources are found, and what failed writes are called.
#![allow(clippy::unwrap_used)]

use helix_engine::error::ErrorKind;
use helix_engine::model::{Actor, Origin};

use super::*;
use helix_app::project::Project;

#[test]
fn a_failed_disk_is_told_from_a_daemon_that_stops() {
    assert_eq!(
        submit_status(&SubmitError::Disk("no space".to_owned())).kind(),
        ErrorKind::Corrupt
    );
    assert_eq!(
        submit_status(&SubmitError::Stopping).kind(),
        ErrorKind::Unavailable
    );
}

#[test]
fn a_source_that_nobody_can_follow_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_path_buf();
    fs::write(root.join("a.rs"), "fn main() {}\n").unwrap();
    fs::create_dir(root.join("src")).unwrap();
    let large = fs::File::create(root.join("large")).unwrap();
    large.set_len(1024 * 1024 * 1024).unwrap();
    let scope = Scope::Project("p".to_owned());
    let asker = Asker {
        actor: Actor {
            origin: Origin::Agent,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        },
        project: Arc::new(Project {
            scope,
            root: root.clone(),
            name: "p".to_owned(),
            aliases: Vec::new(),
        }),
        cwd: root.join("src"),
        zone: jiff::tz::TimeZone::UTC,
    };
    let note = |text: &str| locate(&SourceRef::parse(text), &asker).unseen();
    assert_eq!(note("a.rs:1"), None);
    assert_eq!(note(root.join("a.rs").to_str().unwrap()), None);
    for text in ["gone.rs:7", "src", "https://example.org/page"] {
        assert!(note(text).unwrap().contains("names no file here"), "{text}");
    }
    assert!(note("a.rs:9").unwrap().contains("ends before line 9"));
    assert!(note("large").unwrap().contains("too large"));
    let gone = locate(&SourceRef::parse("src/gone.rs:7"), &asker).source;
    assert_eq!(
        (gone.path.as_str(), gone.line, gone.content_hash),
        ("src/gone.rs", Some(7), None)
    );
    let path = |text: &str| locate(&SourceRef::parse(text), &asker).source.path;
    for text in ["../a.rs:1", "./../a.rs:1", "src/../a.rs", "../src/../a.rs"] {
        assert_eq!((note(text), path(text).as_str()), (None, "a.rs"), "{text}");
    }
    assert_eq!(path("../src/gone.rs"), "src/gone.rs");
    let outside = root.parent().unwrap().join("elsewhere/b.rs");
    assert_eq!(path("../../elsewhere/b.rs"), outside.to_string_lossy());
}
