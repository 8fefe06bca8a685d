//! `tools`: what each MCP tool costs, by number of memories: the round trip of the calls that the
//! bridge makes for it.
//!
//! Words only. Every sample takes its turn with an empty call, the greeting, so that a busy machine
//! slows both; the ratio to it is what the tool's own work costs.

mod change;
mod reading;
mod upkeep;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use helix_proto::v1;

use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::{Connection, Fixtures, Loaded, project};
use crate::report::{Report, Table, Target, micros, ratio};
use crate::stats::Samples;

/// Number of memories at which the targets of the tools hold.
const JUDGED_AT: usize = 10_000;

/// Calls of a kind before any is counted.
const WARM_UPS: usize = 3;

/// Calls of each kind in a full and in a quick run: cheap ones, and those that read every memory.
const CHEAP_CALLS: [usize; 2] = [200, 60];
const DEAR_CALLS: [usize; 2] = [20, 10];

/// The session that the calls belong to, so that there is a log of it.
const SESSION: &str = "helix-bench";

/// A file of the project that is asked from.
const PROJECT_FILE: &str = "src/lib.rs";

/// Lines of it.
const PROJECT_FILE_LINES: usize = 200;

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    for &size in effort.sizes() {
        fixtures.at(size)?;
        let mut bench = Bench::new(fixtures.get(size)?, &fixtures.corpus, effort)?;
        let stored = change::measure(&mut bench)?;
        reading::measure(&mut bench, &stored)?;
        upkeep::measure(&mut bench)?;
        report.add(bench.finish());
    }
    Ok(())
}

/// The shared parts of this section.
struct Bench<'a> {
    corpus: &'a Corpus,
    size: usize,
    effort: Effort,
    connection: Connection,
    caller: Option<v1::Caller>,
    /// Where the caller is.
    root: PathBuf,
    table: Table,
    floor: Samples,
}

/// How often a call is made.
#[derive(Clone, Copy, Debug)]
enum Times {
    Cheap,
    Dear,
}

impl<'a> Bench<'a> {
    fn new(loaded: &'a Loaded, corpus: &'a Corpus, effort: Effort) -> Result<Self> {
        let (root, _) = project(
            &loaded.home,
            PROJECT_FILE,
            &corpus.source_file(PROJECT_FILE_LINES),
        )?;
        let size = loaded.size;
        let head = ["call", "p50", "p99", "over the floor", "target", ""];
        let table = Table::new(
            format!("tools at {size} memories: round trips, words only"),
            &head,
        );
        let caller = Some(helix_client::caller(
            v1::Program::Mcp,
            &root,
            "bench",
            SESSION,
        ));
        let (connection, floor) = (loaded.connect()?, Samples::default());
        Ok(Self {
            corpus,
            size,
            effort,
            connection,
            caller,
            root,
            table,
            floor,
        })
    }

    fn caller(&self) -> Option<v1::Caller> {
        self.caller.clone()
    }

    fn times(&self, times: Times) -> usize {
        let [full, quick] = match times {
            Times::Cheap => CHEAP_CALLS,
            Times::Dear => DEAR_CALLS,
        };
        self.effort.pick(full, quick)
    }

    /// Makes a call, given the number of the round, and an empty one, in turn; adds a row.
    fn row(
        &mut self,
        name: &str,
        times: Times,
        call: impl FnMut(&mut Connection, usize) -> Result<Duration>,
    ) -> Result<()> {
        self.judged(name, times, None, call)
    }

    /// The same for a call that may take only so long at [`JUDGED_AT`] memories, in microseconds.
    fn judged(
        &mut self,
        name: &str,
        times: Times,
        p50_max_us: Option<f64>,
        mut call: impl FnMut(&mut Connection, usize) -> Result<Duration>,
    ) -> Result<()> {
        let (mut samples, mut floor) = (Samples::default(), Samples::default());
        for round in 0..WARM_UPS + self.times(times) {
            let elapsed = call(&mut self.connection, round)?;
            let empty = self.connection.greet()?;
            if round >= WARM_UPS {
                samples.push(elapsed);
                floor.push(empty);
            }
        }
        self.floor.extend(&floor);
        let (p50, over) = (samples.p50(), samples.p50() / floor.p50());
        let figure = format!("{name}, {} memories", self.size);
        let (mut target, mut verdict) = (String::new(), String::new());
        if let Some(most) = p50_max_us.filter(|_| self.size == JUDGED_AT) {
            verdict = self
                .table
                .judge(&format!("{figure} p50"), p50, "µs", Target::AtMost(most));
            target = format!("≤ {}", micros(most));
        } else {
            self.table.figure(&format!("{figure} p50"), p50, "µs");
        }
        self.table
            .figure(&format!("{figure} p99"), samples.p99(), "µs");
        self.table.row([
            name.to_owned(),
            micros(p50),
            micros(samples.p99()),
            ratio(over),
            target,
            verdict,
        ]);
        Ok(())
    }

    fn finish(mut self) -> Table {
        let floor = &self.floor;
        let note = format!(
            "floor: an empty call took {} (p99 {})",
            micros(floor.p50()),
            micros(floor.p99())
        );
        self.table.note(note);
        self.table
            .note("what writes waits for the disk; `store` has that as a ratio to one write");
        self.table
    }
}

/// The handle of the memory that was stored.
fn handle(reply: v1::StoreReply) -> Result<String> {
    ensure!(
        reply.outcome() == v1::StoreOutcome::Stored,
        "a memory was not stored: {:?}",
        reply.outcome()
    );
    Ok(reply.memory.unwrap_or_default().handle)
}
