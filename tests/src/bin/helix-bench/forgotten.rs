//! `forgotten`: what a tool says after somebody forgot it, in other words or with another value.
//! Labelled pairs, each in a project of its own, half of which were used to fit the rules.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::{Context, Result};
use helix_client::caller;
use helix_client::v1::{EmbedderState, ForgetRequest, Program, ReviewRequest};
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Home, Project, Rpc, Served};
use serde::Deserialize;

use crate::report::{Report, Table, Target};
use crate::silence::read;

/// Share of the near misses that may be withheld.
const NEAR_MISSES_MAX: f64 = 0.01;

/// How long the model may take for all texts.
const DEADLINE: Duration = Duration::from_mins(10);

/// Most of the review that is read.
const REVIEW_MAX: u32 = 1_000;

/// Pairs that were made for this.
const FILE: &str = "forgotten-pairs.json";

/// Pairs of statements, of which those that say the same are paraphrases.
const STATEMENT_FILES: [&str; 2] = ["memory-pairs.json", "memory-pairs-held.json"];

/// A text that was forgotten, and one that comes after it.
#[derive(Debug, Deserialize)]
struct Pair {
    id: String,
    set: String,
    forgotten: String,
    returning: String,
    /// It says the same in other words.
    same: bool,
}

#[derive(Debug, Deserialize)]
struct Statements {
    id: String,
    set: String,
    old: String,
    new: String,
    label: String,
    near_miss: bool,
}

impl Statements {
    /// A pair that says the same, or one that is nearly so; what refines a statement is neither.
    fn pair(self) -> Option<Pair> {
        let same = self.label == "same";
        let is_counted = same || (self.near_miss && self.label != "refines");
        is_counted.then_some(Pair {
            id: self.id,
            set: format!("statements, {}", self.set),
            forgotten: self.old,
            returning: self.new,
            same,
        })
    }
}

/// Counts of the pairs of one set.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    same: usize,
    recognised: usize,
    near_misses: usize,
    withheld: usize,
}

/// Measures the pairs of every set.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let head = [
        "pairs",
        "paraphrases kept away",
        "near misses kept away",
        "",
    ];
    let mut table = Table::new("forgotten: what comes again", &head);
    let Some(home) = Home::with_embedder()? else {
        table.note("no model: HELIX_MODEL_DIR names none, so meaning was not measured");
        report.add(table);
        return Ok(());
    };
    let mut pairs: Vec<Pair> = read(FILE)?;
    for file in STATEMENT_FILES {
        let statements: Vec<Statements> = read(file)?;
        pairs.extend(statements.into_iter().filter_map(Statements::pair));
    }
    let mut served = Served::on(home)?;
    let kept_away = play(&mut served, &pairs)?;
    let mut sets: Vec<&str> = pairs.iter().map(|pair| pair.set.as_str()).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut all = Tally::default();
    for set in sets {
        let tally = count(pairs.iter().filter(|pair| pair.set == set), &kept_away);
        all.same += tally.same;
        all.recognised += tally.recognised;
        all.near_misses += tally.near_misses;
        all.withheld += tally.withheld;
        row(set, tally, None, &mut table);
    }
    row(
        "all",
        all,
        Some(Target::AtMost(NEAR_MISSES_MAX)),
        &mut table,
    );
    table.note("what is kept away by meaning waits in the review with the reason");
    report.add(table);
    Ok(())
}

/// Stores and forgets the first text of each pair, has a tool say the second, and returns the pairs
/// whose second was kept away.
fn play(served: &mut Served, pairs: &[Pair]) -> Result<HashSet<String>> {
    let mut forgotten = Vec::new();
    for pair in pairs {
        let project = Project::new(&served.home, &pair.id)?;
        let stored = draft(&pair.id, &pair.forgotten, "");
        let memory = served.rpc.store(Program::Mcp, &project.root, stored)?;
        forgotten.push((project, memory.handle));
    }
    settle(&mut served.rpc)?;
    for (project, handle) in &forgotten {
        let request = ForgetRequest {
            caller: Some(caller(Program::Mcp, &project.root, "bench", "")),
            reference: handle.clone(),
        };
        served
            .rpc
            .call(async |rpc| rpc.forget(request.clone()).await)?;
    }
    settle(&mut served.rpc)?;
    let mut kept_away = HashSet::new();
    for (pair, (project, _)) in pairs.iter().zip(&forgotten) {
        let said = draft(&pair.id, &pair.returning, "");
        if served
            .rpc
            .store(Program::Tool, &project.root, said)
            .is_err()
        {
            kept_away.insert(pair.id.clone());
        }
    }
    settle(&mut served.rpc)?;
    let request = ReviewRequest {
        scopes: vec!["all".to_owned()],
        limit: REVIEW_MAX,
        ..ReviewRequest::default()
    };
    let review = served
        .rpc
        .call(async |rpc| rpc.review(request.clone()).await)?;
    let withheld = review
        .items
        .into_iter()
        .filter(|item| item.reason.contains("in other words"));
    kept_away.extend(withheld.filter_map(|item| Some(item.memory?.topic)));
    Ok(kept_away)
}

/// Waits until all vectors are made and all that came is compared.
fn settle(rpc: &mut Rpc) -> Result<()> {
    within(DEADLINE, || {
        let embedder = rpc.status()?.embedder.unwrap_or_default();
        let is_ready = embedder.state() == EmbedderState::Ready;
        let is_done = embedder.pending == 0 && embedder.uncompared == 0;
        Ok((is_ready && is_done).then_some(()))
    })
    .context("waiting for the model")
}

fn count<'p>(pairs: impl Iterator<Item = &'p Pair>, kept_away: &HashSet<String>) -> Tally {
    let mut tally = Tally::default();
    for pair in pairs {
        let is_kept_away = usize::from(kept_away.contains(&pair.id));
        if pair.same {
            tally.same += 1;
            tally.recognised += is_kept_away;
        } else {
            tally.near_misses += 1;
            tally.withheld += is_kept_away;
        }
    }
    tally
}

fn row(set: &str, tally: Tally, target: Option<Target>, table: &mut Table) {
    let (recall, wrong) = (
        share(tally.recognised, tally.same),
        share(tally.withheld, tally.near_misses),
    );
    table.figure(&format!("{set}: paraphrases"), recall, "share");
    let name = format!("{set}: near misses");
    let verdict = if let Some(target) = target {
        table.judge(&name, wrong, "share", target)
    } else {
        table.figure(&name, wrong, "share");
        String::new()
    };
    table.row([
        set.to_owned(),
        format!("{recall:.2} ({} of {})", tally.recognised, tally.same),
        format!("{wrong:.3} ({} of {})", tally.withheld, tally.near_misses),
        verdict,
    ]);
}

#[expect(clippy::cast_precision_loss, reason = "some hundred pairs")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}
