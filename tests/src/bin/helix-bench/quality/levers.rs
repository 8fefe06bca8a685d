//! The parts of a search, each on and off.

use helix_proto::v1::Retriever;

/// One way to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lever {
    /// As tables call it.
    pub(super) name: &'static str,
    pub(super) retriever: Retriever,
    /// What is switched off, or what takes its place.
    pub(super) ablated: Option<&'static str>,
}

impl Lever {
    const fn list(name: &'static str, retriever: Retriever) -> Self {
        Self {
            name,
            retriever,
            ablated: None,
        }
    }

    const fn without(name: &'static str, ablated: &'static str) -> Self {
        Self {
            name,
            retriever: Retriever::Hybrid,
            ablated: Some(ablated),
        }
    }
}

/// Both lists alone, and a search as it is: what the gate holds.
pub(super) const HELD: [Lever; 3] = [
    Lever::list("words", Retriever::Words),
    Lever::list("meaning", Retriever::Meaning),
    Lever::list(DEFAULT, Retriever::Hybrid),
];

/// The name of a search as it is.
pub(super) const DEFAULT: &str = "hybrid";

/// The search with other weights, and without each of its parts.
pub(super) const ABLATED: [Lever; 12] = [
    Lever::without("hybrid, words weigh .4", "search/weights=0.4"),
    Lever::without("hybrid, words weigh .5", "search/weights=0.5"),
    Lever::without("hybrid, words weigh .6", "search/weights=0.6"),
    Lever::without("hybrid, words always trusted", "search/trust"),
    Lever::without("hybrid, cosines however alike", "search/apartness"),
    Lever::without("hybrid, cosines however crowded", "search/crowding"),
    Lever::without("hybrid without tokens", "search/tokens"),
    Lever::without("hybrid without diversity", "search/diversity"),
    Lever::without("hybrid without exact tokens", "search/exact"),
    Lever::without("hybrid without turns", "search/turns"),
    Lever::without("hybrid without expansion", "search/expansion"),
    Lever::without("hybrid without factors", "search/factors"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_search_is_switched_off_by_a_lever() {
        for part in helix_ablation::SEARCH_PARTS {
            let names = |lever: &Lever| {
                let ablated = lever.ablated.unwrap_or_default();
                ablated.split('=').next() == Some(part)
            };
            assert!(ABLATED.iter().any(names), "{part}");
        }
    }
}
