//! A candidate: a fact found in slices, worth a decision.

use crate::{Place, Slice};

/// The lines a candidate stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Where the slice stands in its source.
    pub place: Place,
    /// The client's id of the session; empty where there is none.
    pub session: String,
    /// Microseconds since 1970 in UTC, where known.
    pub at: Option<i64>,
}

/// A typed, self-contained fact found in slices.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Name of a kind, such as `decision`; see the registry of kinds in the engine.
    pub kind: &'static str,
    /// One to three sentences that a stranger understands.
    pub text: String,
    /// Names it is about: files, symbols, packages, services, people.
    pub entities: Vec<String>,
    /// What is known beside the text, such as `("command", "cargo xtask up")`.
    pub attributes: Vec<(String, String)>,
    /// 0 to 1.
    pub confidence: f64,
    /// What a person said, rather than what an agent said or did.
    pub is_said_by_user: bool,
    /// Never empty; in the order of the session.
    pub evidence: Vec<Evidence>,
    /// Why it was kept, in words for a person.
    pub reason: String,
}

/// How far a text is from what is known already.
pub trait Novelty {
    /// 0 for what is known word by word, 1 for what nothing known resembles.
    fn novelty(&self, text: &str) -> f64;

    /// Whether two texts in nearly the same words say it of different things: of another name,
    /// number or version.
    fn are_apart(&self, one: &str, other: &str) -> bool;
}

/// Finds facts in the slices of one session.
pub trait Extractor {
    /// Candidates, best first, each once. `slices` are in the order of the session.
    fn extract(&self, slices: &[Slice], known: &dyn Novelty) -> Vec<Candidate>;
}
