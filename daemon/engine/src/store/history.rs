//! The history: every change as an operation, append-only, each hashed together with the one before
//! it.
//!
//! The chain covers the payload's own hash rather than the payload, so that a purge removes a text
//! without rewriting the chain. `after` is the record as the operation left it; `before` is
//! the `after` of the operation that `previous_of_memory` names.

use helix_memory::{Actor, Edge, GitContext, Memory, MemoryNumber, Origin, Sequence, Timestamp};
use prost::Message;
use redb::ReadableTable;

use super::codec::{self, CodecError, RECORD_VERSION, damaged, versioned, with_version};
use super::{seal, tables};

const WHAT: &str = "an operation";

/// The effect of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// A new memory.
    Store,
    /// The same text was stored again.
    Reinforce,
    /// Marked as forgotten.
    Forget,
    /// Lines were added to its text.
    Append,
    /// Its text was replaced.
    Revise,
    /// Its tags were changed.
    Tag,
    /// It was put into another topic.
    Move,
    /// Fields that are not text were replaced.
    Set,
    /// Made active again.
    Restore,
    /// Marked as replaced by a newer memory.
    Supersede,
    /// It took over what a duplicate had beside its text.
    Absorb,
    /// Its times were put right.
    Repair,
    /// It faded and left what is shown by default.
    Archive,
    /// It was archived and unread for long, and left the indexes.
    Prune,
    /// A memory from outside was trusted.
    Approve,
    /// A memory from outside, or a proposal, was refused.
    Reject,
    /// It was put back to an earlier version.
    Revert,
    /// Its text was removed, from every earlier operation as well.
    Purge,
    /// An edge was made or changed.
    Relate,
    /// An edge was removed.
    Unrelate,
}

/// The subject of an operation, and so the content of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A memory's record.
    Memory,
    /// An edge.
    Edge,
    /// Nothing: a memory that was purged.
    Nothing,
}

impl OperationKind {
    const ALL: [Self; 20] = [
        Self::Store,
        Self::Reinforce,
        Self::Forget,
        Self::Append,
        Self::Revise,
        Self::Tag,
        Self::Move,
        Self::Set,
        Self::Restore,
        Self::Supersede,
        Self::Absorb,
        Self::Repair,
        Self::Archive,
        Self::Prune,
        Self::Approve,
        Self::Reject,
        Self::Revert,
        Self::Purge,
        Self::Relate,
        Self::Unrelate,
    ];

    /// Returns the name used on disk and in logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Reinforce => "reinforce",
            Self::Forget => "forget",
            Self::Append => "append",
            Self::Revise => "revise",
            Self::Tag => "tag",
            Self::Move => "move",
            Self::Set => "set",
            Self::Restore => "restore",
            Self::Supersede => "supersede",
            Self::Absorb => "absorb",
            Self::Repair => "repair",
            Self::Archive => "archive",
            Self::Prune => "prune",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Revert => "revert",
            Self::Purge => "purge",
            Self::Relate => "relate",
            Self::Unrelate => "unrelate",
        }
    }

    /// Returns the subject of an operation of this kind.
    #[must_use]
    pub const fn payload(self) -> Payload {
        match self {
            Self::Relate | Self::Unrelate => Payload::Edge,
            Self::Purge => Payload::Nothing,
            Self::Store
            | Self::Reinforce
            | Self::Forget
            | Self::Append
            | Self::Revise
            | Self::Tag
            | Self::Move
            | Self::Set
            | Self::Restore
            | Self::Supersede
            | Self::Absorb
            | Self::Repair
            | Self::Archive
            | Self::Prune
            | Self::Approve
            | Self::Reject
            | Self::Revert => Payload::Memory,
        }
    }
}

/// One change: who, when, what, before, after.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its place in the history.
    pub sequence: Sequence,
    /// When it was committed.
    pub at: Timestamp,
    /// Who asked for it.
    pub actor: Actor,
    /// Its effect.
    pub kind: OperationKind,
    /// The memory it changed.
    pub number: MemoryNumber,
    /// The operation that changed this memory before; `None` for the first.
    pub previous_of_memory: Option<Sequence>,
    /// Why it was done, in words for people; empty where the kind says it. Never a memory's text.
    pub reason: String,
    /// The first operation of the request that it belongs to; `None` where it is that itself.
    pub group: Option<Sequence>,
    /// The operation that it takes back.
    pub reverts: Option<Sequence>,
    /// Its payload was removed later, because the memory was purged.
    pub is_purged: bool,
    /// The record as the operation left it.
    pub after: Vec<u8>,
}

impl Operation {
    /// The memory as the operation left it, without its access statistics; `None` where it is
    /// about something else, or the memory was purged.
    ///
    /// # Errors
    /// When the record is damaged.
    pub fn memory(&self) -> Result<Option<Memory>, CodecError> {
        if self.kind.payload() != Payload::Memory || self.is_purged {
            return Ok(None);
        }
        codec::decode(self.number, &self.after).map(Some)
    }

    /// The edge as the operation left it, or as it was before it was removed; `None` where it is
    /// about something else, or one of its ends was purged.
    ///
    /// # Errors
    /// When the record is damaged.
    pub fn edge(&self) -> Result<Option<Edge>, CodecError> {
        if self.kind.payload() != Payload::Edge || self.is_purged {
            return Ok(None);
        }
        codec::edge::decode(&self.after).map(Some)
    }

    /// The first operation of the request that it belongs to.
    #[must_use]
    pub fn first_of_group(&self) -> Sequence {
        self.group.unwrap_or(self.sequence)
    }
}

/// Hash of the operation before the first.
pub(super) const GENESIS: [u8; 32] = [0; 32];

#[derive(Clone, PartialEq, Message)]
struct OperationV1 {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(string, tag = "2")]
    origin: String,
    #[prost(string, tag = "3")]
    agent: String,
    #[prost(string, tag = "4")]
    session: String,
    #[prost(string, tag = "5")]
    kind: String,
    #[prost(uint32, tag = "6")]
    number: u32,
    #[prost(uint64, optional, tag = "7")]
    previous_of_memory: Option<u64>,
    #[prost(bytes = "vec", tag = "8")]
    payload_hash: Vec<u8>,
    #[prost(bytes = "vec", tag = "9")]
    chain_hash: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    payload: Vec<u8>,
    #[prost(string, tag = "11")]
    reason: String,
    #[prost(string, tag = "12")]
    project: String,
    #[prost(string, tag = "13")]
    branch: String,
    #[prost(string, tag = "14")]
    commit: String,
    #[prost(uint64, optional, tag = "15")]
    group: Option<u64>,
    #[prost(uint64, optional, tag = "16")]
    reverts: Option<u64>,
    /// Like the payload, outside of the chain.
    #[prost(bool, tag = "17")]
    is_purged: bool,
}

/// The fields of [`OperationV1`] behind its header.
const CHAIN_HASH_TAG: u32 = 9;
const PAYLOAD_TAG: u32 = 10;

/// Most bytes of the tags and lengths of both.
const FIELDS_MAX_BYTES: usize = 16;

/// Where the chain is broken.
#[derive(Debug, thiserror::Error)]
#[error("history is broken at sequence {sequence}: {detail}; restore a backup")]
pub struct ChainError {
    /// The first operation that does not fit.
    pub sequence: Sequence,
    /// The part that does not fit.
    pub detail: &'static str,
}

/// Encodes an operation after the one whose chain hash is `previous`; returns the sealed bytes and
/// its own chain hash.
pub(super) fn encode(operation: &Operation, previous: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
    let before_hash = OperationV1 {
        at_us: operation.at.as_micros(),
        origin: operation.actor.origin.name().to_owned(),
        agent: operation.actor.agent.clone(),
        session: operation.actor.session.clone(),
        kind: operation.kind.name().to_owned(),
        number: operation.number.0,
        previous_of_memory: operation.previous_of_memory.map(|sequence| sequence.0),
        payload_hash: blake3::hash(&operation.after).as_bytes().to_vec(),
        ..OperationV1::default()
    };
    let behind_payload = OperationV1 {
        reason: operation.reason.clone(),
        project: operation.actor.project.clone(),
        branch: operation.actor.git.branch.clone(),
        commit: operation.actor.git.commit.clone(),
        group: operation.group.map(|sequence| sequence.0),
        reverts: operation.reverts.map(|sequence| sequence.0),
        ..OperationV1::default()
    };
    let before_hash = before_hash.encode_to_vec();
    let behind_payload = behind_payload.encode_to_vec();
    let header = [before_hash.as_slice(), &behind_payload].concat();
    let hash = chain_hash(operation.sequence, &header, previous);
    // The fields as the record would encode them, without copying the payload into it first.
    let mut bytes = Vec::with_capacity(
        1 + header.len() + hash.len() + operation.after.len() + FIELDS_MAX_BYTES,
    );
    bytes.push(RECORD_VERSION);
    bytes.extend_from_slice(&before_hash);
    prost::encoding::bytes::encode(CHAIN_HASH_TAG, &hash.to_vec(), &mut bytes);
    if !operation.after.is_empty() {
        prost::encoding::bytes::encode(PAYLOAD_TAG, &operation.after, &mut bytes);
    }
    bytes.extend_from_slice(&behind_payload);
    (
        seal::seal(&tables::HISTORY, &operation.sequence.0, &bytes),
        hash,
    )
}

/// An operation without its payload, sealed: what is left of it once its memory is purged. The
/// chain goes on over it, because it covers the payload's hash.
///
/// # Errors
/// When it is damaged.
pub(super) fn purged(sequence: Sequence, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut record = decode_record(opened(sequence, bytes)?)?;
    record.payload.clear();
    record.is_purged = true;
    Ok(seal::seal(
        &tables::HISTORY,
        &sequence.0,
        &with_version(&record),
    ))
}

/// Decodes an operation and its chain hash.
pub(super) fn decode(
    sequence: Sequence,
    bytes: &[u8],
) -> Result<(Operation, [u8; 32]), CodecError> {
    let record = decode_record(opened(sequence, bytes)?)?;
    let chain_hash = record
        .chain_hash
        .as_slice()
        .try_into()
        .map_err(|_| damaged(WHAT, "its hash is cut"))?;
    let kind = OperationKind::ALL
        .into_iter()
        .find(|kind| kind.name() == record.kind);
    let operation = Operation {
        sequence,
        at: Timestamp::from_micros(record.at_us),
        actor: Actor {
            origin: Origin::parse(&record.origin)
                .ok_or_else(|| damaged(WHAT, "its origin is unknown"))?,
            agent: record.agent,
            session: record.session,
            project: record.project,
            git: GitContext {
                branch: record.branch,
                commit: record.commit,
            },
        },
        kind: kind.ok_or_else(|| damaged(WHAT, "its kind is unknown"))?,
        number: MemoryNumber(record.number),
        previous_of_memory: record.previous_of_memory.map(Sequence),
        reason: record.reason,
        group: record.group.map(Sequence),
        reverts: record.reverts.map(Sequence),
        is_purged: record.is_purged,
        after: record.payload,
    };
    Ok((operation, chain_hash))
}

/// Takes an operation out of its envelope.
fn opened(sequence: Sequence, bytes: &[u8]) -> Result<&[u8], CodecError> {
    seal::open_any(WHAT, &tables::HISTORY, &sequence.0, bytes)
}

/// Decodes an operation whose payload matches its hash.
pub(super) fn sound(sequence: Sequence, bytes: &[u8]) -> Result<Operation, CodecError> {
    let payload_hash = decode_record(opened(sequence, bytes)?)?.payload_hash;
    let (operation, _) = decode(sequence, bytes)?;
    let is_sound =
        operation.is_purged || blake3::hash(&operation.after).as_bytes().as_slice() == payload_hash;
    if is_sound {
        Ok(operation)
    } else {
        Err(damaged(WHAT, "its payload does not match its hash"))
    }
}

/// Returns whether an operation left this record of this memory.
pub(super) fn vouches(
    sequence: Sequence,
    bytes: &[u8],
    number: MemoryNumber,
    record: &[u8],
) -> bool {
    opened(sequence, bytes)
        .and_then(decode_record)
        .is_ok_and(|operation| {
            operation.number == number.0
                && blake3::hash(record).as_bytes().as_slice() == operation.payload_hash
        })
}

/// The memory as the newest operation on it left it; `None` where an operation behind that one is
/// damaged or missing, which may have been a newer one.
pub(super) fn newest_of(
    history: &impl ReadableTable<u64, &'static [u8]>,
    number: MemoryNumber,
) -> Result<Option<Memory>, redb::StorageError> {
    let mut expected = None;
    for entry in history.iter()?.rev() {
        let (key, entry) = entry?;
        let sequence = Sequence(key.value());
        let Ok(operation) = sound(sequence, entry.value()) else {
            return Ok(None);
        };
        if expected.is_some_and(|expected| expected != sequence.0) {
            return Ok(None);
        }
        if operation.number == number && operation.kind.payload() == Payload::Memory {
            return Ok(operation.memory().ok().flatten());
        }
        expected = sequence.0.checked_sub(1);
    }
    Ok(None)
}

/// When an operation was, and on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) at: Timestamp,
    pub(super) number: MemoryNumber,
    /// As in [`Operation`].
    pub(super) previous_of_memory: Option<Sequence>,
}

/// The fields of [`OperationV1`] that [`decode_moment`] reads.
#[derive(Clone, PartialEq, Message)]
struct MomentV1 {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(uint32, tag = "6")]
    number: u32,
    #[prost(uint64, optional, tag = "7")]
    previous_of_memory: Option<u64>,
}

/// Decodes when an operation was, and on what.
pub(super) fn decode_moment(sequence: Sequence, bytes: &[u8]) -> Result<Moment, CodecError> {
    let record = MomentV1::decode(versioned(WHAT, opened(sequence, bytes)?)?)
        .map_err(|error| damaged(WHAT, &error))?;
    Ok(Moment {
        at: Timestamp::from_micros(record.at_us),
        number: MemoryNumber(record.number),
        previous_of_memory: record.previous_of_memory.map(Sequence),
    })
}

/// Checks that an operation continues the chain; returns its hash for the next check. The first one
/// behind a gap has nothing to continue.
pub(super) fn verify(
    sequence: Sequence,
    bytes: &[u8],
    previous: Option<&[u8; 32]>,
) -> Result<[u8; 32], ChainError> {
    let broken = |detail| ChainError { sequence, detail };
    let bytes =
        opened(sequence, bytes).map_err(|_| broken("the record does not match its hash"))?;
    let mut record = decode_record(bytes).map_err(|_| broken("the record cannot be read"))?;
    // Decoding passes over unknown fields and other spellings of a number, which the hash would
    // then not cover.
    if with_version(&record) != bytes {
        return Err(broken("the record is not as it was written"));
    }
    let payload = std::mem::take(&mut record.payload);
    let claimed = std::mem::take(&mut record.chain_hash);
    let is_purged = std::mem::take(&mut record.is_purged) && payload.is_empty();
    if !is_purged && blake3::hash(&payload).as_bytes().as_slice() != record.payload_hash {
        return Err(broken("the payload does not match its hash"));
    }
    let Some(previous) = previous else {
        return claimed
            .as_slice()
            .try_into()
            .map_err(|_| broken("its hash is cut"));
    };
    let hash = chain_hash(sequence, &record.encode_to_vec(), previous);
    if hash.as_slice() == claimed {
        Ok(hash)
    } else {
        Err(broken("the hash does not follow from the one before"))
    }
}

fn decode_record(bytes: &[u8]) -> Result<OperationV1, CodecError> {
    OperationV1::decode(versioned(WHAT, bytes)?).map_err(|error| damaged(WHAT, &error))
}

/// Hashes the header (the record without payload and chain hash) after `previous`.
fn chain_hash(sequence: Sequence, header: &[u8], previous: &[u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(&sequence.0.to_le_bytes());
    hasher.update(header);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn operation(sequence: u64) -> Operation {
        Operation {
            sequence: Sequence(sequence),
            at: Timestamp::from_micros(5),
            actor: Actor {
                origin: Origin::Agent,
                agent: "claude-code".into(),
                session: "s".into(),
                project: "project:p".into(),
                git: GitContext::default(),
            },
            kind: OperationKind::Store,
            number: MemoryNumber(7),
            previous_of_memory: None,
            reason: "says otherwise".into(),
            group: Some(Sequence(sequence)),
            reverts: None,
            is_purged: false,
            after: b"record".to_vec(),
        }
    }

    #[test]
    fn operations_round_trip_and_chain() {
        let (bytes, hash) = encode(&operation(1), &GENESIS);
        assert_eq!(decode(Sequence(1), &bytes).unwrap(), (operation(1), hash));
        assert_eq!(verify(Sequence(1), &bytes, Some(&GENESIS)).unwrap(), hash);
    }

    #[test]
    fn the_chain_goes_on_over_what_was_purged() {
        let (bytes, hash) = encode(&operation(1), &GENESIS);
        let purged = purged(Sequence(1), &bytes).unwrap();
        assert!(!purged.windows(6).any(|window| window == b"record"));
        assert_eq!(verify(Sequence(1), &purged, Some(&GENESIS)).unwrap(), hash);
        assert!(sound(Sequence(1), &purged).unwrap().is_purged);
    }

    #[test]
    fn any_change_breaks_the_chain() {
        let (bytes, hash) = encode(&operation(2), &GENESIS);
        assert!(
            verify(Sequence(3), &bytes, Some(&GENESIS)).is_err(),
            "moved"
        );
        assert!(
            verify(Sequence(2), &bytes, Some(&hash)).is_err(),
            "another past"
        );
        for bit in 0..bytes.len() * 8 {
            let mut tampered = bytes.clone();
            *tampered.get_mut(bit / 8).unwrap() ^= 1 << (bit % 8);
            assert!(
                verify(Sequence(2), &tampered, Some(&GENESIS)).is_err(),
                "bit {bit}"
            );
        }
        // An unknown field is skipped when a record is decoded, but it is a change all the same.
        let appended = [bytes.as_slice(), &[0x78, 1]].concat();
        assert!(
            verify(Sequence(2), &appended, Some(&GENESIS)).is_err(),
            "appended"
        );
    }
}
