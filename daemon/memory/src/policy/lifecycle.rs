//! When a memory that nobody needs leaves what is shown by default, and when it leaves the indexes.
//!
//! Nothing is ever deleted. When confidence fell below the threshold follows from the formula of
//! `decay`, so no state is kept for it.

use super::decay::{CENTRAL, Fading};
use crate::model::{Status, Timestamp};

/// The kind that expires.
pub const SCRATCH_KIND: &str = "scratch";

const HOUR_US: i64 = 3_600_000_000;

/// Microseconds of one day.
const DAY_US: f64 = 86_400_000_000.0;

/// The inputs of the next step of a memory's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// Where it is now.
    pub status: Status,
    /// How it fades.
    pub fading: Fading,
    /// True if it expires.
    pub is_scratch: bool,
    /// When its record was changed last: of an archived one, when it was archived.
    pub changed_at: Timestamp,
}

/// A step that a memory takes when nobody reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// It faded and leaves what is shown by default.
    Archive,
    /// It is a scratch memory whose hour is over, and leaves what is shown by default.
    Expire,
    /// It leaves the indexes.
    Prune,
}

impl Step {
    /// How long a scratch memory lives after it was seen last, in hours.
    pub const SCRATCH_HOURS: i64 = 1;

    /// How long an archived memory stays unread before it is pruned, in days.
    pub const UNREAD_DAYS: f64 = 30.0;

    /// How long a memory stays faded before it is archived, in days.
    pub const FADED_DAYS: f64 = 14.0;

    /// Effective confidence below which a memory counts as faded.
    pub const FADED_BELOW: f32 = 0.3;

    /// Every step.
    pub const ALL: [Self; 3] = [Self::Archive, Self::Expire, Self::Prune];

    /// Returns the name used on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Expire => "expire",
            Self::Prune => "prune",
        }
    }
}

/// The next step of a memory's life, unless somebody reads it before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// Which step.
    pub step: Step,
    /// Since when there is a reason for it: when it faded, was seen last, or was archived.
    pub since: Timestamp,
    /// When it is taken.
    pub at: Timestamp,
}

/// Says whether memories of a kind expire.
#[must_use]
pub fn expires(kind: &str) -> bool {
    kind == SCRATCH_KIND
}

/// The next step of a memory's life; `None` for one that stays as it is.
#[must_use]
pub fn next(life: &Life) -> Option<Due> {
    match life.status {
        Status::Active => leaves_default(life),
        Status::Archived => Some(leaves_indexes(life)),
        Status::Superseded | Status::Forgotten | Status::Quarantined | Status::Pruned => None,
    }
}

/// The step that is due now.
#[must_use]
pub fn due(life: &Life, now: Timestamp) -> Option<Due> {
    next(life).filter(|due| due.at <= now)
}

fn leaves_default(life: &Life) -> Option<Due> {
    let fading = &life.fading;
    if fading.pinned || fading.centrality > CENTRAL {
        return None;
    }
    if life.is_scratch {
        return Some(Due {
            step: Step::Expire,
            since: fading.seen_at,
            at: later(fading.seen_at, Step::SCRATCH_HOURS * HOUR_US),
        });
    }
    let since = faded_at(fading)?;
    Some(Due {
        step: Step::Archive,
        since,
        at: later(since, in_micros(Step::FADED_DAYS)),
    })
}

fn leaves_indexes(life: &Life) -> Due {
    let since = life.changed_at.max(life.fading.seen_at);
    Due {
        step: Step::Prune,
        since,
        at: later(since, in_micros(Step::UNREAD_DAYS)),
    }
}

/// When the effective confidence reached [`Step::FADED_BELOW`]; `None` when it never does.
fn faded_at(fading: &Fading) -> Option<Timestamp> {
    if fading.confidence < Step::FADED_BELOW {
        return Some(fading.seen_at);
    }
    let half_life_days = fading.stretched_half_life_days()?;
    let halvings = f64::from(fading.confidence / Step::FADED_BELOW).log2();
    Some(later(fading.seen_at, in_micros(half_life_days * halvings)))
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates")]
fn in_micros(days: f64) -> i64 {
    (days * DAY_US) as i64
}

fn later(at: Timestamp, micros: i64) -> Timestamp {
    Timestamp::from_micros(at.as_micros().saturating_add(micros))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn day(day: f64) -> Timestamp {
        Timestamp::from_micros(in_micros(day))
    }

    fn life() -> Life {
        Life {
            status: Status::Active,
            fading: Fading {
                confidence: 0.6,
                half_life_days: Some(30.0),
                pinned: false,
                access_count: 0,
                centrality: 0.0,
                seen_at: day(0.0),
            },
            is_scratch: false,
            changed_at: day(0.0),
        }
    }

    #[test]
    fn a_memory_is_archived_two_weeks_after_it_faded() {
        let due = next(&life()).unwrap();
        assert_eq!(due.step, Step::Archive);
        assert_eq!(due.since, day(30.0), "0.6 halves to 0.3 in one half-life");
        assert_eq!(due.at, day(44.0));
        assert_eq!(super::due(&life(), day(43.9)), None);
        assert!(super::due(&life(), day(44.0)).is_some());
        let confidence = life().fading.confidence_at(due.since);
        assert!(
            (confidence - Step::FADED_BELOW).abs() < 1e-4,
            "{confidence}"
        );
    }

    #[test]
    fn recalls_and_relations_delay_it() {
        let with = |access_count, centrality| {
            let mut life = life();
            life.fading.access_count = access_count;
            life.fading.centrality = centrality;
            next(&life).map(|due| due.at)
        };
        assert_eq!(with(11, 0.5), Some(day(74.0)), "half as fast");
        assert_eq!(with(0, 0.51), None, "a hub stays");
    }

    #[test]
    fn what_is_pinned_or_never_fades_stays() {
        let mut pinned = life();
        pinned.fading.pinned = true;
        pinned.is_scratch = true;
        assert_eq!(next(&pinned), None);
        let mut lasting = life();
        lasting.fading.half_life_days = None;
        assert_eq!(next(&lasting), None);
        lasting.fading.confidence = 0.2;
        assert_eq!(next(&lasting).map(|due| due.at), Some(day(14.0)));
    }

    #[test]
    fn scratch_expires_after_an_hour() {
        let scratch = Life {
            is_scratch: true,
            ..life()
        };
        let due = next(&scratch).unwrap();
        assert_eq!(due.step, Step::Expire);
        assert_eq!(due.at.as_micros(), HOUR_US);
    }

    #[test]
    fn an_archived_memory_is_pruned_after_a_month_unread() {
        let mut archived = Life {
            status: Status::Archived,
            changed_at: day(50.0),
            ..life()
        };
        let due = next(&archived).unwrap();
        assert_eq!(due.step, Step::Prune);
        assert_eq!(due.at, day(80.0));
        archived.fading.seen_at = day(60.0);
        assert_eq!(next(&archived).unwrap().at, day(90.0), "reading delays it");
        for status in [
            Status::Superseded,
            Status::Forgotten,
            Status::Quarantined,
            Status::Pruned,
        ] {
            assert_eq!(next(&Life { status, ..archived }), None);
        }
    }
}
