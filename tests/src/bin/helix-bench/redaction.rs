//! `redaction`: looking through a text without a secret, as every write does.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::Effort;
use crate::report::{Report, Table, Target, micros};
use crate::stats::Samples;

/// Time that 4 KiB may take, in microseconds.
const P50_MAX_US: f64 = 50.0;

const TEXT_BYTES: usize = 4 * 1024;

pub(crate) fn measure(effort: Effort, report: &mut Report) -> Result<()> {
    let texts = texts()?;
    let mut samples = Samples::default();
    for _ in 0..effort.pick(50, 10) {
        for text in &texts {
            let started = Instant::now();
            let redacted = helix_redact::redacted(text);
            samples.push(started.elapsed());
            ensure!(redacted == *text, "a text has a secret");
        }
    }
    let name = format!("redaction: {} texts of 4 KiB without a secret", texts.len());
    let mut table = Table::new(&name, &["p50", "p99", "target", ""]);
    let p50 = samples.p50();
    let verdict = table.judge("4 KiB p50", p50, "µs", Target::AtMost(P50_MAX_US));
    let target = format!("≤ {}", micros(P50_MAX_US));
    table.row([micros(p50), micros(samples.p99()), target, verdict]);
    report.add(table);
    Ok(())
}

/// Texts of that size, made of the documents of this repository that have no secret.
pub(crate) fn texts() -> Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("the tests have no parent directory")?;
    let mut texts = Vec::new();
    for name in ["README.md", "CONTRIBUTING.md", "daemon/ARCHITECTURE.md"] {
        let whole =
            fs::read_to_string(root.join(name)).with_context(|| format!("reading {name}"))?;
        let bytes = whole.as_bytes().chunks_exact(TEXT_BYTES);
        texts.extend(bytes.map(|text| String::from_utf8_lossy(text).into_owned()));
    }
    texts.retain(|text| helix_redact::redacted(text) == *text);
    ensure!(!texts.is_empty(), "no text of {TEXT_BYTES} bytes");
    Ok(texts)
}
