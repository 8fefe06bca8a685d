//! Repeated episodes: what was told at least three times waits in the review as one lasting memory
//! that cites its episodes. Approving it archives them; nothing is kept without somebody's word.

use std::collections::BTreeMap;

use helix_engine::{Distil, Outcome, Repeated, Request, Stamps, Step, StepChange};
use helix_memory::{
    Actor, Admitted, Draft, Edit, Kind, Memory, MemoryNumber, Origin, Provenance, Relation, Scope,
    Shape, Status, Timestamp,
};

use crate::threads::wait;
use crate::told::Told;
use crate::{App, Refusal};

/// The name of the job, and what the provenance names as having made such a memory.
pub const JOB: &str = "episodes";

/// Who proposes when nobody asked for it.
const AGENT: &str = "helix-episodes";

/// Memories that one run proposes, at most: a person reads each.
const PROPOSED_MAX: usize = 50;

/// Kinds of the lasting memory: of what says how something is done, and of everything else.
const PROCEDURE: &str = "procedure";
const FACT: &str = "fact";

/// Where repeated episodes are looked for, and what is done with them.
pub struct Run<'r> {
    /// The scopes; `None` for all.
    pub scopes: Option<Vec<Scope>>,
    /// In whose name.
    pub actor: Actor,
    /// True if they are put into the review; else they are only told.
    pub writes: bool,
    /// Called before each scope; says whether to go on.
    pub goes_on: &'r dyn Fn() -> bool,
}

impl<'r> Run<'r> {
    /// A run that nobody asked for.
    #[must_use]
    pub fn unasked(goes_on: &'r dyn Fn() -> bool) -> Self {
        Self {
            scopes: None,
            actor: Actor::of_daemon(AGENT),
            writes: true,
            goes_on,
        }
    }
}

/// A lasting memory in place of repeated episodes.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Its handle; empty where it was only told.
    pub handle: String,
    /// Its text, which one of the episodes has.
    pub text: String,
    /// Its kind.
    pub kind: &'static str,
    /// The occasions on which it was told.
    pub occasions: usize,
    /// The episodes, the oldest first.
    pub episodes: Vec<Told>,
}

/// Puts repeated episodes into the review, or only says which there are.
///
/// # Errors
/// When the disk or an index fails, or the daemon ends. What was written stays.
pub fn propose(app: &App, run: &Run<'_>) -> Result<Vec<Proposal>, Refusal> {
    let strand = &app.memory.strand;
    let mut scopes = strand.scopes_with_episodes();
    if let Some(wanted) = &run.scopes {
        scopes.retain(|scope| wanted.contains(scope));
    }
    let mut proposals = Vec::new();
    for scope in scopes {
        if !(run.goes_on)() {
            break;
        }
        for repeated in strand.repeated_episodes(&scope)? {
            if proposals.len() == PROPOSED_MAX {
                return Ok(proposals);
            }
            proposals.extend(proposed(app, run, repeated)?);
        }
    }
    Ok(proposals)
}

/// Proposes one; `None` where somebody else did so, or changed an episode, meanwhile.
fn proposed(app: &App, run: &Run<'_>, repeated: Repeated) -> Result<Option<Proposal>, Refusal> {
    let kind = kind(app, &repeated.centre)?;
    let mut proposal = Proposal {
        handle: String::new(),
        text: repeated.centre.text.clone(),
        kind,
        occasions: repeated.occasions,
        episodes: repeated
            .episodes
            .iter()
            .map(|episode| Told::of(app, episode))
            .collect(),
    };
    if !run.writes {
        return Ok(Some(proposal));
    }
    let request = request(app, run, repeated, kind)?;
    let written = wait(app.writer.submit_when_free(vec![request])?)?;
    let outcome = written.into_iter().next();
    let outcome = outcome.ok_or_else(|| Refusal::internal("the writer gave no answer"))?;
    match outcome? {
        Outcome::Stored(memory) => memory.handle.as_str().clone_into(&mut proposal.handle),
        Outcome::Reinforced(_) | Outcome::Edited(_) | Outcome::Done => return Ok(None),
    }
    Ok(Some(proposal))
}

/// A procedure where the text or its tags say how something is done; else a fact.
fn kind(app: &App, episode: &Memory) -> Result<&'static str, Refusal> {
    let kinds = app.memory.strand.kinds();
    let suggested = Kind::suggest(&episode.tags, &episode.text, kinds)
        .map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(match kinds.shape(&suggested) {
        Shape::Procedural => PROCEDURE,
        Shape::Semantic | Shape::Entity | Shape::Episodic => FACT,
    })
}

fn request(app: &App, run: &Run<'_>, repeated: Repeated, kind: &str) -> Result<Request, Refusal> {
    let Repeated {
        centre,
        episodes,
        occasions,
    } = repeated;
    let at = app.memory.now();
    let draft = Draft {
        topic: centre.topic.as_str().to_owned(),
        text: centre.text.clone(),
        kind: Some(kind.to_owned()),
        tags: shared_tags(&episodes),
        scope: Some(centre.scope.clone()),
        source: centre.source.clone().filter(|_| has_one_source(&episodes)),
        confidence: episodes
            .iter()
            .map(|episode| episode.confidence)
            .max_by(f32::total_cmp),
        valid_from: episodes.iter().map(|episode| episode.valid_from).min(),
        ..Draft::default()
    };
    let admitted = Admitted::of(draft, &centre.scope, app.memory.strand.kinds())?;
    Ok(Request::Distil(Box::new(Distil {
        admitted: Box::new(admitted),
        stamps: Box::new(stamps(&episodes, occasions, &run.actor, at)),
        episodes: episodes.iter().map(|episode| episode.number).collect(),
        entropy: app.memory.randomness.entropy(),
        actor: run.actor.clone(),
        at,
    })))
}

/// It waits in the review, and is no more to be believed than the least of its episodes.
fn stamps(episodes: &[Memory], occasions: usize, actor: &Actor, at: Timestamp) -> Stamps {
    let origins = episodes.iter().map(|episode| episode.origin);
    let origin = origins
        .min_by_key(|origin| origin.authority())
        .unwrap_or(Origin::Tool);
    let provenance = Provenance {
        extractor: JOB.to_owned(),
        origin,
        ..Provenance::stated(actor, at)
    };
    Stamps {
        origin: Some(origin),
        status: Some(Status::Quarantined),
        provenance: vec![provenance],
        attributes: BTreeMap::from([(
            Memory::ATTRIBUTE_OCCASIONS.to_owned(),
            occasions.to_string(),
        )]),
        ..Stamps::default()
    }
}

/// The tags that every episode has.
fn shared_tags(episodes: &[Memory]) -> Vec<String> {
    let Some((first, rest)) = episodes.split_first() else {
        return Vec::new();
    };
    let is_shared = |tag: &&String| rest.iter().all(|episode| episode.tags.contains(tag));
    first.tags.iter().filter(is_shared).cloned().collect()
}

fn has_one_source(episodes: &[Memory]) -> bool {
    let mut paths = episodes
        .iter()
        .map(|episode| episode.source.as_ref().map(|source| source.path.as_str()));
    let first = paths.next();
    paths.all(|path| Some(path) == first)
}

/// Returns whether a memory was made from episodes, and not brought along by an import that says
/// so.
pub(crate) fn is_distilled(memory: &Memory) -> bool {
    let last = memory.provenance.last();
    memory.attributes.contains_key(Memory::ATTRIBUTE_OCCASIONS)
        && last.is_some_and(|provenance| provenance.extractor == JOB)
}

/// The episodes that a memory cites.
pub(crate) fn cited(app: &App, number: MemoryNumber) -> Vec<MemoryNumber> {
    let catalog = app.memory.strand.catalog();
    let arcs = catalog.graph().outgoing(number);
    arcs.filter(|arc| arc.key.relation == Relation::DerivedFrom && arc.key.from == number)
        .map(|arc| arc.key.to)
        .collect()
}

/// Why a distilled memory waits.
pub(crate) fn reason(memory: &Memory, episodes: &[Memory]) -> String {
    let occasions = memory.attributes.get(Memory::ATTRIBUTE_OCCASIONS);
    let named: Vec<&str> = episodes
        .iter()
        .map(|episode| episode.handle.as_str())
        .collect();
    format!(
        "told {} times: {}",
        occasions.map_or("several", String::as_str),
        named.join(", ")
    )
}

/// The steps by which a distilled memory is kept: it is approved, and its episodes, which it says
/// again, are archived. Pinned ones stay.
pub(crate) fn keep(app: &App, memory: &Memory, by: Origin) -> Result<Vec<Step>, Refusal> {
    let edit = |number, edit, reason: String| {
        let change = StepChange::Edit {
            number,
            edit,
            expected: None,
        };
        Step::new(change, reason)
    };
    let mut steps = vec![edit(
        memory.number,
        Edit::Approve { by },
        "it was approved".to_owned(),
    )];
    let episodes = app.memory.strand.memories(&cited(app, memory.number))?;
    for episode in episodes {
        if episode.status == Status::Active && !episode.pinned {
            let reason = format!("#{} says it", memory.number.0);
            steps.push(edit(episode.number, Edit::Archive, reason));
        }
    }
    Ok(steps)
}
