//! `graph`: the rank of what relations connect to a few memories, and how much longer a search
//! takes that brings it along. In this process, on a strand of its own.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, ensure};
use helix_engine::{
    HitPlace as Place, MemoryStorage, Mode, Request, Retriever, Search, Step, StepChange, Strand,
    StrandWriter, Vantage,
};
use helix_memory::{
    Actor, Admitted, Draft, Edge, EdgeKey, EdgeStatus, Kinds, MemoryNumber, NoSources, Provenance,
    Relation, Scope, Sequence, Timestamp,
};

use crate::Effort;
use crate::corpus::{Corpus, Numbers};
use crate::report::{Report, Table, Target, micros};
use crate::stats::Samples;

/// Time that a rank may take, in microseconds.
const RANK_P50_MAX_US: f64 = 1_000.0;

/// Time that expansion may add to a search, in microseconds.
const EXPANSION_P50_MAX_US: f64 = 300.0;

/// Edges of each memory.
const EDGES_EACH: usize = 5;

/// Changes of one commit.
const BATCH: usize = 1_000;

/// Memories around which is ranked.
const SEEDS: usize = 3;

const QUESTIONS: usize = 500;

pub(crate) fn measure(corpus: &Corpus, effort: Effort, report: &mut Report) -> Result<()> {
    let size = effort.pick(100_000, 10_000);
    let strand = related(corpus, size)?;
    let ranks = rank(&strand, size)?;
    let (plain, expanded) = search(&strand, corpus, size)?;
    let name = format!("graph: {size} memories, {} edges", size * EDGES_EACH);
    let mut table = Table::new(&name, &["what", "p50", "p99", "target", ""]);
    let mut add = |what: &str, samples: &Samples, p50: f64, target: f64| {
        let verdict = table.judge(&format!("{what} p50"), p50, "µs", Target::AtMost(target));
        let (p50, p99, target) = (micros(p50), micros(samples.p99()), micros(target));
        table.row([what.to_owned(), p50, p99, format!("≤ {target}"), verdict]);
    };
    add(
        "personalised PageRank",
        &ranks,
        ranks.p50(),
        RANK_P50_MAX_US,
    );
    let longer = (expanded.p50() - plain.p50()).max(0.0);
    add(
        "what expansion adds to a search",
        &expanded,
        longer,
        EXPANSION_P50_MAX_US,
    );
    table.note(format!(
        "a search by words took {} without expansion and {} with it",
        micros(plain.p50()),
        micros(expanded.p50())
    ));
    report.add(table);
    Ok(())
}

/// A strand in memory whose memories are related at random.
fn related(corpus: &Corpus, size: usize) -> Result<Arc<Strand>> {
    let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default())
        .map_err(|error| anyhow!("opening a strand: {error}"))?;
    let mut stores = Vec::with_capacity(BATCH);
    for number in 0..size {
        stores.push(store(&strand, corpus, number, size)?);
        if stores.len() == BATCH || number + 1 == size {
            commit(&mut writer, std::mem::take(&mut stores))?;
        }
    }
    let mut numbers = Numbers::new(7);
    for first in (0..size * EDGES_EACH).step_by(BATCH) {
        let steps = (first..first + BATCH).map(|edge| Step {
            change: StepChange::Relate(Box::new(edge_of(edge, size, &mut numbers))),
            reason: String::new(),
            reverts: None,
        });
        let steps = steps.collect();
        let (actor, at) = (Actor::default(), now());
        commit(&mut writer, vec![Request::Together { steps, actor, at }])?;
    }
    let edges = strand.catalog().graph().stored().count();
    ensure!(edges > size, "only {edges} edges were made");
    Ok(strand)
}

fn store(strand: &Strand, corpus: &Corpus, number: usize, size: usize) -> Result<Request> {
    let wire = corpus.memory(number, size);
    let draft = Draft {
        topic: wire.topic,
        text: wire.text,
        ..Draft::default()
    };
    let admitted = Box::new(Admitted::of(draft, &Scope::Global, strand.kinds())?);
    let mut entropy = [0; 10];
    entropy[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Ok(Request::Store {
        words: Box::new(Strand::read_words(&admitted)),
        admitted,
        links: Vec::new(),
        stamps: None,
        force: true,
        corrects: Vec::new(),
        entropy,
        actor: Actor::default(),
        at: now(),
    })
}

/// An edge between two memories: half of them go to one nearby, as a topic's do.
fn edge_of(edge: usize, size: usize, numbers: &mut Numbers) -> Edge {
    let from = edge % size;
    let to = if edge.is_multiple_of(2) {
        (from + 1 + numbers.place(20)) % size
    } else {
        (from + 1 + numbers.place(size - 1)) % size
    };
    let number = |place: usize| MemoryNumber(u32::try_from(place).unwrap_or(u32::MAX));
    Edge {
        key: EdgeKey {
            from: number(from),
            relation: Relation::RelatesTo,
            to: number(to),
        },
        strength: 0.8,
        is_bidirectional: false,
        status: EdgeStatus::Active,
        provenance: Provenance::default(),
        reason: String::new(),
        valid_from: now(),
        valid_to: None,
        sequence: Sequence::default(),
    }
}

fn commit(writer: &mut StrandWriter, requests: Vec<Request>) -> Result<()> {
    for outcome in writer.commit(requests)? {
        outcome.map_err(|error| anyhow!("loading the graph: {error}"))?;
    }
    Ok(())
}

fn rank(strand: &Strand, size: usize) -> Result<Samples> {
    let mut numbers = Numbers::new(11);
    let mut samples = Samples::default();
    for _ in 0..QUESTIONS {
        let seed = |_| {
            (
                MemoryNumber(u32::try_from(numbers.place(size)).unwrap_or(0)),
                1.0,
            )
        };
        let seeds: Vec<(MemoryNumber, f32)> = (0..SEEDS).map(seed).collect();
        let catalog = strand.catalog();
        let started = Instant::now();
        let ranked = catalog.graph().rank(&seeds, |_| true);
        samples.push(started.elapsed());
        ensure!(ranked.len() > SEEDS, "a seed has no neighbours");
    }
    Ok(samples)
}

/// The same questions without and with what edges bring, in turn.
fn search(strand: &Strand, corpus: &Corpus, size: usize) -> Result<(Samples, Samples)> {
    let (mut plain, mut expanded) = (Samples::default(), Samples::default());
    let mut brought = 0;
    for asked in 0..QUESTIONS {
        let search = Search {
            words: corpus.question(asked * 7_919 % size, size),
            vector: None,
            filter: helix_engine::Filter::default(),
            limit: 10,
            mode: Mode::Auto,
            retriever: Retriever::Hybrid,
            now: now(),
            vantage: Vantage::default(),
        };
        // The first time, the records come into the cache for both.
        strand.search(&search)?;
        let started = Instant::now();
        strand.search(&search)?;
        plain.push(started.elapsed());
        let started = Instant::now();
        let found = strand.search_page(&search, Place::default(), &NoSources)?;
        expanded.push(started.elapsed());
        brought += found
            .hits
            .iter()
            .filter(|hit| hit.expansion.is_some())
            .count();
    }
    ensure!(brought > 0, "no edge brought anything");
    Ok((plain, expanded))
}

fn now() -> Timestamp {
    Timestamp::from_micros(1_790_000_000_000_000)
}
