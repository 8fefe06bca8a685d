//! Memories that are linked among themselves first are found as if each had been stored alone.

use proptest::prelude::*;

use super::super::{Document, LexicalIndex, LexicalQuery, Linked, Mode, Prepared, Restriction};

fn document(number: u32, text: &str) -> Document<'_> {
    Document {
        number,
        text,
        topic: "build notes",
        tags: &[],
        source: None,
    }
}

/// Every hit of a query with its score.
fn hits(index: &LexicalIndex, query: &str) -> Vec<(u32, f32)> {
    let query = LexicalQuery::parse(query, Mode::Any);
    let found = index
        .search(&query, 1_000, &Restriction::default(), |_| true)
        .unwrap();
    found
        .into_iter()
        .map(|hit| (hit.number, hit.score))
        .collect()
}

proptest! {
    #[test]
    fn linked_memories_are_found_like_others(
        groups in prop::collection::vec(
            prop::collection::vec(("((fox|dog|owl|HashMap|x_y|notes) ?){0,6}", any::<bool>()), 0..12), 0..5,
        ),
    ) {
        let (alone, together) = (LexicalIndex::in_memory().unwrap(), LexicalIndex::in_memory().unwrap());
        let mut next = 0;
        for group in &groups {
            let linked = Linked::new(group.iter().map(|(text, _)| Prepared::new(&document(0, text))));
            let mut placed = Vec::new();
            for (text, is_stored) in group {
                if *is_stored {
                    next += 1;
                    alone.upsert(u64::from(next), &document(next, text));
                }
                placed.push(is_stored.then_some((u64::from(next), next)));
            }
            together.upsert_linked(linked, &placed);
            // A later version hides the one that was linked.
            if next > 0 {
                for index in [&alone, &together] {
                    index.upsert(u64::from(next), &document(next, "owl again"));
                }
            }
        }
        for query in ["fox", "dog owl", "hash map", "xy x_y again", "notes build"] {
            prop_assert_eq!(hits(&alone, query), hits(&together, query));
        }
        prop_assert_eq!(alone.tail_len(), together.tail_len());
    }
}
