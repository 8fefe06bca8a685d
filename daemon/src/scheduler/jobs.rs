//! The jobs of the scheduler. A further one is a further row.

use std::time::Duration;

use helix_app::capture::memories;
use helix_app::language::corrections;
use helix_app::lifecycle::{self, Done, Mode};
use helix_app::{App, Refusal, backup, consolidate, sweep};

use super::Going;

/// Segments of the word index beyond which they are merged: each search pays for them.
const SEGMENTS_MAX: usize = 12;

/// An hour and a day, less than the time between two looks, so that no run comes later each time.
const HOURLY: Duration = Duration::from_mins(59);
const DAILY: Duration = Duration::from_mins(24 * 60 - 1);

/// Something that is done again and again.
pub(super) struct Job {
    /// Its name in `status`.
    pub(super) name: &'static str,
    /// How long after its last beginning it begins again.
    pub(super) every: Duration,
    /// Does it; returns what came of it in a few words, or `None` where it does not apply.
    pub(super) run: fn(&Going) -> Result<Option<String>, Refusal>,
}

/// Every job, in the order in which they are done.
pub(super) const JOBS: [Job; 8] = [
    Job {
        name: lifecycle::JOB,
        every: HOURLY,
        run: live,
    },
    Job {
        name: sweep::JOB,
        every: HOURLY,
        run: compare_meanings,
    },
    Job {
        name: consolidate::JOB,
        every: HOURLY,
        run: propose_repeated,
    },
    Job {
        name: corrections::JOB,
        every: HOURLY,
        run: ask_model,
    },
    Job {
        name: "words",
        every: HOURLY,
        run: merge_words,
    },
    Job {
        name: "vectors",
        every: DAILY,
        run: compact_vectors,
    },
    Job {
        name: memories::JOB,
        every: HOURLY,
        run: read_files,
    },
    Job {
        name: backup::JOB,
        every: DAILY,
        run: back_up,
    },
];

/// Archives, expires and prunes, as far as the mode lets it.
fn live(going: &Going) -> Result<Option<String>, Refusal> {
    let app = &going.app;
    let mode = lifecycle::mode(app)?.mode;
    if mode == Mode::Off {
        return Ok(Some("off".to_owned()));
    }
    let takes = |step| mode.takes(step);
    let goes_on = || going.goes_on();
    let run = lifecycle::Run::unasked(&takes, &goes_on);
    let done = lifecycle::take(app, &run)?;
    Ok(Some(told(app, mode, &done)?))
}

fn told(app: &App, mode: Mode, done: &Done) -> Result<String, Refusal> {
    let taken = done.words();
    if mode != Mode::Propose {
        return Ok(taken);
    }
    let proposed = lifecycle::plan(app, 0)?.counts.total();
    Ok(format!("{taken}; {proposed} proposed"))
}

/// Looks for what new memories say again in other words.
fn compare_meanings(going: &Going) -> Result<Option<String>, Refusal> {
    let done = sweep::run(&going.app, true, || going.goes_on())?;
    Ok(Some(format!(
        "compared {}, {} may say the same",
        done.compared, done.found
    )))
}

/// Puts what episodes told again and again into the review.
fn propose_repeated(going: &Going) -> Result<Option<String>, Refusal> {
    let goes_on = || going.goes_on();
    let proposals = consolidate::propose(&going.app, &consolidate::Run::unasked(&goes_on))?;
    Ok(Some(format!("{} proposed", proposals.len())))
}

/// Asks a language model about pairs that cannot be decided, where one is configured.
fn ask_model(going: &Going) -> Result<Option<String>, Refusal> {
    let language = &going.app.language;
    if language.model.is_none() || !language.settings.corrections {
        return Ok(None);
    }
    let done = corrections::run(&going.app, false, &|| going.goes_on())?;
    if !done.error.is_empty() {
        return Err(Refusal::unavailable(done.error));
    }
    Ok(Some(format!(
        "asked about {} pairs, {} were judged",
        done.asked, done.judged
    )))
}

fn merge_words(going: &Going) -> Result<Option<String>, Refusal> {
    let strand = &going.app.memory.strand;
    let segments = strand.lexical().segment_count();
    if segments <= SEGMENTS_MAX {
        return Ok(Some(format!("{segments} segments, nothing to merge")));
    }
    let merged = strand.compact_words();
    merged.map_err(|error| Refusal::internal(error.to_string()))?;
    Ok(Some(format!("merged {segments} segments")))
}

fn compact_vectors(going: &Going) -> Result<Option<String>, Refusal> {
    let dropped = going.app.memory.strand.compact_vectors()?;
    Ok(Some(format!("dropped {dropped} vectors without a text")))
}

/// Reads the files again that agents keep, where somebody switched that on.
fn read_files(going: &Going) -> Result<Option<String>, Refusal> {
    let app = &going.app;
    if !memories::is_in_use(app)? {
        return Ok(None);
    }
    let report = memories::read_again(app, &|| going.goes_on())?;
    Ok(Some(report.words()))
}

fn back_up(going: &Going) -> Result<Option<String>, Refusal> {
    let app = &going.app;
    if !app.settings.daily_backup {
        return Ok(None);
    }
    if !backup::is_worthwhile(app)? {
        return Ok(Some("nothing new".to_owned()));
    }
    let made = backup::daily(app)?;
    Ok(Some(format!(
        "{} memories, sequence {}",
        made.verified.memories, made.verified.sequence.0
    )))
}
