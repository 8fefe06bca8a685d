//! The inbox: what waits for somebody's word. Quarantined memories, edges that a machine suggests
//! (conflicts, supersessions and, where they are asked for, relations), and faded memories while
//! the lifecycle only proposes.
//!
//! Everything here is decided by a person at a shell; no agent settles what is about to be believed.

mod judge;

pub(crate) use self::judge::meant;
pub use self::judge::{Settled, Wanted as Verdict, judge};

use std::collections::BTreeSet;

use helix_engine::Fate;
use helix_memory::{
    ATTRIBUTE_WITHHELD, EdgeKey, EdgeStatus, LifeStep as Step, MemoryNumber, Origin, Relation,
    Scope, Status, Topic,
};

use crate::conflicts::without_number;
use crate::lifecycle::{self, Mode};
use crate::limit::Limit;
use crate::told::Told;
use crate::{App, Asker, Refusal, capture, consolidate, disputes, scopes};

/// Attribute of a memory that waits because a file has this text for another one: that one's id.
pub(crate) const REVISES: &str = "revises";

/// Items listed.
const LIMIT: Limit = Limit {
    default: 50,
    max: 1_000,
};

/// What is to be listed.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// Only what is of this topic; empty for all.
    pub topic: String,
    /// How many; 0 for the usual number.
    pub limit: u32,
    /// Suggested relations as well: there are many, and searches do well without them.
    pub relations: bool,
}

/// Why something waits, in the order in which it is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It came from outside and is not trusted yet.
    Quarantined,
    /// It looks like orders that no person gave, and is not shown unasked.
    Suspect,
    /// Two memories contradict each other.
    Conflict,
    /// One memory may have taken the other's place.
    Supersession,
    /// It faded, and may be archived or pruned.
    Archive,
    /// Episodes told it again and again, and it may be kept in their place.
    Repeated,
    /// Two memories may be related.
    Relation,
}

/// Something that waits, as it is told.
#[derive(Clone, Debug)]
pub struct Item {
    /// Why it waits.
    pub kind: Kind,
    /// The memory.
    pub memory: Told,
    /// The other end of a suggested edge.
    pub other: Option<Told>,
    /// The edge's relation; empty where there is none.
    pub relation: &'static str,
    /// The step of a faded memory.
    pub step: Option<Step>,
    /// Why it waits, in words.
    pub reason: String,
}

impl Item {
    /// What approving it does.
    #[must_use]
    pub fn if_approved(&self) -> &'static str {
        match self.kind {
            Kind::Quarantined => "it is trusted: found by searches and shown to agents",
            Kind::Suspect => "it is trusted: shown to agents unasked as well",
            Kind::Conflict | Kind::Supersession => "the first replaces the second",
            Kind::Archive if self.step == Some(Step::Prune) => {
                "it leaves the indexes; the history keeps it"
            }
            Kind::Archive => "it is archived: found on demand, and back when it is recalled",
            Kind::Repeated => "it is kept and cites its episodes, which are archived",
            Kind::Relation => "the relation holds: searches follow it",
        }
    }

    /// What rejecting it does.
    #[must_use]
    pub fn if_rejected(&self) -> &'static str {
        match self.kind {
            Kind::Quarantined => "it is forgotten, and no import brings it back",
            Kind::Suspect => "it is forgotten",
            Kind::Conflict | Kind::Supersession => "both hold",
            Kind::Archive => "it stays in use, and counts as confirmed today",
            Kind::Repeated => "it is forgotten and not proposed again; the episodes stay",
            Kind::Relation => "the relation does not hold and is not suggested again",
        }
    }
}

/// Something that waits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Waiting {
    Memory(MemoryNumber),
    Suspect(MemoryNumber),
    Repeated(MemoryNumber),
    Edge(EdgeKey),
    Fate(Fate),
}

impl Waiting {
    fn kind(&self) -> Kind {
        match self {
            Self::Memory(_) => Kind::Quarantined,
            Self::Suspect(_) => Kind::Suspect,
            Self::Repeated(_) => Kind::Repeated,
            Self::Fate(_) => Kind::Archive,
            Self::Edge(key) => match key.relation {
                Relation::Contradicts => Kind::Conflict,
                Relation::Supersedes => Kind::Supersession,
                _ => Kind::Relation,
            },
        }
    }

    /// The memory that it is listed under.
    pub(super) fn number(&self) -> MemoryNumber {
        match self {
            Self::Memory(number) | Self::Suspect(number) | Self::Repeated(number) => *number,
            Self::Edge(key) => key.from,
            Self::Fate(fate) => fate.number,
        }
    }

    /// Whether a memory is it, or one of its ends.
    pub(super) fn concerns(&self, number: MemoryNumber) -> bool {
        match self {
            Self::Memory(waiting) | Self::Suspect(waiting) | Self::Repeated(waiting) => {
                *waiting == number
            }
            Self::Edge(key) => key.from == number || key.to == number,
            Self::Fate(fate) => fate.number == number,
        }
    }
}

/// Items that wait.
#[derive(Clone, Debug)]
pub struct Listed {
    /// In order, as many as were wanted.
    pub items: Vec<Item>,
    /// How many there are in these scopes.
    pub total: usize,
    /// How many wait in others.
    pub elsewhere: usize,
}

/// Lists what waits, and how much there is.
///
/// # Errors
/// When a scope or topic cannot be read, the limit is too large, or the disk fails.
pub fn review(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Listed, Refusal> {
    let limit = LIMIT.read(wanted.limit)?;
    let scopes = scopes::listed(app, asker, &wanted.scopes)?;
    let topic = topic(&wanted.topic)?;
    let all_scopes = app.memory.strand.catalog().all_scopes();
    let [waiting, everywhere] = [scopes, all_scopes].map(|scopes| {
        let mut waiting = waiting(app, &scopes, topic.as_ref())?;
        if !wanted.relations {
            waiting.retain(|waiting| waiting.kind() != Kind::Relation);
        }
        leave_one_of_each_dispute(app, &mut waiting);
        Ok::<_, Refusal>(waiting)
    });
    let waiting = waiting?;
    let total = waiting.len();
    let elsewhere = everywhere?.len().saturating_sub(total);
    let mut items = Vec::new();
    for waiting in waiting.iter().take(limit) {
        items.extend(item(app, waiting)?);
    }
    Ok(Listed {
        items,
        total,
        elsewhere,
    })
}

/// Leaves of all contradictions of one dispute the first: settling it settles the dispute.
fn leave_one_of_each_dispute(app: &App, waiting: &mut Vec<Waiting>) {
    let catalog = app.memory.strand.catalog();
    let mut listed = BTreeSet::new();
    waiting.retain(|item| {
        let Waiting::Edge(key) = item else {
            return true;
        };
        if key.relation != Relation::Contradicts {
            return true;
        }
        let is_first = !listed.contains(&key.from);
        if is_first {
            listed.extend(catalog.graph().disputed(key.from));
        }
        is_first
    });
}

/// Reads the topic that is named; `None` for all.
pub(super) fn topic(named: &str) -> Result<Option<Topic>, Refusal> {
    if named.trim().is_empty() {
        return Ok(None);
    }
    let topic = Topic::parse(named).map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(Some(topic))
}

/// What waits in these scopes, in the order in which it is listed.
///
/// # Errors
/// When the disk fails.
pub(super) fn waiting(
    app: &App,
    scopes: &[Scope],
    topic: Option<&Topic>,
) -> Result<Vec<Waiting>, Refusal> {
    let fates = proposed(app)?;
    let repeated = repeated(app)?;
    let catalog = app.memory.strand.catalog();
    let scopes = catalog.scope_numbers(scopes);
    let is_wanted = |number: MemoryNumber| {
        let row = catalog.row(number).filter(|row| row.is_in(&scopes));
        row.is_some_and(|row| topic.is_none_or(|topic| catalog.topic_of(row) == topic.as_str()))
    };
    let memories = catalog.quarantined().map(|(number, _)| {
        if repeated.contains(&number) {
            Waiting::Repeated(number)
        } else {
            Waiting::Memory(number)
        }
    });
    let suspects = catalog
        .rows()
        .filter(|(_, row)| row.is_in_use_and_suspect())
        .map(|(number, _)| Waiting::Suspect(number));
    let suggested = catalog
        .graph()
        .stored()
        .filter(|edge| edge.status == EdgeStatus::Suggested || edge.is_open_conflict());
    let is_in_use = |number: MemoryNumber| {
        let row = catalog.row(number);
        row.is_some_and(|row| row.status == Status::Active)
    };
    let may_wait = |number: MemoryNumber| {
        let row = catalog.row(number);
        row.is_some_and(|row| matches!(row.status, Status::Active | Status::Quarantined))
    };
    // What came with an import contradicts others before it is trusted, which is told then.
    let is_listed = |key: &EdgeKey| {
        if key.relation == Relation::Contradicts {
            return may_wait(key.from) && may_wait(key.to);
        }
        is_in_use(key.from) && is_in_use(key.to)
    };
    let edges = suggested
        .filter(|edge| is_listed(&edge.key))
        .map(|edge| Waiting::Edge(edge.key));
    let mut waiting: Vec<Waiting> = memories
        .chain(suspects)
        .chain(edges)
        .chain(fates.into_iter().map(Waiting::Fate))
        .filter(|waiting| is_wanted(waiting.number()))
        .collect();
    waiting.sort_by_key(|waiting| (waiting.kind(), std::cmp::Reverse(waiting.number())));
    Ok(waiting)
}

/// The steps that the lifecycle proposes and does not take.
fn proposed(app: &App) -> Result<Vec<Fate>, Refusal> {
    let mode = lifecycle::mode(app)?.mode;
    if mode != Mode::Propose {
        return Ok(Vec::new());
    }
    let mut fates = app.memory.strand.fates(app.memory.now())?;
    fates.retain(|fate| !mode.takes(fate.due.step));
    Ok(fates)
}

/// The quarantined memories that were made from episodes.
fn repeated(app: &App) -> Result<BTreeSet<MemoryNumber>, Refusal> {
    let citing: Vec<MemoryNumber> = {
        let catalog = app.memory.strand.catalog();
        let quarantined = catalog.quarantined().map(|(number, _)| number);
        let is_citing = |number: &MemoryNumber| {
            let mut arcs = catalog.graph().outgoing(*number);
            arcs.any(|arc| arc.key.relation == Relation::DerivedFrom)
        };
        quarantined.filter(is_citing).collect()
    };
    let memories = app.memory.strand.memories(&citing)?;
    Ok(memories
        .iter()
        .filter(|memory| consolidate::is_distilled(memory))
        .map(|memory| memory.number)
        .collect())
}

/// Tells something that waits; `None` when it is gone meanwhile.
fn item(app: &App, waiting: &Waiting) -> Result<Option<Item>, Refusal> {
    let numbers: Vec<MemoryNumber> = match waiting {
        Waiting::Edge(key) => vec![key.from, key.to],
        Waiting::Memory(number) | Waiting::Suspect(number) | Waiting::Repeated(number) => {
            vec![*number]
        }
        Waiting::Fate(fate) => vec![fate.number],
    };
    let mut ends = Told::all_in_full(app, &numbers)?.into_iter();
    let (Some(memory), other) = (ends.next(), ends.next()) else {
        return Ok(None);
    };
    let kind = waiting.kind();
    let (reason, relation, step) = match waiting {
        Waiting::Memory(_) | Waiting::Suspect(_) => {
            let revised = judge::revised(app, &memory.memory)?;
            let reason = revised.map_or_else(
                || why_held(kind, &memory),
                |known| {
                    let handle = known.handle.as_str();
                    format!("a file was edited to say this in place of {handle}; approving it replaces that")
                },
            );
            (reason, "", None)
        }
        Waiting::Repeated(number) => {
            let cited = consolidate::cited(app, *number);
            let episodes = app.memory.strand.memories(&cited)?;
            (consolidate::reason(&memory.memory, &episodes), "", None)
        }
        Waiting::Fate(fate) => (lifecycle::reason(fate), "", Some(fate.due.step)),
        Waiting::Edge(_) if other.is_none() => return Ok(None),
        Waiting::Edge(key) => {
            let edge = app.memory.strand.snapshot()?.edge(key)?;
            let said = edge.map(|edge| edge.reason).unwrap_or_default();
            let reason = why_suggested(kind, &without_number(&said)) + &disagreeing(app, key);
            (reason, key.relation.name(), None)
        }
    };
    Ok(Some(Item {
        kind,
        memory,
        other,
        relation,
        step,
        reason,
    }))
}

/// Counts the others of a dispute that disagree as well: only one contradiction of it is listed.
fn disagreeing(app: &App, key: &EdgeKey) -> String {
    if key.relation != Relation::Contradicts {
        return String::new();
    }
    let mut others = disputes::against(app, key.from);
    others.retain(|number| *number != key.to);
    match others.len() {
        0 => String::new(),
        more => format!("; {more} more disagree, see helixctl conflicts"),
    }
}

fn why_held(kind: Kind, memory: &Told) -> String {
    let memory = &memory.memory;
    let suspicions = memory.suspicions.join(", ");
    if kind == Kind::Suspect {
        return format!("it looks like orders to an agent ({suspicions})");
    }
    if let Some(because) = memory.attributes.get(ATTRIBUTE_WITHHELD) {
        return because.clone();
    }
    let came = match memory.origin {
        Origin::Import => "it was imported, and nobody vouched for it",
        Origin::Tool => "a tool said it",
        Origin::User | Origin::Agent => match memory.attributes.get(capture::BECAUSE) {
            Some(because) => because,
            None if memory.origin == Origin::Agent => "an agent said it",
            None => "it came from outside",
        },
    };
    if memory.suspicions.is_empty() {
        return came.to_owned();
    }
    format!("{came}; it looks like orders to an agent ({suspicions})")
}

fn why_suggested(kind: Kind, said: &str) -> String {
    if !said.is_empty() {
        return said.to_owned();
    }
    let why = match kind {
        Kind::Conflict => "they seem to contradict each other",
        Kind::Supersession => "the first may have taken the second's place",
        Kind::Quarantined | Kind::Suspect | Kind::Archive | Kind::Repeated | Kind::Relation => {
            "they seem to belong together"
        }
    };
    why.to_owned()
}
