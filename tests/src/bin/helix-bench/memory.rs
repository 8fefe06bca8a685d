//! `memory`: the daemon's resident set.

use std::fs;

use anyhow::{Context, Result};
use helix_proto::v1::Retriever;
use helix_tests::Home;
use nix::sys::signal::Signal;

use crate::Effort;
use crate::fixture::{Connection, Fixtures, Loaded};
use crate::report::{Report, Table, Target};

/// Largest resident set, in MB of 10^6 bytes.
const NEARLY_EMPTY_MAX_MB: f64 = 150.0;
const FULL_MAX_MB: f64 = 600.0;

/// Memories of a home that is nearly empty.
const FEW: usize = 10;

/// Questions asked before the daemon is looked at, so that what a search needs is there.
const QUESTIONS: usize = 10;

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let mut table = Table::new(
        "memory: resident set of the daemon",
        &["state", "resident", "target", ""],
    );
    let few = Loaded::new(Home::new()?, &fixtures.corpus, FEW)?;
    let resident = after_questions(&few, fixtures, Retriever::Words)?;
    add(
        &mut table,
        "nearly empty, words only",
        resident,
        NEARLY_EMPTY_MAX_MB,
    );
    drop(few);
    if let Some(home) = Home::with_embedder()? {
        let few = Loaded::new(home, &fixtures.corpus, FEW)?;
        few.connect()?.await_embedder(true)?;
        let resident = after_questions(&few, fixtures, Retriever::Hybrid)?;
        add(
            &mut table,
            "nearly empty, with the model",
            resident,
            NEARLY_EMPTY_MAX_MB,
        );
    }
    let size = effort.sizes().last().copied().unwrap_or_default();
    let just_loaded = resident_mb(fixtures.at(size)?)?;
    add(
        &mut table,
        &format!("{size} memories, after what was measured before"),
        just_loaded,
        FULL_MAX_MB,
    );
    restart(fixtures.at(size)?)?;
    let resident = after_questions_at(fixtures, size, Retriever::Words)?;
    add(
        &mut table,
        &format!("{size} memories, after a restart, words only"),
        resident,
        FULL_MAX_MB,
    );
    with_model(fixtures, size, &mut table)?;
    report.add(table);
    Ok(())
}

/// The same home with the model loaded. Its texts are not embedded: that would take longer than
/// everything else.
fn with_model(fixtures: &mut Fixtures, size: usize, table: &mut Table) -> Result<()> {
    let loaded = fixtures.at(size)?;
    if !loaded.home.use_embedder() {
        table.note("no model: HELIX_MODEL_DIR names none");
        return Ok(());
    }
    restart(loaded)?;
    let mut connection = loaded.connect()?;
    connection.await_embedder(false)?;
    let pending = connection.status()?.embedder.unwrap_or_default().pending;
    let resident = after_questions_at(fixtures, size, Retriever::Hybrid)?;
    add(
        table,
        &format!("{size} memories, with the model at work"),
        resident,
        FULL_MAX_MB,
    );
    table.note(format!(
        "{pending} texts had no vector yet when the last was measured; a vector takes 432 bytes and its entry"
    ));
    let loaded = fixtures.at(size)?;
    loaded.end(Signal::SIGTERM)?;
    loaded.home.leave_out_embedder();
    loaded.start()?;
    Ok(())
}

fn restart(loaded: &mut Loaded) -> Result<()> {
    loaded.end(Signal::SIGTERM)?;
    loaded.start()?;
    Ok(())
}

fn after_questions_at(fixtures: &mut Fixtures, size: usize, retriever: Retriever) -> Result<f64> {
    after_questions(fixtures.get(size)?, fixtures, retriever)
}

fn after_questions(loaded: &Loaded, fixtures: &Fixtures, retriever: Retriever) -> Result<f64> {
    let mut connection: Connection = loaded.connect()?;
    for number in 0..QUESTIONS {
        let question = fixtures.corpus.question(number % loaded.size, loaded.size);
        connection.search(&question, retriever, 10)?;
    }
    resident_mb(loaded)
}

/// Returns the kernel's figure, in MB.
pub(crate) fn resident_mb(loaded: &Loaded) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", loaded.pid()?))
        .context("reading what the kernel says")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("the kernel names no VmRSS")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib * 1024.0 / 1e6)
}

fn add(table: &mut Table, name: &str, resident: f64, most: f64) {
    let verdict = table.judge(name, resident, "MB", Target::AtMost(most));
    table.row([
        name.to_owned(),
        format!("{resident:.0} MB"),
        format!("≤ {most} MB"),
        verdict,
    ]);
}
