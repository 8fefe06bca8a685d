//! The record of an edge. The two memories are in it as well, because the history has no key of
//! an edge.

use helix_memory::{Edge, EdgeKey, EdgeStatus, MemoryNumber, Relation, Sequence, Timestamp};
use prost::Message;

use super::{
    CodecError, ProvenanceV1, damaged, decode_provenance, encode_provenance, versioned,
    with_version,
};

const WHAT: &str = "an edge";

/// An edge on disk, version 1.
#[derive(Clone, PartialEq, Message)]
struct EdgeV1 {
    #[prost(uint32, tag = "1")]
    from: u32,
    #[prost(string, tag = "2")]
    relation: String,
    #[prost(uint32, tag = "3")]
    to: u32,
    #[prost(float, tag = "4")]
    strength: f32,
    #[prost(bool, tag = "5")]
    is_bidirectional: bool,
    #[prost(string, tag = "6")]
    status: String,
    #[prost(message, optional, tag = "7")]
    provenance: Option<ProvenanceV1>,
    #[prost(string, tag = "8")]
    reason: String,
    #[prost(sint64, tag = "9")]
    valid_from_us: i64,
    #[prost(sint64, optional, tag = "10")]
    valid_to_us: Option<i64>,
    #[prost(uint64, tag = "11")]
    sequence: u64,
}

/// Returns the key of an edge's row: all edges of a memory stand behind each other.
pub(in crate::store) fn key(key: &EdgeKey) -> String {
    format!("{:08x} {} {:08x}", key.from.0, key.relation, key.to.0)
}

/// Encodes an edge.
pub(in crate::store) fn encode(edge: &Edge) -> Vec<u8> {
    with_version(&EdgeV1 {
        from: edge.key.from.0,
        relation: edge.key.relation.name().to_owned(),
        to: edge.key.to.0,
        strength: edge.strength,
        is_bidirectional: edge.is_bidirectional,
        status: edge.status.name().to_owned(),
        provenance: Some(encode_provenance(&edge.provenance)),
        reason: edge.reason.clone(),
        valid_from_us: edge.valid_from.as_micros(),
        valid_to_us: edge.valid_to.map(Timestamp::as_micros),
        sequence: edge.sequence.0,
    })
}

/// Decodes an edge.
pub(in crate::store) fn decode(bytes: &[u8]) -> Result<Edge, CodecError> {
    let record = EdgeV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))?;
    let unknown = |field| damaged(WHAT, &format!("its {field} is unknown"));
    let key = EdgeKey {
        from: MemoryNumber(record.from),
        relation: Relation::parse(&record.relation).ok_or_else(|| unknown("relation"))?,
        to: MemoryNumber(record.to),
    };
    let provenance = record.provenance.ok_or_else(|| unknown("provenance"))?;
    Ok(Edge {
        key,
        strength: record.strength,
        is_bidirectional: record.is_bidirectional,
        status: EdgeStatus::parse(&record.status).ok_or_else(|| unknown("status"))?,
        provenance: decode_provenance(provenance)?,
        reason: record.reason,
        valid_from: Timestamp::from_micros(record.valid_from_us),
        valid_to: record.valid_to_us.map(Timestamp::from_micros),
        sequence: Sequence(record.sequence),
    })
}
