//! How near in meaning a hit is, beside what else is near.
//!
//! Some texts are near to every question: short ones, vague ones, those that many others resemble.
//! A cosine says the less the more crowded it is around a memory, so that a share of the mean cosine
//! with its nearest neighbours is taken off (cross-domain similarity local scaling, Conneau et al.
//! 2018, with the list itself as the neighbourhood). It costs no index, and a new memory counts at
//! once.

use helix_memory::MemoryNumber;

use crate::strand::Strand;

/// Neighbours that crowd a memory. From 5 to 20 all do about as well.
const NEIGHBOURS: usize = 10;

/// Share of the neighbours' mean cosine that is taken off.
///
/// By meaning alone, R@5 / nDCG@10 without and with it: issues to fixes .832 / .740, .848 / .744;
/// questions to functions .848 / .735, .850 / .749; to turns .516 / .454, .530 / .455; other
/// languages .857 / .776, .875 / .801; made turns, whose small talk is near to everything, .639 /
/// .554, .792 / .687. From 0.2 to 0.35 the first four change by less than .01; with more, the hybrid
/// of made turns falls further below meaning alone.
const CROWDING_SHARE: f32 = 0.2;

/// A hit by meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub(super) number: MemoryNumber,
    /// Cosine with what was asked.
    pub(super) cosine: f32,
    /// What the cosine counts beside those of the others.
    pub(super) standing: f32,
}

impl Near {
    /// A hit whose cosine counts as it is.
    pub(super) fn uncrowded((number, cosine): (MemoryNumber, f32)) -> Self {
        Self {
            number,
            cosine,
            standing: cosine,
        }
    }
}

impl Strand {
    /// What the cosines of a list count.
    pub(super) fn standings(&self, list: &[(MemoryNumber, f32)]) -> Vec<Near> {
        let mut near: Vec<Near> = list.iter().copied().map(Near::uncrowded).collect();
        if helix_ablation::is_off("search/crowding") {
            return near;
        }
        let numbers: Vec<MemoryNumber> = near.iter().map(|hit| hit.number).collect();
        for (hit, crowding) in near.iter_mut().zip(self.crowding(&numbers, NEIGHBOURS)) {
            hit.standing -= CROWDING_SHARE * crowding;
        }
        near
    }
}
