//! What a new memory means to those that are known: which it takes the place of, which it extends,
//! and which it cannot stand beside.

use helix_engine::model::{
    Actor, Edge, EdgeKey, EdgeStatus, Memory, MemoryNumber, Origin, Provenance, Relation, Sequence,
    Status, Timestamp,
};
use helix_engine::policy::admit::Admitted;
use helix_engine::policy::consolidate::{Standing, Verdict, Why};
use helix_engine::policy::edit::{ATTRIBUTE_SUPERSEDED_BY, Edit, Fields};
use helix_engine::policy::resemble::WordSet;
use helix_engine::strand::{Correction, Replaced, Request, Step, StepChange, Strand};

use crate::{App, Refusal};

/// What made edges that nobody asked for.
const EXTRACTOR: &str = "corrections";

/// How sure a contradiction is that nobody has settled.
const CONFLICT_STRENGTH: f32 = 0.5;

/// Confidence that a memory gains when it is said again with more.
const CONFIDENCE_GAINED: f32 = 0.1;

/// A memory that was corrected, as whoever corrected it is told.
#[derive(Clone, Debug)]
pub struct Corrected {
    /// The memory as it was.
    pub memory: Memory,
    /// Whether it was replaced; else both stand until somebody settles it.
    pub is_replaced: bool,
    /// Why.
    pub why: Why,
}

/// The memories that a new one takes the place of.
pub(super) fn replaced(corrections: &[Correction]) -> Vec<Replaced> {
    let replaced = |correction: &Correction| match correction.verdict {
        Verdict::Supersedes(why) => Some(Replaced {
            number: correction.memory.number,
            sequence: correction.memory.sequence,
            reason: format!("the new memory {}", why.sentence()),
        }),
        Verdict::Apart | Verdict::Contradicts(_) | Verdict::Extends => None,
    };
    corrections.iter().filter_map(replaced).collect()
}

/// The memory that a new text extends, if it does nothing else and would be of the same kind.
pub(super) fn extended<'c>(
    corrections: &'c [Correction],
    admitted: &Admitted,
) -> Option<&'c Memory> {
    let [correction] = corrections else {
        return None;
    };
    let is_extended = correction.verdict == Verdict::Extends
        && correction.memory.kind == admitted.kind
        && correction.memory.topic == *admitted.topic;
    is_extended.then_some(&correction.memory)
}

/// The request that gives a memory a text with more, and what else the new one brings.
pub(super) fn extend(known: &Memory, admitted: Admitted, actor: Actor, at: Timestamp) -> Request {
    let edit = |edit, expected: Option<Sequence>| StepChange::Edit {
        number: known.number,
        edit,
        expected,
    };
    let revise = Edit::Revise {
        text: admitted.text,
        seen: None,
    };
    let fields = Fields {
        importance: Some(known.importance.max(admitted.importance)),
        confidence: Some((known.confidence + CONFIDENCE_GAINED).min(1.0)),
        pinned: admitted.pinned.then_some(true),
        ..Fields::default()
    };
    let mut steps = vec![Step::new(
        edit(revise, Some(known.sequence)),
        "said again with more",
    )];
    if !admitted.tags.is_empty() {
        let tag = Edit::Tag {
            add: admitted.tags,
            remove: Vec::new(),
        };
        steps.push(Step::new(edit(tag, None), ""));
    }
    steps.push(Step::new(edit(Edit::Set(Box::new(fields)), None), ""));
    Request::Together { steps, actor, at }
}

/// What the author of a new memory is told of these.
pub(super) fn told(corrections: Vec<Correction>) -> Vec<Corrected> {
    let told = |correction: Correction| {
        let (is_replaced, why) = match correction.verdict {
            Verdict::Supersedes(why) => (true, why),
            Verdict::Contradicts(why) => (false, why),
            Verdict::Apart | Verdict::Extends => return None,
        };
        Some(Corrected {
            memory: correction.memory,
            is_replaced,
            why,
        })
    };
    corrections.into_iter().filter_map(told).collect()
}

/// The contradictions of a new memory with what others stored while it was on its way: nobody saw
/// those when it was prepared. None of them takes another's place, because none knew of the other.
///
/// # Errors
/// When the disk or the word index fails.
pub(super) fn missed(
    app: &App,
    memory: &Memory,
    by: Origin,
    first: MemoryNumber,
) -> Result<Vec<Corrected>, Refusal> {
    let neighbours = app.memory.strand.neighbours_between(first, memory)?;
    let standing = Standing {
        by,
        confidence: memory.confidence,
    };
    let words = WordSet::of(&memory.text);
    let found = Strand::corrections_by(&memory.text, standing, &words, &neighbours);
    Ok(found
        .into_iter()
        .filter_map(|correction| match correction.verdict {
            Verdict::Supersedes(why) | Verdict::Contradicts(why) => Some(Corrected {
                memory: correction.memory,
                is_replaced: false,
                why,
            }),
            Verdict::Apart | Verdict::Extends => None,
        })
        .collect())
}

/// What a stored memory corrected in truth: the writer leaves alone what somebody else changed after
/// it was compared. That contradicts the new memory where it is still in use.
///
/// # Errors
/// When the disk fails.
pub(super) fn confirmed(
    app: &App,
    memory: &Memory,
    corrected: Vec<Corrected>,
) -> Result<Vec<Corrected>, Refusal> {
    let mut confirmed = Vec::with_capacity(corrected.len());
    for mut one in corrected {
        if one.is_replaced {
            let Some(now) = app.memory.strand.snapshot()?.memory(one.memory.number)? else {
                continue;
            };
            one.is_replaced = has_replaced(memory, &now);
            if !one.is_replaced && now.status != Status::Active {
                continue;
            }
        }
        confirmed.push(one);
    }
    Ok(confirmed)
}

fn has_replaced(memory: &Memory, known: &Memory) -> bool {
    let by = known.attributes.get(ATTRIBUTE_SUPERSEDED_BY);
    known.status == Status::Superseded && by.is_some_and(|by| *by == memory.id.to_string())
}

/// Notes the contradictions of a new memory, so that somebody settles them.
///
/// # Errors
/// When they are not written; the memory itself is.
pub(super) async fn note_conflicts(
    app: &App,
    actor: &Actor,
    number: MemoryNumber,
    corrected: &[Corrected],
) -> Result<(), Refusal> {
    let at = app.memory.now();
    let steps: Vec<Step> = corrected
        .iter()
        .filter(|corrected| !corrected.is_replaced)
        .map(|corrected| {
            let edge = conflict(number, corrected.memory.number, corrected.why, actor, at);
            Step::new(StepChange::Relate(Box::new(edge)), "")
        })
        .collect();
    if steps.is_empty() {
        return Ok(());
    }
    let request = Request::Together {
        steps,
        actor: actor.clone(),
        at,
    };
    let outcomes = app.writer.submit(vec![request])?.await?;
    outcomes
        .into_iter()
        .next()
        .map_or(Ok(()), |outcome| outcome.map(|_| ()).map_err(Refusal::from))
}

fn conflict(
    new: MemoryNumber,
    known: MemoryNumber,
    why: Why,
    actor: &Actor,
    at: Timestamp,
) -> Edge {
    Edge {
        key: EdgeKey {
            from: new,
            relation: Relation::Contradicts,
            to: known,
        },
        strength: CONFLICT_STRENGTH,
        is_bidirectional: true,
        status: EdgeStatus::Suggested,
        provenance: Provenance {
            extractor: EXTRACTOR.to_owned(),
            ..Provenance::stated(actor, at)
        },
        reason: format!("#{} {}", new.0, why.sentence()),
        valid_from: at,
        valid_to: None,
        sequence: Sequence(0),
    }
}
