//! One segment with the readers that every search needs, opened once.

use std::sync::Arc;

use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{InvertedIndexReader, SegmentReader};

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

    pub(super) fn totals(&self) -> Totals {
        let tokens = self
            .fields
            .each_ref()
            .map(|field| field.inverted.total_num_tokens());
        Totals {
            documents: u64::from(self.reader.max_doc()),
            tokens,
        }
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
