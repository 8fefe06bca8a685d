//! Which memories an export takes, and in which order.

use std::cell::Cell;
use std::collections::HashMap;

use helix_engine::{Snapshot, Strand};
use helix_memory::{MemoryId, MemoryNumber, Scope, Status as Life, Topic, TopicPattern};

use crate::capture::memories;
use crate::{App, Refusal};

/// The selection of an export: topics by name, their memories in the order in which `topic:index`
/// counts them.
pub(super) struct Selection {
    pub(super) topics: Vec<(Topic, Vec<MemoryNumber>)>,
    positions: HashMap<MemoryNumber, (usize, usize)>,
    /// Memories that are left out: they were read from files of agents' own.
    pub(super) derived: usize,
}

impl Selection {
    /// Selects the topics of some scopes that fit one of the patterns; without any, all.
    pub(super) fn new(app: &App, scopes: &[Scope], patterns: &[String]) -> Result<Self, Refusal> {
        let patterns = patterns
            .iter()
            .map(|pattern| TopicPattern::parse(pattern))
            .collect::<Result<Vec<_>, _>>();
        let patterns = patterns.map_err(|error| Refusal::invalid(error.to_string()))?;
        let names = app
            .memory
            .strand
            .catalog()
            .topic_summaries(scopes)
            .into_iter()
            .map(|summary| summary.name);
        let wanted = names
            .filter(|name| patterns.is_empty() || patterns.iter().any(|one| one.matches(name)));
        let mut left_out = 0;
        let mut topics = Vec::new();
        for name in wanted {
            let Ok(topic) = Topic::parse(&name) else {
                continue;
            };
            let mut members = app.memory.strand.topic_members(&name, scopes);
            let (derived, all) = (memories::derived(app, &members)?, members.len());
            members.retain(|number| !derived.contains(number));
            left_out += all - members.len();
            if !members.is_empty() {
                topics.push((topic, members));
            }
        }
        let mut positions = HashMap::new();
        for (at, (_, members)) in topics.iter().enumerate() {
            positions.extend(
                members
                    .iter()
                    .enumerate()
                    .map(|(index, &number)| (number, (at, index))),
            );
        }
        Ok(Self {
            topics,
            positions,
            derived: left_out,
        })
    }

    /// Names a memory as `topic:index`, if it is exported too; one that is there and is not adds to
    /// `lost`.
    pub(super) fn position(
        &self,
        snapshot: &Snapshot,
        id: MemoryId,
        lost: &Cell<usize>,
    ) -> Option<String> {
        let living = Strand::living(snapshot, &id).ok()??;
        let Some((topic, index)) = self.positions.get(&living.number) else {
            lost.set(lost.get() + usize::from(living.status == Life::Active));
            return None;
        };
        Some(format!("{}:{index}", self.topics.get(*topic)?.0))
    }
}
