//! The fields of a memory that are searched, how much each counts, and the tantivy schema made of
//! them.

use std::borrow::Cow;

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::{TantivyDocument, Term};

use helix_memory::Tags;

/// How many fields are searched and scored.
pub(super) const SCORED_FIELDS: usize = 4;

/// Name and boost of each scored field. A topic is a few words chosen to name the memory, a path
/// names many things at once.
const SCORED: [(&str, f32); SCORED_FIELDS] = [
    ("text", 1.0),
    ("topic", 1.5),
    ("tags", 1.2),
    ("source", 0.8),
];

/// The name under which the tokenizer is registered with tantivy.
pub(super) const TOKENIZER_NAME: &str = "helix";

/// The name of the fast field that maps a tantivy document back to its memory.
pub(super) const NUMBER_FIELD: &str = "number";

/// The indexed part of a memory.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// The memory's number: dense, unique, and the same in every index.
    pub number: u32,
    /// The memory's text.
    pub text: &'a str,
    /// The topic it is filed under.
    pub topic: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// The path of the file it is about.
    pub source: Option<&'a str>,
}

impl<'a> Document<'a> {
    /// The texts of the scored fields, in their order. Tags are one text, so that a field has one
    /// length.
    pub(super) fn scored_texts(&self) -> [Cow<'a, str>; SCORED_FIELDS] {
        [
            Cow::Borrowed(self.text),
            Cow::Borrowed(self.topic),
            Cow::Owned(self.tags.join("\n")),
            Cow::Borrowed(self.source.unwrap_or_default()),
        ]
    }
}

/// Exact filters that narrow a search before scoring, as raw terms: any of the topics *and* all of
/// the tags.
///
/// They are a hint: they are used where they are selective enough to pay, and the caller's `keeps`
/// must imply them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Restriction<'a> {
    /// The memory is filed under one of these; empty means any topic.
    pub topics: &'a [String],
    /// The memory carries all of these.
    pub tags: &'a [String],
}

/// The handles of the schema's fields.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) schema: Schema,
    pub(super) scored: [Field; SCORED_FIELDS],
    topic_raw: Field,
    tag_raw: Field,
    number: Field,
}

impl Fields {
    pub(super) fn new() -> Self {
        let mut builder = Schema::builder();
        let scored = SCORED.map(|(name, _)| builder.add_text_field(name, analysed()));
        let topic_raw = add_raw(&mut builder, "topic_raw");
        let tag_raw = add_raw(&mut builder, "tag_raw");
        let number = builder.add_u64_field(NUMBER_FIELD, INDEXED | FAST);
        Self {
            schema: builder.build(),
            scored,
            topic_raw,
            tag_raw,
            number,
        }
    }

    /// The place of a scored field, or none for the others.
    pub(super) fn place(&self, field: Field) -> Option<usize> {
        self.scored.iter().position(|&scored| scored == field)
    }

    pub(super) fn number_term(&self, number: u32) -> Term {
        Term::from_field_u64(self.number, u64::from(number))
    }

    pub(super) fn topic_term(&self, topic: &str) -> Term {
        Term::from_field_text(self.topic_raw, topic)
    }

    /// A tag as it is spelled now, and as it was once.
    pub(super) fn tag_terms(&self, tag: &str) -> impl Iterator<Item = Term> {
        let term = |tag: &str| Term::from_field_text(self.tag_raw, tag);
        std::iter::once(term(tag)).chain(
            Tags::former_spellings(tag)
                .into_iter()
                .map(move |tag| term(&tag)),
        )
    }

    pub(super) fn to_tantivy(&self, document: &Document<'_>) -> TantivyDocument {
        let mut made = TantivyDocument::new();
        made.add_u64(self.number, u64::from(document.number));
        for (field, text) in self.scored.iter().zip(document.scored_texts()) {
            if !text.is_empty() {
                made.add_text(*field, text);
            }
        }
        made.add_text(self.topic_raw, document.topic);
        for tag in document.tags {
            made.add_text(self.tag_raw, tag);
        }
        made
    }
}

/// How much a scored field counts, by its place.
pub(super) fn boost(place: usize) -> f32 {
    SCORED.get(place).map_or(1.0, |&(_, boost)| boost)
}

fn analysed() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER_NAME)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    TextOptions::default().set_indexing_options(indexing)
}

fn add_raw(builder: &mut SchemaBuilder, name: &str) -> Field {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
}
