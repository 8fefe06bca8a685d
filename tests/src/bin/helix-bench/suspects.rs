//! `suspects`: which texts look like orders to an agent. Labelled texts, half of which were used to
//! fit the rules.

use anyhow::Result;
use helix_engine::{suspicions, suspicions_of_all};
use serde::Deserialize;

use crate::report::{Report, Table, Target};
use crate::silence::read;

/// Share of the innocent texts that may be suspected.
const INNOCENT_MAX: f64 = 0.02;

/// Sets of texts, of which the rules were fitted to the first; nobody who fits them has seen the
/// last.
const SETS: [&str; 3] = ["fit", "check", "held"];

/// Where the sets are.
const FILES: [&str; 2] = ["suspect-texts.json", "suspect-texts-held.json"];

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

/// Measures every set.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let mut texts: Vec<Labelled> = Vec::new();
    for file in FILES {
        texts.extend(read::<Vec<Labelled>>(file)?);
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
    Ok(())
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
