//! Fading, computed when read from stored originals, never compounding.

use crate::model::{Kinds, Memory, Timestamp};

/// Recalls after which a memory fades half as fast.
const OFTEN_RECALLED: u64 = 10;

/// Returns the confidence a memory has now: `confidence · 0.5^(age / half_life)`, age counted from when it was last seen.
///
/// The half-life of its kind doubles when it was recalled more than ten times. Pinned memories and kinds without a
/// half-life do not fade.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn effective_confidence(memory: &Memory, kinds: &Kinds, now: Timestamp) -> f32 {
    let half_life = kinds.spec(&memory.kind).and_then(|spec| spec.half_life_days);
    let (false, Some(half_life_days)) = (memory.pinned, half_life) else {
        return memory.confidence;
    };
    let stretched = if memory.access_count > OFTEN_RECALLED { half_life_days * 2.0 } else { half_life_days };
    let age_days = memory.last_seen_at.max(memory.valid_from).age_days(now);
    memory.confidence * 0.5_f64.powf(age_days / stretched) as f32
}
