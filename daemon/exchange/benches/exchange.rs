//! Times writing and reading the exchange formats. `cargo bench -p helix-exchange --bench exchange`;
//! an argument is the number of memories (100,000 unless given).

#![expect(clippy::print_stdout, reason = "a benchmark's output is its purpose")]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts are small beside what an f64 holds"
)]

use std::io::Cursor;
use std::time::Instant;

use anyhow::Result;
use helix_exchange::{Portable, amrl, json, markdown};
use helix_memory::{SourceRef, Timestamp, Topic};

/// Memories of one topic.
const TOPIC_MEMORIES: u32 = 1_000;

fn memory(number: u32) -> Portable {
    let text = format!(
        "gotcha: number {number}, pass -arch arm64 or the linker falls back to x86_64.\n\nWithout it linking fails with \
         undefined symbols, which looks like a missing library. Checked on two machines, {number} times."
    );
    Portable {
        topic: format!("topic-{}", number / TOPIC_MEMORIES),
        text,
        tags: vec!["build".to_owned(), "gotcha".to_owned()],
        source: Some(SourceRef::parse("src/kernels.rs:42")),
        confidence: Some(0.85),
        links: vec![format!("topic-0:{number}")],
        recorded_at: Some(Timestamp::from_micros(
            1_790_000_000_000_000 + i64::from(number) * 60_000_000,
        )),
        ..Portable::default()
    }
}

fn report(name: &str, start: Instant, memories: usize, bytes: usize) {
    let seconds = start.elapsed().as_secs_f64();
    let (count, mib) = (
        memories as f64 / seconds,
        bytes as f64 / f64::from(1 << 20) / seconds,
    );
    println!("{name:<24} {count:>12.0} memories/s {mib:>8.0} MiB/s");
}

fn time_amrl(memories: &[Portable]) -> Result<()> {
    let start = Instant::now();
    let mut writer = amrl::Writer::new(Vec::new())?;
    for memory in memories {
        writer.write(memory)?;
    }
    let (log, _) = writer.finish()?;
    report("amrl write", start, memories.len(), log.len());
    let start = Instant::now();
    let deleted = amrl::deleted_offsets(&mut Cursor::new(&log))?;
    report("amrl first pass", start, memories.len(), log.len());
    let start = Instant::now();
    let mut read = 0;
    for entry in amrl::Reader::new(log.as_slice(), deleted)? {
        read += usize::from(!entry?.memory.text.is_empty());
    }
    report("amrl read", start, read, log.len());
    Ok(())
}

fn time_json(memories: &[Portable]) -> Result<()> {
    let start = Instant::now();
    let mut writer = json::Writer::new(Vec::new())?;
    for memory in memories {
        writer.write(memory)?;
    }
    let document = writer.finish()?;
    report("json write", start, memories.len(), document.len());
    let start = Instant::now();
    let read = json::read(document.as_slice(), |_| anyhow::Ok(()))
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    report(
        "json read",
        start,
        usize::try_from(read.read)?,
        document.len(),
    );
    Ok(())
}

fn time_markdown(memories: &[Portable]) -> Result<()> {
    let start = Instant::now();
    let mut writer =
        markdown::Writer::new(Vec::new(), &Topic::parse("topic")?, memories.len() as u64)?;
    for memory in memories {
        writer.write(memory)?;
    }
    let file = writer.finish()?;
    report("markdown write", start, memories.len(), file.len());
    let start = Instant::now();
    let mut read = 0;
    for section in markdown::Reader::new(file.as_slice(), "topic")? {
        read += usize::from(!section?.memory.text.is_empty());
    }
    report("markdown read", start, read, file.len());
    Ok(())
}

fn main() -> Result<()> {
    let count: u32 = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(100_000);
    let memories: Vec<Portable> = (0..count).map(memory).collect();
    time_amrl(&memories)?;
    time_json(&memories)?;
    time_markdown(&memories)
}
