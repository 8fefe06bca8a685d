//! Hooks while transcripts are read, against the same hooks while nothing is.
//!
//! Blocks of rounds alternate, so that whatever else the machine does hits both alike. A program that
//! does nothing runs beside each hook: where even that is slower while transcripts are read, the
//! machine has no processor to spare, and the figure says nothing of Helix.

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

/// Pairs of blocks, of a full and of a quick run.
const BLOCKS: [usize; 2] = [20, 6];

/// Ratio of what a hook takes while transcripts are read.
const RATIO_MAX: f64 = 1.03;

/// Times of a program, by whether transcripts were read.
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

/// Measures hooks with and without an import that `start` begins and nobody waits for.
pub(crate) fn while_captured(
    loaded: &Loaded,
    corpus: &Corpus,
    effort: Effort,
    start: &dyn Fn() -> Result<Child>,
) -> Result<Table> {
    let place = Place::new(&loaded.home, corpus, loaded.size)?;
    let mut variants = vec![floor()?, place.ambient_read()?, place.prompt("prompt")?];
    let mut times: Vec<Times> = variants.iter().map(|_| Times::default()).collect();
    let mut round = 0;
    for block in 0..2 * effort.pick(BLOCKS[0], BLOCKS[1]) {
        let is_busy = block % 2 == 1;
        let importing = if is_busy { Some(start()?) } else { None };
        for _ in 0..ROUNDS {
            for (variant, times) in variants.iter_mut().zip(&mut times) {
                let run = run(variant, round)?;
                times.of(is_busy).push(run);
            }
            round += 1;
        }
        if let Some(importing) = importing {
            end(importing)?;
        }
    }
    Ok(table(&variants, &times))
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

fn table(variants: &[Variant], times: &[Times]) -> Table {
    let head = ["process", "p50", "while reading", "ratio", "target", ""];
    let mut table = Table::new("capture: hooks while transcripts are read", &head);
    let bare = times.first().map_or(1.0, Times::ratio);
    for (at, (variant, times)) in variants.iter().zip(times).enumerate() {
        let measured = times.ratio();
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
            micros(times.quiet.p50()),
            micros(times.busy.p50()),
            ratio(measured),
            target,
            verdict,
        ]);
    }
    table.note("noisy: starting any process takes longer while transcripts are read");
    table
}
