//! Which of the imported memories nearly repeat another one: told, never dropped. One pass at the
//! import's end, over as many texts as cost a fraction of a second, whatever the size of import and
//! strand.

use std::collections::{HashMap, HashSet};

use helix_engine::{DuplicatePair, Snapshot, StoreError};
use helix_memory::{
    Memory, MemoryNumber, Status as Life, TextPair as Pair, Texts, Timestamp, WordSet,
};

use crate::exchange::{Progress, Repeat};
use crate::{App, Refusal};

/// Texts that are compared: the imported ones first, then the newest of the others. An import of
/// any size waits no longer for it than for the storing of some thousand.
const COMPARED_MAX: usize = 10_000;

/// Pairs that are named.
const PAIRS_MAX: usize = 5;

/// The memories that an import stored.
#[derive(Debug, Default)]
pub(super) struct Stored {
    /// As many as are compared, in the order of the file.
    numbers: Vec<MemoryNumber>,
    /// How many there are beyond them.
    uncompared: u64,
}

/// One of the texts that are compared.
struct Member {
    number: MemoryNumber,
    scope: u32,
}

impl Stored {
    /// Notes one.
    pub(super) fn add(&mut self, memory: &Memory) {
        if self.numbers.len() < COMPARED_MAX {
            self.numbers.push(memory.number);
        } else {
            self.uncompared += 1;
        }
    }
}

/// Finds the stored memories that nearly repeat one that was there or another of the import, and
/// reports them.
pub(super) fn find(app: &App, stored: &Stored, progress: &mut Progress) -> Result<(), Refusal> {
    if stored.numbers.is_empty() {
        return Ok(());
    }
    let failed = |error: StoreError| Refusal::of(error.kind(), &error);
    let (members, others, left_out) = members(app, stored);
    let snapshot = app.memory.strand.snapshot().map_err(failed)?;
    let mut texts = Texts::default();
    for member in &members {
        let memory = snapshot.memory(member.number).map_err(failed)?;
        let words = memory.map_or_else(WordSet::default, |memory| WordSet::of(&memory.text));
        texts.push(member.scope, &words);
    }
    let found = texts.find(|one, other| {
        let of = |place: usize| members.get(place).map(|member| member.number);
        of(one)
            .zip(of(other))
            .is_some_and(|(one, other)| DuplicatePair::are_apart(&snapshot, one, other))
    });
    let mut pairs: Vec<Pair> = found
        .pairs
        .into_iter()
        .filter(|pair| pair.kept >= others)
        .collect();
    progress.repeats = count(&pairs, others);
    // What is nearest is what most likely says the same.
    pairs.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    progress.is_repeats_cut = left_out || found.stopped_at.is_some() || stored.uncompared > 0;
    for pair in pairs.iter().take(PAIRS_MAX) {
        let handles = (
            handle(&snapshot, &members, pair.kept),
            handle(&snapshot, &members, pair.duplicate),
        );
        if let (Some(handle), Some(of)) = handles {
            progress.repeated.push(Repeat {
                handle,
                of,
                similarity: pair.similarity,
            });
        }
    }
    Ok(())
}

/// The others from old to new, then the stored ones; how many the others are, and whether some of
/// them were left out.
fn members(app: &App, stored: &Stored) -> (Vec<Member>, usize, bool) {
    let catalog = app.memory.strand.catalog();
    let own: HashSet<MemoryNumber> = stored.numbers.iter().copied().collect();
    let mut scopes: HashMap<&str, u32> = HashMap::new();
    let mut imported = Vec::with_capacity(stored.numbers.len());
    for &number in &stored.numbers {
        let Some(row) = catalog.row(number).filter(|row| row.status == Life::Active) else {
            continue;
        };
        let next = u32::try_from(scopes.len()).unwrap_or(u32::MAX);
        imported.push(Member {
            number,
            scope: *scopes.entry(catalog.scope_of(row)).or_insert(next),
        });
    }
    let rows = catalog
        .rows()
        .filter(|(number, row)| row.status == Life::Active && !own.contains(number));
    let mut others: Vec<(Timestamp, Member)> = rows
        .filter_map(|(number, row)| {
            let scope = *scopes.get(catalog.scope_of(row))?;
            Some((row.recorded_at, Member { number, scope }))
        })
        .collect();
    others.sort_unstable_by_key(|(at, member)| (*at, member.number));
    let left_out = others.len().saturating_sub(COMPARED_MAX - imported.len());
    let mut members: Vec<Member> = others
        .into_iter()
        .skip(left_out)
        .map(|(_, member)| member)
        .collect();
    let others = members.len();
    members.extend(imported);
    (members, others, left_out > 0)
}

/// How many imported memories repeat something: of those that resemble each other all but one, and
/// all where one of them was there before, which are the first `others`.
fn count(pairs: &[Pair], others: usize) -> u64 {
    let mut above: HashMap<usize, usize> = HashMap::new();
    for pair in pairs {
        let (kept, duplicate) = (top(&mut above, pair.kept), top(&mut above, pair.duplicate));
        // The smaller one stays on top: one that was there before, if there is any.
        above.insert(kept.max(duplicate), kept.min(duplicate));
    }
    let places: Vec<usize> = above.keys().copied().collect();
    places
        .into_iter()
        .filter(|&place| place >= others && top(&mut above, place) != place)
        .count() as u64
}

/// The place that stands for all that resemble this one.
fn top(above: &mut HashMap<usize, usize>, mut place: usize) -> usize {
    loop {
        let next = *above.entry(place).or_insert(place);
        if next == place {
            return place;
        }
        let skipped = above.get(&next).copied().unwrap_or(next);
        above.insert(place, skipped);
        place = skipped;
    }
}

fn handle(snapshot: &Snapshot, members: &[Member], place: usize) -> Option<String> {
    let memory = snapshot.memory(members.get(place)?.number).ok()??;
    Some(memory.handle.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_those_that_resemble_each_other_all_but_one_count() {
        let pair = |kept, duplicate| Pair {
            kept,
            duplicate,
            similarity: 0.9,
        };
        let all_alike: Vec<Pair> = (10..109).map(|other| pair(109, other)).collect();
        assert_eq!(count(&all_alike, 10), 99);
        // 12 repeats three others, two of which were there, and 15 one that is imported.
        assert_eq!(
            count(&[pair(15, 14), pair(12, 11), pair(12, 3), pair(12, 2)], 10),
            3
        );
        // What joins two groups makes them one.
        assert_eq!(count(&[pair(11, 10), pair(13, 12), pair(13, 11)], 0), 3);
        assert_eq!(count(&[], 0), 0);
    }
}
