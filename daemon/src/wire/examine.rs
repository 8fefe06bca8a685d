//! `Examine` as the wire has it, and what `Search` says of one memory.

use std::time::Duration;

use helix_app::examine::{Lost, Step};
use helix_app::search::WhyNot;
use helix_engine::HitStanding as Standing;
use helix_proto::v1;

use super::told;

/// Writes one step of an examination.
pub(crate) fn step(step: Step) -> v1::ExamineReply {
    v1::ExamineReply {
        asked: step.asked,
        without_question: step.without_question,
        lost: step.lost.into_iter().map(lost).collect(),
        total: step.total,
        next: step.next.unwrap_or_default(),
        by_meaning: step.by_meaning,
    }
}

fn lost(lost: Lost) -> v1::LostMemory {
    let Lost {
        handle,
        question,
        place,
        why,
    } = lost;
    v1::LostMemory {
        handle,
        question,
        why,
        place: place.map(narrow).unwrap_or_default(),
    }
}

/// Writes what a search makes of a memory, which took so long to find out.
pub(crate) fn why_not(outcome: &WhyNot, elapsed: Duration) -> v1::SearchReply {
    let why_not = v1::WhyNot {
        memory: Some(told(&outcome.memory)),
        place: narrow(outcome.place),
        reason: outcome.reason.to_owned(),
        why: outcome.why.clone(),
        advice: outcome.advice.clone(),
        words: outcome.words.map(standing),
        meaning: outcome.meaning.map(standing),
    };
    v1::SearchReply {
        why_not: Some(why_not),
        search_us: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        ..v1::SearchReply::default()
    }
}

fn standing(standing: Standing) -> v1::Standing {
    v1::Standing {
        rank: narrow(standing.rank),
        score: standing.score,
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
