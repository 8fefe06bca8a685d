//! Reading of a memory's record only what the catalog keeps of it, without an allocation for each
//! field: a start reads every record, and most of a record is what the catalog does not keep.

use helix_memory::{Memory, MemoryId, Origin, Sequence, Status, Timestamp};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use super::{CodecError, WHAT, damaged, decode_id, decode_origin, versioned};

/// What the catalog keeps of a memory, and its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns<'a> {
    pub(crate) id: MemoryId,
    pub(crate) topic: &'a str,
    pub(crate) text: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) scope: &'a str,
    pub(crate) source: Option<&'a str>,
    pub(crate) links: Vec<MemoryId>,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
    pub(crate) importance: f32,
    pub(crate) confidence: f32,
    pub(crate) pinned: bool,
    pub(crate) origin: Origin,
    pub(crate) status: Status,
    pub(crate) valid_from: Timestamp,
    pub(crate) valid_to: Option<Timestamp>,
    pub(crate) recorded_at: Timestamp,
    pub(crate) last_seen_at: Timestamp,
    pub(crate) access_count: u64,
    pub(crate) sequence: Sequence,
    pub(crate) is_suspect: bool,
    /// The branch on which it was said last; empty when unknown.
    pub(crate) branch: &'a str,
}

impl<'a> Columns<'a> {
    /// The columns of a memory whose scope has this text.
    pub(crate) fn of(memory: &'a Memory, scope: &'a str) -> Self {
        Self {
            id: memory.id,
            topic: memory.topic.as_str(),
            text: &memory.text,
            kind: memory.kind.as_str(),
            tags: memory.tags.iter().map(String::as_str).collect(),
            scope,
            source: memory.source.as_ref().map(|source| source.path.as_str()),
            links: memory.links.clone(),
            attributes: memory
                .attributes
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
            importance: memory.importance,
            confidence: memory.confidence,
            pinned: memory.pinned,
            origin: memory.origin,
            status: memory.status,
            valid_from: memory.valid_from,
            valid_to: memory.valid_to,
            recorded_at: memory.recorded_at,
            last_seen_at: memory.last_seen_at,
            access_count: memory.access_count,
            sequence: memory.sequence,
            is_suspect: memory.is_held_back(),
            branch: memory
                .provenance
                .last()
                .map_or("", |said| said.git.branch.as_str()),
        }
    }

    /// Reads a record. Access statistics start as "never since it was recorded".
    ///
    /// # Errors
    /// When it is damaged, as far as these columns tell.
    pub(crate) fn decode(record: &'a [u8]) -> Result<Self, CodecError> {
        let mut raw = Raw::default();
        let mut rest = versioned(WHAT, record)?;
        while !rest.is_empty() {
            raw.field(&mut rest)
                .map_err(|error| damaged(WHAT, &error))?;
        }
        let links = raw
            .links
            .into_iter()
            .map(decode_id)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            id: decode_id(raw.id)?,
            topic: raw.topic,
            text: raw.text,
            kind: raw.kind,
            tags: raw.tags,
            scope: raw.scope,
            source: raw.source,
            links,
            attributes: raw.attributes,
            importance: raw.importance,
            confidence: raw.confidence,
            pinned: raw.pinned,
            origin: decode_origin(raw.origin)?,
            status: Status::parse(raw.status)
                .ok_or_else(|| damaged(WHAT, "its status is unknown"))?,
            valid_from: Timestamp::from_micros(raw.valid_from_us),
            valid_to: raw.valid_to_us.map(Timestamp::from_micros),
            recorded_at: Timestamp::from_micros(raw.recorded_at_us),
            last_seen_at: Timestamp::from_micros(raw.recorded_at_us),
            access_count: 0,
            sequence: Sequence(raw.sequence),
            is_suspect: raw.is_suspect,
            branch: raw.branch,
        })
    }
}

/// The fields as they stand in a record: those of [`super::MemoryV1`] under its numbers.
#[derive(Default)]
struct Raw<'a> {
    id: &'a [u8],
    topic: &'a str,
    text: &'a str,
    kind: &'a str,
    tags: Vec<&'a str>,
    scope: &'a str,
    source: Option<&'a str>,
    links: Vec<&'a [u8]>,
    attributes: Vec<(&'a str, &'a str)>,
    importance: f32,
    confidence: f32,
    pinned: bool,
    origin: &'a str,
    status: &'a str,
    valid_from_us: i64,
    valid_to_us: Option<i64>,
    recorded_at_us: i64,
    sequence: u64,
    is_suspect: bool,
    branch: &'a str,
}

impl<'a> Raw<'a> {
    /// Takes the next field.
    fn field(&mut self, rest: &mut &'a [u8]) -> Result<(), Cut> {
        let (tag, wire) = decode_key(rest).map_err(|_| Cut)?;
        match (tag, wire) {
            (1, WireType::LengthDelimited) => self.id = bytes(rest)?,
            (3, WireType::LengthDelimited) => self.topic = text(rest)?,
            (4, WireType::LengthDelimited) => self.text = text(rest)?,
            (5, WireType::LengthDelimited) => self.kind = text(rest)?,
            (6, WireType::LengthDelimited) => self.tags.push(text(rest)?),
            (7, WireType::LengthDelimited) => self.scope = text(rest)?,
            (8, WireType::LengthDelimited) => self.source = Some(first_text(bytes(rest)?)?),
            (9, WireType::LengthDelimited) => self.links.push(bytes(rest)?),
            (10, WireType::ThirtyTwoBit) => self.importance = float(rest)?,
            (11, WireType::ThirtyTwoBit) => self.confidence = float(rest)?,
            (12, WireType::Varint) => self.pinned = varint(rest)? != 0,
            (13, WireType::LengthDelimited) => self.origin = text(rest)?,
            (14, WireType::LengthDelimited) => self.branch = sixth_text(bytes(rest)?)?,
            (15, WireType::LengthDelimited) => self.attributes.push(entry(bytes(rest)?)?),
            (16, WireType::Varint) => self.valid_from_us = zigzag(varint(rest)?),
            (17, WireType::Varint) => self.valid_to_us = Some(zigzag(varint(rest)?)),
            (18, WireType::Varint) => self.recorded_at_us = zigzag(varint(rest)?),
            (19, WireType::LengthDelimited) => self.status = text(rest)?,
            (20, WireType::Varint) => self.sequence = varint(rest)?,
            (22, WireType::LengthDelimited) => {
                bytes(rest)?;
                self.is_suspect = true;
            }
            _ => skip_field(wire, tag, rest, DecodeContext::default()).map_err(|_| Cut)?,
        }
        Ok(())
    }
}

/// What is wrong with a record that protobuf cannot read.
#[derive(Debug, thiserror::Error)]
#[error("it is cut or no text")]
struct Cut;

fn varint(rest: &mut &[u8]) -> Result<u64, Cut> {
    decode_varint(rest).map_err(|_| Cut)
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Cut> {
    let length = usize::try_from(varint(rest)?).map_err(|_| Cut)?;
    let (taken, behind) = rest.split_at_checked(length).ok_or(Cut)?;
    *rest = behind;
    Ok(taken)
}

fn text<'a>(rest: &mut &'a [u8]) -> Result<&'a str, Cut> {
    std::str::from_utf8(bytes(rest)?).map_err(|_| Cut)
}

fn float(rest: &mut &[u8]) -> Result<f32, Cut> {
    let (value, behind) = rest.split_first_chunk().ok_or(Cut)?;
    *rest = behind;
    Ok(f32::from_le_bytes(*value))
}

/// Signed numbers are written so that small ones are short, whatever their sign.
fn zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// The text under number 1 of a message: the path of a source.
fn first_text(message: &[u8]) -> Result<&str, Cut> {
    entry(message).map(|(first, _)| first)
}

/// The text under number 6 of a message: the branch of a provenance.
fn sixth_text(mut rest: &[u8]) -> Result<&str, Cut> {
    let mut sixth = "";
    while !rest.is_empty() {
        let (tag, wire) = decode_key(&mut rest).map_err(|_| Cut)?;
        match (tag, wire) {
            (6, WireType::LengthDelimited) => sixth = text(&mut rest)?,
            _ => skip_field(wire, tag, &mut rest, DecodeContext::default()).map_err(|_| Cut)?,
        }
    }
    Ok(sixth)
}

/// The texts under numbers 1 and 2 of a message: an entry of a map.
fn entry(mut rest: &[u8]) -> Result<(&str, &str), Cut> {
    let (mut first, mut second) = ("", "");
    while !rest.is_empty() {
        let (tag, wire) = decode_key(&mut rest).map_err(|_| Cut)?;
        match (tag, wire) {
            (1, WireType::LengthDelimited) => first = text(&mut rest)?,
            (2, WireType::LengthDelimited) => second = text(&mut rest)?,
            _ => skip_field(wire, tag, &mut rest, DecodeContext::default()).map_err(|_| Cut)?,
        }
    }
    Ok((first, second))
}
