//! `quality`: retrieval measured on public, labelled sets, beside published kinds of retrieval on
//! sets of the same nature.

mod baselines;
mod data;
mod metrics;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use helix_proto::v1::{self, Retriever};
use helix_tests::{Daemon, Home};

use crate::fixture::{Connection, Fixtures};
use crate::report::{Report, Table, Target};
use baselines::BASELINES;
use data::{Document, Query, Set};
use metrics::{Metrics, RANKS_MAX};

/// The attribute that carries a document's id.
const DOCUMENT_ATTRIBUTE: &str = "document";

/// Where the sets are unless said otherwise: beside the checkout.
const DATA_BESIDE_CHECKOUT: &str = "../shared/quality";

/// The retrievers measured, with the names that the table gives them.
const RETRIEVERS: [(&str, Retriever); 3] = [
    ("words", Retriever::Words),
    ("meaning", Retriever::Meaning),
    ("hybrid", Retriever::Hybrid),
];

pub(crate) fn measure(
    _: &Fixtures,
    data: Option<&Path>,
    run: Option<&Path>,
    report: &mut Report,
) -> Result<()> {
    let directory = data.map_or_else(beside_checkout, Path::to_owned);
    let sets = Set::all_in(&directory)
        .with_context(|| format!("reading the sets in {}", directory.display()))?;
    let mut table = Table::new(
        "quality: labelled sets",
        &[
            "set, retriever",
            "R@5",
            "R@10",
            "nDCG@10",
            "MRR",
            "Hit@5",
            "best baseline R@5, nDCG@10",
            "",
        ],
    );
    if sets.is_empty() {
        table.note(format!(
            "{} has no sets; name their directory with --data",
            directory.display()
        ));
    }
    for set in &sets {
        measure_set(set, run, &mut table).with_context(|| format!("measuring {}", set.name))?;
    }
    table.note("baselines on sets like these (R@5 / nDCG@10):");
    for baseline in &BASELINES {
        table.note(format!("  {}", baseline.line()));
    }
    report.add(table);
    Ok(())
}

/// The checkout is the directory that xtask runs the benchmark in.
fn beside_checkout() -> PathBuf {
    PathBuf::from(DATA_BESIDE_CHECKOUT)
}

fn measure_set(set: &Set, run: Option<&Path>, table: &mut Table) -> Result<()> {
    let (home, retrievers) = match Home::with_embedder()? {
        Some(home) => (home, &RETRIEVERS[..]),
        None => (Home::new()?, &RETRIEVERS[..1]),
    };
    let daemon = Daemon::start(&home)?;
    let mut connection = Connection::open(&home)?;
    let documents = load(&mut connection, &set.documents)?;
    if retrievers.len() > 1 {
        connection.await_embedder(true)?;
    } else {
        table.note("no model: HELIX_MODEL_DIR names none, so meaning was not measured");
    }
    for &(name, retriever) in retrievers {
        let mut ranked = Vec::with_capacity(set.queries.len());
        for query in &set.queries {
            ranked.push(ask(&mut connection, query, retriever, &documents)?);
        }
        let scored = set
            .queries
            .iter()
            .zip(&ranked)
            .map(|(query, ranking)| Metrics::of(&query.relevant, ranking));
        add(table, set, name, Metrics::mean(scored));
        if let Some(run) = run {
            write_run(run, set, name, &ranked)?;
        }
    }
    daemon.stop()?;
    Ok(())
}

/// Stores the documents, each under a topic of its own. Returns the ids behind each handle: texts
/// that occur twice are one memory with several.
fn load(
    connection: &mut Connection,
    documents: &[Document],
) -> Result<HashMap<String, Vec<String>>> {
    let drafts = documents
        .iter()
        .enumerate()
        .map(|(number, document)| v1::Draft {
            topic: topic(number),
            text: document.text.clone(),
            kind: "fact".to_owned(),
            scope: "global".to_owned(),
            attributes: [(DOCUMENT_ATTRIBUTE.to_owned(), document.id.clone())].into(),
            valid_from_us: document.timestamp_us,
            ..v1::Draft::default()
        });
    let replies = connection.store_all(drafts)?;
    let mut ids: HashMap<String, Vec<String>> = HashMap::new();
    for (document, reply) in documents.iter().zip(replies) {
        let handle = reply.memory.unwrap_or_default().handle;
        ids.entry(handle).or_default().push(document.id.clone());
    }
    Ok(ids)
}

/// A topic for one document, of letters that no query has, so that it neither matches nor shares a
/// cap with others.
fn topic(number: usize) -> String {
    let letter = |place: u32| {
        char::from(b'a' + u8::try_from(number / 26_usize.pow(place) % 26).unwrap_or_default())
    };
    ['z', 'q', letter(3), letter(2), letter(1), letter(0)]
        .iter()
        .collect()
}

/// The ids found, best first.
fn ask(
    connection: &mut Connection,
    query: &Query,
    retriever: Retriever,
    documents: &HashMap<String, Vec<String>>,
) -> Result<Vec<(String, f32)>> {
    let limit = u32::try_from(RANKS_MAX)?;
    let reply = connection.search(&query.text, retriever, limit)?;
    let hits = reply
        .hits
        .into_iter()
        .filter_map(|hit| Some((hit.memory?.handle, hit.score)));
    let ids = hits.flat_map(|(handle, score)| {
        documents
            .get(&handle)
            .into_iter()
            .flatten()
            .map(move |id| (id.clone(), score))
            .collect::<Vec<_>>()
    });
    Ok(ids.take(RANKS_MAX).collect())
}

fn add(table: &mut Table, set: &Set, name: &str, metrics: Metrics) {
    let label = format!("{}, {name}", set.name);
    let baseline = BASELINES.iter().find(|baseline| baseline.is_for(&set.name));
    let best = baseline.map(baselines::Baseline::best);
    let mut verdict = String::new();
    if let (Some((recall, gain)), "hybrid") = (best, name) {
        let verdicts = [
            table.judge(
                &format!("{label} R@5"),
                metrics.recall_5,
                "",
                Target::AtLeast(recall),
            ),
            table.judge(
                &format!("{label} nDCG@10"),
                metrics.ndcg_10,
                "",
                Target::AtLeast(gain),
            ),
        ];
        let is_met = verdicts.iter().all(|verdict| verdict == "met");
        verdict.push_str(if is_met { "met" } else { "MISSED" });
    } else {
        table.figure(&format!("{label} R@5"), metrics.recall_5, "");
        table.figure(&format!("{label} nDCG@10"), metrics.ndcg_10, "");
    }
    let target = best.map_or(String::new(), |(recall, gain)| {
        format!("{recall:.3}, {gain:.3}")
    });
    let figures = [
        metrics.recall_5,
        metrics.recall_10,
        metrics.ndcg_10,
        metrics.mrr,
        metrics.hit_5,
    ];
    let cells = figures.map(|figure| format!("{figure:.4}"));
    table.row(std::iter::once(label).chain(cells).chain([target, verdict]));
}

/// Writes a ranking as the scoring script reads it.
fn write_run(run: &Path, set: &Set, name: &str, ranked: &[Vec<(String, f32)>]) -> Result<()> {
    let stem = run.file_stem().unwrap_or_default().to_string_lossy();
    let extension = run
        .extension()
        .map_or("tsv".into(), |extension| extension.to_string_lossy());
    let path = run.with_file_name(format!("{stem}.{}.{name}.{extension}", set.name));
    let mut text = String::new();
    for (query, ranking) in set.queries.iter().zip(ranked) {
        for (rank, (document, score)) in (1..).zip(ranking) {
            writeln!(text, "{}\t{document}\t{rank}\t{score}", query.id)?;
        }
    }
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}
