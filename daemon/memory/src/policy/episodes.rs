//! Repeated episodes: memories of events that say the same so often that it is a lasting fact.
//!
//! Two episodes are alike when they are as near as near duplicates are, in words or in meaning, and
//! nothing sets them apart: no other service, port, version or environment, and no negation. The
//! group is built around one of them, to which each of the others is alike, so that its text can
//! stand for all.
//!
//! Measured on `episodes/groups.toml`.

use std::cmp::Reverse;

use super::apart::Particulars;
use super::consolidate::Statement;
use super::resemble::WordSet;
use crate::model::Memory;

/// Occasions from which a repeated episode is worth a lasting memory. One may be chance, and two a
/// coincidence.
pub const OCCASIONS_MIN: usize = 3;

/// Episodes that are compared with each other at once, the newest of a scope: each pair is looked
/// at, half a million of them in a tenth of a second.
pub const COMPARED_MAX: usize = 1_000;

impl Memory {
    /// Says in a lasting memory's attributes on how many occasions its episodes were told.
    pub const ATTRIBUTE_OCCASIONS: &str = "helix.occasions";
}

/// Cosine from which two episodes may be alike, as for paraphrases.
pub const MEANING_ALIKE: f32 = 0.9;

/// An episode as it is compared.
#[derive(Clone, Debug)]
pub struct Episode {
    words: WordSet,
    particulars: Particulars,
    is_negated: bool,
    occasions: usize,
}

impl Episode {
    /// Reads a text that was told on so many occasions.
    #[must_use]
    pub fn of(text: &str, occasions: usize) -> Self {
        Self {
            words: WordSet::of(text),
            particulars: Particulars::of(text),
            is_negated: Statement::of(text).is_negated(),
            occasions,
        }
    }

    /// Returns whether both tell the same. `cosine` is asked only where their words leave it open.
    fn is_like(&self, other: &Self, cosine: impl FnOnce() -> Option<f32>) -> bool {
        let is_short = |episode: &Self| episode.words.len() < WordSet::TOKENS_MIN;
        if is_short(self) || is_short(other) || self.is_negated != other.is_negated {
            return false;
        }
        if self.particulars.are_apart(&other.particulars) {
            return false;
        }
        let is_near = self.words.jaccard(&other.words) > WordSet::NEAR_DUPLICATE;
        is_near || cosine().is_some_and(|cosine| cosine >= MEANING_ALIKE)
    }
}

/// Episodes that tell the same, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The one that all of them are alike to.
    pub centre: usize,
    /// All of them, the centre included, in their order.
    pub members: Vec<usize>,
    /// The occasions on which they were told.
    pub occasions: usize,
}

/// Finds the groups that were told often enough, the largest first. No episode is in two of them.
/// `cosine` says how near two are in meaning; `None` where that is not known.
#[must_use]
pub fn repeated(episodes: &[Episode], cosine: impl Fn(usize, usize) -> Option<f32>) -> Vec<Group> {
    let mut alike = alike(episodes, cosine);
    let mut groups = Vec::new();
    while let Some(group) = largest(episodes, &alike) {
        for others in &mut alike {
            others.retain(|other| !group.members.contains(other));
        }
        groups.push(group);
    }
    groups
}

/// For each episode those that are alike to it, itself included.
fn alike(episodes: &[Episode], cosine: impl Fn(usize, usize) -> Option<f32>) -> Vec<Vec<usize>> {
    let mut alike: Vec<Vec<usize>> = (0..episodes.len()).map(|place| vec![place]).collect();
    for (later, episode) in episodes.iter().enumerate() {
        for (earlier, other) in episodes.iter().enumerate().take(later) {
            if episode.is_like(other, || cosine(later, earlier)) {
                note(&mut alike, later, earlier);
                note(&mut alike, earlier, later);
            }
        }
    }
    alike
}

fn note(alike: &mut [Vec<usize>], of: usize, other: usize) {
    if let Some(others) = alike.get_mut(of) {
        others.push(other);
    }
}

/// The group of the most occasions that is left, if those are enough; of equal ones that around the
/// episode with the fewest words, and of those the newest.
fn largest(episodes: &[Episode], alike: &[Vec<usize>]) -> Option<Group> {
    let occasions = |members: &[usize]| -> usize {
        let members = members.iter().filter_map(|place| episodes.get(*place));
        members.map(|episode| episode.occasions).sum()
    };
    let free = alike
        .iter()
        .enumerate()
        .filter(|(centre, members)| members.contains(centre));
    let words = |place: usize| episodes.get(place).map_or(0, |episode| episode.words.len());
    let (centre, members) = free
        .max_by_key(|(centre, members)| (occasions(members), Reverse(words(*centre)), *centre))?;
    let occasions = occasions(members);
    if occasions < OCCASIONS_MIN {
        return None;
    }
    let mut members = members.clone();
    members.sort_unstable();
    Some(Group {
        centre,
        members,
        occasions,
    })
}

#[cfg(test)]
mod tests;
