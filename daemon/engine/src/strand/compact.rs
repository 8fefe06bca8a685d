//! Compacting: what says the same, what has impossible times, and files that hold what nobody reads
//! any more.

use std::collections::{HashMap, HashSet};

use helix_memory::{
    Edit, MemoryNumber, Particulars, SAME_FROM, Saying, Scope, Sequence, Status, TextPair as Pair,
    Texts, Timestamp, WordSet, times,
};

use super::{MergePair, ReadError, Strand};
use crate::index::lexical::LexicalError;
use crate::store::{Snapshot, StoreError};

/// Memories whose texts one search for duplicates compares, the newest first: their words are in
/// RAM meanwhile.
pub const COMPACT_MEMORIES_MAX: usize = 200_000;

/// Duplicates in some scopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Duplicates {
    /// The newer and the older memory of each pair that says the same, from the newest. No
    /// duplicate is kept in another pair.
    pub pairs: Vec<DuplicatePair>,
    /// Pairs of the others that are alike and may well say different things.
    pub similar: Vec<DuplicatePair>,
    /// Memories that were compared with all older ones.
    pub compared: usize,
    /// Memories that were not, because there are more than one search compares.
    pub left_out: usize,
    /// Where the next search goes on with those, when there are any.
    pub rest: Option<Latest>,
}

/// The latest of the memories that a search compares; all older ones are compared too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Latest {
    recorded_at: Timestamp,
    number: MemoryNumber,
}

impl Latest {
    /// Writes it down.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        let (at, number) = bytes.split_at_mut(8);
        at.copy_from_slice(&self.recorded_at.as_micros().to_be_bytes());
        number.copy_from_slice(&self.number.0.to_be_bytes());
        bytes
    }

    /// Reads what was written; `None` for anything else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (at, number) = bytes.split_first_chunk()?;
        let number = u32::from_be_bytes(number.try_into().ok()?);
        Some(Self {
            recorded_at: Timestamp::from_micros(i64::from_be_bytes(*at)),
            number: MemoryNumber(number),
        })
    }
}

/// Two memories that say the same, or nearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicatePair {
    /// The request that merges them.
    pub merge: MergePair,
    /// Jaccard similarity.
    pub similarity: f32,
}

/// The part of a memory that is compared.
struct Compared {
    words: WordSet,
    /// `None` for what is gone, or has no words.
    saying: Option<Saying>,
}

impl Strand {
    /// Finds active memories of these scopes, or of all when none are given, that say what a newer
    /// one of the same scope says, or nearly. An earlier search stopped at `from`; `None` begins
    /// with the newest. `work_max` is the most work, as [`Texts::find_within`] counts it.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn duplicates(
        &self,
        scopes: &[Scope],
        from: Option<Latest>,
        work_max: usize,
    ) -> Result<Duplicates, ReadError> {
        let mut members = self.active_in(scopes);
        members.retain(|member| from.is_none_or(|latest| member.latest() <= latest));
        let left_out = members.len().saturating_sub(COMPACT_MEMORIES_MAX);
        let beyond = left_out
            .checked_sub(1)
            .and_then(|place| members.get(place))
            .map(Member::latest);
        members.drain(..left_out);
        let snapshot = self.snapshot()?;
        let mut compared = Vec::with_capacity(members.len());
        for member in &members {
            let text = snapshot
                .memory(member.number)?
                .map(|memory| memory.text)
                .unwrap_or_default();
            compared.push(Compared {
                words: WordSet::of(&text),
                saying: Saying::of(&text),
            });
        }
        let same = same(&members, &compared);
        let doubled: HashSet<usize> = same.iter().map(|pair| pair.duplicate).collect();
        let mut texts = Texts::default();
        for (place, (member, compared)) in members.iter().zip(&compared).enumerate() {
            // What says the same as another keeps its place, with no words.
            let words = if doubled.contains(&place) {
                &WordSet::default()
            } else {
                &compared.words
            };
            texts.push(member.scope, words);
        }
        let found = texts.find_within(work_max, |one, other| {
            let of = |place: usize| members.get(place).map(|member| member.number);
            of(one)
                .zip(of(other))
                .is_some_and(|(one, other)| DuplicatePair::are_apart(&snapshot, one, other))
        });
        let pairs = |pairs: &[Pair]| {
            pairs
                .iter()
                .filter_map(|pair| merge_of(&members, pair))
                .collect()
        };
        let uncompared = found.stopped_at.map_or(0, |place| place + 1);
        Ok(Duplicates {
            pairs: pairs(&same),
            similar: pairs(&found.pairs),
            compared: members.len() - uncompared,
            left_out: left_out + uncompared,
            rest: found
                .stopped_at
                .and_then(|place| members.get(place))
                .map(Member::latest)
                .or(beyond),
        })
    }

    /// From old to new.
    fn active_in(&self, scopes: &[Scope]) -> Vec<Member> {
        let catalog = self.catalog();
        let known: Vec<u32> = scopes
            .iter()
            .filter_map(|scope| catalog.scopes.find(&scope.to_string()))
            .collect();
        let is_wanted = |scope: &u32| scopes.is_empty() || known.contains(scope);
        let rows = catalog
            .rows()
            .filter(|(_, row)| row.status == Status::Active && is_wanted(&row.scope));
        let mut members: Vec<Member> = rows
            .map(|(number, row)| Member {
                recorded_at: row.recorded_at,
                number,
                scope: row.scope,
                topic: row.topic,
                sequence: row.sequence,
            })
            .collect();
        members.sort_unstable_by_key(|member| (member.recorded_at, member.number));
        members
    }

    /// Memories of these scopes, or of all when none are given, whose times cannot be, of any
    /// status, with the edit that puts them right.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn impossible_times(
        &self,
        scopes: &[Scope],
        now: Timestamp,
    ) -> Result<Vec<(MemoryNumber, Edit)>, StoreError> {
        let mut found = Vec::new();
        self.snapshot()?.for_each_memory(|memory| {
            if (scopes.is_empty() || scopes.contains(&memory.scope))
                && let Some(edit) = times::repair(&memory, now)
            {
                found.push((memory.number, edit));
            }
            Ok::<_, StoreError>(())
        })?;
        Ok(found)
    }

    /// Commits the word index's tail and rewrites its segments as one, without what is gone.
    ///
    /// # Errors
    /// When the disk fails. Nothing is lost then.
    pub fn compact_words(&self) -> Result<(), LexicalError> {
        self.lexical.compact()
    }
}

/// Pairs of which the later one says what the earlier one says, by their places: the same words in
/// one scope, or in one topic of it all words but small ones.
fn same(members: &[Member], compared: &[Compared]) -> Vec<Pair> {
    let (mut exactly, mut roughly) = (HashMap::new(), HashMap::new());
    let mut pairs = Vec::new();
    for (place, (member, one)) in members.iter().zip(compared).enumerate().rev() {
        let Some(saying) = one.saying else { continue };
        let (exact, rough) = (
            (member.scope, saying.exactly),
            (member.scope, member.topic, saying.roughly),
        );
        let similarity = |kept: usize| {
            compared
                .get(kept)
                .map_or(0.0, |kept| kept.words.jaccard(&one.words))
        };
        let alike = || {
            roughly
                .get(&rough)
                .copied()
                .filter(|kept| similarity(*kept) >= SAME_FROM)
        };
        if let Some(kept) = exactly.get(&exact).copied().or_else(alike) {
            pairs.push(Pair {
                kept,
                duplicate: place,
                similarity: similarity(kept),
            });
            continue;
        }
        exactly.insert(exact, place);
        roughly.entry(rough).or_insert(place);
    }
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.kept));
    pairs
}

impl DuplicatePair {
    /// Returns whether two alike memories are about different things, or one denies the other. One that
    /// cannot be read is: nothing is advised about it.
    #[must_use]
    pub fn are_apart(snapshot: &Snapshot, one: MemoryNumber, other: MemoryNumber) -> bool {
        let particulars = |number| {
            snapshot
                .memory(number)
                .ok()
                .flatten()
                .map(|memory| Particulars::of(&memory.text))
        };
        particulars(one)
            .zip(particulars(other))
            .is_none_or(|(one, other)| !one.may_be_the_same(&other) || one.is_turned_round(&other))
    }
}

fn merge_of(members: &[Member], pair: &Pair) -> Option<DuplicatePair> {
    let (kept, duplicate) = (members.get(pair.kept)?, members.get(pair.duplicate)?);
    let merge = MergePair {
        kept: kept.number,
        kept_sequence: kept.sequence,
        duplicate: duplicate.number,
        duplicate_sequence: duplicate.sequence,
    };
    Some(DuplicatePair {
        merge,
        similarity: pair.similarity,
    })
}

/// The catalog's knowledge of a memory that is compared.
struct Member {
    topic: u32,
    recorded_at: Timestamp,
    number: MemoryNumber,
    scope: u32,
    sequence: Sequence,
}

impl Member {
    const fn latest(&self) -> Latest {
        Latest {
            recorded_at: self.recorded_at,
            number: self.number,
        }
    }
}
