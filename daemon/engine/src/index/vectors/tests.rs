//! The index against brute force over [`Code::cosine`] and against a map.

#![expect(clippy::unwrap_used, reason = "a test may fail by panic")]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fixture::Clusters;
use super::plan::Plan;
use super::*;

const DIMENSIONS: usize = 24;

/// Answers as an exact search must.
fn brute_force(
    model: &BTreeMap<u32, Code>,
    query: &[f32],
    limit: usize,
    keeps: impl Fn(u32) -> bool,
) -> Vec<Hit> {
    let query = Code::quantize(query).unwrap();
    let mut hits: Vec<Hit> = model
        .iter()
        .filter(|(number, _)| keeps(**number))
        .map(|(&number, code)| Hit {
            number,
            cosine: query.cosine(code),
        })
        .collect();
    hits.sort_by(|one, other| {
        other
            .cosine
            .total_cmp(&one.cosine)
            .then(one.number.cmp(&other.number))
    });
    hits.truncate(limit);
    hits
}

fn vector() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-1.0_f32..1.0, DIMENSIONS)
        .prop_filter("has a direction", |v| v.iter().any(|x| x.abs() > 1e-3))
}

#[derive(Clone, Debug)]
enum Change {
    Insert(u32, Vec<f32>),
    Remove(u32),
    Rebuild,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        6 => (0_u32..40, vector()).prop_map(|(number, vector)| Change::Insert(number, vector)),
        3 => (0_u32..40).prop_map(Change::Remove),
        1 => Just(Change::Rebuild),
    ];
    prop::collection::vec(change, 0..80)
}

fn apply(changes: &[Change]) -> (VectorIndex, BTreeMap<u32, Code>) {
    let (mut index, mut model) = (VectorIndex::new(DIMENSIONS), BTreeMap::new());
    for change in changes {
        match change {
            Change::Insert(number, vector) => {
                let code = Code::quantize(vector).unwrap();
                index.insert(*number, &code).unwrap();
                model.insert(*number, code);
            }
            Change::Remove(number) => {
                assert_eq!(index.remove(*number), model.remove(number).is_some());
            }
            Change::Rebuild => index.rebuild(),
        }
    }
    (index, model)
}

proptest! {
    #[test]
    fn any_changes_leave_what_a_map_would_hold(changes in changes()) {
        let (index, model) = apply(&changes);
        prop_assert_eq!(index.len(), model.len());
        for number in 0..45 {
            prop_assert_eq!(index.code(number), model.get(&number).cloned());
            prop_assert_eq!(index.contains(number), model.contains_key(&number));
        }
    }

    #[test]
    fn exact_searches_equal_brute_force(changes in changes(), query in vector(), limit in 0_usize..50, list in prop::collection::vec(0_u32..60, 0..50)) {
        let (index, model) = apply(&changes);
        let all = index.search(&query, limit, Candidates::ALL).unwrap();
        prop_assert_eq!(all, brute_force(&model, &query, limit, |_| true));
        let expected = brute_force(&model, &query, limit, |number| list.contains(&number));
        prop_assert_eq!(&index.search(&query, limit, Candidates::List(&list)).unwrap(), &expected);
        let filter = Candidates::Filter { keeps: &|number| list.contains(&number), expected: list.len() };
        prop_assert_eq!(&index.search(&query, limit, filter).unwrap(), &expected);
    }

    #[test]
    fn the_binary_codes_depend_on_what_is_held_not_on_how_it_came(changes in changes(), query in vector()) {
        let (mut index, model) = apply(&changes);
        let mut fresh = VectorIndex::new(DIMENSIONS);
        for (&number, code) in &model {
            fresh.insert(number, code).unwrap();
        }
        index.rebuild();
        fresh.rebuild();
        let code = Code::quantize(&query).unwrap();
        prop_assert_eq!(estimates(&index, &code), estimates(&fresh, &code));
    }
}

/// The binary scan's score of every number.
fn estimates(index: &VectorIndex, query: &Code) -> BTreeMap<u32, u32> {
    let query = index.binary.query(query);
    let room = index.len().next_multiple_of(kernel::BLOCK_LANES);
    let (mut sums, mut scores) = (vec![0; room], vec![0.0; room]);
    let filled = index.binary.scores(&query, 0, &mut sums, &mut scores);
    assert_eq!(filled, index.len());
    scores[..filled]
        .iter()
        .zip(index.rows.numbers())
        .map(|(score, &number)| (number, score.to_bits()))
        .collect()
}

const LARGE: u32 = 24_000;
const LARGE_DIMENSIONS: usize = 384;
const QUERIES: u16 = 40;
const HITS: usize = 10;

/// The share of the true best ten that a search over `candidates` finds.
fn recall(
    clusters: &mut Clusters,
    index: &VectorIndex,
    candidates: Candidates<'_>,
    keeps: impl Fn(u32) -> bool,
) -> f32 {
    let model: BTreeMap<u32, Code> = (0..LARGE)
        .map(|number| (number, index.code(number).unwrap()))
        .collect();
    let mut found: u16 = 0;
    for _ in 0..QUERIES {
        let query = clusters.vector();
        let hits = index.search(&query, HITS, candidates).unwrap();
        let expected = brute_force(&model, &query, HITS, &keeps);
        assert!(hits.is_sorted_by(|one, other| one.cosine >= other.cosine));
        for hit in &hits {
            assert_eq!(
                model[&hit.number]
                    .cosine(&Code::quantize(&query).unwrap())
                    .to_bits(),
                hit.cosine.to_bits()
            );
        }
        found += expected
            .iter()
            .filter(|hit| hits.contains(hit))
            .map(|_| 1)
            .sum::<u16>();
    }
    f32::from(found) / (f32::from(QUERIES) * 10.0)
}

#[test]
fn a_binary_scan_finds_nearly_all_of_the_true_best() {
    let mut clusters = Clusters::new(100, LARGE_DIMENSIONS);
    let index = clusters.index(LARGE, LARGE_DIMENSIONS);
    let keeps = |number: u32| !number.is_multiple_of(16);
    let filter = Candidates::Filter {
        keeps: &keeps,
        expected: 22_500,
    };
    let list: Vec<u32> = (0..LARGE).rev().filter(|&number| keeps(number)).collect();
    for (candidates, share) in [
        (
            Candidates::ALL,
            recall(&mut clusters, &index, Candidates::ALL, |_| true),
        ),
        (filter, recall(&mut clusters, &index, filter, keeps)),
        (
            Candidates::List(&list),
            recall(&mut clusters, &index, Candidates::List(&list), keeps),
        ),
    ] {
        assert!(matches!(index.plan(candidates), Plan::Binary { .. }));
        assert!(share >= 0.99, "recall {share}");
    }
}

#[test]
fn a_filter_that_passes_far_more_than_expected_is_scanned() {
    let mut clusters = Clusters::new(50, DIMENSIONS);
    let index = clusters.index(41_000, DIMENSIONS);
    let query = clusters.vector();
    let wrong = Candidates::Filter {
        keeps: &|_| true,
        expected: 5,
    };
    assert_eq!(index.plan(wrong), Plan::Exact);
    assert_eq!(
        index.search(&query, 5, wrong).unwrap(),
        index.search(&query, 5, Candidates::ALL).unwrap()
    );
}

#[test]
fn a_filter_that_keeps_nothing_finds_nothing_by_either_way() {
    let index = Clusters::new(50, DIMENSIONS).index(21_000, DIMENSIONS);
    for expected in [0, 21_000] {
        let filter = Candidates::Filter {
            keeps: &|_| false,
            expected,
        };
        assert_eq!(index.search(&[1.0; DIMENSIONS], 5, filter).unwrap(), []);
    }
}

#[test]
fn identical_vectors_are_all_found_by_either_way() {
    let mut clusters = Clusters::new(20, DIMENSIONS);
    for count in [500, 21_000] {
        let mut index = clusters.index(count, DIMENSIONS);
        let twin = clusters.vector();
        for number in 0..8 {
            index
                .insert(1_000_000 + number, &Code::quantize(&twin).unwrap())
                .unwrap();
        }
        let hits = index.search(&twin, 8, Candidates::ALL).unwrap();
        assert_eq!(
            hits.iter().map(|hit| hit.number).collect::<Vec<_>>(),
            (1_000_000..1_000_008).collect::<Vec<_>>()
        );
        assert!(hits.iter().all(|hit| hit.cosine > 0.999_999));
    }
}

#[test]
fn an_empty_index_finds_nothing() {
    let mut index = VectorIndex::new(2);
    for candidates in [
        Candidates::ALL,
        Candidates::List(&[0, 1]),
        Candidates::Filter {
            keeps: &|_| true,
            expected: 9,
        },
    ] {
        assert_eq!(index.search(&[1.0, 0.0], 3, candidates).unwrap(), []);
    }
    assert_eq!(index.len(), 0);
    assert!(!index.remove(0));
    index.rebuild();
    assert_eq!(index.code(0), None);
}

#[test]
fn the_limit_may_be_nothing_or_more_than_there_is() {
    let index = Clusters::new(3, DIMENSIONS).index(12, DIMENSIONS);
    let count = |limit| {
        index
            .search(&[1.0; DIMENSIONS], limit, Candidates::ALL)
            .unwrap()
            .len()
    };
    assert_eq!(
        [count(0), count(12), count(13), count(usize::MAX)],
        [0, 12, 12, 12]
    );
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut index = VectorIndex::new(2);
    let dimension = VectorError::Dimension {
        expected: 2,
        given: 3,
    };
    let wide = Code::quantize(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(index.insert(0, &wide), Err(dimension.clone()));
    assert_eq!(
        index.search(&[1.0, 2.0, 3.0], 1, Candidates::ALL),
        Err(dimension)
    );
    let number = MAX_NUMBER + 1;
    assert_eq!(
        index.insert(number, &Code::quantize(&[1.0, 2.0]).unwrap()),
        Err(VectorError::Number { number })
    );
    assert_eq!(
        index.search(&[f32::NAN, 1.0], 1, Candidates::ALL),
        Err(VectorError::NotFinite { position: 0 })
    );
    assert_eq!(index.len(), 0);
}

#[test]
fn a_space_without_dimensions_takes_nothing() {
    let mut index = VectorIndex::new(0);
    let given = Code::quantize(&[1.0]).unwrap();
    assert_eq!(
        index.insert(0, &given),
        Err(VectorError::Dimension {
            expected: 0,
            given: 1
        })
    );
    assert_eq!(
        index.search(&[], 1, Candidates::ALL),
        Err(VectorError::Length { dimensions: 0 })
    );
}

#[test]
fn a_vector_takes_what_the_module_says() {
    let mut index = Clusters::new(10, LARGE_DIMENSIONS).index(4_096, LARGE_DIMENSIONS);
    index.rebuild();
    // Growing by doubling may leave half of the room spare; 4,096 fills it.
    assert!(
        index.resident_bytes() / index.len() <= 384 + 48 + 20 + 2,
        "{}",
        index.resident_bytes() / index.len()
    );
}
