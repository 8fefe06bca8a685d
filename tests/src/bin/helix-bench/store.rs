//! `store`: what a durable store costs over one fsync of the same disk, and how many fit into a
//! second.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use helix_tests::{Daemon, Home};

use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::{Connection, Fixtures};
use crate::report::{Report, Table, Target, micros, ratio};
use crate::stats::Samples;

/// Bytes of the write that a store is compared with: one page.
const WRITE_BYTES: usize = 4096;

/// Cost that a store may have, in fsync'd writes.
const STORE_RATIO_MAX: f64 = 1.5;

/// Cost that a store may have over one that looks for no duplicate and decides no correction.
const COMPARISON_RATIO_MAX: f64 = 1.15;

/// Memories a second that batches must reach.
const BATCH_RATE_MIN: f64 = 20_000.0;

const CLIENTS: usize = 8;

const BATCH: usize = 1_000;

/// Numbers of the corpus from which the parts of this section take their texts, so that none
/// repeats another's.
const CLIENT_TEXTS: usize = 10_000_000;
const BATCH_TEXTS: usize = 20_000_000;
const UNCOMPARED_TEXTS: usize = 30_000_000;
const COMPARED_TEXTS: usize = 40_000_000;

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let corpus = &fixtures.corpus;
    let home = Home::new()?;
    let daemon = Daemon::start(&home)?;
    let Single {
        stores,
        uncompared,
        writes,
    } = single(&home, corpus, effort.pick(400, 100))?;
    let (many, many_rate) = concurrent(&home, corpus, effort.pick(200, 50))?;
    let rounds = effort.pick(20, 5);
    let (batches, batch_rate) = batched(&home, corpus, rounds, Comparison::None)?;
    let (compared, compared_rate) = batched(&home, corpus, rounds, Comparison::Each)?;
    daemon.stop()?;

    let mut table = Table::new(
        "store: acknowledged when durable",
        &["what", "p50", "p99", "ratio", "rate", "target", ""],
    );
    let row = |name: &str,
               samples: &Samples,
               ratio: String,
               rate: String,
               target: String,
               verdict: String| {
        [
            name.to_owned(),
            micros(samples.p50()),
            micros(samples.p99()),
            ratio,
            rate,
            target,
            verdict,
        ]
    };
    let none = String::new;
    table.figure("fsync'd write p50", writes.p50(), "µs");
    table.figure("store p50", stores.p50(), "µs");
    table.row(row(
        "append of 4 KiB with fsync",
        &writes,
        ratio(1.0),
        none(),
        none(),
        none(),
    ));
    let over = stores.p50() / writes.p50();
    let verdict = table.judge(
        "store over one fsync'd write",
        over,
        "ratio",
        Target::AtMost(STORE_RATIO_MAX),
    );
    table.row(row(
        "one client",
        &stores,
        ratio(over),
        none(),
        format!("≤ {STORE_RATIO_MAX} ×"),
        verdict,
    ));
    let over = stores.p50() / uncompared.p50();
    let verdict = table.judge(
        "store over one without comparison",
        over,
        "ratio",
        Target::AtMost(COMPARISON_RATIO_MAX),
    );
    table.row(row(
        "the same without comparison",
        &uncompared,
        ratio(over),
        none(),
        format!("≤ {COMPARISON_RATIO_MAX} ×"),
        verdict,
    ));
    table.figure("stores a second, 8 clients", many_rate, "1/s");
    let many_ratio = ratio(many.p50() / writes.p50());
    table.row(row(
        "eight clients",
        &many,
        many_ratio,
        format!("{many_rate:.0}/s"),
        none(),
        none(),
    ));
    let verdict = table.judge(
        "memories a second in batches",
        batch_rate,
        "1/s",
        Target::AtLeast(BATCH_RATE_MIN),
    );
    let batch_ratio = ratio(batches.p50() / writes.p50());
    let target = format!("≥ {BATCH_RATE_MIN}/s");
    table.row(row(
        "batch of 1,000 without comparison",
        &batches,
        batch_ratio,
        format!("{batch_rate:.0}/s"),
        target,
        verdict,
    ));
    table.figure(
        "memories a second in compared batches",
        compared_rate,
        "1/s",
    );
    table.row(row(
        "batch of 1,000",
        &compared,
        ratio(compared.p50() / writes.p50()),
        format!("{compared_rate:.0}/s"),
        none(),
        none(),
    ));
    table.note("stores and writes took turns in one directory; without embedding");
    report.add(table);
    Ok(())
}

/// Times of one client.
#[derive(Default)]
struct Single {
    stores: Samples,
    /// Stores that are not compared with what is known.
    uncompared: Samples,
    writes: Samples,
}

/// Stores of both ways and plain writes in turn.
fn single(home: &Home, corpus: &Corpus, rounds: usize) -> Result<Single> {
    let mut connection = Connection::open(home)?;
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(home.scratch().join("floor"))?;
    let mut single = Single::default();
    for number in 0..rounds {
        let draft = corpus.draft(number, rounds);
        let started = Instant::now();
        connection.store(draft)?;
        single.stores.push(started.elapsed());
        let draft = corpus.draft(UNCOMPARED_TEXTS + number, rounds);
        let started = Instant::now();
        connection.store_uncompared(draft)?;
        single.uncompared.push(started.elapsed());
        single.writes.push(write(&mut file)?);
    }
    Ok(single)
}

fn write(file: &mut File) -> Result<Duration> {
    let page = [0x5A; WRITE_BYTES];
    let started = Instant::now();
    file.write_all(&page)?;
    file.sync_all()?;
    Ok(started.elapsed())
}

/// Eight clients at once, each with a connection of its own. Returns their times and stores a
/// second.
fn concurrent(home: &Home, corpus: &Corpus, each: usize) -> Result<(Samples, f64)> {
    let started = Instant::now();
    let all = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || -> Result<Samples> {
                    let mut connection = Connection::open(home)?;
                    let mut samples = Samples::default();
                    for number in 0..each {
                        let draft =
                            corpus.draft(CLIENT_TEXTS + client * each + number, CLIENTS * each);
                        let started = Instant::now();
                        connection.store(draft)?;
                        samples.push(started.elapsed());
                    }
                    Ok(samples)
                })
            })
            .collect();
        let mut all = Samples::default();
        for client in clients {
            all.extend(&client.join().ok().context("a client panicked")??);
        }
        anyhow::Ok(all)
    })?;
    Ok((all, rate(CLIENTS * each, started.elapsed())))
}

/// What a batch's memories are compared with before they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    None,
    /// Each with what is known and with those before it.
    Each,
}

/// Batches one after the other, made beforehand. Returns their times and memories a second.
fn batched(
    home: &Home,
    corpus: &Corpus,
    batches: usize,
    comparison: Comparison,
) -> Result<(Samples, f64)> {
    let mut connection = Connection::open(home)?;
    let mut samples = Samples::default();
    let mut total = Duration::ZERO;
    for batch in 0..batches {
        let texts = match comparison {
            Comparison::None => BATCH_TEXTS,
            Comparison::Each => COMPARED_TEXTS,
        };
        let first = texts + batch * BATCH;
        let drafts = (first..first + BATCH)
            .map(|number| corpus.draft(number, batches * BATCH))
            .collect();
        let started = Instant::now();
        match comparison {
            Comparison::None => connection.store_batch(drafts)?,
            Comparison::Each => connection.store_batch_compared(drafts)?,
        };
        samples.push(started.elapsed());
        total += started.elapsed();
    }
    Ok((samples, rate(batches * BATCH, total)))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn rate(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}
