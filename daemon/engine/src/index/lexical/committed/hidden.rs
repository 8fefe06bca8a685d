//! The committed documents that the tail hides, which count for nothing until a flush deletes them.

use std::collections::BTreeSet;

use tantivy::{DocId, Term};

use super::super::fields::Fields;
use super::super::query::LexicalQuery;
use super::super::statistics::{Frequencies, Totals};
use super::Committed;

/// Hidden documents of the segments of one [`Committed`].
#[derive(Debug, Default)]
pub(in super::super) struct Hidden {
    by_segment: Vec<BTreeSet<DocId>>,
    totals: Totals,
}

impl Hidden {
    /// Hides a number's document, if there is one.
    pub(in super::super) fn hide(
        &mut self,
        number: u32,
        committed: &Committed,
        fields: &Fields,
    ) -> tantivy::Result<()> {
        let Some((at, document)) = committed.find(number, fields)? else {
            return Ok(());
        };
        self.by_segment
            .resize_with(committed.segments.len(), BTreeSet::new);
        let segment = self.by_segment.get_mut(at).zip(committed.segments.get(at));
        if let Some((hidden, segment)) = segment
            && hidden.insert(document)
        {
            self.totals = self.totals.plus(segment.totals_of(document));
        }
        Ok(())
    }

    pub(in super::super) fn totals(&self) -> Totals {
        self.totals
    }

    /// Takes the hidden documents out of what was counted for a query's terms.
    pub(in super::super) fn take_from(
        &self,
        frequencies: &mut [Frequencies],
        query: &LexicalQuery,
        committed: &Committed,
        fields: &Fields,
    ) -> tantivy::Result<()> {
        if self.by_segment.iter().all(BTreeSet::is_empty) {
            return Ok(());
        }
        for (counts, term) in frequencies.iter_mut().zip(query.terms()) {
            for (place, (&field, count)) in fields.scored.iter().zip(counts).enumerate() {
                let term = Term::from_field_text(field, &term.token);
                for (segment, hidden) in committed.segments.iter().zip(&self.by_segment) {
                    if *count == 0 {
                        break;
                    }
                    let gone = segment.count_among(hidden, place, &term)?;
                    *count = count.saturating_sub(gone);
                }
            }
        }
        Ok(())
    }
}
