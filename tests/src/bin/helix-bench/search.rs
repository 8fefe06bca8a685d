//! `search`: the daemon's own time and the whole round trip, by number of memories.

mod bridge;

use std::time::Instant;

use anyhow::{Result, ensure};
use helix_proto::v1::Retriever;
use helix_tests::Home;

use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::{Connection, Fixtures, Loaded};
use crate::kept::{Embedded, Kept};
use crate::report::{Report, Table, Target, micros, ratio};
use crate::stats::Samples;

/// Time that the daemon's part of a search may take, in microseconds, without the query's
/// embedding.
const SEARCH_P50_MAX_US: f64 = 1_000.0;
const SEARCH_P99_MAX_US: f64 = 5_000.0;

/// The same by words and meaning among 100,000 memories, where the codes of all are scanned.
const MANY_MEMORIES: usize = 100_000;
const SEARCH_MANY_P50_MAX_US: f64 = 1_500.0;

/// Questions asked before any is counted.
const WARM_UP_QUESTIONS: usize = 20;

const LIMIT: u32 = 10;

/// Memories whose vectors are made while questions are asked, as after an import.
const WAITING_MEMORIES: usize = 10_000;

/// Time that a question with its embedding may take meanwhile, over the same of a daemon that has
/// nothing else to do.
const WAITING_RATIO_MAX: f64 = 1.5;

/// Questions asked meanwhile: few enough that the vectors are not all made by then.
const WAITING_QUESTIONS: usize = 150;

/// The cost of one run of questions.
#[derive(Default)]
struct Cost {
    search: Samples,
    embed: Samples,
    /// Both, as the daemon needs them for one question.
    whole: Samples,
    round_trip: Samples,
}

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let head = [
        "memories",
        "search p50",
        "p99",
        "embedding p50",
        "with it p50",
        "round trip p50",
        "p99",
        "target",
        "",
    ];
    let mut table = Table::new("search: limit 10, three to five words", &head);
    let questions = effort.pick(1_000, 300);
    for &size in effort.sizes() {
        let loaded = fixtures.at(size)?;
        let load = loaded.load;
        let mut connection = loaded.connect()?;
        let cost = ask(
            &mut connection,
            &fixtures.corpus,
            size,
            questions,
            Retriever::Words,
        )?;
        add(
            &mut table,
            &format!("{size}, words"),
            &cost,
            SEARCH_P50_MAX_US,
        );
        table.note(format!(
            "{size} memories were loaded in {:.1} s",
            load.as_secs_f64()
        ));
    }
    with_meaning(effort, &mut table)?;
    table.note(
        "search: the daemon's time without the embedding of the question; the target holds for it",
    );
    report.add(table);
    Ok(())
}

/// The same sizes with every vector there; of shorter memories, whose embedding takes a third of
/// the time.
fn with_meaning(effort: Effort, table: &mut Table) -> Result<()> {
    let corpus = Corpus::of_sentences();
    let Some(kept) = Kept::find(&corpus)? else {
        table.note("no model: HELIX_MODEL_DIR names none, so meaning was not measured");
        return Ok(());
    };
    let mut idle_p50_us = f64::INFINITY;
    for &size in effort.sizes() {
        let Embedded { loaded, origin } = kept.at(&corpus, size)?;
        let mut connection = loaded.connect()?;
        let cost = ask(
            &mut connection,
            &corpus,
            size,
            effort.pick(300, 100),
            Retriever::Hybrid,
        )?;
        if size == WAITING_MEMORIES {
            idle_p50_us = cost.whole.p50();
        }
        let p50_max = if size < MANY_MEMORIES {
            SEARCH_P50_MAX_US
        } else {
            SEARCH_MANY_P50_MAX_US
        };
        add(table, &format!("{size}, words and meaning"), &cost, p50_max);
        table.note(origin);
        if size == bridge::MEMORIES {
            bridge::measure(&loaded, &corpus, effort, table)?;
        }
    }
    while_vectors_wait(&corpus, idle_p50_us, table)?;
    table.note("with meaning: memories of 8 to 16 made-up words, without: of 12 to 60");
    if effort == Effort::Quick {
        table.note(
            "--quick leaves out 100000 memories, whose embedding takes many minutes the first time",
        );
    }
    Ok(())
}

/// Questions while the vectors of an import are made, then the same ones again. `idle_p50_us` is what
/// a question takes of a daemon that makes none.
fn while_vectors_wait(corpus: &Corpus, idle_p50_us: f64, table: &mut Table) -> Result<()> {
    let Some(home) = Home::with_embedder()? else {
        return Ok(());
    };
    let loaded = Loaded::new(home, corpus, WAITING_MEMORIES)?;
    let mut connection = loaded.connect()?;
    connection.await_embedder(false)?;
    let mut over_idle = None;
    for name in ["while vectors wait", "the same again"] {
        let cost = ask(
            &mut connection,
            corpus,
            WAITING_MEMORIES,
            WAITING_QUESTIONS,
            Retriever::Hybrid,
        )?;
        table.figure(&format!("{name}, embedding p99"), cost.embed.p99(), "µs");
        let label = format!("{WAITING_MEMORIES}, {name}");
        add(table, &label, &cost, SEARCH_P50_MAX_US);
        // The second time their vectors are kept from the first.
        over_idle.get_or_insert(cost.whole.p50() / idle_p50_us);
    }
    if let Some(over_idle) = over_idle {
        judge_waiting(table, over_idle);
    }
    let pending = connection.status()?.embedder.unwrap_or_default().pending;
    table.note(format!(
        "{pending} of {WAITING_MEMORIES} vectors were still to be made when the last question was answered"
    ));
    ensure!(
        pending > 0,
        "all vectors were made before the last question: nothing waited"
    );
    Ok(())
}

fn judge_waiting(table: &mut Table, over_idle: f64) {
    let name = "with embedding p50 while vectors wait, over idle";
    let verdict = table.judge(name, over_idle, "ratio", Target::AtMost(WAITING_RATIO_MAX));
    table.note(format!(
        "{name}: {} (≤ {}), {verdict}",
        ratio(over_idle),
        ratio(WAITING_RATIO_MAX)
    ));
}

fn ask(
    connection: &mut Connection,
    corpus: &Corpus,
    size: usize,
    count: usize,
    retriever: Retriever,
) -> Result<Cost> {
    let mut cost = Cost::default();
    let mut found = 0;
    for asked in 0..WARM_UP_QUESTIONS + count {
        let question = corpus.question(asked * 7_919 % size, size);
        let started = Instant::now();
        let reply = connection.search(&question, retriever, LIMIT)?;
        let elapsed = started.elapsed();
        if asked >= WARM_UP_QUESTIONS {
            cost.round_trip.push(elapsed);
            cost.search.push_micros(reply.search_us);
            cost.embed.push_micros(reply.embed_us);
            cost.whole.push_micros(reply.search_us + reply.embed_us);
            found += usize::from(!reply.hits.is_empty());
        }
    }
    // The questions are made of stored words: an empty answer means that something else was
    // measured.
    ensure!(
        found == count,
        "{} of {count} questions found nothing",
        count - found
    );
    Ok(cost)
}

fn add(table: &mut Table, name: &str, cost: &Cost, p50_max: f64) {
    let verdicts = [
        table.judge(
            &format!("{name} p50"),
            cost.search.p50(),
            "µs",
            Target::AtMost(p50_max),
        ),
        table.judge(
            &format!("{name} p99"),
            cost.search.p99(),
            "µs",
            Target::AtMost(SEARCH_P99_MAX_US),
        ),
    ];
    table.figure(
        &format!("{name} with embedding p50"),
        cost.whole.p50(),
        "µs",
    );
    table.figure(
        &format!("{name} round trip p50"),
        cost.round_trip.p50(),
        "µs",
    );
    let is_met = verdicts.iter().all(|verdict| verdict == "met");
    table.row([
        name.to_owned(),
        micros(cost.search.p50()),
        micros(cost.search.p99()),
        micros(cost.embed.p50()),
        micros(cost.whole.p50()),
        micros(cost.round_trip.p50()),
        micros(cost.round_trip.p99()),
        format!("≤ {}, ≤ {}", micros(p50_max), micros(SEARCH_P99_MAX_US)),
        if is_met { "met" } else { "MISSED" }.to_owned(),
    ]);
}
