//! The tags that a search names: one that no memory has quietly finds nothing, so it is said.

use std::collections::BTreeSet;

use helix_engine::index::catalog::Row;
use helix_engine::index::filter::Filter;

use super::near::near;
use crate::runtime::Runtime;

/// What to say about a search that found nothing: which of its tags no memory in its scopes has, of any status. Goes through
/// the whole catalog, so it is for such searches alone.
pub(super) fn unknown(runtime: &Runtime, filter: &Filter) -> Option<String> {
    if filter.tags.is_empty() {
        return None;
    }
    let catalog = runtime.strand.catalog();
    let scopes = catalog.scope_numbers(&filter.scopes);
    let is_seen = |row: &Row| filter.scopes.is_empty() || row.is_in(&scopes);
    let rows = catalog.rows().filter(|(number, row)| !catalog.is_scratch(*number) && is_seen(row));
    let known: BTreeSet<&str> = rows.flat_map(|(_, row)| catalog.tags_of(row)).collect();
    let known: Vec<&str> = known.into_iter().collect();
    let unknown: Vec<&String> = filter.tags.iter().filter(|tag| known.binary_search(&tag.as_str()).is_err()).collect();
    (!unknown.is_empty()).then(|| described(&unknown, &known))
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
    fn unknown_tags_are_said_with_near_ones() {
        let said = described(&[&"perfomance".to_owned(), &"zebra".to_owned()], &["ci", "performance"]);
        let expected = "no memory here has the tag perfomance; near: performance; no memory here has the tag zebra; \
                        stats lists the tags";
        assert_eq!(said, expected);
    }
}
