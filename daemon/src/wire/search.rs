//! `Search` as the wire has it.

use std::time::Duration;

use helix_app::search::{Answer, Counts, Explanation, FilterAsked, FoundBy, ToldHit, Wanted};
use helix_engine::{Mode, Retriever};
use helix_memory::Timestamp;
use helix_proto::v1;

use super::history::at;
use super::{counted, text_shown, told};

/// Reads what somebody searches for.
pub(crate) fn wanted(wire: v1::SearchRequest) -> Wanted {
    let (mode, retriever, shown) = (
        mode(wire.mode()),
        retriever(wire.retriever()),
        text_shown(wire.shown()),
    );
    let v1::SearchRequest {
        query,
        filter,
        limit,
        explain,
        passive,
        cursor,
        moment,
        budget_tokens,
        ..
    } = wire;
    let filter = filter_asked(filter.unwrap_or_default());
    Wanted {
        query,
        filter,
        limit,
        mode,
        retriever,
        explain,
        passive,
        cursor,
        shown,
        at: at(moment),
        budget_tokens,
    }
}

fn filter_asked(wire: v1::Filter) -> FilterAsked {
    let v1::Filter {
        topics,
        tags,
        kinds,
        scopes,
        statuses,
        source,
        after_us,
        before_us,
    } = wire;
    let (after, before) = (
        after_us.map(Timestamp::from_micros),
        before_us.map(Timestamp::from_micros),
    );
    FilterAsked {
        topics,
        tags,
        kinds,
        scopes,
        statuses,
        source,
        after,
        before,
    }
}

/// Reads a match mode.
fn mode(wire: v1::MatchMode) -> Mode {
    match wire {
        v1::MatchMode::Auto => Mode::Auto,
        v1::MatchMode::All => Mode::All,
        v1::MatchMode::Any => Mode::Any,
        v1::MatchMode::AllFirst => Mode::AllFirst,
    }
}

/// Reads a retriever.
fn retriever(wire: v1::Retriever) -> Retriever {
    match wire {
        v1::Retriever::Hybrid => Retriever::Hybrid,
        v1::Retriever::Words => Retriever::Words,
        v1::Retriever::Meaning => Retriever::Meaning,
    }
}

/// Writes what was found, which took so long.
pub(crate) fn found(answer: Answer, elapsed: Duration) -> v1::SearchReply {
    let embed_us = micros(answer.embedding);
    v1::SearchReply {
        hits: answer.hits.iter().map(hit).collect(),
        fell_back_to_any: answer.fell_back_to_any,
        notes: answer.notes,
        embed_us,
        search_us: micros(elapsed).saturating_sub(embed_us),
        next_cursor: answer.next_cursor,
        ..v1::SearchReply::default()
    }
}

/// Writes how many match, which took so long to count.
pub(crate) fn counts(counts: Counts, elapsed: Duration) -> v1::SearchReply {
    v1::SearchReply {
        total: counts.total,
        topic_counts: counted(counts.topics),
        fell_back_to_any: counts.fell_back_to_any,
        notes: counts.notes,
        search_us: micros(elapsed),
        ..v1::SearchReply::default()
    }
}

fn hit(hit: &ToldHit) -> v1::Hit {
    v1::Hit {
        memory: Some(told(&hit.told)),
        score: hit.score,
        explanation: hit.explanation.as_ref().map(explanation),
        found_by: found_by(hit.found_by).into(),
        is_cut: hit.is_cut,
        also_in: hit.also_in.clone(),
        copies: u32::try_from(hit.copies).unwrap_or(u32::MAX),
        passage: hit.passage.clone(),
    }
}

fn explanation(why: &Explanation) -> v1::Explanation {
    let Explanation {
        evidence,
        factors,
        likeness,
        of_topic,
        matched_terms,
        matched_words,
        related,
    } = why;
    let (related_from, relation) = related.clone().unwrap_or_default();
    v1::Explanation {
        lexical_rank: evidence.lexical_rank,
        lexical_score: evidence.lexical_score,
        semantic_rank: evidence.semantic_rank,
        semantic_score: evidence.semantic_score,
        token_score: evidence.token_score,
        fused: evidence.fused,
        confidence_factor: factors.confidence,
        recency_factor: factors.recency,
        importance_factor: factors.importance,
        scope_factor: factors.scope,
        branch_factor: factors.branch,
        diversity_factor: *likeness,
        topic_factor: *of_topic,
        matched_terms: matched_terms.clone(),
        matched_words: matched_words.clone(),
        related_from,
        relation: relation.to_owned(),
    }
}

fn found_by(found_by: FoundBy) -> v1::FoundBy {
    match found_by {
        FoundBy::Unspecified => v1::FoundBy::Unspecified,
        FoundBy::Words => v1::FoundBy::Words,
        FoundBy::SomeWords => v1::FoundBy::SomeWords,
        FoundBy::Meaning => v1::FoundBy::Meaning,
        FoundBy::Both => v1::FoundBy::Both,
        FoundBy::Far => v1::FoundBy::Far,
        FoundBy::Relation => v1::FoundBy::Relation,
    }
}

fn micros(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
}
