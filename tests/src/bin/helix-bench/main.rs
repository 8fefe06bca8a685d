//! The benchmarks: the real binaries, in homes of their own, against floors measured in the same
//! run.
//!
//! `cargo xtask bench` builds everything and starts this program. Each section prints one table
//! with the design's targets beside what was measured; a missed target is printed, not an error,
//! because a busy machine misses some.

mod ablate;
mod capture;
mod corpus;
mod corrections;
mod fixture;
mod forgotten;
mod graph;
mod hook;
mod import;
mod kept;
mod memory;
mod quality;
mod redaction;
mod remedies;
mod report;
mod restart;
mod search;
mod silence;
mod stats;
mod store;
mod suspects;
mod tools;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};

use fixture::Fixtures;
use report::Report;

/// Measures Helix against its targets.
#[derive(Debug, Parser)]
#[command(name = "helix-bench")]
struct Args {
    /// What to measure; everything but `quality` and `capture` unless named. `remedies` is a part
    /// of `hooks`; `corrections`, `forgotten` and `suspects` are parts of `memory`.
    sections: Vec<SectionName>,
    /// Measures at 1,000 and 10,000 memories only, and repeats less.
    #[arg(long)]
    quick: bool,
    /// Also writes every figure to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Where the labelled sets of `quality` are.
    #[arg(long, value_name = "DIR", env = "HELIX_QUALITY_DIR")]
    data: Option<PathBuf>,
    /// Writes the ranked output of `quality` to this file: query, document, rank and score,
    /// tab-separated. Each set and retriever gets a file of its own, named in front of the
    /// extension.
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Writes what each case of `hooks` was given to this file: retriever, set, event, case,
    /// whether it helps, and the memory's text, tab-separated. A case that was given nothing
    /// has no text.
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Writes each memory that was weighed for a case of `hooks` to this file: retriever, set,
    /// whether anything helps in the case, case, whether this helps, and by which signs,
    /// tab-separated.
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// Writes what the classifier of `suspects` reads of each passage to this file: set, label,
    /// number of the text, classes of words, reasons of rules and places of words, tab-separated.
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// Measures what `hooks` loses without each part whose name begins so, instead of `hooks`
    /// itself: `layer`, `forms/go`; all of them where none is named.
    #[arg(long, value_name = "PART", num_args = 0..=1, default_missing_value = "")]
    ablate: Option<String>,
    /// Measures `quality` with fixed weights and without each part of a search, and writes the page
    /// and the numbers in tests/quality.
    #[arg(long, conflicts_with = "gate")]
    table: bool,
    /// Fails where `quality` is worse than the committed numbers by more than 0.01.
    #[arg(long)]
    gate: bool,
}

impl Args {
    /// What `quality` does beside printing its figures.
    fn task(&self) -> quality::Task {
        match (self.table, self.gate) {
            (true, _) => quality::Task::Table,
            (false, true) => quality::Task::Gate,
            (false, false) => quality::Task::Show,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SectionName {
    Hook,
    Hooks,
    Remedies,
    Store,
    Search,
    Graph,
    Redaction,
    Restart,
    Memory,
    Corrections,
    Forgotten,
    Suspects,
    Tools,
    Import,
    Quality,
    Capture,
}

/// `tools` and `import` come last, because they add to the homes that the others measure.
const DEFAULT_SECTIONS: [SectionName; 10] = [
    SectionName::Hook,
    SectionName::Hooks,
    SectionName::Store,
    SectionName::Search,
    SectionName::Graph,
    SectionName::Redaction,
    SectionName::Restart,
    SectionName::Memory,
    SectionName::Tools,
    SectionName::Import,
];

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    Full,
    Quick,
}

impl Effort {
    /// Chooses between the repeats of a full and a quick run.
    fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }

    /// Numbers of memories to measure at.
    fn sizes(self) -> &'static [usize] {
        self.pick(&[1_000, 10_000, 100_000], &[1_000, 10_000])
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let effort = if args.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let sections = if args.sections.is_empty() {
        DEFAULT_SECTIONS.to_vec()
    } else {
        args.sections.clone()
    };
    let mut fixtures = Fixtures::new();
    let mut report = Report::default();
    for section in sections {
        match section {
            SectionName::Hook => hook::measure(&mut fixtures, effort, &mut report),
            SectionName::Hooks if args.ablate.is_some() => {
                let beginning = args.ablate.as_deref().unwrap_or_default();
                ablate::measure(beginning, &mut report)
            }
            SectionName::Hooks => {
                let kept = silence::Kept {
                    cases: args.cases.as_deref(),
                    candidates: args.candidates.as_deref(),
                };
                silence::measure(kept, &mut report)
                    .and_then(|()| remedies::measure(args.cases.as_deref(), &mut report))
            }
            SectionName::Remedies => remedies::measure(args.cases.as_deref(), &mut report),
            SectionName::Store => store::measure(&mut fixtures, effort, &mut report),
            SectionName::Search => search::measure(&mut fixtures, effort, &mut report),
            SectionName::Graph => graph::measure(&fixtures.corpus, effort, &mut report),
            SectionName::Redaction => redaction::measure(effort, &mut report),
            SectionName::Restart => restart::measure(&mut fixtures, effort, &mut report),
            SectionName::Memory => memory::measure(&mut fixtures, effort, &mut report)
                .and_then(|()| corrections::measure(&mut report))
                .and_then(|()| forgotten::measure(&mut report))
                .and_then(|()| suspects::measure(args.features.as_deref(), &mut report)),
            SectionName::Corrections => corrections::measure(&mut report),
            SectionName::Forgotten => forgotten::measure(&mut report),
            SectionName::Suspects => suspects::measure(args.features.as_deref(), &mut report),
            SectionName::Tools => tools::measure(&mut fixtures, effort, &mut report),
            SectionName::Import => import::measure(&mut fixtures, effort, &mut report),
            SectionName::Capture => capture::measure(&fixtures.corpus, effort, &mut report),
            SectionName::Quality => quality::measure(
                args.task(),
                args.data.as_deref(),
                args.run.as_deref(),
                &mut report,
            ),
        }
        .with_context(|| format!("measuring {section:?}"))?;
    }
    if let Some(path) = &args.json {
        report
            .write_json(path)
            .with_context(|| format!("writing {}", path.display()))?;
    }
    report.finish();
    Ok(())
}
