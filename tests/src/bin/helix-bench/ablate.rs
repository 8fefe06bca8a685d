//! `hooks --ablate`: what each part of what hooks decide wins on the labelled sets. Every part is
//! switched off by itself, and the cases that it concerns are played again.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::remedies;
use crate::report::{Report, Table};
use crate::silence::{ALL_EVENTS, Given, Prepared};

/// Loss on every set below which a part earns no place.
const LOSS_MIN: f64 = 0.005;

/// Losses of one part that are shown, the greatest.
const SHOWN_MAX: usize = 4;

/// Events that a part may concern, by its area, and whether remedies are told by it.
const AREAS: [(&str, &[&str], bool); 9] = [
    ("layer", &["ambient", "prompt"], false),
    ("words", &["ambient"], false),
    ("failure", ERRORS, false),
    ("fault", ERRORS, true),
    ("forms", ERRORS, true),
    ("sighting", &[], true),
    ("command", ERRORS, true),
    ("tools", ERRORS, true),
    ("options", &[], true),
];
const ERRORS: &[&str] = &["error-context", "post-build"];

/// Shares by their names.
type Shares = BTreeMap<String, f64>;

/// Suites with what their cases are given by all parts.
struct Suites {
    prepared: Vec<(&'static str, Prepared, Given)>,
    remedies: Shares,
}

/// Between parts that are switched off together.
const TOGETHER: char = ',';

/// Measures the parts whose names begin so, or several together.
pub(crate) fn measure(beginning: &str, report: &mut Report) -> Result<()> {
    let mut suites = Suites::prepare()?;
    let head = ["without", "loses at most", "where"];
    let mut table = Table::new("hooks: what is lost without a part", &head);
    for part in chosen(beginning) {
        let mut losses: Vec<(String, f64)> = suites
            .losses(&part)?
            .into_iter()
            .filter(|(_, loss)| loss.abs() >= LOSS_MIN)
            .collect();
        losses.sort_by(|a, b| b.1.total_cmp(&a.1));
        let most = losses.first().map_or(0.0, |(_, loss)| loss.max(0.0));
        let told: Vec<String> = losses
            .iter()
            .take(SHOWN_MAX)
            .map(|(name, loss)| format!("{name} {:+.3}", -loss))
            .collect();
        table.figure(&part, most, "share");
        table.row([part, format!("{most:.3}"), told.join("; ")]);
    }
    table.note("a part that loses less than 0.005 on every set earns no place");
    report.add(table);
    Ok(())
}

/// The parts to switch off one by one: those whose names begin so, and those that are named
/// together as one. Several choices stand apart by spaces.
fn chosen(beginnings: &str) -> Vec<String> {
    let code = helix_ablation::PARTS.iter().map(|part| (*part).to_owned());
    let all: Vec<String> = code.chain(helix_terminal::parts()).collect();
    if beginnings.is_empty() {
        return all;
    }
    let mut parts = Vec::new();
    for beginning in beginnings.split_whitespace() {
        if beginning.contains(TOGETHER) {
            parts.push(beginning.to_owned());
        } else {
            parts.extend(
                all.iter()
                    .filter(|part| part.starts_with(beginning))
                    .cloned(),
            );
        }
    }
    parts
}

impl Suites {
    fn prepare() -> Result<Self> {
        let mut prepared = Vec::new();
        for (how, with_embedder) in [("meaning", true), ("words", false)] {
            for mut suite in Prepared::all(with_embedder)? {
                let given = suite.play(None, ALL_EVENTS, &Given::new())?;
                prepared.push((how, suite, given));
            }
        }
        let remedies = remedies::shares(None)?.into_iter().collect();
        Ok(Self { prepared, remedies })
    }

    /// Returns what is lost without a part, by what was measured.
    fn losses(&mut self, part: &str) -> Result<Vec<(String, f64)>> {
        let area = part.split('/').next().unwrap_or_default();
        let concerned = AREAS
            .iter()
            .find(|(name, ..)| *name == area && !part.contains(TOGETHER));
        let (events, tells) =
            concerned.map_or((ALL_EVENTS, true), |(_, events, tells)| (*events, *tells));
        let mut losses = Vec::new();
        if !events.is_empty() {
            for (how, suite, before) in &mut self.prepared {
                let given = suite.play(Some(part), events, before)?;
                let (was, is) = (
                    suite.tallies(before, ALL_EVENTS),
                    suite.tallies(&given, ALL_EVENTS),
                );
                for ((set, was), (_, is)) in was.into_iter().zip(is) {
                    for ((figure, was), (_, is)) in was.shares().into_iter().zip(is.shares()) {
                        losses.push((format!("{set} {how}, {figure}"), was - is));
                    }
                }
            }
        }
        if tells {
            for (name, is) in remedies::shares(Some(part))? {
                let was = self.remedies.get(&name).copied().unwrap_or_default();
                losses.push((name, was - is));
            }
        }
        Ok(losses)
    }
}
