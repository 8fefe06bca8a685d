//! One segment with the readers that every search needs, opened once.

use std::collections::BTreeSet;
use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{EnableScoring, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, InvertedIndexReader, SegmentReader, TERMINATED, Term};

use crate::index::lexical::fields::{Fields, NUMBER_FIELD, SCORED_FIELDS};
use crate::index::lexical::statistics::Totals;

/// A segment of the committed index.
pub(super) struct Segment {
    pub(super) reader: SegmentReader,
    /// The scored fields, in their order.
    pub(super) fields: [FieldReader; SCORED_FIELDS],
    /// The memory's number of each tantivy document.
    numbers: Arc<dyn ColumnValues<u64>>,
}

/// The terms and the lengths of one field.
pub(super) struct FieldReader {
    pub(super) inverted: Arc<InvertedIndexReader>,
    pub(super) lengths: FieldNormReader,
}

impl FieldReader {
    fn open(reader: &SegmentReader, field: Field) -> tantivy::Result<Self> {
        Ok(Self {
            inverted: reader.inverted_index(field)?,
            lengths: reader.get_fieldnorms_reader(field)?,
        })
    }
}

impl Segment {
    pub(super) fn open(reader: &SegmentReader, fields: &Fields) -> tantivy::Result<Self> {
        let [text, topic, tags, source] = fields.scored;
        Ok(Self {
            reader: reader.clone(),
            fields: [
                FieldReader::open(reader, text)?,
                FieldReader::open(reader, topic)?,
                FieldReader::open(reader, tags)?,
                FieldReader::open(reader, source)?,
            ],
            numbers: reader
                .fast_fields()
                .u64(NUMBER_FIELD)?
                .first_or_default_col(u64::MAX),
        })
    }

    /// The totals of all documents that are alive.
    pub(super) fn totals(&self) -> Totals {
        let documents = self.reader.doc_ids_alive();
        let each = documents.map(|document| self.totals_of(document));
        each.fold(Totals::default(), Totals::plus)
    }

    pub(super) fn totals_of(&self, document: DocId) -> Totals {
        let tokens = self.fields.each_ref();
        Totals {
            documents: 1,
            tokens: tokens.map(|field| u64::from(field.lengths.fieldnorm(document))),
        }
    }

    /// The documents that are deleted and not merged away yet.
    pub(super) fn dead(&self) -> BTreeSet<DocId> {
        let Some(alive) = self.reader.alive_bitset() else {
            return BTreeSet::new();
        };
        let all = 0..self.reader.max_doc();
        all.filter(|document| alive.is_deleted(*document)).collect()
    }

    /// Counts among some documents those that have a term in a field.
    pub(super) fn count_among(
        &self,
        documents: &BTreeSet<DocId>,
        place: usize,
        term: &Term,
    ) -> tantivy::Result<u64> {
        if documents.is_empty() {
            return Ok(0);
        }
        let inverted = &self.fields[place].inverted;
        let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? else {
            return Ok(0);
        };
        let mut count = 0;
        for &document in documents {
            if postings.doc() < document {
                postings.seek(document);
            }
            if postings.doc() == TERMINATED {
                break;
            }
            count += u64::from(postings.doc() == document);
        }
        Ok(count)
    }

    /// The document of a memory that is alive here.
    pub(super) fn document(&self, term: Term) -> tantivy::Result<Option<DocId>> {
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let schema = self.reader.schema();
        let weight = query.weight(EnableScoring::disabled_from_schema(schema))?;
        let mut scorer = weight.scorer(&self.reader, 1.0)?;
        let alive = self.reader.alive_bitset();
        while scorer.doc() != TERMINATED {
            if alive.is_none_or(|alive| alive.is_alive(scorer.doc())) {
                return Ok(Some(scorer.doc()));
            }
            scorer.advance();
        }
        Ok(None)
    }

    /// The largest number that it has.
    pub(super) fn largest_number(&self) -> u64 {
        self.numbers.max_value()
    }

    /// The memory of a tantivy document that is alive.
    pub(super) fn number(&self, document: u32) -> Option<u32> {
        let is_dead = self
            .reader
            .alive_bitset()
            .is_some_and(|alive| alive.is_deleted(document));
        if is_dead {
            None
        } else {
            u32::try_from(self.numbers.get_val(document)).ok()
        }
    }
}
