//! The record of a tombstone.

use helix_memory::{Departure, Origin, Sketch, Timestamp, Tombstone};
use prost::Message;

use super::{CodecError, damaged, versioned, with_version};

const WHAT: &str = "a tombstone";

/// A tombstone on disk, version 1.
#[derive(Clone, PartialEq, Message)]
struct TombstoneV1 {
    #[prost(string, tag = "1")]
    scope: String,
    #[prost(fixed64, tag = "2")]
    text_hash: u64,
    #[prost(fixed32, repeated, tag = "3")]
    word_hashes: Vec<u32>,
    #[prost(bytes = "vec", tag = "4")]
    code: Vec<u8>,
    #[prost(string, tag = "5")]
    model: String,
    #[prost(string, tag = "6")]
    departure: String,
    #[prost(string, tag = "7")]
    origin: String,
    #[prost(string, tag = "8")]
    agent: String,
    #[prost(sint64, tag = "9")]
    at_us: i64,
    #[prost(string, tag = "10")]
    handle: String,
    #[prost(fixed32, repeated, tag = "11")]
    sketch: Vec<u32>,
    #[prost(uint32, tag = "12")]
    turns: u32,
}

/// Encodes a tombstone.
pub(in crate::store) fn encode(tombstone: &Tombstone) -> Vec<u8> {
    with_version(&TombstoneV1 {
        scope: tombstone.scope.clone(),
        text_hash: tombstone.text_hash,
        word_hashes: tombstone.word_hashes.clone(),
        code: tombstone.code.clone(),
        model: tombstone.model.clone(),
        departure: tombstone.departure.name().to_owned(),
        origin: tombstone.origin.name().to_owned(),
        agent: tombstone.agent.clone(),
        at_us: tombstone.at.as_micros(),
        handle: tombstone.handle.clone(),
        sketch: tombstone.sketch.words.clone(),
        turns: tombstone.sketch.turns,
    })
}

/// Decodes a tombstone.
pub(in crate::store) fn decode(bytes: &[u8]) -> Result<Tombstone, CodecError> {
    let record =
        TombstoneV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))?;
    let unknown = |field| damaged(WHAT, &format!("its {field} is unknown"));
    Ok(Tombstone {
        scope: record.scope,
        text_hash: record.text_hash,
        word_hashes: record.word_hashes,
        code: record.code,
        model: record.model,
        departure: Departure::parse(&record.departure).ok_or_else(|| unknown("departure"))?,
        origin: Origin::parse(&record.origin).ok_or_else(|| unknown("origin"))?,
        agent: record.agent,
        at: Timestamp::from_micros(record.at_us),
        handle: record.handle,
        sketch: Sketch {
            words: record.sketch,
            turns: record.turns,
        },
    })
}
