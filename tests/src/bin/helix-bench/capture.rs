//! `capture`: the facts that the rules keep of labelled slices, and what each cutoff of the gate
//! would keep. Half of the slices chose words and weights (`fit`); the others only measure. Then the
//! speed of it over a volume of transcripts.

mod transcripts;
mod volume;

use std::path::Path;

use anyhow::Result;
use helix_capture::golden::{Case, Played, Tally, play};
use helix_capture::{Gate, Language, Options};

use crate::Effort;
use crate::corpus::Corpus;
use crate::report::{Report, Table};
use crate::silence::read;

/// Labelled slices. The second file was written by somebody who did not know the rules; it may be
/// absent. The third is about pronouns: half of them stand for something that the slices name, and
/// nothing may be kept of the others.
const FILES: [&str; 3] = [
    "capture-slices.json",
    "capture-slices-held.json",
    "capture-referents.json",
];

/// Sets that the slices are in.
const HALVES: [&str; 3] = ["fit", "check", "held"];

/// Sets of the pronouns.
const REFERENTS: [&str; 2] = ["referent-fit", "referent-check"];

/// Languages that are counted by themselves.
const LANGUAGES: [(Language, &str); 3] = [
    (Language::English, "English"),
    (Language::German, "German"),
    (Language::Chinese, "Chinese"),
];

/// Cutoffs that are tried.
const CUTOFFS: [f64; 9] = [0.30, 0.35, 0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70];

/// Measures the gate and the rules.
pub(crate) fn measure(corpus: &Corpus, effort: Effort, report: &mut Report) -> Result<()> {
    let cases = cases()?;
    report.add(by_half(&cases));
    report.add(by_cutoff(&cases));
    volume::measure(corpus, &cases, effort, report)
}

fn cases() -> Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for file in FILES {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        if fixtures.join(file).exists() {
            cases.extend(read::<Vec<Case>>(file)?);
        }
    }
    Ok(cases)
}

/// Figures of each half, whole and by language, at the default cutoff.
fn by_half(cases: &[Case]) -> Table {
    let head = [
        "slices",
        "precision",
        "recall",
        "of any kind",
        "dropped by the gate",
    ];
    let mut table = Table::new("capture: facts kept of labelled slices", &head);
    let played: Vec<Played<'_>> = cases
        .iter()
        .map(|case| play(case, Options::default()))
        .collect();
    for half in HALVES.into_iter().chain(REFERENTS) {
        let of_half = |played: &&Played<'_>| played.case.half == half;
        add_row(&mut table, half, played.iter().filter(of_half));
        for (language, name) in LANGUAGES {
            let of_language = |played: &&Played<'_>| played.case.language() == language;
            let row = format!("{half}, {name}");
            add_row(
                &mut table,
                &row,
                played.iter().filter(of_half).filter(of_language),
            );
        }
    }
    table.note("precision: facts kept that are worth it; recall: facts worth it that are kept");
    table.note("of any kind: the same two where a fact of another kind than named counts as right");
    table.note("`fit` chose words and weights; `check` and `held` only measure");
    table.note("aimed at where nothing was fitted: precision 0.90, recall 0.60");
    table
}

fn add_row<'p>(table: &mut Table, name: &str, played: impl Iterator<Item = &'p Played<'p>>) {
    let mut tally = Tally::default();
    for played in played {
        tally.count(played);
    }
    if tally.slices == 0 {
        return;
    }
    let cell = |share: f64, part: usize, whole: usize| format!("{share:.2} ({part} of {whole})");
    table.row([
        format!("{name} ({})", tally.slices),
        cell(tally.precision(), tally.right, tally.kept),
        cell(tally.recall(), tally.found, tally.facts),
        format!(
            "{:.2} / {:.2}",
            tally.precision_of_any_kind(),
            tally.recall_of_any_kind()
        ),
        cell(tally.drop_rate(), tally.dropped, tally.slices),
    ]);
    table.figure(&format!("{name}: precision"), tally.precision(), "share");
    table.figure(&format!("{name}: recall"), tally.recall(), "share");
    table.figure(&format!("{name}: dropped"), tally.drop_rate(), "share");
}

/// Precision and recall of each half at other cutoffs.
fn by_cutoff(cases: &[Case]) -> Table {
    let head = ["cutoff", "fit", "check", "held"];
    let mut table = Table::new("capture: precision / recall at a cutoff", &head);
    for cutoff in CUTOFFS {
        let at_half = |half: &str| {
            let mut tally = Tally::default();
            for case in cases.iter().filter(|case| case.half == half) {
                tally.count(&play(
                    case,
                    Options {
                        cutoff,
                        ..Options::default()
                    },
                ));
            }
            format!("{:.2} / {:.2}", tally.precision(), tally.recall())
        };
        let is_default = (cutoff - Gate::default_cutoff()).abs() < 1e-9;
        let mark = if is_default { " (default)" } else { "" };
        let [fit, check, blind] = HALVES.map(at_half);
        table.row([format!("{cutoff:.2}{mark}"), fit, check, blind]);
    }
    table
}
