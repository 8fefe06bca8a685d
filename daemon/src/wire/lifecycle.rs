//! `Lifecycle` as the wire has it.

use helix_app::lifecycle::{Counts, Done, Plan, ToldFate};
use helix_memory::{LifeStep as Step, Timestamp};
use helix_proto::v1;

/// Writes what was due, and what was done of it.
pub(crate) fn answer(plan: Plan, done: Option<Done>) -> v1::LifecycleReply {
    let Plan {
        holds,
        fates,
        counts,
    } = plan;
    v1::LifecycleReply {
        mode: holds.mode.name().to_owned(),
        auto_from_us: holds.auto_from.map_or(0, Timestamp::as_micros),
        fates: fates.into_iter().map(fate).collect(),
        due: by_step(counts),
        taken: done.map(|done| by_step(done.taken)).unwrap_or_default(),
        left: done.map_or(0, |done| done.left as u64),
    }
}

fn by_step(counts: Counts) -> Vec<v1::NamedCount> {
    let Counts {
        archive,
        expire,
        prune,
    } = counts;
    let of = |step: Step, count: usize| v1::NamedCount {
        name: step.name().to_owned(),
        count: count as u64,
    };
    vec![
        of(Step::Archive, archive),
        of(Step::Expire, expire),
        of(Step::Prune, prune),
    ]
}

fn fate(told: ToldFate) -> v1::Fate {
    let ToldFate {
        handle,
        kind,
        scope,
        fate,
        reason,
    } = told;
    v1::Fate {
        handle,
        kind,
        scope,
        step: fate.due.step.name().to_owned(),
        since_us: fate.due.since.as_micros(),
        due_us: fate.due.at.as_micros(),
        confidence: fate.confidence,
        reason,
    }
}
