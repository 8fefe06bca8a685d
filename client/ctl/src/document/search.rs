//! Ranked hits.

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;
use super::topics::CountDocument;

/// The hits of a search, best first.
#[derive(Debug, Serialize)]
pub(crate) struct SearchDocument<'a> {
    hits: Vec<HitDocument<'a>>,
    fell_back_to_any: bool,
    notes: &'a [String],
    embed_us: u64,
    search_us: u64,
    next_cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<MatchesDocument<'a>>,
}

/// How many memories fit, when they were counted instead of returned.
#[derive(Debug, Serialize)]
struct MatchesDocument<'a> {
    total: u64,
    topics: Vec<CountDocument<'a>>,
}

/// Why a memory is not found.
#[derive(Debug, Serialize)]
pub(crate) struct WhyNotDocument<'a> {
    memory: Option<MemoryDocument<'a>>,
    /// Its place in the answer; `null` when it is not shown.
    place: Option<u32>,
    reason: &'a str,
    why: &'a str,
    advice: &'a str,
    words: Option<StandingDocument>,
    meaning: Option<StandingDocument>,
}

#[derive(Debug, Serialize)]
struct StandingDocument {
    rank: u32,
    score: f32,
}

impl<'a> From<&'a v1::WhyNot> for WhyNotDocument<'a> {
    fn from(outcome: &'a v1::WhyNot) -> Self {
        let standing = |standing: &v1::Standing| StandingDocument {
            rank: standing.rank,
            score: standing.score,
        };
        Self {
            memory: outcome.memory.as_ref().map(MemoryDocument::from),
            place: (outcome.place > 0).then_some(outcome.place),
            reason: &outcome.reason,
            why: &outcome.why,
            advice: &outcome.advice,
            words: outcome.words.as_ref().map(standing),
            meaning: outcome.meaning.as_ref().map(standing),
        }
    }
}

#[derive(Debug, Serialize)]
struct HitDocument<'a> {
    score: f32,
    /// `words`, `some words`, `meaning`, `both`, `relation` or `far`; `null` when the newest were
    /// listed.
    by: Option<&'static str>,
    memory: Option<MemoryDocument<'a>>,
    /// True if the text is a part of it, as it had room in a budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_cut: bool,
    /// Handles of memories that say the same, for which it stands: the first of so many.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    also_in: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationDocument<'a>>,
}

/// Ranks are `null` where the memory is absent from the list.
#[derive(Debug, Serialize)]
struct ExplanationDocument<'a> {
    lexical_rank: Option<u32>,
    lexical_score: Option<f32>,
    semantic_rank: Option<u32>,
    semantic_score: Option<f32>,
    token_score: Option<f32>,
    fused: f32,
    confidence_factor: f32,
    recency_factor: f32,
    importance_factor: f32,
    scope_factor: f32,
    branch_factor: f32,
    diversity_factor: f32,
    topic_factor: f32,
    matched_terms: &'a [String],
    /// Where it came along with another hit: that memory's handle.
    #[serde(skip_serializing_if = "str::is_empty")]
    related_from: &'a str,
    /// How that memory is related to this one.
    #[serde(skip_serializing_if = "str::is_empty")]
    relation: &'a str,
}

impl<'a> SearchDocument<'a> {
    /// Describes an answer; `counted` when the matches were counted.
    pub(crate) fn new(reply: &'a v1::SearchReply, counted: bool) -> Self {
        let matches = || MatchesDocument {
            total: reply.total,
            topics: reply.topic_counts.iter().map(CountDocument::from).collect(),
        };
        Self {
            hits: reply.hits.iter().map(HitDocument::from).collect(),
            fell_back_to_any: reply.fell_back_to_any,
            notes: &reply.notes,
            embed_us: reply.embed_us,
            search_us: reply.search_us,
            next_cursor: Some(reply.next_cursor.as_str()).filter(|cursor| !cursor.is_empty()),
            matches: counted.then(matches),
        }
    }
}

impl<'a> From<&'a v1::Hit> for HitDocument<'a> {
    fn from(hit: &'a v1::Hit) -> Self {
        Self {
            score: hit.score,
            by: found_by(hit.found_by()),
            memory: hit.memory.as_ref().map(MemoryDocument::from),
            is_cut: hit.is_cut,
            also_in: &hit.also_in,
            copies: (hit.copies > 0).then_some(hit.copies),
            explanation: hit.explanation.as_ref().map(ExplanationDocument::from),
        }
    }
}

/// Names what a hit has in common with the query.
pub(crate) fn found_by(by: v1::FoundBy) -> Option<&'static str> {
    match by {
        v1::FoundBy::Unspecified => None,
        v1::FoundBy::Words => Some("words"),
        v1::FoundBy::Meaning => Some("meaning"),
        v1::FoundBy::Both => Some("both"),
        v1::FoundBy::SomeWords => Some("some words"),
        v1::FoundBy::Far => Some("far"),
        v1::FoundBy::Relation => Some("relation"),
    }
}

impl<'a> From<&'a v1::Explanation> for ExplanationDocument<'a> {
    fn from(explanation: &'a v1::Explanation) -> Self {
        let listed = |rank: u32| (rank != 0).then_some(rank);
        let lexical_rank = listed(explanation.lexical_rank);
        let semantic_rank = listed(explanation.semantic_rank);
        Self {
            lexical_rank,
            lexical_score: lexical_rank.map(|_| explanation.lexical_score),
            semantic_rank,
            semantic_score: semantic_rank.map(|_| explanation.semantic_score),
            token_score: (explanation.token_score != 0.0).then_some(explanation.token_score),
            fused: explanation.fused,
            confidence_factor: explanation.confidence_factor,
            recency_factor: explanation.recency_factor,
            importance_factor: explanation.importance_factor,
            scope_factor: explanation.scope_factor,
            branch_factor: explanation.branch_factor,
            diversity_factor: explanation.diversity_factor,
            topic_factor: explanation.topic_factor,
            matched_terms: &explanation.matched_terms,
            related_from: &explanation.related_from,
            relation: &explanation.relation,
        }
    }
}
