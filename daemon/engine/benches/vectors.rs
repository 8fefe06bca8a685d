//! Times the vector index on vectors that are the same on every run. `cargo bench -p helix-engine
//! --bench vectors`; an argument is the number of vectors (100,000 unless given).

#![expect(clippy::print_stdout, reason = "a benchmark's output is its purpose")]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts are small beside what an f64 holds"
)]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use helix_engine::{
    VectorCandidates as Candidates, VectorCode as Code, VectorHit as Hit, VectorIndex,
};

const DIMENSIONS: usize = 384;
const CLUSTERS: usize = 1_000;
const HITS: usize = 10;
const QUERIES: usize = 50;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// `SplitMix64` with the sum of four uniform numbers for a normal one.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn normal(&mut self) -> f32 {
        let sum: u16 = self
            .next()
            .to_le_bytes()
            .chunks(2)
            .map(|pair| u16::from(pair[0]))
            .sum();
        (f32::from(sum) - 510.0) / 147.8
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| self.normal()).collect()
    }

    fn near(&mut self, centres: &[Vec<f32>]) -> Fallible<Vec<f32>> {
        let chosen = usize::try_from(self.next() % centres.len() as u64)?;
        Ok(centres[chosen]
            .iter()
            .map(|value| value + self.normal())
            .collect())
    }
}

fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// Prints the median and the quickest of a search over all queries, and what was found.
fn report(
    name: &str,
    queries: &[Vec<f32>],
    search: impl Fn(&[f32]) -> Fallible<Vec<Hit>>,
) -> Fallible<Vec<Vec<Hit>>> {
    let (mut times, mut found) = (Vec::new(), Vec::new());
    for query in queries {
        let start = Instant::now();
        found.push(black_box(search(black_box(query))?));
        times.push(micros(start));
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:<40} p50 {:>9.1} µs   least {:>9.1} µs",
        times[times.len() / 2],
        times[0]
    );
    Ok(found)
}

fn build(codes: &[Code]) -> Fallible<VectorIndex> {
    let mut index = VectorIndex::new(DIMENSIONS);
    let mut times = Vec::with_capacity(codes.len());
    let begun = Instant::now();
    for (code, number) in codes.iter().zip(0..) {
        let start = Instant::now();
        index.insert(number, code)?;
        times.push(micros(start));
    }
    println!(
        "{:<40} {:>13.1} ms in all, {:.2} µs each",
        "fill",
        micros(begun) / 1e3,
        micros(begun) / codes.len() as f64
    );
    times.sort_by(f64::total_cmp);
    println!(
        "{:<40} p50 {:>9.2} µs   worst {:>9.1} µs",
        "insert",
        times[times.len() / 2],
        times[times.len() - 1]
    );
    let start = Instant::now();
    index.rebuild();
    println!("{:<40} {:>13.1} ms", "rebuild", micros(start) / 1e3);
    println!(
        "{:<40} {:>13} bytes a vector",
        "resident",
        index.resident_bytes() / index.len()
    );
    Ok(index)
}

fn share(found: &[Vec<Hit>], exact: &[Vec<Hit>]) -> f64 {
    let same: usize = found
        .iter()
        .zip(exact)
        .map(|(found, exact)| exact.iter().filter(|hit| found.contains(hit)).count())
        .sum();
    let total: usize = exact.iter().map(Vec::len).sum();
    same as f64 / total as f64
}

fn main() -> Fallible<()> {
    let count = std::env::args()
        .find_map(|argument| argument.parse::<u32>().ok())
        .unwrap_or(100_000);
    let mut generator = Generator(7);
    let centres: Vec<Vec<f32>> = (0..CLUSTERS).map(|_| generator.vector()).collect();
    let codes = (0..count)
        .map(|_| Ok(Code::quantize(&generator.near(&centres)?)?))
        .collect::<Fallible<Vec<_>>>()?;
    let queries = (0..QUERIES)
        .map(|_| generator.near(&centres))
        .collect::<Fallible<Vec<_>>>()?;
    println!("{count} vectors of {DIMENSIONS} dimensions, best {HITS}");
    let index = build(&codes)?;

    for size in [1_000, 10_000, 20_000] {
        // Neighbours, and spread over the whole index as filtered candidates are: then memory's
        // latency decides.
        let near: Vec<u32> = (0..size.min(count)).collect();
        report(&format!("int8, list of {size}"), &queries, |query| {
            Ok(index.search(query, HITS, Candidates::List(&near))?)
        })?;
        let list: Vec<u32> = (0..count)
            .step_by((count / size).max(1) as usize)
            .take(size as usize)
            .collect();
        report(
            &format!("int8, list of {size}, spread"),
            &queries,
            |query| Ok(index.search(query, HITS, Candidates::List(&list))?),
        )?;
    }
    // More than 20,000 candidates are never scanned exactly, so the exact answer is put together
    // from parts.
    let everything: Vec<u32> = (0..count).collect();
    let exact = report("int8, everything, in lists of 20,000", &queries, |query| {
        let mut hits = Vec::new();
        for part in everything.chunks(20_000) {
            hits.extend(index.search(query, HITS, Candidates::List(part))?);
        }
        hits.sort_by(|one, other| {
            other
                .cosine
                .total_cmp(&one.cosine)
                .then(one.number.cmp(&other.number))
        });
        hits.truncate(HITS);
        Ok(hits)
    })?;
    let binary = report("1 bit, all", &queries, |query| {
        Ok(index.search(query, HITS, Candidates::All)?)
    })?;
    println!(
        "{:<40} {:>13.4}",
        "  recall of the exact ten",
        share(&binary, &exact)
    );
    report("1 bit, all, best 100", &queries, |query| {
        Ok(index.search(query, 100, Candidates::All)?)
    })?;
    let expected = usize::try_from(count / 2)?;
    let half = Candidates::Filter {
        keeps: &|number| number.is_multiple_of(2),
        expected,
    };
    report("1 bit, filter that keeps half", &queries, |query| {
        Ok(index.search(query, HITS, half)?)
    })?;
    Ok(())
}
