#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::*;

/// Texts that say different things.
const TEXTS: [&str; 8] = [
    "walrus", "seal", "otter", "heron", "ibis", "lynx", "okapi", "tapir",
];

fn candidate(topic: u32, score: f32, direction: [f32; 2]) -> Candidate<'static> {
    Candidate {
        topic,
        is_suspect: false,
        score,
        text: TEXTS[topic as usize % TEXTS.len()],
        code: Some(Code::quantize(&direction).unwrap()),
    }
}

fn said(topic: u32, score: f32, text: &str) -> Candidate<'_> {
    Candidate {
        topic,
        is_suspect: false,
        score,
        text,
        code: None,
    }
}

fn of_topic_one(scores: &[f32]) -> Vec<Candidate<'static>> {
    let texts = scores.iter().zip(TEXTS);
    texts.map(|(score, text)| said(1, *score, text)).collect()
}

fn order(candidates: &[Candidate<'_>], limit: usize, spread: Spread) -> Vec<usize> {
    select(candidates, limit, spread, Taken::new()).order
}

#[test]
fn a_topic_fills_the_answer_where_nothing_else_is_as_good() {
    let mut candidates = of_topic_one(&[0.9, 0.8, 0.7, 0.6, 0.5]);
    candidates.push(said(2, 0.1, "marmot"));
    assert_eq!(order(&candidates, 10, Spread::Topics), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order(&candidates, 2, Spread::Topics), [0, 1]);
}

#[test]
fn a_topics_fourth_hit_lets_one_pass_that_is_about_as_good() {
    let mut candidates = of_topic_one(&[0.9, 0.8, 0.7, 0.6, 0.5]);
    candidates.insert(4, said(2, 0.58, "marmot"));
    assert_eq!(order(&candidates, 10, Spread::Topics), [0, 1, 2, 4, 3, 5]);
    assert_eq!(order(&candidates, 10, Spread::Asked), [0, 1, 2, 3, 4, 5]);
    let taken = select(&candidates, 10, Spread::Topics, Taken::from([(1, 3)]));
    assert_eq!(taken.order, [0, 1, 2, 4, 3, 5]);
    assert_eq!(taken.taken, Taken::from([(1, 8), (2, 1)]));
}

#[test]
fn what_is_alike_steps_back_a_little() {
    let candidates = [
        candidate(1, 1.0, [1.0, 0.0]),
        candidate(2, 0.99, [1.0, 0.001]),
        candidate(3, 0.95, [0.0, 1.0]),
        candidate(4, 0.85, [0.0, -1.0]),
    ];
    assert_eq!(order(&candidates, 4, Spread::Topics), [0, 2, 1, 3]);
}

#[test]
fn what_says_the_same_is_a_copy() {
    let mut candidates = vec![
        said(1, 1.0, "The walrus build needs arm64, and a clean cache."),
        said(2, 0.99, "walrus build needs **arm64** and a clean cache"),
        said(3, 0.98, "the walrus build needs arm65 and a clean cache"),
        said(4, 0.6, "a seal build needs nothing"),
        said(5, 0.4, "an otter"),
    ];
    assert_eq!(order(&candidates, 5, Spread::Topics), [0, 2, 3, 4]);
    let all = select(&candidates, 5, Spread::Topics, Taken::new());
    assert_eq!(all.copies, [vec![1], vec![], vec![], vec![]]);
    // Where vectors say that the texts are far apart nobody reads them.
    candidates[0].code = Some(Code::quantize(&[1.0, 0.0]).unwrap());
    candidates[1].code = Some(Code::quantize(&[0.0, 1.0]).unwrap());
    assert_eq!(order(&candidates, 5, Spread::Topics), [0, 1, 2, 3, 4]);
}

#[test]
fn a_selection_knows_what_could_beat_it() {
    let candidates = [candidate(1, 1.0, [1.0, 0.0]), candidate(2, 0.5, [0.0, 1.0])];
    let selection = select(&candidates, 2, Spread::Asked, Taken::new());
    assert!(selection.holds_against(0.49, 2));
    assert!(!selection.holds_against(0.5, 2), "what ties may come first");
    assert!(!selection.holds_against(0.1, 3), "it lacks one");
}

/// Candidates of few topics, best first, some of which say the same.
fn candidates() -> impl Strategy<Value = Vec<(u32, u16, usize)>> {
    let one = (0..3_u32, 1..1_000_u16, 0..TEXTS.len());
    proptest::collection::vec(one, 0..20).prop_map(|mut all| {
        all.sort_by_key(|(_, score, _)| std::cmp::Reverse(*score));
        all
    })
}

proptest! {
    #[test]
    fn only_copies_are_left_out_and_nothing_better_is_far_behind(
        all in candidates(),
        limit in 0..25_usize,
    ) {
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .map(|&(topic, score, text)| said(topic, f32::from(score) / 1_000.0, TEXTS[text]))
            .collect();
        let whole = select(&candidates, candidates.len(), Spread::Topics, Taken::new());
        let some = select(&candidates, limit, Spread::Topics, Taken::new());
        prop_assert_eq!(&some.order[..], &whole.order[..limit.min(whole.order.len())]);
        for (at, copies) in whole.order.iter().zip(&whole.copies) {
            prop_assert!(copies.iter().all(|copy| all[*copy].2 == all[*at].2));
        }
        let mut places: Vec<usize> = whole.copies.concat();
        places.extend(&whole.order);
        places.sort_unstable();
        prop_assert_eq!(places, (0..candidates.len()).collect::<Vec<_>>());
        prop_assert!(whole.worth.is_sorted_by(|one, next| one >= next));
        for pair in whole.order.windows(2) {
            let (before, after) = (&candidates[pair[0]], &candidates[pair[1]]);
            prop_assert!(before.score >= after.score * FURTHER_OF_TOPIC - 1e-6);
        }
    }
}
