#![allow(clippy::unwrap_used, clippy::panic, clippy::string_slice)]
use std::io::Cursor;

use helix_memory::{Admitted, SourceRef, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::{Flaw, Place, Portable, Problem, Report, samples};

/// A log put together by hand from the layout: two entries, a delete of the first, and an entry
/// with all metadata.
const GOLDEN: &[&str] = &[
    "41 4D 52 4C  01 00 00 00",
    // At 8: topic "ab", body "hi", minute 1.
    "01 02  02 00 00 00  01 00 00 00  00 00  61 62  68 69",
    // At 24: topic "t-1", body "[tags: a]\nx", minute 1,520,070 = 0x1731C6.
    "01 03  0B 00 00 00  C6 31 17 00  00 00  74 2D 31  5B 74 61 67 73 3A 20 61 5D 0A 78",
    // At 50: deletes the entry at 8.
    "02 00 00 00  08 00 00 00",
    // At 58: topic "z", body "é", one minute before 2024.
    "01 01  02 00 00 00  FF FF FF FF  00 00  7A  C3 A9",
];

fn golden() -> Vec<u8> {
    let digits: String = GOLDEN.concat().split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// Reads a log in both passes.
fn read_log(bytes: &[u8]) -> (Vec<Entry>, Report) {
    let mut log = Cursor::new(bytes);
    let deleted = deleted_offsets(&mut log).unwrap();
    assert_eq!(log.position(), 0);
    let mut reader = Reader::new(log, deleted).unwrap();
    let entries = reader.by_ref().collect::<Result<Vec<_>, _>>().unwrap();
    (entries, reader.report().clone())
}

fn memories(bytes: &[u8]) -> Vec<Portable> {
    read_log(bytes)
        .0
        .into_iter()
        .map(|entry| entry.memory)
        .collect()
}

fn written(memories: &[Portable]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for memory in memories {
        writer.write(memory).unwrap();
    }
    writer.finish().unwrap().0
}

fn plain(topic: &str, text: &str, minutes: i32) -> Portable {
    Portable {
        topic: topic.to_owned(),
        text: text.to_owned(),
        recorded_at: Some(clock::read(minutes)),
        ..Portable::default()
    }
}

#[test]
fn the_layout_is_read_as_the_page_draws_it() {
    let (entries, report) = read_log(&golden());
    let tagged = Portable {
        tags: vec!["a".to_owned()],
        ..plain("t-1", "x", 1_520_070)
    };
    assert_eq!(
        entries.iter().map(|entry| entry.offset).collect::<Vec<_>>(),
        [24, 58]
    );
    assert_eq!(memories(&golden()), [tagged, plain("z", "é", -1)]);
    assert_eq!(
        report,
        Report {
            read: 2,
            deleted: 1,
            ..Report::default()
        }
    );
    assert_eq!(
        entries[0].memory.recorded_at.unwrap().to_string(),
        "2026-11-21T14:30:00Z"
    );
}

#[test]
fn the_layout_is_written_as_the_page_draws_it() {
    let bytes = golden();
    let expected = [&bytes[..24], &bytes[24..50], &bytes[58..]].concat();
    let memories = [
        plain("ab", "hi", 1),
        Portable {
            tags: vec!["a".to_owned()],
            ..plain("t-1", "x", 1_520_070)
        },
        plain("z", "é", -1),
    ];
    assert_eq!(written(&memories), expected);
}

#[test]
fn without_the_first_pass_everything_is_handed_over() {
    let mut reader =
        Reader::new(golden().as_slice(), DeletedOffsets::default()).map(Iterator::count);
    assert_eq!(reader.as_mut().ok(), Some(&mut 3));
    assert!(
        deleted_offsets(&mut Cursor::new(golden()))
            .unwrap()
            .contains(8)
    );
}

#[test]
fn a_log_may_stand_inside_of_another_file() {
    let mut file = Cursor::new([b"before".as_slice(), &golden()].concat());
    file.set_position(6);
    let deleted = deleted_offsets(&mut file).unwrap();
    assert_eq!(
        (deleted.len(), deleted.is_empty(), file.position()),
        (1, false, 6)
    );
    assert_eq!(Reader::new(file, deleted).unwrap().count(), 2);
}

#[test]
fn a_cut_log_gives_the_whole_records_before() {
    let bytes = golden();
    // Where the records end, and how many memories are live by then.
    let ends = [(8, 0), (24, 1), (50, 2), (58, 1), (bytes.len(), 2)];
    for cut in 8..=bytes.len() {
        let (entries, report) = read_log(&bytes[..cut]);
        let (end, live) = ends.into_iter().rfind(|(end, _)| *end <= cut).unwrap();
        assert_eq!(entries.len(), live, "cut at {cut}");
        let present_bytes = (cut - end) as u64;
        let flaw = Flaw {
            at: Place::Byte(end as u64),
            problem: Problem::Truncated { present_bytes },
        };
        assert_eq!(
            report.flaws,
            if cut == end { vec![] } else { vec![flaw] },
            "cut at {cut}"
        );
    }
    for cut in 0..8 {
        assert!(
            matches!(Reader::new(&bytes[..cut], DeletedOffsets::default()), Err(ReadError::Short(short)) if short == cut)
        );
    }
}

#[test]
fn what_is_no_log_is_refused() {
    let refused = |bytes: &[u8]| {
        Reader::new(bytes, DeletedOffsets::default())
            .err()
            .unwrap()
            .to_string()
    };
    assert!(refused(b"# Notes\n").contains("23204e6f"));
    assert!(refused(b"AMRL\x02\0\0\0").contains("version 2"));
    assert!(refused(b"AM").contains("after 2 bytes"));
    assert!(deleted_offsets(&mut Cursor::new(b"AM")).unwrap().is_empty());
}

/// Five entries of different lengths.
fn five() -> (Vec<Portable>, Vec<u8>) {
    let memories: Vec<Portable> = (1..=5_u8)
        .map(|n| {
            plain(
                &format!("topic-{n}"),
                &format!("text {n} ").repeat(usize::from(n) * 3),
                i32::from(n),
            )
        })
        .collect();
    let bytes = written(&memories);
    (memories, bytes)
}

#[test]
fn one_flipped_bit_costs_at_most_two_memories() {
    let (whole, bytes) = five();
    for at in HEADER_BYTES..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1_u8 << bit;
            let (entries, report) = read_log(&damaged);
            let kept = entries
                .iter()
                .filter(|entry| whole.contains(&entry.memory))
                .count();
            assert!(
                kept >= 3,
                "bit {bit} of byte {at} cost {} memories: {:?}",
                5 - kept,
                report.flaws
            );
            assert!(
                kept + 1 >= 5 || !report.is_whole(),
                "bit {bit} of byte {at} is not reported"
            );
        }
    }
}

#[test]
fn garbage_between_records_is_passed_and_measured() {
    let (whole, bytes) = five();
    let first = Reader::new(bytes.as_slice(), DeletedOffsets::default())
        .unwrap()
        .nth(1)
        .unwrap()
        .unwrap()
        .offset;
    let at = usize::try_from(first).unwrap();
    let garbage = b"\x01\x07garbage \x02 of some length \x01\x01";
    let damaged = [&bytes[..at], garbage, &bytes[at..]].concat();
    let (entries, report) = read_log(&damaged);
    assert_eq!(
        entries
            .into_iter()
            .map(|entry| entry.memory)
            .collect::<Vec<_>>(),
        whole
    );
    let problem = Problem::Damaged {
        expected: "zero bytes of padding in an entry, or a record behind it",
        skipped_bytes: garbage.len() as u64,
    };
    assert_eq!(
        report.flaws,
        [Flaw {
            at: Place::Byte(first),
            problem
        }]
    );
}

#[test]
fn reading_stops_where_no_record_can_be_found() {
    let (_, bytes) = five();
    let garbage = vec![0xAA; RESYNC_MAX_BYTES + 1];
    let damaged = [&bytes[..], &garbage, &bytes[HEADER_BYTES..]].concat();
    let (entries, report) = read_log(&damaged);
    assert_eq!(entries.len(), 5);
    let [
        Flaw {
            at,
            problem: Problem::Damaged { skipped_bytes, .. },
        },
    ] = report.flaws[..]
    else {
        panic!("{report:?}")
    };
    assert_eq!(
        (at, skipped_bytes),
        (
            Place::Byte(bytes.len() as u64),
            (damaged.len() - bytes.len()) as u64
        )
    );
}

/// An entry as raw bytes.
fn raw(topic: &[u8], body: &[u8]) -> Vec<u8> {
    let lengths = [
        &[1, u8::try_from(topic.len()).unwrap()][..],
        &u32::try_from(body.len()).unwrap().to_le_bytes(),
    ];
    [&lengths.concat(), &[0; 6][..], topic, body].concat()
}

#[test]
fn long_and_unreadable_bodies_are_reported() {
    let (_, bytes) = five();
    let huge = raw(b"long", "y".repeat(BODY_MAX_BYTES * 9).as_bytes());
    let past_limit = raw(b"over", "z".repeat(Admitted::TEXT_MAX_BYTES + 1).as_bytes());
    let latin = raw(b"latin", b"caf\xe9");
    let log = [
        &bytes[..],
        &huge,
        &past_limit,
        &latin,
        &bytes[HEADER_BYTES..],
    ]
    .concat();
    let (entries, report) = read_log(&log);
    assert_eq!(entries.len(), 11);
    assert_eq!(entries[5].memory.text, "caf\u{fffd}");
    let problems: Vec<Problem> = report
        .flaws
        .iter()
        .map(|flaw| flaw.problem.clone())
        .collect();
    let oversized = |bytes: usize| Problem::Oversized {
        bytes: bytes as u64,
    };
    assert_eq!(
        problems,
        [
            oversized(BODY_MAX_BYTES * 9),
            oversized(Admitted::TEXT_MAX_BYTES + 1),
            Problem::NotUtf8
        ]
    );
    let longest = plain("long", &"x".repeat(Admitted::TEXT_MAX_BYTES), 0);
    assert_eq!(
        memories(&written(std::slice::from_ref(&longest))),
        [longest]
    );
}

/// A log whose bytes that say nothing hold something: the entries at 8, 24 and 58, and a delete at
/// 50.
fn odd() -> Vec<u8> {
    let mut bytes = golden();
    for (at, odd) in [
        (18, 0xAA),
        (19, 0x01),
        (34, 0xFF),
        (51, 0x01),
        (52, 0x02),
        (53, 0x03),
        (69, 0x7F),
    ] {
        bytes[at] = odd;
    }
    bytes
}

#[test]
fn bytes_that_say_nothing_may_hold_anything() {
    assert_eq!(memories(&odd()), memories(&golden()));
    assert_eq!(
        read_log(&odd()).1,
        Report {
            read: 2,
            deleted: 1,
            ..Report::default()
        }
    );
    // Behind damage it is still found, if nothing plain is.
    let damaged = [&golden()[..24], &[0xAA; 7], &odd()[24..50], &odd()[58..]].concat();
    let (entries, report) = read_log(&damaged);
    assert_eq!(entries.len(), 3);
    let problem = Problem::Damaged {
        expected: "an entry (0x01) or a delete (0x02)",
        skipped_bytes: 7,
    };
    assert_eq!(
        report.flaws,
        [Flaw {
            at: Place::Byte(24),
            problem
        }]
    );
    // Where the rest does not fit either, it is damage.
    let mut torn = odd();
    torn[28] = 0x0C;
    let (entries, report) = read_log(&torn);
    assert!(
        entries.iter().all(|entry| entry.memory.topic != "t-1") && !report.is_whole(),
        "{report:?}"
    );
}

#[test]
fn an_entry_without_a_topic_costs_only_itself() {
    let (whole, bytes) = five();
    let latin = raw(b"latin", b"caf\xe9");
    let log = [
        &bytes[..],
        &raw(b"", b"Of no topic."),
        &latin,
        &bytes[HEADER_BYTES..],
    ]
    .concat();
    let (entries, report) = read_log(&log);
    assert_eq!(entries.len(), 2 * whole.len() + 1);
    let problems: Vec<Problem> = report
        .flaws
        .iter()
        .map(|flaw| flaw.problem.clone())
        .collect();
    assert_eq!(problems, [Problem::NoTopic, Problem::NotUtf8]);
}

#[test]
fn deletes_of_nothing_are_reported() {
    let mut bytes = golden();
    bytes[54] = 9;
    let (entries, report) = read_log(&bytes);
    assert_eq!(entries.len(), 3);
    assert_eq!(
        report.flaws,
        [Flaw {
            at: Place::Byte(9),
            problem: Problem::NoTarget { target: 9 }
        }]
    );
}

#[test]
fn what_the_log_cannot_hold_is_said() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let topic = "t".repeat(256);
    assert!(matches!(
        writer.write(&plain(&topic, "x", 0)),
        Err(WriteError::Topic { bytes: 256 })
    ));
    assert!(matches!(
        writer.write(&plain("", "x", 0)),
        Err(WriteError::Topic { bytes: 0 })
    ));
    assert!(matches!(
        writer.write(&plain("t", &"x".repeat(BODY_MAX_BYTES + 1), 0)),
        Err(WriteError::Body { .. })
    ));
    let far = Portable {
        recorded_at: Some(Timestamp::from_micros(i64::MAX)),
        ..plain("t", "far", 0)
    };
    let timeless = Portable {
        recorded_at: None,
        ..plain("t", "timeless", 0)
    };
    assert_eq!(writer.write(&far).unwrap(), 8);
    writer.write(&timeless).unwrap();
    let (bytes, report) = writer.finish().unwrap();
    let problems: Vec<Problem> = report
        .flaws
        .iter()
        .map(|flaw| flaw.problem.clone())
        .collect();
    assert_eq!(problems, [Problem::TimeClamped, Problem::TimeMissing]);
    assert_eq!(
        memories(&bytes),
        [plain("t", "far", i32::MAX), plain("t", "timeless", 0)]
    );
}

/// Memories that AMRL can hold: its fields, and whole minutes.
fn representable() -> impl Strategy<Value = Portable> {
    let tags = vec("[a-zäß0-9-]{1,6}", 0..3);
    let source = prop::option::of(("[a-z/]{1,9}\\.rs", prop::option::of(1..u32::MAX)));
    let links = vec("[a-z]{1,5}:[0-9]{1,3}", 0..3);
    let confidence = prop::option::of(0.0_f32..1.0);
    (
        samples::topic(),
        samples::text(),
        any::<i32>(),
        tags,
        source,
        links,
        confidence,
    )
        .prop_map(
            |(topic, text, minutes, tags, source, links, confidence)| Portable {
                source: source.map(|(path, line)| SourceRef {
                    path,
                    line,
                    ..SourceRef::default()
                }),
                tags,
                links,
                confidence,
                ..plain(&topic, &text, minutes)
            },
        )
}

proptest! {
    #[test]
    fn memories_and_bytes_round_trip(whole in vec(representable(), 0..6)) {
        let bytes = written(&whole);
        let (entries, report) = read_log(&bytes);
        prop_assert!(report.is_whole(), "{:?}", report);
        let back: Vec<Portable> = entries.into_iter().map(|entry| entry.memory).collect();
        prop_assert_eq!(&back, &whole);
        prop_assert_eq!(written(&back), bytes);
    }

    #[test]
    fn any_cut_gives_the_records_before(whole in vec(representable(), 1..5), at in any::<prop::sample::Index>()) {
        let bytes = written(&whole);
        let cut = HEADER_BYTES + at.index(bytes.len() - HEADER_BYTES);
        let back = memories(&bytes[..cut]);
        prop_assert_eq!(&back[..], &whole[..back.len()]);
        prop_assert!(written(&whole[..back.len()]).len() <= cut);
        prop_assert!(written(&whole[..=back.len()]).len() > cut);
    }

    #[test]
    fn damage_never_panics_and_every_byte_is_accounted_for(
        whole in vec(representable(), 1..5),
        flips in vec((any::<prop::sample::Index>(), 0..8), 1..4),
    ) {
        let mut bytes = written(&whole);
        for (at, bit) in flips {
            let at = HEADER_BYTES + at.index(bytes.len() - HEADER_BYTES);
            bytes[at] ^= 1_u8 << bit;
        }
        let mut end = HEADER_BYTES as u64;
        for record in records::Records::new(&bytes[HEADER_BYTES..]) {
            let (offset, length) = extent(record.unwrap());
            prop_assert_eq!(offset, end);
            end += length;
        }
        prop_assert_eq!(end, bytes.len() as u64);
        drop(read_log(&bytes));
    }
}

/// Where a record stands and how long it is.
fn extent(record: records::Record) -> (u64, u64) {
    match record {
        records::Record::Entry {
            offset,
            topic,
            body,
            ..
        } => (offset, 12 + (topic.len() + body.len()) as u64),
        records::Record::Delete { offset, .. } => (offset, 8),
        records::Record::Flaw {
            offset,
            problem:
                Problem::Damaged {
                    skipped_bytes: length,
                    ..
                }
                | Problem::Truncated {
                    present_bytes: length,
                },
        } => (offset, length),
        records::Record::Flaw { problem, .. } => panic!("unexpected {problem}"),
    }
}
