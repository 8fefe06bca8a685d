//! Which memories go, and which checkpoints.

use std::collections::HashSet;

use helix_engine::StoreError;
use helix_memory::{Checkpoint, Memory, MemoryNumber, Origin, Relation};
use helix_neutral::quoted;

use super::{Going, Wanted};
use crate::review::meant;
use crate::told::Told;
use crate::{App, Asker, Refusal, scopes};

/// Memories that one purge removes: their history is looked through for each.
const PURGED_MAX: usize = 1_000;

/// Memories whose texts are looked for in others: each is, in all that there are.
const SOUGHT_MAX: usize = 64;

/// Bytes of a text that is looked for in others, at least: a shorter one is in many by chance.
const SOUGHT_MIN_BYTES: usize = 12;

/// All that a purge removes.
pub(super) struct Planned {
    pub(super) memories: Vec<Going>,
    /// Those that the session saved.
    pub(super) checkpoints: Vec<Checkpoint>,
}

/// Says which memories stay that have the text of one that goes within theirs, as one has that it
/// was merged into.
pub(super) fn holders(app: &App, going: &[Going]) -> Result<Vec<String>, Refusal> {
    let numbers: HashSet<MemoryNumber> = going
        .iter()
        .map(|going| going.memory.memory.number)
        .collect();
    let sought = going.iter().take(SOUGHT_MAX).map(|going| {
        let memory = &going.memory.memory;
        (memory.handle.as_str(), memory.text.trim())
    });
    let sought: Vec<(&str, &str)> = sought
        .filter(|(_, text)| text.len() >= SOUGHT_MIN_BYTES)
        .collect();
    let mut notes = Vec::new();
    app.memory.strand.snapshot()?.for_each_memory(|memory| {
        let stays = !numbers.contains(&memory.number);
        let held = sought
            .iter()
            .filter(|(_, text)| stays && memory.text.contains(text));
        notes.extend(held.map(|(handle, _)| {
            let holder = memory.handle.as_str();
            format!("the text of {handle} also stands in {holder}, which stays: purge that, too, or edit it")
        }));
        Ok::<_, StoreError>(())
    })?;
    Ok(notes)
}

/// Finds what is named, and what was made from it.
pub(super) fn plan(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Planned, Refusal> {
    if asker.actor.origin != Origin::User {
        return Err(Refusal::denied(
            "only a person can purge; use helixctl purge",
        ));
    }
    let mut named = Vec::new();
    for reference in &wanted.references {
        named.push(meant(app, asker, reference)?);
    }
    if let Some(filter) = Filter::of(wanted)? {
        named.extend(filter.find(app, asker)?);
    } else if named.is_empty() {
        return Err(Refusal::invalid(
            "nothing is named; give handles, a session, an origin or a time",
        ));
    }
    let checkpoints = match wanted.session.as_str() {
        "" => Vec::new(),
        session => app.memory.strand.snapshot()?.checkpoints_of(session)?,
    };
    let going = with_derived(app, &named);
    if going.is_empty() && checkpoints.is_empty() {
        return Err(Refusal::not_found(
            "no memory here is meant; nothing was purged",
        ));
    }
    if going.len() > PURGED_MAX {
        let count = going.len();
        return Err(Refusal::exhausted(format!(
            "{count} memories would go, the limit is {PURGED_MAX}; purge them in parts"
        )));
    }
    let mut told = Vec::new();
    for (number, source) in going {
        let Some(memory) = Told::all_in_full(app, &[number])?.into_iter().next() else {
            continue;
        };
        scopes::check_seen(&memory.memory, asker)?;
        let derived_from = match source {
            Some(source) => handle_of(app, source)?,
            None => String::new(),
        };
        told.push(Going {
            memory,
            derived_from,
        });
    }
    Ok(Planned {
        memories: told,
        checkpoints,
    })
}

fn handle_of(app: &App, number: MemoryNumber) -> Result<String, Refusal> {
    let found = app.memory.strand.memories(&[number])?;
    let handle = found
        .first()
        .map(|memory| memory.handle.as_str().to_owned());
    Ok(handle.unwrap_or_default())
}

/// The memories that are named, and behind each what was made from it.
fn with_derived(app: &App, named: &[MemoryNumber]) -> Vec<(MemoryNumber, Option<MemoryNumber>)> {
    let catalog = app.memory.strand.catalog();
    let mut going: Vec<(MemoryNumber, Option<MemoryNumber>)> = Vec::new();
    let mut seen = HashSet::new();
    for number in named {
        if seen.insert(*number) {
            going.push((*number, None));
        }
    }
    let mut next = 0;
    while let Some(&(source, _)) = going.get(next) {
        next += 1;
        let made_from_it = catalog
            .graph()
            .stored()
            .filter(|edge| edge.key.relation == Relation::DerivedFrom && edge.key.to == source);
        for edge in made_from_it {
            if seen.insert(edge.key.from) {
                going.push((edge.key.from, Some(source)));
            }
        }
    }
    going
}

/// Conditions on a memory, beside being seen by the asker.
struct Filter<'w> {
    wanted: &'w Wanted,
    origin: Option<Origin>,
}

impl<'w> Filter<'w> {
    /// `None` where nothing is demanded.
    fn of(wanted: &'w Wanted) -> Result<Option<Self>, Refusal> {
        let origin = match wanted.origin.as_str() {
            "" => None,
            name => Some(Origin::parse(name).ok_or_else(|| {
                let known = Origin::ALL.map(Origin::name).join(", ");
                Refusal::invalid(format!(
                    "origin {} is unknown; give one of {known}",
                    quoted(name)
                ))
            })?),
        };
        let demands = origin.is_some() || !wanted.session.is_empty() || wanted.since.is_some();
        Ok(demands.then_some(Self { wanted, origin }))
    }

    fn find(&self, app: &App, asker: &Asker) -> Result<Vec<MemoryNumber>, Refusal> {
        let seen = asker.scopes();
        let mut found = Vec::new();
        app.memory.strand.snapshot()?.for_each_memory(|memory| {
            if seen.contains(&memory.scope) && self.passes(&memory) {
                found.push(memory.number);
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(found)
    }

    fn passes(&self, memory: &Memory) -> bool {
        let Self { wanted, origin } = self;
        let is_of_session = || {
            let mut steps = memory.provenance.iter();
            steps.any(|step| step.reference == wanted.session)
        };
        origin.is_none_or(|origin| origin == memory.origin)
            && wanted.since.is_none_or(|since| memory.recorded_at >= since)
            && (wanted.session.is_empty() || is_of_session())
    }
}
