//! `hook`: whole-process time of every event, from the start of the process to its end, over a
//! static program that does nothing, and what hooks written otherwise would start with.
//!
//! In every round each variant has a turn, and the floor one right before it: whatever else the
//! machine does hits a variant and its own floor alike. A variant that was measured as faster than
//! its floor, by more than the floor itself varies, says that the machine was too busy to tell.

mod captured;
mod events;
mod output;
mod variant;

use anyhow::{Context, Result};
use helix_tests::Home;

use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::{Fixtures, Loaded};
use crate::report::{Report, Table, Target, micros, ratio};
pub(crate) use captured::while_captured;
use events::Place;
use variant::{Variant, floor, others};

/// Rounds whose times are not counted: files and projects are read the first time, and no mistake
/// was mended before.
const WARM_UP_ROUNDS: usize = 5;

/// Rounds of a full and of a quick run.
const ROUNDS: [usize; 2] = [400, 100];

/// Number of memories at which `prompt` and a first look at a file are measured with meaning as
/// well: more take minutes to embed.
const WITH_MEANING_SIZE: usize = 1_000;

pub(crate) fn measure(fixtures: &mut Fixtures, effort: Effort, report: &mut Report) -> Result<()> {
    let mut floor = floor()?;
    let mut variants = Vec::new();
    let sizes = effort.sizes();
    for (at, &size) in sizes.iter().enumerate() {
        fixtures.at(size)?;
        let place = Place::new(&fixtures.get(size)?.home, &fixtures.corpus, size)?;
        let is_whole = at == 0 || at + 1 == sizes.len();
        variants.extend(if is_whole {
            place.every_event()?
        } else {
            vec![place.ambient_read()?]
        });
    }
    // Ends with this section.
    let with_meaning = with_meaning(&fixtures.corpus)?;
    if let Some(loaded) = &with_meaning {
        let place = Place::new(&loaded.home, &fixtures.corpus, loaded.size)?;
        variants.extend([
            place.prompt_with_meaning()?,
            place.first_look_with_meaning()?,
        ]);
    }
    variants.extend(others());
    let rounds = effort.pick(ROUNDS[0], ROUNDS[1]);
    for round in 0..WARM_UP_ROUNDS + rounds {
        for variant in variants
            .iter_mut()
            .filter(|variant| round % variant.every == 0)
        {
            let nothing = floor
                .run(round)
                .with_context(|| format!("running {}", floor.name))?;
            let run = variant
                .run(round)
                .with_context(|| format!("running {}", variant.name))?;
            if round >= WARM_UP_ROUNDS {
                floor.note(nothing.elapsed, &nothing);
                variant.note(nothing.elapsed, &run);
            }
        }
    }
    variants.insert(0, floor);
    for table in tables(&variants, rounds, with_meaning.is_some()) {
        report.add(table);
    }
    Ok(())
}

/// A home whose daemon has the model; `None` where there is none.
fn with_meaning(corpus: &Corpus) -> Result<Option<Loaded>> {
    let Some(home) = Home::with_embedder()? else {
        return Ok(None);
    };
    let loaded = Loaded::new(home, corpus, WITH_MEANING_SIZE)?;
    loaded.connect()?.await_embedder(true)?;
    Ok(Some(loaded))
}

/// A table for what is no hook, and one for each number of memories, all of one run.
fn tables(variants: &[Variant], rounds: usize, has_meaning: bool) -> Vec<Table> {
    let mut sizes: Vec<Option<usize>> = variants.iter().map(|variant| variant.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut tables: Vec<Table> = sizes
        .into_iter()
        .map(|size| {
            let title = match size {
                Some(size) => format!("hook at {size} memories: whole process, start to end"),
                None => "hook: what starting any process costs here".to_owned(),
            };
            let mut table = Table::new(
                title,
                &[
                    "process",
                    "p50",
                    "p99",
                    "over floor",
                    "ratio",
                    "said",
                    "target",
                    "",
                ],
            );
            for variant in variants.iter().filter(|variant| variant.size == size) {
                add(&mut table, variant);
                if !variant.is_as_expected() {
                    table.note(format!(
                        "`{}` said something too seldom or too often: its times mean less.",
                        variant.name
                    ));
                }
            }
            table
        })
        .collect();
    if let Some(last) = tables.last_mut() {
        last.note(format!(
            "{rounds} rounds, every program of all tables in each, right after a floor of its own;"
        ));
        last.note(
            "slow ones in some of them. `said`: how often an event gave something to the agent.",
        );
        last.note(
            "Each round is a session of its own, whose transcript has a mebibyte. Words alone",
        );
        last.note(if has_meaning {
            "but where it says that the embedder was asked."
        } else {
            "(no model is installed, so nothing was asked by meaning)."
        });
    }
    tables
}

fn add(table: &mut Table, variant: &Variant) {
    let floor = variant.floor.p50();
    let (p50, p99) = (variant.samples.p50(), variant.samples.p99());
    let over = p50 - floor;
    let name = variant.figure_name();
    table.figure(&format!("{name} p50"), p50, "µs");
    table.figure(&format!("{name} p99"), p99, "µs");
    let figure = format!("{name} over floor");
    let (mut target, mut verdict) = (String::new(), String::new());
    if let Some(most) = variant.over_floor_max_us {
        target = format!("≤ +{}", micros(most));
        verdict = if over < -variant.floor.spread() {
            table.noisy(&figure, over, "µs")
        } else {
            table.judge(&figure, over, "µs", Target::AtMost(most))
        };
    } else {
        table.figure(&figure, over, "µs");
    }
    table.row([
        variant.name.clone(),
        micros(p50),
        micros(p99),
        format!("{}{}", if over < 0.0 { "" } else { "+" }, micros(over)),
        ratio(p50 / floor),
        variant.said(),
        target,
        verdict,
    ]);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::variant::Expected;
    use super::*;

    /// A variant that takes `us` in every turn, over a floor that varies by ten around 500.
    fn variant(name: &str, us: u64) -> Variant {
        let mut variant = Variant::plain(name, PathBuf::new(), vec![]);
        variant.over_floor_max_us = Some(150.0);
        for floor_us in 495..505 {
            variant.floor.push_micros(floor_us);
            variant.samples.push_micros(us);
        }
        variant
    }

    #[test]
    fn each_row_is_judged_by_its_own_floor() {
        let variants = [
            variant("quick", 600),
            variant("alike", 498),
            variant("slow", 700),
            variant("drifted", 400),
        ];
        let tables = tables(&variants, 10, false);
        let rows = tables.iter().flat_map(|table| &table.rows);
        let verdicts: Vec<&str> = rows
            .filter_map(|row| row.last().map(String::as_str))
            .collect();
        assert_eq!(verdicts, ["met", "met", "MISSED", "noisy"]);
    }

    #[test]
    fn each_number_of_memories_has_a_table() {
        let at = |size: Option<usize>| Variant {
            size,
            ..variant("ambient", 600)
        };
        let tables = tables(
            &[
                at(None),
                at(Some(1_000)),
                at(Some(100_000)),
                at(Some(1_000)),
            ],
            10,
            true,
        );
        assert_eq!(
            tables
                .iter()
                .map(|table| table.rows.len())
                .collect::<Vec<_>>(),
            [1, 2, 1]
        );
    }

    #[test]
    fn what_says_nothing_where_it_should_is_known() {
        let of = |expected: Expected, answers: usize| Variant {
            expected,
            answers,
            runs: 10,
            ..variant("stop", 600)
        };
        for (right, wrong) in [
            (of(Expected::Silence, 0), of(Expected::Silence, 1)),
            (
                of(Expected::AnswersAtLeast(50), 5),
                of(Expected::AnswersAtLeast(50), 4),
            ),
        ] {
            assert!(right.is_as_expected() && !wrong.is_as_expected());
        }
    }
}
