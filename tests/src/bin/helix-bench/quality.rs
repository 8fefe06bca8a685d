//! `quality`: retrieval measured on public, labelled sets, beside published kinds of retrieval on
//! sets of the same nature.

mod base;
mod baselines;
mod data;
mod levers;
mod metrics;
mod results;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use helix_proto::v1::Retriever;

use crate::kept;
use crate::report::{Report, Table, Target, announce};
use base::Base;
use baselines::BASELINES;
use data::Set;
use levers::{ABLATED, HELD, Lever};
use metrics::Metrics;
use results::{Held, Measured, Ratios, Row};

/// Where the sets are unless said otherwise: beside the checkout.
const DATA_BESIDE_CHECKOUT: &str = "../shared/quality";

/// Sets of natures that no public set has: written blind, by who knew nothing of the search.
const WRITTEN: &str = "tests/quality/sets";

/// Makes others anew.
const MAKE_SETS: &str = "tests/quality/make-sets.py";

/// The committed page and numbers.
const RESULTS: &str = "tests/quality/RESULTS.md";
const RATIOS: &str = "tests/quality/ratios.toml";

/// What is done beside printing the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Nothing.
    Show,
    /// Every part of a search is switched off in turn, and the page and the numbers are written.
    Table,
    /// The figures are compared with the committed ones.
    Gate,
}

pub(crate) fn measure(
    task: Task,
    data: Option<&Path>,
    run: Option<&Path>,
    report: &mut Report,
) -> Result<()> {
    let sets = all_sets(data)?;
    let levers = match task {
        Task::Show | Task::Gate => HELD.to_vec(),
        Task::Table => [HELD.as_slice(), ABLATED.as_slice()].concat(),
    };
    let mut measured = Vec::new();
    for set in &sets {
        let one = measure_set(set, run, &levers);
        measured.push(one.with_context(|| format!("measuring {}", set.name))?);
    }
    report.add(table(&sets, &measured));
    match task {
        Task::Show => Ok(()),
        Task::Table => write_results(&measured),
        Task::Gate => compare(&measured),
    }
}

fn table(sets: &[Set], measured: &[Measured]) -> Table {
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
    for (set, measured) in sets.iter().zip(measured) {
        for row in &measured.rows {
            add(&mut table, set, row.lever, row.whole);
            add_halves(&mut table, set, row);
        }
    }
    table.note("baselines on sets like these (R@5 / nDCG@10):");
    for baseline in &BASELINES {
        table.note(format!("  {}", baseline.line()));
    }
    table
}

/// Keeps the figures of both halves for the JSON file.
fn add_halves(table: &mut Table, set: &Set, row: &Row) {
    for (half, metrics) in ["even", "odd"].iter().zip(row.halves) {
        let label = format!("{}, {}, {half}", set.name, row.lever);
        table.figure(&format!("{label} R@5"), metrics.recall_5, "");
        table.figure(&format!("{label} nDCG@10"), metrics.ndcg_10, "");
    }
}

fn write_results(measured: &[Measured]) -> Result<()> {
    let model = model()?;
    fs::write(RESULTS, results::page(measured, &model)).context("writing the page")?;
    let mut held = held()?;
    held.put(Ratios::of(&model, measured));
    fs::write(RATIOS, held.write()?).context("writing the numbers")
}

fn compare(measured: &[Measured]) -> Result<()> {
    let held = held()?;
    let compared = held.of(&model()?)?.compare(measured);
    for absent in &compared.absent {
        announce(&format!("{absent} is held and was not found"));
    }
    compared.judge()
}

/// The committed numbers.
fn held() -> Result<Held> {
    let text = fs::read_to_string(RATIOS).with_context(|| format!("reading {RATIOS}"))?;
    Held::read(&text)
}

/// The name of the installed model.
fn model() -> Result<String> {
    Ok(kept::place()?.map_or("no model".to_owned(), |(_, model)| model))
}

/// The checkout is the directory that xtask runs the benchmark in.
fn beside_checkout() -> PathBuf {
    PathBuf::from(DATA_BESIDE_CHECKOUT)
}

/// Measures a set by some levers; leaves out those of meaning where there is no model.
fn measure_set(set: &Set, run: Option<&Path>, levers: &[Lever]) -> Result<Measured> {
    let mut base = Base::of(set)?;
    let mut rows = Vec::new();
    for lever in levers {
        if !base.has_meaning && lever.retriever != Retriever::Words {
            continue;
        }
        announce(&format!("{}: {}", set.name, lever.name));
        let ranked = base.rank(set, lever)?;
        let asked = set.queries.iter().zip(&ranked);
        let scored: Vec<Metrics> = asked
            .map(|(query, ranking)| Metrics::of(&query.relevant, ranking))
            .collect();
        rows.push(Row::of(lever.name, &scored));
        if let Some(run) = run {
            write_run(run, set, lever.name, &ranked)?;
        }
    }
    Ok(Measured {
        set: set.name.clone(),
        documents: set.documents.len(),
        queries: set.queries.len(),
        rows,
    })
}

/// The sets of a directory, and those of the checkout.
fn all_sets(data: Option<&Path>) -> Result<Vec<Set>> {
    let directory = data.map_or_else(beside_checkout, Path::to_owned);
    let mut sets = Set::all_in(&directory)
        .with_context(|| format!("reading the sets in {}", directory.display()))?;
    sets.extend(Set::all_in(Path::new(WRITTEN)).context("reading the sets of the checkout")?);
    let made = tempfile::tempdir()?;
    let status = Command::new("python3")
        .arg(MAKE_SETS)
        .arg(made.path())
        .stdout(Stdio::null())
        .status()
        .context("making sets takes python3")?;
    ensure!(status.success(), "{MAKE_SETS} failed");
    sets.extend(Set::all_in(made.path())?);
    Ok(sets)
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
