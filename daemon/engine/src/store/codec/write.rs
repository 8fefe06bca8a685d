//! Writing a memory's record without copying its fields first. The bytes are those of [`super::MemoryV1`].

use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};

use super::RECORD_VERSION;
use crate::model::{Memory, Provenance, SourceRef};

/// What a record has beside its texts, in bytes, as a rule; more only cost another allocation.
const FIELDS_BYTES: usize = 192;

/// Encodes a memory without its access statistics.
pub(in crate::store) fn record(memory: &Memory) -> Vec<u8> {
    let mut out = Record(Vec::with_capacity(FIELDS_BYTES + memory.text.len() + memory.handle.as_str().len()));
    out.0.push(RECORD_VERSION);
    out.bytes(1, memory.id.as_bytes());
    out.text(2, memory.handle.as_str());
    out.text(3, memory.topic.as_str());
    out.text(4, &memory.text);
    out.text(5, memory.kind.as_str());
    memory.tags.iter().for_each(|tag| out.element(6, tag.as_bytes()));
    out.text(7, &memory.scope.to_string());
    if let Some(source) = &memory.source {
        out.message(8, &of_source(source));
    }
    memory.links.iter().for_each(|id| out.element(9, id.as_bytes()));
    out.float(10, memory.importance);
    out.float(11, memory.confidence);
    if memory.pinned {
        out.varint(12, 1);
    }
    out.text(13, memory.origin.name());
    memory.provenance.iter().for_each(|provenance| out.message(14, &of_provenance(provenance)));
    for (name, value) in &memory.attributes {
        let mut entry = Record::default();
        entry.text(1, name);
        entry.text(2, value);
        out.message(15, &entry);
    }
    out.signed(16, memory.valid_from.as_micros());
    if let Some(valid_to) = memory.valid_to {
        out.varint(17, zigzag(valid_to.as_micros()));
    }
    out.signed(18, memory.recorded_at.as_micros());
    out.text(19, memory.status.name());
    if memory.sequence.0 != 0 {
        out.varint(20, memory.sequence.0);
    }
    out.0
}

fn of_source(source: &SourceRef) -> Record {
    let mut out = Record::default();
    out.text(1, &source.path);
    if let Some(line) = source.line {
        out.varint(2, line.into());
    }
    if let Some(hash) = &source.content_hash {
        out.element(3, hash);
    }
    if let Some(blob) = &source.git_blob {
        out.element(4, blob);
    }
    out
}

fn of_provenance(provenance: &Provenance) -> Record {
    let mut out = Record::default();
    out.text(1, &provenance.agent);
    out.text(2, &provenance.reference);
    out.text(3, &provenance.extractor);
    out.text(4, provenance.origin.name());
    out.signed(5, provenance.at.as_micros());
    out
}

/// A message on its way to the disk. A plain field that is empty or zero is left out, as protobuf does.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn text(&mut self, tag: u32, text: &str) {
        self.bytes(tag, text.as_bytes());
    }

    fn bytes(&mut self, tag: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.element(tag, bytes);
        }
    }

    /// One of several, or one that may be absent: it is there also when it is empty.
    fn element(&mut self, tag: u32, bytes: &[u8]) {
        self.0.reserve(bytes.len() + encoded_len_varint(bytes.len() as u64) + 2);
        encode_key(tag, WireType::LengthDelimited, &mut self.0);
        encode_varint(bytes.len() as u64, &mut self.0);
        self.0.extend_from_slice(bytes);
    }

    fn message(&mut self, tag: u32, message: &Self) {
        self.element(tag, &message.0);
    }

    fn float(&mut self, tag: u32, value: f32) {
        if value != 0.0 {
            encode_key(tag, WireType::ThirtyTwoBit, &mut self.0);
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn signed(&mut self, tag: u32, value: i64) {
        if value != 0 {
            self.varint(tag, zigzag(value));
        }
    }

    fn varint(&mut self, tag: u32, value: u64) {
        encode_key(tag, WireType::Varint, &mut self.0);
        encode_varint(value, &mut self.0);
    }
}

/// Makes small numbers of either sign short.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
