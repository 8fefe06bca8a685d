//! How fast transcripts are read, what the daemon takes for it, and what hooks notice of it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use helix_capture::golden::Case;
use helix_tests::{Binary, Home};

use super::transcripts;
use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::{Loaded, project};
use crate::hook;
use crate::memory::resident_mb;
use crate::report::{Report, Table, Target};

/// Bytes of the transcripts.
const BYTES: usize = 120_000_000;

/// Longest time for a gigabyte, in seconds.
const GIGABYTE_MAX_S: f64 = 300.0;

/// What the daemon may take more while it reads, in MB of 10^6 bytes, however much it reads.
const GROWTH_MAX_MB: f64 = 100.0;

/// Memories that are there already.
const MEMORIES: usize = 1_000;

/// Pause between two looks at the daemon.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Measures with a home of its own.
pub(super) fn measure(
    corpus: &Corpus,
    said: &[Case],
    effort: Effort,
    report: &mut Report,
) -> Result<()> {
    let loaded = Loaded::new(Home::new()?, corpus, MEMORIES)?;
    let (root, _) = project(&loaded.home, "src/ledger.rs", "fn round() {}\n")?;
    let bytes = transcripts::write(loaded.home.scratch(), &root, corpus, said, BYTES)?;
    let preview = import(&loaded, "--dry-run")?;
    let first = import(&loaded, "--yes")?;
    report.add(volume(bytes, &preview, &first));
    report.add(hook::while_captured(&loaded, corpus, effort, &|| {
        start(&loaded.home, "--dry-run")
    })?);
    Ok(())
}

/// Cost of one import.
struct Cost {
    elapsed: Duration,
    resident_before: f64,
    resident_most: f64,
}

fn import(loaded: &Loaded, manner: &str) -> Result<Cost> {
    let resident_before = resident_mb(loaded)?;
    let mut resident_most = resident_before;
    let started = Instant::now();
    let mut importing = start(&loaded.home, manner)?;
    let status = loop {
        resident_most = resident_most.max(resident_mb(loaded)?);
        if let Some(status) = importing.try_wait()? {
            break status;
        }
        thread::sleep(LOOK_EVERY);
    };
    ensure!(
        status.success(),
        "capture import {manner} ended with {status}"
    );
    Ok(Cost {
        elapsed: started.elapsed(),
        resident_before,
        resident_most,
    })
}

/// Starts an import of all that there is.
fn start(home: &Home, manner: &str) -> Result<Child> {
    let mut command: Command = home.command(Binary::Ctl);
    let scratch: &Path = home.scratch();
    command
        .args(["capture", "import", manner, "--json"])
        .current_dir(scratch)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.spawn()?)
}

fn volume(bytes: usize, preview: &Cost, import: &Cost) -> Table {
    let megabytes = megabytes(bytes);
    let head = ["figure", "measured", "target", ""];
    let title = format!("capture: {megabytes:.0} MB of transcripts, read by the daemon");
    let mut table = Table::new(title, &head);
    let seconds = preview.elapsed.as_secs_f64();
    let rate = megabytes / seconds;
    table.figure("rate", rate, "MB/s");
    table.row([
        "rate".to_owned(),
        format!("{rate:.1} MB/s"),
        String::new(),
        String::new(),
    ]);
    let gigabyte = 1_000.0 / rate;
    let target = Target::AtMost(GIGABYTE_MAX_S);
    let verdict = table.judge("a gigabyte", gigabyte, "s", target);
    table.row([
        "a gigabyte, at this rate".to_owned(),
        format!("{gigabyte:.0} s"),
        format!("≤ {GIGABYTE_MAX_S} s"),
        verdict,
    ]);
    let growth = preview.resident_most - preview.resident_before;
    let verdict = table.judge("growth", growth, "MB", Target::AtMost(GROWTH_MAX_MB));
    table.row([
        "growth of the daemon while it reads".to_owned(),
        format!("{growth:.0} MB"),
        format!("≤ {GROWTH_MAX_MB} MB"),
        verdict,
    ]);
    let agreed = import.elapsed.as_secs_f64();
    table.figure("after consent", agreed, "s");
    table.row([
        "keeping it after consent".to_owned(),
        format!("{agreed:.1} s"),
        String::new(),
        String::new(),
    ]);
    table.note("read for the preview; what somebody agrees to is not read again");
    table
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
