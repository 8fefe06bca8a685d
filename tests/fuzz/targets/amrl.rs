//! The AMRL reader: any bytes are read without harm, every live entry is handed over once, and what is understood comes back
//! from what is written.

#![no_main]

use std::collections::BTreeSet;
use std::io::Cursor;

use helix_exchange::amrl::{DeletedOffsets, Entry, Reader, Writer, deleted_offsets};
use helix_exchange::{Portable, Report};
use libfuzzer_sys::fuzz_target;

/// A log's first bytes, so that the fuzzer need not find them.
const HEADER: &[u8] = b"AMRL\x01\0\0\0";

fuzz_target!(|bytes: &[u8]| {
    let log = if bytes.starts_with(&HEADER[..4]) {
        bytes.to_vec()
    } else {
        [HEADER, bytes].concat()
    };
    let deleted = deleted_offsets(&mut Cursor::new(&log)).expect("memory can be read");
    let (Some((live, report)), Some((all, _))) = (
        read(&log, deleted.clone()),
        read(&log, DeletedOffsets::default()),
    ) else {
        return;
    };
    let offsets: BTreeSet<u64> = all.iter().map(|entry| entry.offset).collect();
    assert_eq!(offsets.len(), all.len(), "an entry was handed over twice");
    assert!(
        live.iter().all(|entry| !deleted.contains(entry.offset)),
        "a deleted entry was handed over"
    );
    assert_eq!(
        live,
        all.into_iter()
            .filter(|entry| !deleted.contains(entry.offset))
            .collect::<Vec<_>>()
    );
    assert_eq!(report.read, live.len() as u64);
    write_and_read(live.into_iter().map(|entry| entry.memory).collect());
});

fn read(log: &[u8], deleted: DeletedOffsets) -> Option<(Vec<Entry>, Report)> {
    let mut reader = Reader::new(log, deleted).ok()?;
    let entries = reader
        .by_ref()
        .collect::<Result<_, _>>()
        .expect("memory can be read");
    Some((entries, reader.report().clone()))
}

/// Writes and reads again: the file is whole, and has the same memories. Their texts may lose
/// metadata lines at their ends.
fn write_and_read(memories: Vec<Portable>) {
    let log = written(&memories);
    let (entries, report) =
        read(&log, DeletedOffsets::default()).expect("what was written is a log");
    assert!(report.is_whole(), "what was written is damaged: {report:?}");
    assert_eq!(entries.len(), memories.len());
    for (entry, memory) in entries.iter().zip(&memories) {
        let again = &entry.memory;
        assert_eq!(
            (&again.topic, again.recorded_at),
            (&memory.topic, memory.recorded_at)
        );
        assert!(memory.text.contains(&again.text), "a text changed");
    }
}

fn written(memories: &[Portable]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).expect("memory can be written");
    for memory in memories {
        writer.write(memory).expect("what was read can be written");
    }
    writer.finish().expect("memory can be written").0
}
