//! `suspects`: which texts look like orders to an agent. Labelled texts, half of which were used to
//! fit the rules.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use helix_memory::{suspicions, suspicions_of_all, weighed};
use serde::Deserialize;

use crate::redaction;
use crate::report::{Report, Table, Target, micros};
use crate::silence::{read, read_text};
use crate::stats::Samples;

/// Share of the innocent texts that may be suspected.
const INNOCENT_MAX: f64 = 0.02;

/// Sets of texts, of which the rules were fitted to the first; nobody who fits them has seen the
/// last.
const SETS: [&str; 5] = ["fit", "check", "more", "held", "blind"];

/// Where the sets are.
const FILES: [&str; 4] = [
    "suspect-texts.json",
    "suspect-texts-more.json",
    "suspect-texts-held.json",
    "suspect-texts-blind.json",
];

/// Time that 4 KiB may take, in microseconds, and how often each text is read.
const P50_MAX_US: f64 = 50.0;
const ROUNDS: usize = 20;

/// Lines that nobody wrote for an agent.
const PLAIN: &str = "innocent-lines.txt";

/// A text, or one that is split over several memories.
#[derive(Debug, Deserialize)]
struct Labelled {
    set: String,
    label: Label,
    text: Option<String>,
    #[serde(default)]
    texts: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Label {
    Injection,
    Innocent,
}

impl Labelled {
    fn is_suspected(&self) -> bool {
        let texts = || self.text.iter().chain(&self.texts).map(String::as_str);
        texts().any(|text| !suspicions(text).is_empty()) || !suspicions_of_all(texts()).is_empty()
    }
}

/// Measures every set. `features` is where what the classifier reads of each text is written.
pub(crate) fn measure(features: Option<&Path>, report: &mut Report) -> Result<()> {
    let mut texts: Vec<Labelled> = Vec::new();
    for file in FILES {
        texts.extend(read::<Vec<Labelled>>(file)?);
    }
    if let Some(path) = features {
        write_features(path, &texts)?;
    }
    let head = ["texts", "innocent suspected", "", "orders found"];
    let mut table = Table::new("suspects: texts that look like orders to an agent", &head);
    for set in SETS {
        let (suspected, innocent) = count(&texts, set, Label::Innocent);
        let (found, orders) = count(&texts, set, Label::Injection);
        let judged = table.judge(
            &format!("{set}: innocent suspected"),
            share(suspected, innocent),
            "share",
            Target::AtMost(INNOCENT_MAX),
        );
        let figure = format!("{set}: orders found");
        table.figure(&figure, share(found, orders), "share");
        table.row([
            set.to_owned(),
            cell(suspected, innocent),
            judged,
            cell(found, orders),
        ]);
    }
    report.add(table);
    measure_time(report)
}

/// How long a text takes that is no order, as every write does.
fn measure_time(report: &mut Report) -> Result<()> {
    let mut samples = Samples::default();
    for text in redaction::texts()? {
        for _ in 0..ROUNDS {
            let started = Instant::now();
            std::hint::black_box(suspicions(&text));
            samples.push(started.elapsed());
        }
    }
    let mut table = Table::new("suspects: texts of 4 KiB", &["p50", "p99", "target", ""]);
    let p50 = samples.p50();
    let verdict = table.judge("4 KiB p50", p50, "µs", Target::AtMost(P50_MAX_US));
    let target = format!("≤ {}", micros(P50_MAX_US));
    table.row([micros(p50), micros(samples.p99()), target, verdict]);
    report.add(table);
    Ok(())
}

/// Writes each passage of each text: set, label, number of the text, classes, reasons and places of
/// words, tab-separated.
fn write_features(path: &Path, texts: &[Labelled]) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut number = 0;
    let mut write = |set: &str, label: &str, text: &str| -> Result<()> {
        number += 1;
        for (passage, classes) in weighed(text) {
            let reasons: Vec<&str> = passage.reasons.iter().map(|reason| reason.name()).collect();
            let words: Vec<String> = passage.words.iter().map(ToString::to_string).collect();
            let (classes, reasons) = (classes.join(","), reasons.join(","));
            let words = words.join(",");
            writeln!(
                file,
                "{set}\t{label}\t{number}\t{classes}\t{reasons}\t{words}"
            )?;
        }
        Ok(())
    };
    for text in texts {
        let label = match text.label {
            Label::Injection => "injection",
            Label::Innocent => "innocent",
        };
        let parts: Vec<&str> = text
            .text
            .iter()
            .chain(&text.texts)
            .map(String::as_str)
            .collect();
        write(&text.set, label, &parts.join(" "))?;
    }
    for line in read_text(PLAIN)?.lines() {
        write("plain", "innocent", line)?;
    }
    Ok(file.flush()?)
}

/// How many texts of a label are suspected, and how many there are.
fn count(texts: &[Labelled], set: &str, label: Label) -> (usize, usize) {
    let of_label = texts
        .iter()
        .filter(|text| text.set == set && text.label == label);
    let suspected = of_label.clone().filter(|text| text.is_suspected());
    (suspected.count(), of_label.count())
}

#[expect(clippy::cast_precision_loss, reason = "some hundred texts")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

fn cell(part: usize, whole: usize) -> String {
    format!("{:.3} ({part} of {whole})", share(part, whole))
}
