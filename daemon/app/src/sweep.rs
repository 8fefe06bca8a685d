//! The sweep: new memories compared with older ones by meaning, where nobody could wait for their
//! vectors. What may say the same is put into the review.

use helix_engine::{Request, States, Step};
use helix_memory::MemoryNumber;
use helix_redact::State;

use crate::threads::wait;
use crate::{App, Refusal};

/// The name of the job.
pub const JOB: &str = "sweep";

/// Memories that are compared before others are let in.
const GROUP_MAX: u32 = 64;

/// Memories that one run compares: an hour later the next ones follow.
const RUN_MAX: u32 = 20_000;

/// The result of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Memories that were compared.
    pub compared: u32,
    /// Pairs that may say the same.
    pub found: usize,
}

/// Compares what came since the last run, up to the first memory whose vector is not there, and
/// suggests what it finds if it `writes`. `goes_on` is asked before each group.
///
/// # Errors
/// When the disk fails or the daemon ends. What was written stays.
pub fn run(app: &App, writes: bool, goes_on: impl Fn() -> bool) -> Result<Done, Refusal> {
    let strand = &app.memory.strand;
    let extent = u32::try_from(strand.catalog().extent()).unwrap_or(u32::MAX);
    let begin = cursor(app)?;
    let end = extent.min(begin.saturating_add(RUN_MAX));
    let mut done = Done::default();
    let mut next = begin;
    while next < end && goes_on() {
        let upto = end.min(next + GROUP_MAX);
        let group: Vec<MemoryNumber> = (next..upto)
            .map(MemoryNumber)
            .take_while(|number| !strand.awaits_vector(*number))
            .collect();
        let Some(last) = group.last() else { break };
        let steps = strand.paraphrases(&group, app.memory.now())?;
        done.found += steps.len();
        if writes {
            suggest(app, steps, last.0 + 1)?;
        }
        done.compared += u32::try_from(group.len()).unwrap_or(u32::MAX);
        next = last.0 + 1;
    }
    Ok(done)
}

/// Suggests what a group says again, and notes how far it is, in one commit.
fn suggest(app: &App, steps: Vec<Step>, next: u32) -> Result<(), Refusal> {
    let at = app.memory.now();
    let cursor = (JOB.to_owned(), State::of_numbers(next.to_be_bytes()));
    let mut requests = vec![Request::States(States::Cursors, vec![cursor])];
    if !steps.is_empty() {
        requests.push(Request::suggestions(steps, at));
    }
    let outcomes = wait(app.writer.submit_when_free(requests)?)?;
    for outcome in outcomes {
        outcome?;
    }
    Ok(())
}

/// The first number that was not compared.
fn cursor(app: &App) -> Result<u32, Refusal> {
    let kept = app.memory.strand.snapshot()?.state(States::Cursors, JOB)?;
    Ok(place(kept.as_deref()))
}

/// Reads the first number that was not compared, as the cursor of the job keeps it.
#[must_use]
pub fn place(kept: Option<&[u8]>) -> u32 {
    let bytes = kept.and_then(|state| <[u8; 4]>::try_from(state).ok());
    bytes.map_or(0, u32::from_be_bytes)
}
