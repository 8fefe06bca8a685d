//! Making and removing edges, which are operations of their own.

use helix_memory::{
    Actor, Edge, EdgeKey, EdgeStatus, MemoryNumber, Provenance, Relation, Timestamp,
};
use redb::ReadableTable;

use super::group::{Group, Tables};
use super::{Cause, Change, CommitError, WriteError};
use crate::store::history::{Operation, OperationKind};
use crate::store::{codec, seal, tables};

impl Group {
    /// Makes an edge, or replaces the one of the same name. Nothing is written when it is so
    /// already.
    pub(super) fn relate(
        &mut self,
        tables: &mut Tables<'_>,
        mut edge: Edge,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        for end in [edge.key.from, edge.key.to] {
            if !tables.has_memory(end)? {
                return Ok(Err(WriteError::NoSuchMemory(end.0)));
            }
        }
        let known = tables.edge(&edge.key)?;
        if let Some(known) = &known {
            edge.sequence = known.sequence;
            edge.valid_from = known.valid_from;
            if says_the_same(&edge, known) {
                return Ok(Ok(Change::None));
            }
        }
        edge.sequence = self.sequence.next();
        let body = codec::edge::encode(&edge);
        tables.put_edge(&edge.key, Some(&body))?;
        self.append_edge(tables, OperationKind::Relate, &edge, body, actor, at, cause);
        Ok(Ok(Change::Edge(Box::new(edge))))
    }

    /// Notes that the memory which was stored last was made from another one.
    pub(super) fn derive(
        &mut self,
        tables: &mut Tables<'_>,
        from: MemoryNumber,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let edge = Edge {
            key: EdgeKey {
                from: self.last_stored(),
                relation: Relation::DerivedFrom,
                to: from,
            },
            strength: 1.0,
            is_bidirectional: false,
            status: EdgeStatus::Active,
            provenance: Provenance::stated(&actor, at),
            reason: cause.reason.clone(),
            valid_from: at,
            valid_to: None,
            sequence: self.sequence,
        };
        self.relate(tables, edge, actor, at, cause)
    }

    /// Removes an edge.
    pub(super) fn unrelate(
        &mut self,
        tables: &mut Tables<'_>,
        key: EdgeKey,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) -> Result<Result<Change, WriteError>, CommitError> {
        let Some(edge) = tables.edge(&key)? else {
            return Ok(Err(WriteError::NoSuchEdge {
                relation: key.relation,
            }));
        };
        tables.put_edge(&key, None)?;
        let body = codec::edge::encode(&edge);
        self.append_edge(
            tables,
            OperationKind::Unrelate,
            &edge,
            body,
            actor,
            at,
            cause,
        );
        let removed = Edge {
            sequence: self.sequence,
            ..edge
        };
        Ok(Ok(Change::EdgeGone(Box::new(removed))))
    }

    fn append_edge(
        &mut self,
        tables: &mut Tables<'_>,
        kind: OperationKind,
        edge: &Edge,
        after: Vec<u8>,
        actor: Actor,
        at: Timestamp,
        cause: Cause,
    ) {
        let operation = Operation {
            sequence: self.sequence.next(),
            at,
            actor,
            kind,
            number: edge.key.from,
            previous_of_memory: None,
            reason: cause.reason,
            group: self.first_of(cause.is_continued),
            reverts: cause.reverts,
            is_purged: false,
            after,
        };
        self.append(tables, operation);
    }
}

fn says_the_same(one: &Edge, other: &Edge) -> bool {
    one.status == other.status
        && one.strength.to_bits() == other.strength.to_bits()
        && one.is_bidirectional == other.is_bidirectional
        && one.valid_to == other.valid_to
        && one.reason == other.reason
}

impl Tables<'_> {
    /// Reads an edge; one that is damaged counts as absent.
    fn edge(&self, key: &EdgeKey) -> Result<Option<Edge>, CommitError> {
        let name = codec::edge::key(key);
        let edges = self.transaction.open_table(tables::EDGES)?;
        let Some(record) = edges.get(name.as_str())? else {
            return Ok(None);
        };
        let body = seal::open("an edge", &tables::EDGES, name.as_str(), record.value());
        Ok(body.and_then(codec::edge::decode).ok())
    }

    /// Writes or removes the row of an edge.
    pub(super) fn put_edge(&self, key: &EdgeKey, body: Option<&[u8]>) -> Result<(), CommitError> {
        let name = codec::edge::key(key);
        let mut edges = self.transaction.open_table(tables::EDGES)?;
        match body {
            Some(body) => {
                let record = seal::seal(&tables::EDGES, name.as_str(), body);
                edges.insert(name.as_str(), record.as_slice())?;
            }
            None => {
                edges.remove(name.as_str())?;
            }
        }
        Ok(())
    }

    /// Returns whether a memory is there.
    pub(super) fn has_memory(&self, number: MemoryNumber) -> Result<bool, CommitError> {
        Ok(self.gathered.has(number) || self.memories.get(number.0)?.is_some())
    }
}
