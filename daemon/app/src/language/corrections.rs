//! The grey band of corrections: pairs that rules or meaning point out and cannot decide. Each is
//! asked about once; what the model says stands beside the pair in the review.
//!
//! In the band is what waits there as a conflict or a possible supersession. Outside of it nothing is
//! asked: what is certain was decided when it was stored, and what is unlike was never pointed out.

use std::sync::PoisonError;

use helix_engine::{Request, Step, StepChange};
use helix_memory::{
    Edge, EdgeKey, EdgeStatus, Memory, MemoryNumber, Relation as EdgeRelation, Status,
};

use super::{Answer, Judged, Pair, Sent, Task, ask, not_configured};
use crate::threads::wait;
use crate::{App, Refusal};

/// The name of the job.
pub const JOB: &str = "model";

/// The extractor in the provenance of an edge that a model was asked about.
pub(crate) const EXTRACTOR: &str = "model";

/// Pairs of one question.
const PAIRS_MAX: usize = 8;

/// Pairs that one run asks about: an hour later the next ones follow.
const RUN_MAX: usize = 64;

/// Kinds whose texts are code, which is not sent.
const CODE_KINDS: [&str; 3] = ["code", "code_description", "snippet"];

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Pairs that were asked about.
    pub asked: usize,
    /// Those of them that the model judged.
    pub judged: usize,
    /// Pairs that are left.
    pub left: usize,
    /// What would be sent, of a dry run.
    pub would_send: Vec<Sent>,
    /// Why a question was not answered; empty when all were.
    pub error: String,
}

/// Asks about pairs that nobody was asked about. `goes_on` is asked before each question.
///
/// # Errors
/// When no model is configured, or the disk fails. What was written stays.
pub fn run(app: &App, is_dry: bool, goes_on: &dyn Fn() -> bool) -> Result<Done, Refusal> {
    if app.language.model.is_none() {
        return Err(not_configured());
    }
    let asking = app.language.asking.lock();
    let _asking = asking.unwrap_or_else(PoisonError::into_inner);
    let open = open(app)?;
    let mut done = Done {
        left: open.len(),
        ..Done::default()
    };
    let mut has_failed = false;
    for group in open
        .get(..RUN_MAX.min(open.len()))
        .unwrap_or_default()
        .chunks(PAIRS_MAX)
    {
        if !goes_on() {
            break;
        }
        // Hours may have passed: what was settled or forgotten meanwhile is not sent.
        let group = &still_open(app, group)?;
        if group.is_empty() {
            continue;
        }
        let answer = ask(app, task(group), is_dry)?;
        if !answer.error.is_empty() {
            done.error = answer.error;
            // One question that nobody can answer must not stand before all others.
            if std::mem::replace(&mut has_failed, true) {
                break;
            }
            continue;
        }
        if is_dry {
            done.would_send.extend(answer.would_send);
            continue;
        }
        done.judged += answer.judged.len();
        done.asked += group.len();
        done.left -= group.len();
        write(app, group, &answer)?;
    }
    Ok(done)
}

/// A pair that waits in the review.
#[derive(Clone)]
struct Open {
    edge: Edge,
    later: Memory,
    earlier: Memory,
}

/// The pairs of the band that no model was asked about, oldest first.
fn open(app: &App) -> Result<Vec<Open>, Refusal> {
    let strand = &app.memory.strand;
    let keys = waiting(app);
    let snapshot = strand.snapshot()?;
    let mut open = Vec::new();
    for key in keys {
        let Some(edge) = snapshot.edge(&key)? else {
            continue;
        };
        if edge.provenance.extractor == EXTRACTOR {
            continue;
        }
        let ends = strand.memories(&[key.from, key.to])?;
        let Ok([later, earlier]) = <[Memory; 2]>::try_from(ends) else {
            continue;
        };
        if [&later, &earlier].into_iter().all(may_be_sent) {
            open.push(Open {
                edge,
                later,
                earlier,
            });
        }
    }
    Ok(open)
}

/// Those of a group that nobody has settled, and whose memories are as they were.
fn still_open(app: &App, group: &[Open]) -> Result<Vec<Open>, Refusal> {
    let snapshot = app.memory.strand.snapshot()?;
    let mut open = Vec::new();
    for pair in group {
        let mut is_as_it_was = snapshot.edge(&pair.edge.key)?.as_ref() == Some(&pair.edge);
        for memory in [&pair.later, &pair.earlier] {
            let now = snapshot.memory(memory.number)?;
            is_as_it_was &=
                now.is_some_and(|now| now.status == Status::Active && now.text == memory.text);
        }
        if is_as_it_was {
            open.push(pair.clone());
        }
    }
    Ok(open)
}

/// The edges of the band, by name.
fn waiting(app: &App) -> Vec<EdgeKey> {
    let catalog = app.memory.strand.catalog();
    let is_active = |number: MemoryNumber| {
        let row = catalog.row(number);
        row.is_some_and(|row| row.status == Status::Active)
    };
    let graph = catalog.graph();
    let suggested = graph
        .stored()
        .filter(|arc| arc.status == EdgeStatus::Suggested);
    let mut keys: Vec<EdgeKey> = suggested
        .map(|arc| arc.key)
        .filter(|key| {
            matches!(
                key.relation,
                EdgeRelation::Supersedes | EdgeRelation::Contradicts
            )
        })
        .filter(|key| is_active(key.from) && is_active(key.to))
        .collect();
    keys.sort_unstable();
    keys
}

/// Code stays here, and so does what looks like orders to a model.
fn may_be_sent(memory: &Memory) -> bool {
    !CODE_KINDS.contains(&memory.kind.as_str()) && memory.suspicions.is_empty()
}

fn task(group: &[Open]) -> Task {
    let pair = |open: &Open| Pair {
        earlier: open.earlier.text.clone(),
        later: open.later.text.clone(),
    };
    Task::Pairs(group.iter().map(pair).collect())
}

/// Writes beside each pair what the model said. A pair that it left out was asked about as well.
fn write(app: &App, group: &[Open], answer: &Answer) -> Result<(), Refusal> {
    let at = app.memory.now();
    let snapshot = app.memory.strand.snapshot()?;
    let mut steps = Vec::new();
    for (place, open) in group.iter().enumerate() {
        // Somebody settled it while the model was asked.
        if snapshot.edge(&open.edge.key)?.as_ref() != Some(&open.edge) {
            continue;
        }
        let judged = answer.judged.iter().find(|judged| judged.pair == place);
        let mut edge = open.edge.clone();
        edge.reason = reason(&edge.reason, &answer.by, judged);
        EXTRACTOR.clone_into(&mut edge.provenance.extractor);
        edge.provenance.reference.clone_from(&answer.by);
        edge.provenance.at = at;
        steps.push(Step::new(StepChange::Relate(Box::new(edge)), ""));
    }
    let request = Request::suggestions(steps, at);
    for outcome in wait(app.writer.submit_when_free(vec![request])?)? {
        outcome?;
    }
    Ok(())
}

/// What was known, and what the model says: sentences of ours, so that no memory's text and no
/// word of a model stands there.
fn reason(known: &str, by: &str, judged: Option<&Judged>) -> String {
    let Some(judged) = judged else {
        return format!("{known}; {by} was asked and did not say");
    };
    let sentence = judged.relation.sentence();
    format!(
        "{known}; {by} says: {sentence} ({:.1} sure)",
        judged.confidence
    )
}

#[cfg(test)]
mod tests {
    use super::super::Relation;
    use super::*;

    #[test]
    fn a_reason_says_who_said_what() {
        let judged = Judged {
            pair: 0,
            relation: Relation::Different,
            confidence: 0.85,
        };
        assert_eq!(
            reason("they may say the same", "openai/gpt-4o-mini", Some(&judged)),
            "they may say the same; openai/gpt-4o-mini says: they are about different things, and both hold (0.8 sure)"
        );
        assert!(reason("a", "b", None).ends_with("did not say"));
    }
}
