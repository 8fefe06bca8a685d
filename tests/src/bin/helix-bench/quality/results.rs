//! Measurements of each set, as the page and the numbers that are committed.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::levers::DEFAULT;
use super::metrics::Metrics;

/// How much worse a figure may be before it counts as worse: one question of a hundred.
const TOLERANCE: f64 = 0.01;

/// Written above the numbers.
const HEAD: &str = "# R@5 and nDCG@10 of each set by each model, whose name ends in the arithmetic that the processor has\n\
                    # for it. Written by `cargo xtask bench quality --table` and held by `cargo xtask bench quality\n\
                    # --gate`.\n";

/// One set, measured by several levers.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) set: String,
    pub(super) documents: usize,
    pub(super) queries: usize,
    pub(super) rows: Vec<Row>,
}

/// One lever's figures.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) lever: &'static str,
    pub(super) whole: Metrics,
    /// Of the questions in even and in odd places.
    pub(super) halves: [Metrics; 2],
}

impl Row {
    /// Takes the means over all questions and over each half.
    pub(super) fn of(lever: &'static str, scored: &[Metrics]) -> Self {
        let half = |first| Metrics::mean(scored.iter().skip(first).step_by(2).copied());
        Self {
            lever,
            whole: Metrics::mean(scored.iter().copied()),
            halves: [half(0), half(1)],
        }
    }
}

/// Writes the page.
pub(super) fn page(measured: &[Measured], model: &str) -> String {
    let mut page = format!(
        "# Retrieval, measured\n\n\
         Written by `cargo xtask bench quality --table` with {model}; the sets are named in CONTRIBUTING.md. Each cell is R@5 / nDCG@10, \
         of all questions of a set, of those in even and of those in odd places. `hybrid` is the search as it is; the rows below it give the \
         lists fixed weights or switch one part off.\n"
    );
    for Measured {
        set,
        documents,
        queries,
        rows,
    } in measured
    {
        page += &format!(
            "\n## {set}\n\n{documents} texts, {queries} questions.\n\n| search | all | even | odd |\n|---|---|---|---|\n"
        );
        for row in rows {
            let [even, odd] = &row.halves;
            let cells = [&row.whole, even, odd].map(cell);
            page += &format!("| {} | {} |\n", row.lever, cells.join(" | "));
        }
    }
    page
}

fn cell(metrics: &Metrics) -> String {
    format!("{:.3} / {:.3}", metrics.recall_5, metrics.ndcg_10)
}

/// The committed numbers of all models.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Held {
    #[serde(default, rename = "model")]
    models: Vec<Ratios>,
}

impl Held {
    pub(super) fn read(text: &str) -> Result<Self> {
        Ok(toml::from_str(text)?)
    }

    pub(super) fn write(&self) -> Result<String> {
        Ok(format!("{HEAD}\n{}", toml::to_string(self)?))
    }

    /// Puts a model's numbers in the place of those that it had.
    pub(super) fn put(&mut self, ratios: Ratios) {
        self.models.retain(|held| held.name != ratios.name);
        self.models.push(ratios);
        self.models.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// The numbers of a model.
    pub(super) fn of(&self, model: &str) -> Result<&Ratios> {
        let held = self.models.iter().find(|held| held.name == model);
        held.with_context(|| {
            let known: Vec<&str> = self.models.iter().map(|held| held.name.as_str()).collect();
            format!(
                "no numbers of {model} are held, only of {}; `--table` measures and writes them",
                known.join(" and ")
            )
        })
    }
}

/// The committed numbers of a model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Ratios {
    name: String,
    #[serde(default, rename = "set")]
    sets: Vec<SetRatios>,
}

/// R@5 and nDCG@10 of each kind of search.
#[derive(Debug, Deserialize, Serialize)]
struct SetRatios {
    name: String,
    words: Option<[f64; 2]>,
    meaning: Option<[f64; 2]>,
    hybrid: Option<[f64; 2]>,
}

impl SetRatios {
    fn of(&self, lever: &str) -> Option<[f64; 2]> {
        match lever {
            "words" => self.words,
            "meaning" => self.meaning,
            DEFAULT => self.hybrid,
            _ => None,
        }
    }
}

impl Ratios {
    /// Takes the figures that are held.
    pub(super) fn of(model: &str, measured: &[Measured]) -> Self {
        let of_set = |measured: &Measured| {
            let figures = |lever: &str| {
                let row = measured.rows.iter().find(|row| row.lever == lever)?;
                Some([row.whole.recall_5, row.whole.ndcg_10].map(rounded))
            };
            SetRatios {
                name: measured.set.clone(),
                words: figures("words"),
                meaning: figures("meaning"),
                hybrid: figures(DEFAULT),
            }
        };
        Self {
            name: model.to_owned(),
            sets: measured.iter().map(of_set).collect(),
        }
    }

    /// Lists what is worse than it was, and the sets that were not measured.
    pub(super) fn compare(&self, measured: &[Measured]) -> Compared {
        let mut compared = Compared {
            held: self.sets.len(),
            ..Compared::default()
        };
        for held in &self.sets {
            match measured.iter().find(|one| one.set == held.name) {
                Some(measured) => compared.add(held, measured),
                None => compared.absent.push(held.name.clone()),
            }
        }
        compared
    }
}

/// Result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Figures that are worse, in words.
    pub(super) worse: Vec<String>,
    /// Sets that are held and were not measured.
    pub(super) absent: Vec<String>,
    /// Sets that are held.
    held: usize,
}

impl Compared {
    fn add(&mut self, held: &SetRatios, measured: &Measured) {
        for row in &measured.rows {
            let Some(before) = held.of(row.lever) else {
                continue;
            };
            let now = [row.whole.recall_5, row.whole.ndcg_10];
            for ((name, before), now) in ["R@5", "nDCG@10"].iter().zip(before).zip(now) {
                if now < before - TOLERANCE {
                    let (set, lever) = (&held.name, row.lever);
                    self.worse
                        .push(format!("{set}, {lever}: {name} {now:.3}, was {before:.3}"));
                }
            }
        }
    }

    /// Fails where anything is worse, and where nothing was compared.
    pub(super) fn judge(&self) -> Result<()> {
        if !self.worse.is_empty() {
            bail!(
                "worse by more than {TOLERANCE}:\n  {}",
                self.worse.join("\n  ")
            );
        }
        if self.held == self.absent.len() {
            bail!("none of the sets that are held was found; name their directory with --data");
        }
        Ok(())
    }
}

fn rounded(figure: f64) -> f64 {
    (figure * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn measured(set: &str, recall_5: f64) -> Measured {
        let scored = [recall_5, 0.5].map(|recall_5| Metrics {
            recall_5,
            ndcg_10: 0.25,
            ..Metrics::default()
        });
        Measured {
            set: set.to_owned(),
            documents: 3,
            queries: 2,
            rows: vec![Row::of(DEFAULT, &scored)],
        }
    }

    #[test]
    fn the_page_shows_all_and_both_halves() {
        let page = page(&[measured("some-set", 1.0)], "a model");
        let expected = "\n## some-set\n\n3 texts, 2 questions.\n\n| search | all | even | odd |\n|---|---|---|---|\n\
                        | hybrid | 0.750 / 0.250 | 1.000 / 0.250 | 0.500 / 0.250 |\n";
        assert!(page.ends_with(expected), "{page}");
    }

    #[test]
    fn what_is_worse_fails_and_what_is_as_good_does_not() {
        let mut held = Held::default();
        held.put(Ratios::of("m", &[measured("a", 0.5)]));
        held.put(Ratios::of("m", &[measured("a", 1.0), measured("b", 1.0)]));
        let held = Held::read(&held.write().unwrap()).unwrap();
        assert!(held.of("n").is_err());
        let held = held.of("m").unwrap();
        let same = held.compare(&[measured("a", 1.0)]);
        assert_eq!(same.absent, ["b"]);
        same.judge().unwrap();
        held.compare(&[measured("a", 0.981)]).judge().unwrap();
        let worse = held.compare(&[measured("a", 0.96)]);
        assert_eq!(worse.worse, ["a, hybrid: R@5 0.730, was 0.750"]);
        assert!(worse.judge().is_err());
        assert!(held.compare(&[]).judge().is_err());
    }
}
