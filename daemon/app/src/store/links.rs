//! Links between the drafts of one batch: to an earlier one by its place, or as `topic:index` as it
//! will be.

use std::collections::HashMap;

use helix_engine::{Request, Resolution, Strand};
use helix_memory::{Admitted, Memory, MemoryId, Scope, Topic, TopicPattern};

use super::alike::Alike;
use super::prepare::Prepared;
use crate::Refusal;

/// Brackets in which people write places.
const BRACKETS: [char; 2] = ['[', ']'];

/// Says that a memory whose text was known keeps the links that it had.
const UNTAKEN: &str = "links were not taken (`set` changes what is known)";

/// The memory that says the same as a draft.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: MemoryId,
    links: Vec<MemoryId>,
}

impl Known {
    pub(super) fn of(memory: Memory) -> Self {
        Self {
            id: memory.id,
            links: memory.links,
        }
    }
}

/// Resolves what led nowhere before the batch was there, and says so of what still does.
pub(super) fn within(
    strand: &Strand,
    scopes: &[Scope],
    force: bool,
    prepared: &mut [Result<Prepared, Refusal>],
) {
    let has_unknown = |one: &Result<Prepared, Refusal>| matches!(one, Ok(Prepared::Write { unknown_links, .. }) if !unknown_links.is_empty());
    if !prepared.iter().any(has_unknown) {
        return;
    }
    let batch = Batch::of(prepared, scopes, force);
    let mut first_free = HashMap::new();
    let mut in_topic = |topic: &Topic| {
        let members = || strand.topic_members(topic.as_str(), scopes).len();
        *first_free.entry(topic.clone()).or_insert_with(members)
    };
    for (place, one) in prepared.iter_mut().enumerate() {
        if let Ok(Prepared::Write {
            request: Request::Store { links, .. },
            warnings,
            known,
            unknown_links,
            ..
        }) = one
        {
            for link in std::mem::take(unknown_links) {
                match (batch.target(&link, place, &mut in_topic), &known) {
                    (Some(id), Some(known)) => {
                        if !known.links.contains(&id)
                            && !warnings.iter().any(|warning| warning == UNTAKEN)
                        {
                            warnings.push(UNTAKEN.to_owned());
                        }
                    }
                    (Some(id), None)
                        if links.len() < Admitted::LINKS_MAX || links.contains(&id) =>
                    {
                        if !links.contains(&id) {
                            links.push(id);
                        }
                    }
                    (Some(_), None) | (None, _) => warnings.push(Resolution::leads_nowhere(&link)),
                }
            }
        }
    }
}

/// The drafts of a batch, made ready.
struct Batch {
    /// Of each draft, the memory that it becomes or that says the same; `None` for a refused one.
    ids: Vec<Option<MemoryId>>,
    /// The places of those that become new memories which the asker sees, by topic.
    new: HashMap<Topic, Vec<usize>>,
}

impl Batch {
    fn of(prepared: &[Result<Prepared, Refusal>], scopes: &[Scope], force: bool) -> Self {
        let mut batch = Self {
            ids: Vec::with_capacity(prepared.len()),
            new: HashMap::new(),
        };
        let mut texts: HashMap<(u64, &Scope), MemoryId> = HashMap::new();
        for (place, one) in prepared.iter().enumerate() {
            let id = match one {
                Ok(Prepared::Write {
                    request:
                        Request::Store {
                            admitted,
                            entropy,
                            at,
                            ..
                        },
                    known,
                    ..
                }) => {
                    let Admitted {
                        topic,
                        scope,
                        text_hash,
                        ..
                    } = admitted.as_ref();
                    let same = texts.get(&(*text_hash, scope)).copied().filter(|_| !force);
                    let id = known
                        .as_ref()
                        .map(|known| known.id)
                        .or(same)
                        .unwrap_or_else(|| {
                            if scopes.contains(scope) {
                                batch
                                    .new
                                    .entry(Topic::clone(topic))
                                    .or_default()
                                    .push(place);
                            }
                            MemoryId::new(*at, entropy)
                        });
                    texts.entry((*text_hash, scope)).or_insert(id);
                    Some(id)
                }
                Ok(Prepared::Duplicate { memory, .. }) => Some(memory.id),
                Ok(Prepared::Alike(Alike { earlier, .. }) | Prepared::Joined { earlier }) => {
                    batch.ids.get(*earlier).copied().flatten()
                }
                Ok(Prepared::Extend { id, .. }) => Some(*id),
                Ok(Prepared::Write { .. }) | Err(_) => None,
            };
            batch.ids.push(id);
        }
        batch
    }

    /// Resolves a link of the draft at `from`, if it leads to an earlier draft.
    fn target(
        &self,
        link: &str,
        from: usize,
        in_topic: &mut impl FnMut(&Topic) -> usize,
    ) -> Option<MemoryId> {
        let place = if let Ok(place) = link.trim_matches(BRACKETS).parse() {
            place
        } else {
            let (topic, index) = link
                .rsplit_once(':')
                .filter(|(topic, _)| !TopicPattern::is_glob(topic))?;
            let (topic, index) = (Topic::parse(topic).ok()?, index.parse::<usize>().ok()?);
            let new = self.new.get(&topic)?;
            *new.get(index.checked_sub(in_topic(&topic))?)?
        };
        self.ids
            .get(place)
            .copied()
            .flatten()
            .filter(|_| place < from)
    }
}
