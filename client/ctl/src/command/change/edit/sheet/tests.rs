//! Memories laid out for an editor, and read back.
#![allow(clippy::unwrap_used)]

use helix_client::v1::SourceRef;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;

fn memory(text: &str) -> Memory {
    Memory {
        handle: "storage/redb-is-truth".to_owned(),
        text: text.to_owned(),
        kind: "decision".to_owned(),
        tags: vec!["design".to_owned(), "storage".to_owned()],
        source: Some(SourceRef {
            path: "src/store.rs".to_owned(),
            line: 12,
            ..SourceRef::default()
        }),
        importance: 0.8,
        confidence: 1.0,
        sequence: 7,
        ..Memory::default()
    }
}

fn edited(memory: &Memory, edit: impl Fn(String) -> String) -> Result<Option<Changes>, SheetError> {
    let sheet = Sheet::of(memory);
    let after = Sheet::parse(&edit(sheet.written(memory)))?;
    after.map(|after| sheet.changes(&after)).transpose()
}

#[test]
fn a_memory_is_laid_out_readably() {
    assert_snapshot!(
        "sheet",
        Sheet::of(&memory("redb is the truth\n\n---\nkind: of")).written(&memory(""))
    );
}

#[test]
fn what_is_edited_is_what_changes() {
    let memory = memory("old text");
    let changes = edited(&memory, |file| {
        file.replace("old text", "new text")
            .replace("design, storage", "storage, new")
            .replace("importance: 0.8", "importance: 0.25")
            .replace("pinned: no", "pinned: yes")
            .replace("source: src/store.rs:12", "source:")
    });
    let changes = changes.unwrap().unwrap();
    assert_eq!(changes.text.as_deref(), Some("new text"));
    assert_eq!(
        (changes.add, changes.remove),
        (vec!["new".to_owned()], vec!["design".to_owned()])
    );
    let set = changes.set.unwrap();
    assert_eq!(
        (set.importance, set.pinned, set.source.as_deref()),
        (Some(0.25), Some(true), Some(""))
    );
    assert_eq!((set.kind, set.confidence), (None, None));
}

#[test]
fn a_field_taken_away_stays_as_it_is() {
    let unchanged = edited(&memory("text"), |file| {
        file.replace("tags: design, storage\n", "")
            .replace("pinned: no\n", "")
    });
    assert!(unchanged.unwrap().unwrap().is_empty());
}

#[test]
fn emptied_means_nothing() {
    assert_eq!(edited(&memory("text"), |_| " \n".to_owned()).unwrap(), None);
    assert_eq!(
        edited(&memory("text"), |file| file
            .replace("---\ntext", "---\n \n"))
        .unwrap(),
        None
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let memory = memory("text");
    let table: [(&str, &str, &str); 7] = [
        ("---\n#", "#", "lines of dashes"),
        ("kind: decision", "kind decision", "line 3 is no field"),
        ("kind: decision", "colour: red", "line 3 is no field"),
        (
            "tags: design, storage",
            "kind: fact",
            "line 4 gives kind again",
        ),
        ("kind: decision", "kind:", "kind cannot be"),
        ("pinned: no", "pinned: maybe", "yes or no"),
        ("confidence: 1", "confidence: 1.5", "a number from 0 to 1"),
    ];
    for (from, to, said) in table {
        let error = edited(&memory, |file| file.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let long = edited(&memory, |file| file + &"x".repeat(MEMORY_TEXT_MAX_BYTES));
    assert!(matches!(long, Err(SheetError::Long { .. })));
}

#[test]
fn a_value_that_would_not_survive_is_not_offered() {
    let mut memory = memory("text");
    memory.source = Some(SourceRef {
        path: "two\nlines".to_owned(),
        ..SourceRef::default()
    });
    assert!(!Sheet::of(&memory).written(&memory).contains("two"));
    assert!(edited(&memory, |file| file).unwrap().unwrap().is_empty());
}

proptest! {
    #[test]
    fn saving_without_a_change_changes_nothing(text in "(?s).{1,200}", tags in prop::collection::vec("[a-z]{1,8}", 0..4)) {
        prop_assume!(!text.trim().is_empty());
        let memory = Memory { tags, ..memory(&text) };
        prop_assert_eq!(edited(&memory, |file| file), Ok(Some(Changes::default())));
    }
}
