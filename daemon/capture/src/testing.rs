//! Slices for tests.

use crate::{Deed, Place, Slice, SliceKind, Speaker};

pub(crate) fn turn(speaker: Speaker, text: &str) -> Slice {
    Slice {
        kind: SliceKind::Turn,
        speaker,
        text: text.to_owned(),
        deed: None,
        agent: "test".to_owned(),
        session: "s".to_owned(),
        directory: None,
        branch: None,
        at: None,
        place: Place::default(),
    }
}

pub(crate) fn command(line: &str, output: &str, exit: i32) -> Slice {
    let deed = Deed::Command {
        line: line.to_owned(),
        directory: None,
        output: output.to_owned(),
        exit: Some(exit),
        is_failed: exit != 0,
    };
    Slice {
        kind: SliceKind::Deed,
        deed: Some(deed),
        ..turn(Speaker::Assistant, line)
    }
}

pub(crate) fn edit(file: &str, change: &str) -> Slice {
    let deed = Deed::Edit {
        files: vec![file.to_owned()],
        change: change.to_owned(),
        is_failed: false,
    };
    Slice {
        kind: SliceKind::Deed,
        deed: Some(deed),
        ..turn(Speaker::Assistant, file)
    }
}
