//! The tags that a search names: one that no memory has quietly finds nothing, so it is said; so do
//! several that none has together.

use std::collections::BTreeSet;
use std::slice;

use helix_engine::{Catalog, Filter, Row};

use super::near::near;
use crate::App;

/// Explains a search that found nothing: which of its tags no memory in its scopes has, of any
/// status. Goes through the whole catalog, so it is for such searches alone.
pub(super) fn unknown(app: &App, filter: &Filter) -> Option<String> {
    if filter.tags.is_empty() {
        return None;
    }
    let catalog = app.memory.strand.catalog();
    let scopes = catalog.scope_numbers(&filter.scopes);
    let is_seen = |row: &Row| filter.scopes.is_empty() || row.is_in(&scopes);
    let rows = catalog
        .rows()
        .filter(|(number, row)| !catalog.is_scratch(*number) && is_seen(row));
    let known: BTreeSet<&str> = rows.flat_map(|(_, row)| catalog.tags_of(row)).collect();
    let known: Vec<&str> = known.into_iter().collect();
    let unknown: Vec<&String> = filter
        .tags
        .iter()
        .filter(|tag| known.binary_search(&tag.as_str()).is_err())
        .collect();
    if unknown.is_empty() {
        never_together(&catalog, filter)
    } else {
        Some(described(&unknown, &known))
    }
}

/// Says that no memory has all of the tags, and how many have each of them.
fn never_together(catalog: &Catalog, filter: &Filter) -> Option<String> {
    let count = |tags: &[String]| {
        let filter = Filter {
            tags: tags.to_vec(),
            scopes: filter.scopes.clone(),
            ..Filter::default()
        };
        let filter = filter.compile(catalog);
        catalog
            .rows()
            .filter(|(number, row)| !catalog.is_scratch(*number) && filter.keeps(row))
            .count()
    };
    if filter.tags.len() < 2 || count(&filter.tags) > 0 {
        return None;
    }
    let alone: Vec<(&String, usize)> = filter
        .tags
        .iter()
        .map(|tag| (tag, count(slice::from_ref(tag))))
        .collect();
    apart(&alone)
}

fn apart(alone: &[(&String, usize)]) -> Option<String> {
    let found: Vec<String> = alone
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(tag, count)| format!("tag:{tag} finds {count}"))
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "no memory has all of these tags; alone, {}",
            found.join(", ")
        )
    })
}

fn described(unknown: &[&String], known: &[&str]) -> String {
    let one = |tag: &&String| match near(tag, known).join(", ") {
        near if near.is_empty() => format!("no memory here has the tag {tag}"),
        near => format!("no memory here has the tag {tag}; near: {near}"),
    };
    let said: Vec<String> = unknown.iter().map(one).collect();
    format!("{}; stats lists the tags", said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_nothing_has_together_are_said_apart() {
        let tags = ["a", "b", "c"].map(str::to_owned);
        let said = apart(&[(&tags[0], 3), (&tags[1], 1), (&tags[2], 0)]);
        assert_eq!(
            said.as_deref(),
            Some("no memory has all of these tags; alone, tag:a finds 3, tag:b finds 1")
        );
        assert_eq!(apart(&[(&tags[2], 0)]), None);
    }

    #[test]
    fn unknown_tags_are_said_with_near_ones() {
        let said = described(
            &[&"perfomance".to_owned(), &"zebra".to_owned()],
            &["ci", "performance"],
        );
        let expected = "no memory here has the tag perfomance; near: performance; no memory here has the tag zebra; \
                        stats lists the tags";
        assert_eq!(said, expected);
    }
}
