//! `restart`: from the start of the process to its word that it is ready, after an orderly end and
//! after a kill.

use anyhow::Result;
use nix::sys::signal::Signal;

use crate::Effort;
use crate::fixture::Fixtures;
use crate::report::{Report, Table, Target, micros};
use crate::stats::Samples;

/// Longest restart to ready, in microseconds, without vectors.
const READY_MAX_US: f64 = 1e6;

/// Memories stored just before the daemon is killed, so that there is something to repair and to
/// replay.
const UNSETTLED: usize = 500;

/// Numbers of the corpus from which those are taken.
const UNSETTLED_TEXTS: usize = 30_000_000;

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let size = effort.sizes().last().copied().unwrap_or_default();
    let mut table = Table::new(
        "restart: start of the process to ready",
        &["after", "p50", "slowest", "target", ""],
    );
    let times = effort.pick(5, 3);
    let mut orderly = Samples::default();
    let mut killed = Samples::default();
    for round in 0..times {
        let loaded = fixtures.at(size)?;
        loaded.end(Signal::SIGTERM)?;
        orderly.push(loaded.start()?);
        let first = UNSETTLED_TEXTS + round * UNSETTLED;
        let drafts: Vec<_> = (first..first + UNSETTLED)
            .map(|number| fixtures.corpus.draft(number, size))
            .collect();
        let loaded = fixtures.at(size)?;
        loaded.connect()?.store_all(drafts.into_iter())?;
        loaded.end(Signal::SIGKILL)?;
        killed.push(loaded.start()?);
    }
    for (name, samples) in [("an orderly end", &orderly), ("kill -9", &killed)] {
        let name = format!("{name}, {size} memories");
        let verdict = table.judge(
            &format!("{name} slowest"),
            samples.max(),
            "µs",
            Target::AtMost(READY_MAX_US),
        );
        table.row([
            name,
            micros(samples.p50()),
            micros(samples.max()),
            format!("≤ {}", micros(READY_MAX_US)),
            verdict,
        ]);
    }
    table.note(format!(
        "{times} times each; {UNSETTLED} memories were stored just before each kill"
    ));
    table.note("ready means that words answer; vectors follow while the model loads");
    report.add(table);
    Ok(())
}
