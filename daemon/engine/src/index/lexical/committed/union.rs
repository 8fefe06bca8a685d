//! The query that finds any of the terms, in the one shape that tantivy prunes: a flat union of
//! plain terms.

use tantivy::Term;
use tantivy::query::{BooleanQuery, BoostQuery, EmptyQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;

use super::Search;
use crate::index::lexical::fields::boost;

/// Returns a clause for each term in each field that has it, or nothing when there is none.
pub(super) fn build(search: &Search<'_>) -> Option<BooleanQuery> {
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
    for (term, frequencies) in search.query.terms().iter().zip(search.frequencies) {
        for (place, (&field, &frequency)) in
            search.fields.scored.iter().zip(frequencies).enumerate()
        {
            if frequency > 0 {
                let query = TermQuery::new(
                    Term::from_field_text(field, &term.token),
                    IndexRecordOption::WithFreqs,
                );
                clauses.push((
                    Occur::Should,
                    Box::new(BoostQuery::new(Box::new(query), boost(place))),
                ));
            }
        }
    }
    if clauses.len() == 1 {
        // Tantivy makes a lone clause a requirement, which it does not prune; beside an empty one
        // it stays a union.
        clauses.push((Occur::Should, Box::new(EmptyQuery)));
    }
    (!clauses.is_empty()).then(|| BooleanQuery::new(clauses))
}
