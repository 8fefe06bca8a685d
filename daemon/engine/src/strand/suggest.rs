//! Relations that new memories seem to have: with what is alike, and with what their texts name.
//!
//! Nobody waits for it. A suggestion is followed by no search until somebody makes it active, and
//! one that was rejected is not made again.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use helix_memory::{
    Actor, Edge, EdgeKey, EdgeStatus, GitContext, Memory, MemoryNumber, Origin, Provenance,
    Relation, Role, SIMILARITY, Scope, Sequence, Status, Timestamp, WordSet,
};

use super::{ReadError, Request, Step, StepChange, Strand, prefix_length};

/// Who suggests, in provenance and history.
pub(super) const AGENT: &str = "helix";

/// Similarity from which two memories are related at all.
const ALIKE_MIN: f32 = 0.1;

/// Similarity from which the relation is active.
const ALIKE_ACTIVE: f32 = 0.4;

/// Relations with what is alike, at most, of one memory.
const ALIKE_MAX: usize = 3;

/// Relations that are suggested for one memory, at most, whichever end it is.
const SUGGESTED_MAX: usize = 8;

/// Memories about the same file that are suggested, at most.
const SAME_FILE_MAX: usize = 3;

/// Words of a text that are looked at as paths, at most.
const PATHS_MAX: usize = 50;

/// The source of a suggested relation; the name of the extractor in its provenance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extractor {
    /// Their words.
    Similarity,
    /// A name in the text.
    Names,
    /// A file that both are about.
    Files,
    /// Their vectors.
    Meaning,
}

impl Extractor {
    const fn name(self) -> &'static str {
        match self {
            Self::Similarity => SIMILARITY,
            Self::Names => "names",
            Self::Files => "files",
            Self::Meaning => "meaning",
        }
    }
}

/// A relation that is suggested.
struct Suggestion {
    to: MemoryNumber,
    role: Role,
    extractor: Extractor,
    strength: f32,
}

impl Strand {
    /// The relations of these new memories that should be suggested. Imported memories and what is
    /// not active have none.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub fn suggestions(
        &self,
        numbers: &[MemoryNumber],
        at: Timestamp,
    ) -> Result<Vec<Step>, ReadError> {
        let mut memories = self.memories(numbers)?;
        memories
            .retain(|memory| memory.status == Status::Active && memory.origin != Origin::Import);
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let names = self.names()?;
        let mut edges: BTreeMap<EdgeKey, Edge> = BTreeMap::new();
        let mut room = Room::default();
        for memory in &memories {
            let mut suggestions = self.alike(memory)?;
            suggestions.extend(self.about_same_files(memory));
            suggestions.extend(self.named(&names, memory)?);
            self.keep_new(memory.number, &mut suggestions);
            for suggestion in suggestions {
                let edge = edge(memory.number, &suggestion, at);
                let is_known = [edge.key, edge.key.reversed()]
                    .iter()
                    .any(|key| edges.contains_key(key));
                if !is_known && room.takes(self, &edge) {
                    edges.insert(edge.key, edge);
                }
            }
        }
        drop_vague(&mut edges);
        let step = |edge: Edge| Step::new(StepChange::Relate(Box::new(edge)), "");
        Ok(edges.into_values().map(step).collect())
    }

    /// Active memories of the same scope with some of the same words, the likest first.
    fn alike(&self, memory: &Memory) -> Result<Vec<Suggestion>, ReadError> {
        let words = WordSet::of(&memory.text);
        if words.len() < WordSet::TOKENS_MIN {
            return Ok(Vec::new());
        }
        let query = self
            .lexical
            .rarest(&memory.text, prefix_length(words.len()))?;
        let candidates = self.similar_words(&query, &memory.scope, Status::Active)?;
        let mut alike = Vec::new();
        for other in self.memories(&candidates)? {
            let similarity = words.jaccard(&WordSet::of(&other.text));
            if other.number != memory.number && similarity >= ALIKE_MIN {
                alike.push(Suggestion {
                    to: other.number,
                    role: Role::RELATED,
                    extractor: Extractor::Similarity,
                    strength: similarity,
                });
            }
        }
        alike.sort_by(|one, other| other.strength.total_cmp(&one.strength));
        alike.truncate(ALIKE_MAX);
        Ok(alike)
    }

    /// The newest memories about a file that this one is about, or that its text names.
    fn about_same_files(&self, memory: &Memory) -> Vec<Suggestion> {
        let own = memory.source.as_ref().map(|source| source.path.as_str());
        let catalog = self.catalog();
        let scopes = catalog.scope_numbers(&[memory.scope.clone(), Scope::Global]);
        let mut numbers: Vec<MemoryNumber> = own
            .into_iter()
            .chain(paths(&memory.text))
            .flat_map(|path| catalog.of_source(path))
            .filter(|number| {
                let row = catalog.row(*number);
                *number != memory.number
                    && row.is_some_and(|row| row.status == Status::Active && row.is_in(&scopes))
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let newest = numbers.into_iter().rev().take(SAME_FILE_MAX);
        newest
            .map(|to| Suggestion {
                to,
                role: Role::RELATED,
                extractor: Extractor::Files,
                strength: 1.0,
            })
            .collect()
    }

    /// Leaves out what is related already, or was rejected.
    fn keep_new(&self, number: MemoryNumber, suggestions: &mut Vec<Suggestion>) {
        let catalog = self.catalog();
        let mut related: Vec<(MemoryNumber, Relation)> = catalog
            .graph()
            .edges_of(number)
            .map(|arc| (arc.beyond(number), arc.key.relation))
            .collect();
        suggestions.retain(|suggestion| {
            let (to, relation) = (suggestion.to, suggestion.role.relation);
            // That both have to do with each other is no news of what is related.
            let says_nothing = relation == Relation::RelatesTo;
            let is_known = |(other, known): &(MemoryNumber, Relation)| {
                *other == to && (says_nothing || *known == relation)
            };
            let is_new = !related.iter().any(is_known);
            related.push((to, relation));
            is_new
        });
    }

    /// Relations of a memory that the daemon suggests and nobody has settled. Contradictions are not
    /// counted: each is told.
    fn suggested_of(&self, number: MemoryNumber) -> usize {
        let catalog = self.catalog();
        let edges = catalog.graph().edges_of(number);
        edges
            .filter(|arc| arc.status == EdgeStatus::Suggested)
            .filter(|arc| arc.key.relation != Relation::Contradicts)
            .count()
    }
}

/// The relations that are suggested for each memory, those that are about to be among them.
#[derive(Default)]
pub(super) struct Room(BTreeMap<MemoryNumber, usize>);

impl Room {
    /// Counts an edge, unless either end has as many suggestions as it may have. What is active is
    /// none.
    pub(super) fn takes(&mut self, strand: &Strand, edge: &Edge) -> bool {
        if edge.status != EdgeStatus::Suggested {
            return true;
        }
        let ends = [edge.key.from, edge.key.to];
        for end in ends {
            let suggested = self
                .0
                .entry(end)
                .or_insert_with(|| strand.suggested_of(end));
            if *suggested >= SUGGESTED_MAX {
                return false;
            }
        }
        for end in ends {
            *self.0.entry(end).or_default() += 1;
        }
        true
    }
}

/// Leaves out that two memories have to do with each other where another edge says what.
fn drop_vague(edges: &mut BTreeMap<EdgeKey, Edge>) {
    let pair = |key: &EdgeKey| (key.from.min(key.to), key.from.max(key.to));
    let is_vague = |key: &EdgeKey| key.relation == Relation::RelatesTo;
    let keys = edges.keys().filter(|key| !is_vague(key));
    let told: BTreeSet<_> = keys.map(pair).collect();
    edges.retain(|key, edge| {
        let is_told = is_vague(key) && told.contains(&pair(key));
        edge.status == EdgeStatus::Active || !is_told
    });
}

/// Words of a text that look like paths.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_' | '-');
    let words = text.split_whitespace();
    let words = words.map(move |word| word.trim_matches(is_around));
    let paths = words.map(|word| word.split_once(':').map_or(word, |(path, _)| path));
    paths
        .filter(|word| word.contains(['/', '.']) && word.len() > 2)
        .take(PATHS_MAX)
}

fn edge(from: MemoryNumber, suggestion: &Suggestion, at: Timestamp) -> Edge {
    let is_active =
        suggestion.extractor == Extractor::Similarity && suggestion.strength >= ALIKE_ACTIVE;
    let status = if is_active {
        EdgeStatus::Active
    } else {
        EdgeStatus::Suggested
    };
    let key = EdgeKey {
        from,
        relation: suggestion.role.relation,
        to: suggestion.to,
    };
    let key = if suggestion.role.is_from_name {
        key.reversed()
    } else {
        key
    };
    Edge {
        is_bidirectional: key.relation.is_bidirectional(),
        status,
        ..suggested(key, suggestion.extractor, suggestion.strength, at)
    }
}

/// An edge that the daemon suggests by itself.
pub(super) fn suggested(key: EdgeKey, extractor: Extractor, strength: f32, at: Timestamp) -> Edge {
    Edge {
        key,
        strength,
        is_bidirectional: false,
        status: EdgeStatus::Suggested,
        provenance: Provenance {
            agent: AGENT.to_owned(),
            reference: String::new(),
            extractor: extractor.name().to_owned(),
            origin: Origin::Tool,
            at,
            git: GitContext::default(),
        },
        reason: String::new(),
        valid_from: at,
        valid_to: None,
        sequence: Sequence(0),
    }
}

impl Request {
    /// Writes what the daemon suggests by itself.
    #[must_use]
    pub fn suggestions(steps: Vec<Step>, at: Timestamp) -> Self {
        Self::Together {
            steps,
            actor: Actor::of_daemon(AGENT),
            at,
        }
    }
}

#[cfg(test)]
mod tests;
