//! Decides the drafts of a batch one after the other: each as if those before it were stored, with
//! what they replaced and extended.
//!
//! The comparison with the store was made beside all others; here is added what the batch itself
//! holds. A draft that comes into being is known by the id that it will have, and the writer finds it
//! by that in the same transaction.

use std::collections::{HashMap, HashSet};

use helix_engine::{Correction, Strand};
use helix_memory::{Handle, Keys, Memory, MemoryNumber, Nearby, Scope, Sequence, Statement};

use super::alike::{Alike, resembled};
use super::corrections::{Earlier, Meaning};
use super::prepare::{Gathered, Near, Prepared, standing};
use crate::disputes::{Disputes, NO_NUMBER};
use crate::{Asker, Refusal};

/// Decides each draft of a batch, in order.
pub(super) fn decide(
    strand: &Strand,
    asker: &Asker,
    drafts: Vec<Result<Gathered, Refusal>>,
) -> Vec<Result<Prepared, Refusal>> {
    let mut order = Order::new(strand, asker, drafts);
    let fates: Vec<Fate> = (0..order.drafts.len())
        .map(|place| order.decide(place))
        .collect();
    let Order { drafts, places, .. } = order;
    let prepared = drafts.into_iter().zip(fates);
    prepared
        .map(|(draft, fate)| draft.and_then(|draft| fate.prepared(draft, asker, &places)))
        .collect()
}

/// What becomes of a draft.
enum Fate {
    New(Vec<Correction>),
    /// The memory that gets its text, and the operation that may have changed it last.
    Extends(Box<Memory>, Option<Sequence>),
    Repeats(Box<Memory>, f32),
    Alike(Alike),
    Joined(usize),
}

impl Fate {
    fn prepared(
        self,
        draft: Gathered,
        asker: &Asker,
        places: &Earlier,
    ) -> Result<Prepared, Refusal> {
        let actor = &asker.actor;
        match self {
            Self::New(corrections) => draft.write(actor, corrections, places),
            Self::Extends(known, expected) => Ok(draft.extension(&known, expected, actor)),
            Self::Repeats(memory, similarity) => Ok(Prepared::Duplicate { memory, similarity }),
            Self::Alike(alike) => Ok(Prepared::Alike(alike)),
            Self::Joined(earlier) => Ok(Prepared::Joined { earlier }),
        }
    }
}

/// The batch, as far as it is decided.
struct Order<'a> {
    strand: &'a Strand,
    asker: &'a Asker,
    drafts: Vec<Result<Gathered, Refusal>>,
    /// The earlier draft that each resembles, by words alone.
    resembled: Vec<Option<usize>>,
    /// Drafts that become memories, to be found by their words.
    nearby: Nearby,
    /// The places of all drafts that become memories, by the ids that they will have.
    places: Earlier,
    /// Those of them that no later one has replaced, by their texts.
    in_use: HashMap<(u64, Scope), usize>,
    /// Drafts with the very text of an earlier one, each with the place of that.
    repeats: Vec<(usize, usize)>,
    replaced: HashSet<usize>,
    /// The memories that the drafts become, by their places.
    foreseen: HashMap<usize, Memory>,
    /// Known memories that an earlier draft replaces.
    gone: HashSet<MemoryNumber>,
    /// Known memories that have the text of an earlier draft.
    reworded: HashMap<MemoryNumber, Memory>,
    /// Contradictions that earlier drafts are noted with.
    disputes: Disputes,
}

impl<'a> Order<'a> {
    fn new(strand: &'a Strand, asker: &'a Asker, drafts: Vec<Result<Gathered, Refusal>>) -> Self {
        let keys: Vec<Keys> = compared(&drafts).map(|(_, draft)| keys(draft)).collect();
        Self {
            strand,
            asker,
            resembled: resembled(&drafts),
            nearby: Nearby::among(keys.iter()),
            places: Earlier::new(),
            in_use: HashMap::new(),
            repeats: Vec::new(),
            replaced: HashSet::new(),
            foreseen: HashMap::new(),
            gone: HashSet::new(),
            reworded: HashMap::new(),
            disputes: Disputes::default(),
            drafts,
        }
    }

    /// Decides the next draft, and notes what that means for those after it.
    fn decide(&mut self, place: usize) -> Fate {
        let Some(Ok(draft)) = self.drafts.get(place) else {
            return Fate::New(Vec::new());
        };
        let text = (draft.admitted.text_hash, draft.admitted.scope.clone());
        // The writer reinforces what has the very same text.
        if let Some(&earlier) = self.in_use.get(&text) {
            self.repeats.push((place, earlier));
            return Fate::New(Vec::new());
        }
        if !draft.is_compared {
            return Fate::New(Vec::new());
        }
        let (id, keys) = (draft.id(), keys(draft));
        let meaning = self.meaning(place, draft, &keys);
        match meaning {
            Meaning::New(corrections) => {
                let corrections = self.disputes.one_of_each(self.strand, corrections);
                self.disputes.note(id, &corrections);
                for correction in &corrections {
                    if correction.replaces() {
                        self.replace(&correction.memory);
                    }
                }
                self.nearby.add(place, keys);
                self.foresee(place);
                self.places.insert(id, place);
                self.in_use.insert(text, place);
                Fate::New(corrections)
            }
            Meaning::Extends(known) => self.extend(place, *known),
            Meaning::Repeats(memory, similarity) => match self.places.get(&memory.id) {
                Some(&earlier) => Fate::Alike(Alike {
                    earlier,
                    similarity,
                }),
                None => Fate::Repeats(memory, similarity),
            },
        }
    }

    /// What a draft means to what is known and to those before it.
    fn meaning(&self, place: usize, draft: &Gathered, keys: &Keys) -> Meaning {
        let changed = self.near_as_it_is_now(draft);
        let near = changed.as_ref().unwrap_or(&draft.near);
        let earlier = self.earlier(place, draft, keys);
        if earlier.is_empty() {
            return Meaning::of(&draft.admitted, &near.corrections, near.nearest.as_ref());
        }
        let standing = standing(&draft.admitted, self.asker.actor.origin);
        let mut corrections = near.corrections.clone();
        corrections.extend(earlier.iter().filter_map(|(memory, statement)| {
            Correction::of(statement, &draft.statement, memory, standing)
        }));
        let memories = earlier.iter().map(|(memory, _)| *memory);
        let text = &draft.admitted.text;
        let nearest = self.strand.near_duplicate(text, &draft.words, memories);
        let nearest = [near.nearest.clone(), nearest]
            .into_iter()
            .flatten()
            .max_by(|(_, one), (_, other)| one.total_cmp(other));
        Meaning::of(&draft.admitted, &corrections, nearest.as_ref())
    }

    /// The comparison with what is known, again where an earlier draft changes some of that; `None`
    /// where none does.
    fn near_as_it_is_now(&self, draft: &Gathered) -> Option<Near> {
        let near = &draft.near;
        let reworded = near
            .neighbours
            .iter()
            .filter_map(|number| self.reworded.get(number));
        let reworded: Vec<&Memory> = reworded.collect();
        let is_gone = |memory: &&Memory| self.gone.contains(&memory.number);
        if reworded.is_empty() && !near.concerned.iter().any(|memory| is_gone(&memory)) {
            return None;
        }
        let is_as_it_was = |memory: &&Memory| !self.reworded.contains_key(&memory.number);
        let as_they_were = near.concerned.iter().filter(is_as_it_was);
        let concerned = as_they_were
            .chain(reworded)
            .filter(|memory| !is_gone(memory))
            .cloned()
            .collect();
        Some(Near::of(
            self.strand,
            &draft.admitted,
            &draft.statement,
            self.asker.actor.origin,
            &draft.words,
            concerned,
        ))
    }

    /// Earlier drafts that share a draft's rarest words or resemble it, as the memories that they
    /// become.
    fn earlier(&self, place: usize, draft: &Gathered, keys: &Keys) -> Vec<(&Memory, &Statement)> {
        let mut places = self.nearby.resembling(keys);
        places.extend(self.resembled.get(place).copied().flatten());
        places.sort_unstable();
        places.dedup();
        places
            .into_iter()
            .filter(|place| !self.replaced.contains(place))
            .filter_map(|place| {
                let earlier = self.drafts.get(place)?.as_ref().ok()?;
                Some((self.foreseen.get(&place)?, earlier.statement.as_ref()))
            })
            .filter(|(earlier, _)| earlier.scope == draft.admitted.scope)
            .collect()
    }

    /// Notes the memory that a draft becomes, as its text is now.
    fn foresee(&mut self, place: usize) {
        if let Some(Ok(draft)) = self.drafts.get(place) {
            self.foreseen.insert(place, foreseen(draft, self.asker));
        }
    }

    /// Notes that a memory is out of use.
    fn replace(&mut self, memory: &Memory) {
        let Some(&place) = self.places.get(&memory.id) else {
            self.gone.insert(memory.number);
            return;
        };
        self.replaced.insert(place);
        self.nearby.remove(place);
        self.in_use.retain(|_, at| *at != place);
    }

    /// Gives the text of a draft to the memory that said a part of it.
    fn extend(&mut self, place: usize, known: Memory) -> Fate {
        if let Some(&earlier) = self.places.get(&known.id) {
            return self.join(place, earlier);
        }
        let is_first = !self.reworded.contains_key(&known.number);
        let expected = is_first.then_some(known.sequence);
        if let Some(Ok(draft)) = self.drafts.get(place) {
            let reworded = Memory {
                text: draft.admitted.text.clone(),
                ..known.clone()
            };
            self.reworded.insert(known.number, reworded);
        }
        Fate::Extends(Box::new(known), expected)
    }

    /// Gives the text of a draft to an earlier one, which is not stored yet.
    fn join(&mut self, place: usize, earlier: usize) -> Fate {
        let (before, behind) = self.drafts.split_at_mut(place);
        if let (Some(Ok(shorter)), Some(Ok(longer))) = (before.get_mut(earlier), behind.first()) {
            shorter.extend(longer);
            // They are to reinforce it still.
            for (repeat, of) in &self.repeats {
                if let Some(Ok(repeated)) = before.get_mut(*repeat).filter(|_| *of == earlier) {
                    repeated.reword(longer);
                }
            }
            let text = (longer.admitted.text_hash, longer.admitted.scope.clone());
            let keys = keys(longer);
            self.in_use.retain(|_, at| *at != earlier);
            self.in_use.insert(text, earlier);
            self.nearby.add(earlier, keys);
            self.foresee(earlier);
        }
        Fate::Joined(earlier)
    }
}

/// The drafts that are compared with others, with their places.
pub(super) fn compared(
    drafts: &[Result<Gathered, Refusal>],
) -> impl Iterator<Item = (usize, &Gathered)> {
    drafts
        .iter()
        .enumerate()
        .filter_map(|(place, draft)| Some((place, draft.as_ref().ok()?)))
        .filter(|(_, draft)| draft.is_compared)
}

fn keys(draft: &Gathered) -> Keys {
    Keys::of(&draft.admitted.text)
}

/// The memory that a draft becomes, as far as it is compared.
fn foreseen(draft: &Gathered, asker: &Asker) -> Memory {
    let admitted = draft.admitted.as_ref();
    let handle = Handle::propose(&admitted.topic, &admitted.text);
    let topic = admitted.topic.clone().into_inner();
    let text = admitted.text.clone();
    Memory {
        kind: admitted.kind.clone(),
        scope: admitted.scope.clone(),
        importance: admitted.importance,
        confidence: admitted.confidence,
        pinned: admitted.pinned,
        origin: asker.actor.origin,
        attributes: admitted.attributes.clone(),
        sequence: Sequence(0),
        ..Memory::new(draft.id(), NO_NUMBER, handle, topic, text, draft.at)
    }
}
