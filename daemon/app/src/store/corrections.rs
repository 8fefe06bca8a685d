//! What a new memory means to those that are known: which it takes the place of, which it extends,
//! and which it cannot stand beside.

use std::collections::HashMap;
use std::ops::Range;

use helix_engine::{Correction, Corrects, Request, Step, StepChange, Strand};
use helix_memory::{
    Actor, Admitted, Edit, EditedFields as Fields, Memory, MemoryId, MemoryNumber, Origin,
    Sequence, Status, TextStanding as Standing, Timestamp, Verdict, VerdictReason as Why, WordSet,
    conflict,
};

use super::Item;
use crate::disputes::Disputes;
use crate::{App, Refusal};

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
    /// The place of the draft in the same batch that became it; `None` of one that was known.
    pub(super) earlier: Option<usize>,
}

/// The places of the drafts of a batch that come before the one that is decided, by the ids that
/// they will have.
pub(super) type Earlier = HashMap<MemoryId, usize>;

/// The memories that a new one corrects, for the writer.
pub(super) fn corrects(corrections: &[Correction], earlier: &Earlier) -> Vec<Corrects> {
    let corrects = |correction: &Correction| {
        let (is_replaced, why) = effect(correction.verdict)?;
        let memory = &correction.memory;
        let is_earlier = earlier.contains_key(&memory.id);
        Some(Corrects {
            known: memory.id,
            text_hash: WordSet::text_hash(&memory.text),
            sequence: (!is_earlier).then_some(memory.sequence),
            is_replaced,
            why,
        })
    };
    corrections.iter().filter_map(corrects).collect()
}

/// Whether a verdict replaces the known memory, and why; `None` where the new one corrects nothing.
fn effect(verdict: Verdict) -> Option<(bool, Why)> {
    match verdict {
        Verdict::Supersedes(why) => Some((true, why)),
        Verdict::Contradicts(why) => Some((false, why)),
        Verdict::Apart | Verdict::Extends => None,
    }
}

/// The memory that a new text extends, if it does nothing else and would be of the same kind.
fn extended<'c>(corrections: &'c [Correction], admitted: &Admitted) -> Option<&'c Memory> {
    let [correction] = corrections else {
        return None;
    };
    let is_extended = correction.verdict == Verdict::Extends
        && correction.memory.kind == admitted.kind
        && correction.memory.topic == *admitted.topic;
    is_extended.then_some(&correction.memory)
}

/// What a new memory is to those that are known.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A memory of its own, which corrects these.
    New(Vec<Correction>),
    /// All that this one says, and more.
    Extends(Box<Memory>),
    /// Nearly what this one says, with the similarity.
    Repeats(Box<Memory>, f32),
}

impl Meaning {
    /// Decides it by what a memory corrects and the one that it resembles most.
    pub(super) fn of(
        admitted: &Admitted,
        corrections: &[Correction],
        nearest: Option<&(Memory, f32)>,
    ) -> Self {
        if let Some(known) = extended(corrections, admitted) {
            return Self::Extends(Box::new(known.clone()));
        }
        let is_correction = |correction: &&Correction| effect(correction.verdict).is_some();
        let corrections: Vec<Correction> =
            corrections.iter().filter(is_correction).cloned().collect();
        match nearest {
            Some((memory, similarity)) if is_repeated(memory, *similarity, &corrections) => {
                Self::Repeats(Box::new(memory.clone()), *similarity)
            }
            Some(_) | None => Self::New(corrections),
        }
    }
}

/// Whether a new text only repeats a memory, whatever that contradicts. One that says in nearly the
/// same words that something changed does not: it takes the place of others.
fn is_repeated(memory: &Memory, similarity: f32, corrections: &[Correction]) -> bool {
    let is_corrected = |correction: &Correction| correction.memory.id == memory.id;
    let is_same = similarity >= 1.0;
    !corrections.iter().any(is_corrected)
        && (is_same || !corrections.iter().any(Correction::replaces))
}

/// The memory that took the place of one with the very text that a draft has, unless another rule
/// says already what the draft means to it. Both stand until somebody settles it: whoever says it
/// again may not know of the change.
pub(super) fn replaced_before(
    app: &App,
    admitted: &Admitted,
    corrections: &[Correction],
) -> Result<Option<Correction>, Refusal> {
    let strand = &app.memory.strand;
    let number = strand
        .catalog()
        .replaced_text(admitted.text_hash, &admitted.scope);
    let Some(number) = number else {
        return Ok(None);
    };
    let Some(replaced) = strand.memories(&[number])?.pop() else {
        return Ok(None);
    };
    let Some(memory) = Strand::living(&strand.snapshot()?, &replaced.id)? else {
        return Ok(None);
    };
    let is_decided = |correction: &Correction| correction.memory.id == memory.id;
    // A merge and a split take a memory's place and contradict nothing of it.
    let says_part = memory.text.contains(&replaced.text) || replaced.text.contains(&memory.text);
    let contradicts = memory.status == Status::Active
        && memory.scope == admitted.scope
        && !says_part
        && !corrections.iter().any(is_decided);
    Ok(contradicts.then_some(Correction {
        memory,
        verdict: Verdict::Contradicts(Why::Again),
    }))
}

/// The confidence of a memory that is said again with more.
pub(super) fn gained(confidence: f32) -> f32 {
    (confidence + CONFIDENCE_GAINED).min(1.0)
}

/// The request that gives a memory a text with more, and what else the new one brings. It is not
/// done where another operation than the `expected` one changed the memory last.
pub(super) fn extend(
    known: &Memory,
    admitted: Admitted,
    expected: Option<Sequence>,
    actor: Actor,
    at: Timestamp,
) -> Request {
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
        confidence: Some(gained(known.confidence)),
        pinned: admitted.pinned.then_some(true),
        ..Fields::default()
    };
    let mut steps = vec![Step::new(edit(revise, expected), "said again with more")];
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
pub(super) fn told(corrections: Vec<Correction>, earlier: &Earlier) -> Vec<Corrected> {
    let told = |correction: Correction| {
        let (is_replaced, why) = effect(correction.verdict)?;
        Some(Corrected {
            earlier: earlier.get(&correction.memory.id).copied(),
            memory: correction.memory,
            is_replaced,
            why,
        })
    };
    corrections.into_iter().filter_map(told).collect()
}

/// Says as it came out what a stored memory did to others: those of its own batch have names now,
/// and one that somebody changed meanwhile was not replaced.
pub(super) fn as_written(app: &App, corrected: &mut Vec<Corrected>, items: &[Item]) {
    corrected.retain_mut(|corrected| match corrected.earlier {
        None => true,
        Some(place) => match items.get(place) {
            Some(Item::Stored(stored)) => {
                corrected.memory = stored.memory.memory.clone();
                true
            }
            Some(Item::Refused(_)) | None => false,
        },
    });
    let catalog = app.memory.strand.catalog();
    for corrected in corrected {
        let row = catalog.row(corrected.memory.number);
        corrected.is_replaced &= row.is_some_and(|row| row.status == Status::Superseded);
    }
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
    between: Range<MemoryNumber>,
) -> Result<Vec<Corrected>, Refusal> {
    let neighbours = app.memory.strand.neighbours_where(
        &memory.text,
        &memory.scope,
        &[Status::Active],
        |number| between.contains(&number),
    )?;
    if neighbours.is_empty() {
        return Ok(Vec::new());
    }
    let standing = Standing {
        by,
        confidence: memory.confidence,
    };
    let words = WordSet::of(&memory.text);
    let strand = &app.memory.strand;
    let new = strand.statement(&memory.text);
    let concerned = strand.concerned(&neighbours, &new, &words)?;
    let found = strand.corrections(&new, standing, &words, &concerned);
    let found: Vec<Correction> = found.into_iter().filter_map(Correction::noted).collect();
    let mut found = Disputes::default().one_of_each(strand, found);
    let disputed = strand.catalog().graph().disputed(memory.number);
    found.retain(|correction| !disputed.contains(&correction.memory.number));
    let missed = |correction: Correction| {
        let (_, why) = effect(correction.verdict)?;
        Some(Corrected {
            memory: correction.memory,
            is_replaced: false,
            why,
            earlier: None,
        })
    };
    Ok(found.into_iter().filter_map(missed).collect())
}

/// Notes contradictions that were missed, each with the number of the new memory, so that somebody
/// settles them.
///
/// # Errors
/// When they are not written; the memories themselves are.
pub(super) async fn note_conflicts(
    app: &App,
    actor: &Actor,
    missed: &[(MemoryNumber, Corrected)],
) -> Result<(), Refusal> {
    let at = app.memory.now();
    let steps: Vec<Step> = missed
        .iter()
        .map(|(number, corrected)| {
            let known = corrected.memory.number;
            let edge = conflict(*number, known, corrected.why, actor, at);
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
