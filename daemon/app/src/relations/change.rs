//! Making a relation, and taking it back.

use std::sync::Arc;

use helix_engine::{Outcome, Request, Step, StepChange};
use helix_memory::{
    Actor, Edge, EdgeKey, EdgeStatus, Edit, EditedFields as Fields, Memory, Provenance, Relation,
    Sequence, Status, Timestamp, names_of,
};
use helix_redact::{Redact, Secrets};

use super::told::ToldEdge;
use super::{meant, record, strength};
use crate::threads::off_thread;
use crate::{App, Asker, Refusal, scopes};

/// Characters of a reason, at most: a sentence.
const REASON_MAX_CHARS: usize = 500;

/// A relation that somebody wants.
#[derive(Clone, Debug, Default)]
pub struct Relating {
    /// The memory where it begins.
    pub from: String,
    /// The name of the relation.
    pub relation: String,
    /// The memory to which it leads.
    pub to: String,
    /// 0 to 1; `None` is 1.
    pub strength: Option<f32>,
    /// Whether it leads both ways; `None` lets the registry decide.
    pub is_bidirectional: Option<bool>,
    /// When it became true; `None` for now.
    pub valid_from: Option<Timestamp>,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
    /// Why; may be empty.
    pub reason: String,
}

/// The result of relating.
#[derive(Clone, Debug)]
pub struct Related {
    /// The edge as it is now.
    pub edge: ToldEdge,
    /// True if it is new or different.
    pub is_changed: bool,
    /// Notes for whoever asked.
    pub notes: Vec<String>,
}

/// A relation that somebody wants gone.
#[derive(Clone, Debug, Default)]
pub struct Unrelating {
    /// The memory where it begins.
    pub from: String,
    /// The name of the relation.
    pub relation: String,
    /// The memory to which it leads.
    pub to: String,
}

/// How a relation was taken back.
#[derive(Clone, Debug)]
pub enum Unrelated {
    /// The edge is gone.
    Removed(ToldEdge),
    /// A machine's edge is kept as rejected, so that it is not suggested again.
    Rejected(ToldEdge),
    /// The memory where it began links to the other no more.
    Unlinked(ToldEdge),
}

/// Something to write, and what to tell of it.
struct Planned<T> {
    step: Option<Step>,
    actor: Actor,
    answer: T,
}

/// Two memories, and the edge between them that is there already.
struct Ends {
    key: EdgeKey,
    from: Memory,
    to: Memory,
    known: Option<Edge>,
    /// Whether a link or a supersession says the same.
    implied: Option<helix_engine::GraphArc>,
}

impl Ends {
    /// Finds both ends of a relation, or of its inverse. One that leads both ways is found
    /// whichever end is named first.
    fn find(
        app: &App,
        asker: &Asker,
        from: &str,
        relation: &str,
        to: &str,
    ) -> Result<Self, Refusal> {
        let (relation, is_inverse) = super::relation(relation)?;
        let (from, to) = if is_inverse { (to, from) } else { (from, to) };
        let (from, to) = (meant(app, asker, from)?, meant(app, asker, to)?);
        if from == to {
            return Err(Refusal::invalid(
                "both ends are the same memory; a relation needs two",
            ));
        }
        let key = EdgeKey { from, relation, to };
        let key = if relation.is_bidirectional() && !has(app, &key) && has(app, &key.reversed()) {
            key.reversed()
        } else {
            key
        };
        let known = app.memory.strand.snapshot()?.edge(&key)?;
        let (from, to) = (record(app, key.from)?, record(app, key.to)?);
        // The remarks that the other end is shown with belong to its own project.
        let seen = [&from, &to].map(|end| scopes::check_seen(end, asker));
        let is_told_of_both = matches!(relation, Relation::Contradicts | Relation::Supersedes);
        if is_told_of_both || seen.iter().all(Result::is_err) {
            seen.into_iter().collect::<Result<Vec<()>, Refusal>>()?;
        }
        Ok(Self {
            key,
            from,
            to,
            known,
            implied: implied(app, &key),
        })
    }

    fn told(&self, edge: &Edge) -> ToldEdge {
        ToldEdge::stored(edge, &self.from, &self.to)
    }
}

fn has(app: &App, key: &EdgeKey) -> bool {
    app.memory.strand.catalog().graph().edge(key).is_some() || implied(app, key).is_some()
}

/// The link or supersession that is this very edge.
fn implied(app: &App, key: &EdgeKey) -> Option<helix_engine::GraphArc> {
    let catalog = app.memory.strand.catalog();
    let mut outgoing = catalog.graph().outgoing(key.from);
    outgoing.find(|arc| arc.key == *key && arc.valid_from.is_none())
}

/// Relates two memories. `who` says who asks, and may look at the disk for it.
///
/// # Errors
/// When an end or the relation is unknown, both ends are one, or it is not written.
pub async fn relate(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Relating,
) -> Result<Related, Refusal> {
    let planned = off_thread(app, move |app| plan_relating(app, &who(), wanted));
    carry_out(app, planned.await?).await
}

/// Takes a relation back.
///
/// # Errors
/// When an end or the relation is unknown, they are not related so, or it is not written.
pub async fn unrelate(
    app: &Arc<App>,
    who: impl FnOnce() -> Asker + Send + 'static,
    wanted: Unrelating,
) -> Result<Unrelated, Refusal> {
    let planned = off_thread(app, move |app| plan_unrelating(app, &who(), &wanted));
    carry_out(app, planned.await?).await
}

async fn carry_out<T>(app: &App, planned: Planned<T>) -> Result<T, Refusal> {
    let Planned {
        step,
        actor,
        answer,
    } = planned;
    let Some(step) = step else {
        return Ok(answer);
    };
    let request = Request::Together {
        steps: vec![step],
        actor,
        at: app.memory.now(),
    };
    let outcomes = app.writer.submit(vec![request])?.await?;
    match outcomes.into_iter().next() {
        Some(Ok(Outcome::Edited(_) | Outcome::Done)) => Ok(answer),
        Some(Err(error)) => Err(error.into()),
        Some(Ok(_)) | None => Err(Refusal::internal("the writer gave no answer")),
    }
}

fn plan_relating(app: &App, asker: &Asker, wanted: Relating) -> Result<Planned<Related>, Refusal> {
    let strength = strength(wanted.strength)?;
    let ends = Ends::find(app, asker, &wanted.from, &wanted.relation, &wanted.to)?;
    for end in [&ends.from, &ends.to] {
        refuse_gone(end)?;
    }
    if let Some(arc) = &ends.implied {
        return Ok(Planned {
            step: None,
            actor: asker.actor.clone(),
            answer: Related {
                edge: ToldEdge::implied(arc, &ends.from, &ends.to),
                is_changed: false,
                notes: Vec::new(),
            },
        });
    }
    let (reason, notes) = reason(asker, wanted.reason)?;
    let now = app.memory.now();
    let valid_from = wanted.valid_from.unwrap_or(now);
    if wanted.valid_to.is_some_and(|until| until <= valid_from) {
        return Err(Refusal::invalid(
            "the relation would end before it begins; check both times",
        ));
    }
    let edge = Edge {
        key: ends.key,
        strength,
        is_bidirectional: wanted
            .is_bidirectional
            .unwrap_or_else(|| ends.key.relation.is_bidirectional()),
        status: EdgeStatus::Active,
        provenance: author(asker, ends.known.as_ref(), now),
        reason,
        valid_from: ends
            .known
            .as_ref()
            .map_or(valid_from, |edge| edge.valid_from),
        valid_to: wanted.valid_to,
        sequence: Sequence(0),
    };
    let is_changed = ends.known.as_ref().is_none_or(|known| {
        known.status != edge.status
            || known.strength.to_bits() != edge.strength.to_bits()
            || known.is_bidirectional != edge.is_bidirectional
            || known.valid_to != edge.valid_to
            || known.reason != edge.reason
    });
    let answer = Related {
        edge: ends.told(&edge),
        is_changed,
        notes,
    };
    let step = is_changed.then(|| Step::new(StepChange::Relate(Box::new(edge)), ""));
    Ok(Planned {
        step,
        actor: asker.actor.clone(),
        answer,
    })
}

/// Who stands behind an edge now. What once suggested it stays named: whoever rejects the edge
/// later keeps it from being suggested again.
fn author(asker: &Asker, known: Option<&Edge>, now: Timestamp) -> Provenance {
    let extractor = known.map(|edge| edge.provenance.extractor.clone());
    Provenance {
        extractor: extractor.unwrap_or_default(),
        ..Provenance::stated(&asker.actor, now)
    }
}

fn refuse_gone(memory: &Memory) -> Result<(), Refusal> {
    match memory.status {
        Status::Forgotten | Status::Pruned => Err(Refusal::conflict(format!(
            "{} is {}; restore it before relating it",
            memory.handle,
            memory.status.name()
        ))),
        Status::Active | Status::Superseded | Status::Archived | Status::Quarantined => Ok(()),
    }
}

/// Reads a reason, without the secrets in it. What looks like orders is kept of a person alone: an
/// edge has no place in the review where it could wait.
#[expect(clippy::needless_pass_by_value, reason = "it is used up here")]
fn reason(asker: &Asker, text: String) -> Result<(String, Vec<String>), Refusal> {
    let mut text = text.trim().to_owned();
    if text.chars().count() > REASON_MAX_CHARS {
        return Err(Refusal::exhausted(format!(
            "the reason is longer than {REASON_MAX_CHARS} characters; shorten it"
        )));
    }
    let mut secrets = Secrets::default();
    text.redact(&mut secrets);
    let mut notes: Vec<String> = secrets.note().into_iter().collect();
    let suspicions = names_of(&text);
    if asker.actor.origin.awaits_review(&suspicions) {
        let why = suspicions.join(", ");
        notes.push(format!(
            "the reason looks like orders to an agent ({why}) and is not kept; the relation is"
        ));
        text.clear();
    }
    Ok((text, notes))
}

fn plan_unrelating(
    app: &App,
    asker: &Asker,
    wanted: &Unrelating,
) -> Result<Planned<Unrelated>, Refusal> {
    let ends = Ends::find(app, asker, &wanted.from, &wanted.relation, &wanted.to)?;
    let (change, answer) = if let Some(arc) = &ends.implied {
        (unlinked(asker, &ends)?, {
            Unrelated::Unlinked(ToldEdge::implied(arc, &ends.from, &ends.to))
        })
    } else {
        removed(app, asker, &ends)?
    };
    Ok(Planned {
        step: Some(Step::new(change, "")),
        actor: asker.actor.clone(),
        answer,
    })
}

fn removed(app: &App, asker: &Asker, ends: &Ends) -> Result<(StepChange, Unrelated), Refusal> {
    let known = ends.known.clone();
    let known = known.filter(|edge| edge.status != EdgeStatus::Rejected);
    let Some(mut edge) = known else {
        return Err(Refusal::not_found(format!(
            "{} has no relation {} to {}; list its neighbours",
            ends.from.handle, ends.key.relation, ends.to.handle
        )));
    };
    if edge.provenance.extractor.is_empty() {
        let answer = Unrelated::Removed(ends.told(&edge));
        return Ok((StepChange::Unrelate(ends.key), answer));
    }
    edge.status = EdgeStatus::Rejected;
    edge.provenance = author(asker, Some(&edge), app.memory.now());
    let answer = Unrelated::Rejected(ends.told(&edge));
    Ok((StepChange::Relate(Box::new(edge)), answer))
}

/// The edit that takes a link away.
fn unlinked(asker: &Asker, ends: &Ends) -> Result<StepChange, Refusal> {
    if ends.key.relation == Relation::Supersedes {
        return Err(Refusal::conflict(format!(
            "{} took the place of {}; restore the latter instead",
            ends.from.handle, ends.to.handle
        )));
    }
    scopes::check_seen(&ends.from, asker)?;
    let mut links = ends.from.links.clone();
    links.retain(|link| *link != ends.to.id);
    let fields = Fields {
        links: Some(links),
        ..Fields::default()
    };
    Ok(StepChange::Edit {
        number: ends.from.number,
        edit: Edit::Set(Box::new(fields)),
        expected: Some(ends.from.sequence),
    })
}
