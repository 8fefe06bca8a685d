//! The readers of transcripts and of git's log: any bytes are read without harm, and in two pieces as in one.

#![no_main]

use helix_capture::Slice;
use helix_capture::read::{Cursor, Format, Reader, State, Step, git};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &[u8])| {
    let (cut, bytes) = input;
    // A line that never ends may hold less than its first piece.
    let bytes = [bytes, b"\n"].concat();
    let bytes = bytes.as_slice();
    for format in Format::ALL {
        check(format, bytes, usize::from(cut));
    }
    check_git(bytes, usize::from(cut));
});

fn step(format: Format, bytes: &[u8], cursor: Cursor, state: State) -> Step {
    let from = if format.is_document() {
        0
    } else {
        usize::try_from(cursor.offset).expect("an offset within the input")
    };
    Reader::new(format, "t").step(
        bytes.get(from..).expect("a cursor within the input"),
        cursor,
        state,
    )
}

fn check(format: Format, bytes: &[u8], cut: usize) {
    let whole = step(format, bytes, Cursor::default(), State::default());
    let head = bytes.get(..cut.min(bytes.len())).unwrap_or_default();
    let first = step(format, head, Cursor::default(), State::default());
    let written = serde_json::to_string(&first.state).expect("a state can be written");
    let state = serde_json::from_str(&written).expect("a state can be read");
    let second = step(format, bytes, first.cursor, state);
    // A document that breaks off may be another one when it is whole.
    if !format.is_document() {
        let slices: Vec<Slice> = first.slices.into_iter().chain(second.slices).collect();
        assert_eq!(slices, whole.slices, "{format:?} cut at {cut}");
        assert_eq!(
            second.state.counts(),
            whole.state.counts(),
            "{format:?} cut at {cut}"
        );
    }
}

fn check_git(bytes: &[u8], cut: usize) {
    let whole = git::read(bytes, "/p");
    let first = git::read(bytes.get(..cut.min(bytes.len())).unwrap_or_default(), "/p");
    let second = git::read(bytes.get(first.bytes..).unwrap_or_default(), "/p");
    assert_eq!(first.commits + second.commits, whole.commits);
    let slices: Vec<Slice> = first.slices.into_iter().chain(second.slices).collect();
    assert_eq!(slices, whole.slices);
}
