//! Relations between memories.

use std::fmt;

use super::{MemoryId, MemoryNumber, Provenance, Sequence, Timestamp};
use helix_neutral::quoted;

/// The registered relations; each reads "from … to".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// A person or team works on something.
    WorksOn,
    /// A person or team answers for something.
    Owns,
    /// Needs the other to work.
    DependsOn,
    /// A project has a decision.
    HasDecision,
    /// A project has a convention.
    HasConvention,
    /// Somebody prefers something.
    Prefers,
    /// Makes use of the other.
    Uses,
    /// Took the other's place.
    Supersedes,
    /// Says what cannot hold beside the other.
    Contradicts,
    /// Is about something near.
    RelatesTo,
    /// Was decided by somebody.
    DecidedBy,
    /// Was made from the other.
    DerivedFrom,
    /// Is an example of the other.
    Exemplifies,
    /// Adds detail to the other.
    Refines,
    /// Describes the code that the other is.
    SourceOf,
}

/// A row of the registry.
struct RelationSpec {
    relation: Relation,
    name: &'static str,
    /// How the edge reads from its far end.
    inverse: &'static str,
    is_bidirectional: bool,
}

const fn spec(
    relation: Relation,
    name: &'static str,
    inverse: &'static str,
    is_bidirectional: bool,
) -> RelationSpec {
    RelationSpec {
        relation,
        name,
        inverse,
        is_bidirectional,
    }
}

const REGISTRY: [RelationSpec; 15] = [
    spec(Relation::WorksOn, "works_on", "worked_on_by", false),
    spec(Relation::Owns, "owns", "owned_by", false),
    spec(Relation::DependsOn, "depends_on", "dependency_of", false),
    spec(Relation::HasDecision, "has_decision", "decision_of", false),
    spec(
        Relation::HasConvention,
        "has_convention",
        "convention_of",
        false,
    ),
    spec(Relation::Prefers, "prefers", "preferred_by", false),
    spec(Relation::Uses, "uses", "used_by", false),
    spec(Relation::Supersedes, "supersedes", "superseded_by", false),
    spec(Relation::Contradicts, "contradicts", "contradicts", true),
    spec(Relation::RelatesTo, "relates_to", "relates_to", true),
    spec(Relation::DecidedBy, "decided_by", "decided", false),
    spec(Relation::DerivedFrom, "derived_from", "source_for", false),
    spec(
        Relation::Exemplifies,
        "exemplifies",
        "exemplified_by",
        false,
    ),
    spec(Relation::Refines, "refines", "refined_by", false),
    spec(Relation::SourceOf, "source_of", "described_by", false),
];

/// A relation that is not registered.
#[derive(Debug, thiserror::Error)]
#[error("relation {} is not known; use one of: {known}", quoted(.name))]
pub struct UnknownRelation {
    name: String,
    known: String,
}

impl Relation {
    /// Every relation, in the registry's order.
    pub const ALL: [Self; REGISTRY.len()] = {
        let mut all = [Self::WorksOn; REGISTRY.len()];
        let mut place = 0;
        while place < REGISTRY.len() {
            all[place] = REGISTRY[place].relation;
            place += 1;
        }
        all
    };

    fn spec(self) -> &'static RelationSpec {
        let found = REGISTRY.iter().find(|spec| spec.relation == self);
        found.unwrap_or(&REGISTRY[0])
    }

    /// Returns the name used on the wire and on disk.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns how an edge reads from the memory that it leads to.
    #[must_use]
    pub fn inverse(self) -> &'static str {
        self.spec().inverse
    }

    /// Returns whether an edge of it leads both ways unless its author says otherwise.
    #[must_use]
    pub fn is_bidirectional(self) -> bool {
        self.spec().is_bidirectional
    }

    /// Reads a name as people write it: case, dashes and blanks do not matter, and `related_to`
    /// is `relates_to`. Says also whether it is the name of the inverse, as in `owned_by`, with
    /// which the ends change places.
    ///
    /// # Errors
    /// `UnknownRelation`, listing the registry.
    pub fn resolve(name: &str) -> Result<(Self, bool), UnknownRelation> {
        let wanted = name.trim().to_lowercase().replace(['-', ' '], "_");
        let wanted = if wanted == "related_to" {
            "relates_to"
        } else {
            &wanted
        };
        let inverse = || REGISTRY.iter().find(|spec| spec.inverse == wanted);
        let known = Self::parse(wanted).map(|relation| (relation, false));
        let known = known.or_else(|| inverse().map(|spec| (spec.relation, true)));
        known.ok_or_else(|| UnknownRelation {
            name: name.chars().take(40).collect(),
            known: REGISTRY.map(|spec| spec.name).join(", "),
        })
    }

    /// Reads a name as it is stored.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let found = REGISTRY.iter().find(|spec| spec.name == name);
        found.map(|spec| spec.relation)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where an edge is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeStatus {
    /// Followed by searches and counted by centrality.
    Active,
    /// A machine's guess, shown as such and not followed.
    Suggested,
    /// Somebody said that it does not hold; kept so that no machine suggests it again.
    Rejected,
}

impl EdgeStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Active, Self::Suggested, Self::Rejected];

    /// Returns the name used on the wire and on disk.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suggested => "suggested",
            Self::Rejected => "rejected",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Extractor in the provenance of an edge between memories that have words in common.
pub const SIMILARITY: &str = "similarity";

/// Names an edge: there is one of each relation between two memories in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeKey {
    /// Where it begins.
    pub from: MemoryNumber,
    /// How the two are related.
    pub relation: Relation,
    /// Where it leads.
    pub to: MemoryNumber,
}

impl EdgeKey {
    /// The same between the same memories, the other way.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            from: self.to,
            relation: self.relation,
            to: self.from,
        }
    }
}

/// A typed, weighted relation between two memories.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its name.
    pub key: EdgeKey,
    /// 0 to 1.
    pub strength: f32,
    /// Leads both ways.
    pub is_bidirectional: bool,
    /// Where it is in its life.
    pub status: EdgeStatus,
    /// Who or what made it, and when.
    pub provenance: Provenance,
    /// Why, in words for people; never a memory's text.
    pub reason: String,
    /// When the relation became true.
    pub valid_from: Timestamp,
    /// When it stopped being true; `None` while it holds.
    pub valid_to: Option<Timestamp>,
    /// The operation that last changed it.
    pub sequence: Sequence,
}

impl Edge {
    /// Returns whether it holds at a time.
    #[must_use]
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.valid_from <= at && self.valid_to.is_none_or(|until| at < until)
    }

    /// Returns the id of the edge between two memories: the same in every store that has both.
    #[must_use]
    pub fn id_of(from: &MemoryId, relation: Relation, to: &MemoryId) -> MemoryId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(from.as_bytes());
        hasher.update(relation.name().as_bytes());
        hasher.update(to.as_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        MemoryId::from_bytes(id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_registry_names_each_relation_once() {
        let names: std::collections::BTreeSet<&str> = Relation::ALL
            .iter()
            .map(|relation| relation.name())
            .collect();
        assert_eq!(names.len(), 15);
        for relation in Relation::ALL {
            assert_eq!(Relation::parse(relation.name()), Some(relation));
            let is_symmetric = relation.inverse() == relation.name();
            assert_eq!(is_symmetric, relation.is_bidirectional(), "{relation}");
        }
    }

    #[test]
    fn names_are_read_as_people_write_them() {
        for (name, relation, is_inverse) in [
            (" Depends-On ", Relation::DependsOn, false),
            ("related_to", Relation::RelatesTo, false),
            ("owned by", Relation::Owns, true),
        ] {
            assert_eq!(Relation::resolve(name).unwrap(), (relation, is_inverse));
        }
        let error = Relation::resolve("likes").unwrap_err().to_string();
        assert!(error.contains("works_on, owns"), "{error}");
    }
}
