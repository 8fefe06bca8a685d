//! Times the lexical index over synthetic memories: 100,000 committed, 3,000 in the tail.
//!
//! `cargo bench -p helix-engine --bench lexical [documents]`

#![expect(clippy::print_stdout, reason = "a benchmark reports")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use helix_engine::{
    LexicalIndex, LexicalQuery, WordsDocument as Document, WordsMode as Mode,
    WordsRestriction as Restriction,
};

/// Committed memories unless an argument says otherwise.
const DOCUMENTS: u32 = 100_000;

/// Memories in the tail.
const TAIL: u32 = 3_000;

/// Distinct words, and the words of one memory: a paragraph.
const VOCABULARY: u32 = 50_000;
const WORDS_MIN: u32 = 20;
const WORDS_SPREAD: u32 = 60;

/// Searches of each kind, and hits asked for.
const SEARCHES: usize = 2_000;
const LIMIT: usize = 100;

/// A small generator, so that every run sees the same memories (Steele, Lea, Flood: `SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, ceiling: u32) -> u32 {
        u32::try_from(self.next() % u64::from(ceiling)).unwrap_or(0)
    }

    /// A word whose rank is Zipf distributed: log-uniform.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank"
    )]
    fn word(&mut self) -> String {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        word(f64::from(VOCABULARY).powf(unit) as u32)
    }

    fn text(&mut self) -> String {
        let words = WORDS_MIN + self.below(WORDS_SPREAD);
        (0..words)
            .map(|_| self.word())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The word of a rank: syllables, so that it is stemmed and hashed like a word.
fn word(rank: u32) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "lo", "mi", "ter", "su", "ne", "ro", "vin", "da", "pel", "go", "hu", "tra", "bel",
        "fi", "zon",
    ];
    let mut left = rank + 16;
    let mut made = String::new();
    while left > 0 {
        made.push_str(SYLLABLES[(left % 16) as usize]);
        left /= 16;
    }
    made
}

/// One stored memory.
struct Memory {
    text: String,
    topic: String,
    tags: Vec<String>,
    source: String,
}

impl Memory {
    fn random(random: &mut Random) -> Self {
        Self {
            text: random.text(),
            topic: format!("topic-{}", random.below(400)),
            tags: vec![word(random.below(200)), word(random.below(200))],
            source: format!(
                "src/{}/{}.rs",
                word(random.below(300)),
                word(random.below(3_000))
            ),
        }
    }

    fn document(&self, number: u32) -> Document<'_> {
        Document {
            number,
            text: &self.text,
            topic: &self.topic,
            tags: &self.tags,
            source: Some(&self.source),
        }
    }
}

fn fill(index: &LexicalIndex, random: &mut Random, documents: u32) -> Result<()> {
    let started = Instant::now();
    let mut longest = Duration::ZERO;
    for number in 0..documents {
        index.upsert(u64::from(number), &Memory::random(random).document(number));
        if index.needs_flush() {
            let flush = Instant::now();
            index.flush()?;
            longest = longest.max(flush.elapsed());
        }
    }
    index.flush()?;
    println!(
        "build {documents} in tails of {tail_flush_documents}: {:.1?}, longest flush {longest:.0?}, {} segments",
        started.elapsed(),
        index.segment_count(),
        tail_flush_documents = LexicalIndex::TAIL_FLUSH_DOCUMENTS
    );
    Ok(())
}

fn refill(random: &mut Random, documents: u32) -> Result<()> {
    let home = tempfile::tempdir().context("making a directory for the index")?;
    let index = LexicalIndex::open(home.path(), Box::new(|_| Some(String::new())))?;
    let started = Instant::now();
    index.fill(1, |add| {
        (0..documents).for_each(|number| add(&Memory::random(random).document(number)));
        true
    })?;
    println!(
        "fill {documents} at once: {:.1?}, {} segments",
        started.elapsed(),
        index.segment_count()
    );
    Ok(())
}

fn fill_tail(index: &LexicalIndex, random: &mut Random, from: u32) {
    let memories: Vec<Memory> = (0..TAIL).map(|_| Memory::random(random)).collect();
    let mut times = Vec::new();
    for (number, memory) in (from..).zip(&memories) {
        let started = Instant::now();
        index.upsert(u64::from(number), &memory.document(number));
        times.push(started.elapsed());
    }
    report("insert into the tail", times);
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    println!("{what:<48} p50 {:>9.1?}   p99 {:>9.1?}", at(50), at(99));
}

fn queries(random: &mut Random, mode: Mode) -> Vec<LexicalQuery> {
    let mut query = || {
        let words = 3 + random.below(3);
        // Questions name rarer words than texts do: not one of the ten commonest, nor a random
        // string.
        let mut word = || word(10 + random.below(2_000));
        LexicalQuery::parse(
            &(0..words).map(|_| word()).collect::<Vec<_>>().join(" "),
            mode,
        )
    };
    (0..SEARCHES).map(|_| query()).collect()
}

fn common_queries(random: &mut Random, mode: Mode) -> Vec<LexicalQuery> {
    let mut query = || {
        let words = 3 + random.below(3);
        LexicalQuery::parse(
            &(0..words)
                .map(|_| random.word())
                .collect::<Vec<_>>()
                .join(" "),
            mode,
        )
    };
    (0..SEARCHES).map(|_| query()).collect()
}

fn search(
    index: &LexicalIndex,
    what: &str,
    queries: &[LexicalQuery],
    restriction: &Restriction<'_>,
) -> Result<()> {
    let keeps = |number: u32| !number.is_multiple_of(10);
    let mut times = Vec::new();
    let mut hits = 0;
    for query in queries {
        let started = Instant::now();
        hits += black_box(index.search(query, LIMIT, restriction, keeps)?).len();
        times.push(started.elapsed());
    }
    report(
        &format!("{what} ({} hits a query)", hits / queries.len()),
        times,
    );
    Ok(())
}

fn search_all(index: &LexicalIndex, random: &mut Random) -> Result<()> {
    let everything = Restriction::default();
    for (name, mode) in [("OR", Mode::Any), ("AND", Mode::All)] {
        search(
            index,
            &format!("{name}, words of middling rank"),
            &queries(random, mode),
            &everything,
        )?;
        search(
            index,
            &format!("{name}, words as common as in texts"),
            &common_queries(random, mode),
            &everything,
        )?;
    }
    let topics = ["topic-7".to_owned()];
    let one_topic = Restriction {
        topics: &topics,
        tags: &[],
    };
    search(
        index,
        "OR in one topic of 400",
        &common_queries(random, Mode::Any),
        &one_topic,
    )
}

fn main() -> Result<()> {
    let documents = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(DOCUMENTS);
    let home = tempfile::tempdir().context("making a directory for the index")?;
    let mut random = Random(42);
    let index = LexicalIndex::open(home.path(), Box::new(|_| Some(String::new())))?;
    fill(&index, &mut random, documents)?;
    refill(&mut random, documents)?;
    drop(index);
    let started = Instant::now();
    let index = LexicalIndex::open(home.path(), Box::new(|_| Some(String::new())))?;
    println!("open and verify: {:.1?}", started.elapsed());
    println!("-- nothing in the tail");
    search_all(&index, &mut random)?;
    println!("-- {TAIL} in the tail");
    fill_tail(&index, &mut random, documents);
    search_all(&index, &mut random)?;
    let tail_only = LexicalIndex::in_memory()?;
    println!("-- the tail alone");
    fill_tail(&tail_only, &mut random, 0);
    search_all(&tail_only, &mut random)
}
