//! `import`: memories a second of `helixctl export` and `helixctl import`, each format, as a user
//! runs them.
//!
//! Measured from the start of `helixctl` to its end, a daemon already running; without embedding.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use helix_tests::{Binary, Daemon, Home};
use serde_json::Value;

use crate::Effort;
use crate::fixture::Fixtures;
use crate::report::{Report, Table, Target, micros, ratio};

/// Memories a second that an import must reach.
const IMPORT_RATE_MIN: f64 = 20_000.0;

/// Formats, and what an export of each is called.
const FORMATS: [(&str, &str); 3] = [
    ("json", "export.json"),
    ("amrl", "data.log"),
    ("markdown", "topics"),
];

/// The cost of one format.
struct Cost {
    memories: u64,
    bytes: u64,
    export: Duration,
    import: Duration,
    /// Writing as many bytes into a file and waiting for the disk.
    write: Duration,
}

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let size = effort.sizes().last().copied().unwrap_or_default();
    fixtures.at(size)?;
    let head = [
        "format",
        "size",
        "export",
        "rate",
        "import",
        "rate",
        "over one write",
        "target",
        "",
    ];
    let title = format!("import: {size} memories, `helixctl` from start to end, without embedding");
    let mut table = Table::new(title, &head);
    for (format, target) in FORMATS {
        let cost = exchange(&fixtures.get(size)?.home, format, target)?;
        add(&mut table, format, &cost);
    }
    table.note("over one write: the import's time over that of writing and syncing a file of the same size");
    report.add(table);
    Ok(())
}

fn exchange(home: &Home, format: &str, target: &str) -> Result<Cost> {
    let target = home.scratch().join(target);
    let (export, exported) = run(
        home,
        &[
            "export", "--json", "--scope", "all", "--format", format, "--output",
        ],
        &target,
    )?;
    let (memories, bytes) = (number(&exported, "memories")?, number(&exported, "bytes")?);
    let fresh = Home::new()?;
    let daemon = Daemon::start(&fresh)?;
    let (import, imported) = run(&fresh, &["import", "--json", "--format", format], &target)?;
    daemon.stop()?;
    let stored = number(&imported, "stored")?;
    ensure!(
        stored == memories,
        "{memories} memories were exported as {format} and {stored} imported"
    );
    let write = write(&fresh, bytes)?;
    if target.is_dir() {
        fs::remove_dir_all(&target)?;
    } else {
        fs::remove_file(&target)?;
    }
    Ok(Cost {
        memories,
        bytes,
        export,
        import,
        write,
    })
}

/// Runs `helixctl`; returns how long it took, and its answer.
fn run(home: &Home, arguments: &[&str], last: &Path) -> Result<(Duration, Value)> {
    let mut command = home.command(Binary::Ctl);
    command.args(arguments.iter().map(OsString::from)).arg(last);
    let started = Instant::now();
    let output = command.output()?;
    let elapsed = started.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "helixctl {} failed: {said}",
        arguments.join(" ")
    );
    Ok((elapsed, serde_json::from_slice(&output.stdout)?))
}

fn number(answer: &Value, name: &str) -> Result<u64> {
    answer
        .get(name)
        .and_then(Value::as_u64)
        .with_context(|| format!("the answer names no {name}: {answer}"))
}

/// Writes so many bytes, and waits for the disk.
fn write(home: &Home, bytes: u64) -> Result<Duration> {
    let block = vec![0x5A; usize::try_from(bytes)?];
    let started = Instant::now();
    let mut file = File::create(home.scratch().join("floor"))?;
    file.write_all(&block)?;
    file.sync_all()?;
    Ok(started.elapsed())
}

fn add(table: &mut Table, format: &str, cost: &Cost) {
    let (export, import) = (
        rate(cost.memories, cost.export),
        rate(cost.memories, cost.import),
    );
    let over = cost.import.as_secs_f64() / cost.write.as_secs_f64();
    table.figure(&format!("export, {format}"), export, "1/s");
    let verdict = table.judge(
        &format!("import, {format}"),
        import,
        "1/s",
        Target::AtLeast(IMPORT_RATE_MIN),
    );
    let time = |elapsed: Duration| micros(elapsed.as_secs_f64() * 1e6);
    table.row([
        format.to_owned(),
        format!("{} MB", cost.bytes / 1_000_000),
        time(cost.export),
        format!("{export:.0}/s"),
        time(cost.import),
        format!("{import:.0}/s"),
        ratio(over),
        format!("≥ {IMPORT_RATE_MIN}/s"),
        verdict,
    ]);
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn rate(count: u64, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}
