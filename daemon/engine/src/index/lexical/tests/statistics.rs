//! A memory that is replaced or removed counts for nothing, wherever it still stands.

use super::*;

const QUERIES: [&str; 5] = [
    "socket daemon",
    "build cache",
    "zstd",
    "rollback parser token",
    "lock_guard",
];

fn scores(index: &LexicalIndex) -> Vec<Vec<(u32, f32)>> {
    let of = |text: &&str| {
        let query = LexicalQuery::parse(text, Mode::Any);
        let hits = index.search(&query, 1_000, &Restriction::default(), |_| true);
        let hits = hits.unwrap().into_iter();
        hits.map(|hit| (hit.number, hit.score)).collect()
    };
    QUERIES.iter().map(of).collect()
}

fn rarities(index: &LexicalIndex) -> Vec<(Vec<f32>, f32)> {
    let of = |text: &&str| {
        let query = LexicalQuery::parse(text, Mode::Any);
        let rarities = index.rarities(&query).unwrap();
        (rarities.of_terms, rarities.score_scale)
    };
    QUERIES.iter().map(of).collect()
}

fn check_same(index: &LexicalIndex, rebuilt: &LexicalIndex, when: &str) {
    assert_eq!(rarities(index), rarities(rebuilt), "{when}");
    for (found, expected) in scores(index).into_iter().zip(scores(rebuilt)) {
        assert_eq!(found.len(), expected.len(), "{when}");
        for ((number, score), (expected, expected_score)) in found.iter().zip(&expected) {
            assert_eq!(number, expected, "{when}");
            assert!((score - expected_score).abs() < 1e-4, "{when}: {number}");
        }
    }
}

#[test]
fn a_history_leaves_the_scores_that_a_rebuilt_index_has() {
    let mut random = random();
    let index = LexicalIndex::in_memory().unwrap();
    let mut texts: Vec<Option<String>> = Vec::new();
    for number in 0..200 {
        let text = random_text(&mut random, 5 + number % 60);
        index.upsert(u64::from(number), &document(number, &text));
        texts.push(Some(text));
    }
    index.flush().unwrap();
    for number in 200..260 {
        let text = random_text(&mut random, 12);
        index.upsert(u64::from(number), &document(number, &text));
        texts.push(Some(text));
    }
    // Fewer than make a segment be rewritten, some twice.
    for (step, number) in (260_u32..).zip((0..200).step_by(5).chain((0..50).step_by(10))) {
        let text = random_text(&mut random, 9);
        index.upsert(u64::from(step), &document(number, &text));
        texts[number as usize] = Some(text);
    }
    for number in [7, 8, 9, 201] {
        index.remove(400, number);
        texts[number as usize] = None;
    }
    let rebuilt = LexicalIndex::in_memory().unwrap();
    for (number, text) in (0..).zip(&texts) {
        if let Some(text) = text {
            rebuilt.upsert(0, &document(number, text));
        }
    }
    check_same(&index, &rebuilt, "in the tail");
    index.flush().unwrap();
    check_same(&index, &rebuilt, "after a flush");
    let again = texts[0].clone().unwrap();
    index.upsert(401, &document(0, &again));
    check_same(&index, &rebuilt, "hidden again");
    index.compact().unwrap();
    check_same(&index, &rebuilt, "after merging");
    rebuilt.flush().unwrap();
    check_same(&index, &rebuilt, "both committed");
}
