//! Hooks while transcripts are read, against the same hooks while nothing is.
//!
//! Blocks of rounds alternate, so that whatever else the machine does hits both alike, and the median of
//! three such runs counts. A program that does nothing runs beside each hook: where even that is slower
//! while transcripts are read, the machine has no processor to spare, and the figure says nothing of
//! Helix.

use std::process::Child;

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::events::Place;
use super::variant::{Variant, floor};
use crate::Effort;
use crate::corpus::Corpus;
use crate::fixture::Loaded;
use crate::report::{Table, Target, micros, ratio};
use crate::stats::Samples;

/// Rounds of a block.
const ROUNDS: usize = 40;

/// Runs, of which the median counts.
const RUNS: usize = 3;

/// Pairs of blocks of each, where all is measured and where it is to be quick.
const BLOCKS: [usize; 2] = [8, 2];

/// Ratio of what a hook takes while transcripts are read.
const RATIO_MAX: f64 = 1.03;

/// Times of a program in one run, by whether transcripts were read.
#[derive(Default)]
struct Times {
    quiet: Samples,
    busy: Samples,
}

impl Times {
    fn of(&mut self, is_busy: bool) -> &mut Samples {
        if is_busy {
            &mut self.busy
        } else {
            &mut self.quiet
        }
    }

    fn ratio(&self) -> f64 {
        self.busy.p50() / self.quiet.p50()
    }
}

/// Cost of a program in all runs.
struct Measured {
    quiet: f64,
    busy: f64,
    ratio: f64,
}

impl Measured {
    /// Of the program at this place.
    fn of(runs: &[Vec<Times>], at: usize) -> Self {
        let times: Vec<&Times> = runs.iter().filter_map(|run| run.get(at)).collect();
        let middle = |figure: fn(&Times) -> f64| {
            let mut figures: Vec<f64> = times.iter().map(|times| figure(times)).collect();
            figures.sort_by(f64::total_cmp);
            figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Self {
            quiet: middle(|times| times.quiet.p50()),
            busy: middle(|times| times.busy.p50()),
            ratio: middle(Times::ratio),
        }
    }
}

/// Measures hooks with and without an import that `start` begins and nobody waits for.
pub(crate) fn while_captured(
    loaded: &Loaded,
    corpus: &Corpus,
    effort: Effort,
    start: &dyn Fn() -> Result<Child>,
) -> Result<Table> {
    let place = Place::new(&loaded.home, corpus, loaded.size)?;
    let mut variants = vec![floor()?, place.ambient_read()?, place.prompt("prompt")?];
    let mut runs = Vec::new();
    let mut round = 0;
    for _ in 0..RUNS {
        let blocks = 2 * effort.pick(BLOCKS[0], BLOCKS[1]);
        runs.push(interleaved(&mut variants, blocks, &mut round, start)?);
    }
    Ok(table(&variants, &runs))
}

/// Times of all programs in blocks, while transcripts are read in every second one.
fn interleaved(
    variants: &mut [Variant],
    blocks: usize,
    round: &mut usize,
    start: &dyn Fn() -> Result<Child>,
) -> Result<Vec<Times>> {
    let mut times: Vec<Times> = variants.iter().map(|_| Times::default()).collect();
    for block in 0..blocks {
        let is_busy = block % 2 == 1;
        let importing = if is_busy { Some(start()?) } else { None };
        for _ in 0..ROUNDS {
            for (variant, times) in variants.iter_mut().zip(&mut times) {
                let run = run(variant, *round)?;
                times.of(is_busy).push(run);
            }
            *round += 1;
        }
        if let Some(importing) = importing {
            end(importing)?;
        }
    }
    Ok(times)
}

fn run(variant: &mut Variant, round: usize) -> Result<std::time::Duration> {
    let run = variant.run(round);
    let run = run.with_context(|| format!("running {}", variant.name))?;
    Ok(run.elapsed)
}

/// Ends an import; the daemon stops reading where nobody waits.
fn end(mut importing: Child) -> Result<()> {
    let id = i32::try_from(importing.id())?;
    kill(Pid::from_raw(id), Signal::SIGINT)?;
    importing.wait()?;
    Ok(())
}

fn table(variants: &[Variant], runs: &[Vec<Times>]) -> Table {
    let head = ["process", "p50", "while reading", "ratio", "target", ""];
    let mut table = Table::new("capture: hooks while transcripts are read", &head);
    let bare = Measured::of(runs, 0).ratio;
    for (at, variant) in variants.iter().enumerate() {
        let all = Measured::of(runs, at);
        let measured = all.ratio;
        let figure = format!("{} while reading", variant.name);
        let (target, verdict) = if at == 0 {
            table.figure(&figure, measured, "ratio");
            (String::new(), String::new())
        } else if bare > RATIO_MAX {
            let noisy = table.noisy(&figure, measured, "ratio");
            (format!("≤ {RATIO_MAX} ×"), noisy)
        } else {
            let target = Target::AtMost(RATIO_MAX);
            let verdict = table.judge(&figure, measured, "ratio", target);
            (format!("≤ {RATIO_MAX} ×"), verdict)
        };
        table.row([
            variant.name.clone(),
            micros(all.quiet),
            micros(all.busy),
            ratio(measured),
            target,
            verdict,
        ]);
    }
    table.note(format!("the median of {RUNS} runs, whose blocks alternate"));
    table.note("noisy: starting any process takes longer while transcripts are read");
    table
}
