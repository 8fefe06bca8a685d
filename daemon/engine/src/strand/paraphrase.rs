//! Memories that say nearly the same in other words, found by their vectors. They are reported as
//! candidates and never merged by themselves. A vector hardly knows a negation or another value, so
//! what the rules call a contradiction is noted as one.

use helix_memory::{
    Actor, Edge, EdgeKey, Memory, MemoryNumber, Particulars, Relation, Shape, Status, Timestamp,
    Verdict, conflict, relate,
};

use super::suggest::{AGENT, Extractor, Room, suggested};
use super::{ReadError, Step, StepChange, Strand};
use crate::index::vectors::Candidates;

/// Cosine from which two memories may say the same. Of the labelled pairs that have the same numbers
/// and are this near, six in ten say the same and three in ten contradict each other, which is why
/// they are only pointed out; 44 in 100 of those that say the same are this near.
const SAME_MEANING: f32 = 0.87;

/// Nearest memories that are looked at for each new one.
const NEAREST_MAX: usize = 8;

/// Candidates of one memory, at most.
const CANDIDATES_MAX: usize = 2;

impl Strand {
    /// Suggestions that these memories take the place of older ones that say nearly the same in
    /// other words: of the same scope and sort, and alike in their names, numbers, paths and sense.
    /// What contradicts an older one is noted as that. Those without a vector are left out.
    ///
    /// # Errors
    /// When the disk or the vectors fail.
    pub fn paraphrases(
        &self,
        numbers: &[MemoryNumber],
        at: Timestamp,
    ) -> Result<Vec<Step>, ReadError> {
        let snapshot = self.snapshot()?;
        let mut steps = Vec::new();
        let mut room = Room::default();
        for number in numbers {
            let alike = self.nearest_older(*number)?;
            if alike.is_empty() {
                continue;
            }
            let Some(new) = snapshot.memory(*number)? else {
                continue;
            };
            let mut edges = Vec::new();
            for (older, cosine) in alike {
                if let Some(known) = snapshot.memory(older)? {
                    edges.extend(self.between(&new, &known, cosine, at));
                }
            }
            edges.truncate(CANDIDATES_MAX);
            edges.retain(|edge| {
                edge.key.relation == Relation::Contradicts || room.takes(self, edge)
            });
            let step = |edge: Edge| Step::new(StepChange::Relate(Box::new(edge)), "");
            steps.extend(edges.into_iter().map(step));
        }
        Ok(steps)
    }

    /// Older active memories of the same scope that are alike in meaning and not compared
    /// before, the likest first.
    fn nearest_older(&self, number: MemoryNumber) -> Result<Vec<(MemoryNumber, f32)>, ReadError> {
        let Some(code) = self.codes(&[number]).into_iter().next().flatten() else {
            return Ok(Vec::new());
        };
        let catalog = self.catalog();
        let Some(row) = catalog.row(number) else {
            return Ok(Vec::new());
        };
        if row.status != Status::Active {
            return Ok(Vec::new());
        }
        let keeps = |other: u32| {
            let found = catalog.row(MemoryNumber(other));
            other < number.0
                && found
                    .is_some_and(|found| found.status == Status::Active && found.scope == row.scope)
        };
        let candidates = Candidates::Filter {
            keeps: &keeps,
            expected: catalog.extent(),
        };
        let hits = self.nearest(&code.decode(), NEAREST_MAX, candidates)?;
        let disputed = catalog.graph().disputed(number);
        let is_decided = |other: MemoryNumber| {
            if disputed.contains(&other) {
                return true;
            }
            let mut edges = catalog.graph().edges_of(number);
            edges.any(|arc| arc.beyond(number) == other && arc.key.relation != Relation::RelatesTo)
        };
        let alike = hits
            .into_iter()
            .map(|hit| (MemoryNumber(hit.number), hit.cosine));
        Ok(alike
            .filter(|(other, cosine)| *cosine >= SAME_MEANING && !is_decided(*other))
            .collect())
    }

    /// The edge between memories that are alike in meaning: a contradiction where the rules see one,
    /// whatever the cosine; a repetition where nothing tells them apart.
    fn between(&self, new: &Memory, known: &Memory, cosine: f32, at: Timestamp) -> Option<Edge> {
        if !self.is_of_one_sort(new, known) {
            return None;
        }
        let verdict = relate(&self.statement(&known.text), &self.statement(&new.text));
        match verdict {
            Verdict::Supersedes(why) | Verdict::Contradicts(why) => {
                let actor = Actor::of_daemon(AGENT);
                Some(conflict(new.number, known.number, why, &actor, at))
            }
            Verdict::Apart | Verdict::Extends => {
                let (own, other) = (Particulars::of(&new.text), Particulars::of(&known.text));
                own.may_be_the_same(&other)
                    .then(|| candidate(new.number, known.number, cosine, at))
            }
        }
    }

    /// Returns whether two memories may hold the same: lasting ones, whose kinds are often guessed
    /// from their words, or of one kind. An event holds nothing: it happened.
    fn is_of_one_sort(&self, one: &Memory, other: &Memory) -> bool {
        let is_episodic = |memory: &Memory| self.kinds().shape(&memory.kind) == Shape::Episodic;
        let is_event = self.is_event(one.kind.as_str());
        one.kind == other.kind && !is_event || !is_episodic(one) && !is_episodic(other)
    }
}

fn candidate(from: MemoryNumber, to: MemoryNumber, cosine: f32, at: Timestamp) -> Edge {
    let key = EdgeKey {
        from,
        relation: Relation::Supersedes,
        to,
    };
    Edge {
        reason: format!("they may say the same: alike in meaning by {cosine:.2}"),
        ..suggested(key, Extractor::Meaning, cosine.clamp(0.0, 1.0), at)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::store::MemoryStorage;
    use crate::strand::Request;
    use helix_memory::{Admitted, Draft, Kinds, Origin, Scope};

    /// The relation of the edge between two texts whose vectors are nearly the same.
    fn relation(known: &str, new: &str) -> Option<Relation> {
        relation_of((known, "fact"), (new, "fact"))
    }

    /// The same of texts with their kinds.
    fn relation_of(known: (&str, &str), new: (&str, &str)) -> Option<Relation> {
        let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default()).unwrap();
        let store = |((text, kind), entropy): ((&str, &str), u8)| {
            let draft = Draft {
                topic: "facts".into(),
                text: text.into(),
                kind: Some(kind.into()),
                ..Draft::default()
            };
            let admitted = Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap();
            Request::Store {
                words: Box::new(Strand::read_words(&admitted)),
                admitted: Box::new(admitted),
                links: Vec::new(),
                stamps: None,
                force: false,
                corrects: Vec::new(),
                entropy: [entropy; 10],
                actor: Actor {
                    origin: Origin::Agent,
                    ..Actor::default()
                },
                at: Timestamp::default(),
            }
        };
        writer
            .commit([(known, 0), (new, 1)].map(store).to_vec())
            .unwrap();
        let memories = strand
            .memories(&[MemoryNumber(0), MemoryNumber(1)])
            .unwrap();
        let edge = strand.between(&memories[1], &memories[0], 0.96, Timestamp::default());
        edge.map(|edge| edge.key.relation)
    }

    #[test]
    fn a_negation_or_another_value_is_never_the_same() {
        for (known, new, expected) in [
            (
                "the importer uses the read replica",
                "reads of the importer go to the read replica",
                Some(Relation::Supersedes),
            ),
            (
                "the importer uses Postgres",
                "the importer no longer uses Postgres",
                Some(Relation::Contradicts),
            ),
            (
                "the importer listens on port 8081",
                "the importer listens on port 8082",
                Some(Relation::Contradicts),
            ),
            (
                "the importer uses the read replica in staging",
                "the importer uses the read replica in production",
                None,
            ),
            (
                "the importer may call the pricing client",
                "nothing of the importer may call the pricing client directly",
                None,
            ),
        ] {
            assert_eq!(relation(known, new), expected, "{new}");
        }
    }

    #[test]
    fn a_kind_that_was_guessed_hides_no_paraphrase_and_an_event_is_none() {
        let known = "the importer uses the read replica";
        let new = "reads of the importer go to the read replica";
        for (kind, expected) in [
            ("convention", Some(Relation::Supersedes)),
            ("decision", Some(Relation::Supersedes)),
            ("episode", None),
        ] {
            assert_eq!(
                relation_of((known, "fact"), (new, kind)),
                expected,
                "{kind}"
            );
        }
        let event = "episode";
        assert_eq!(relation_of((known, event), (new, event)), None);
    }
}
