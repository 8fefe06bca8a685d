//! Tables of states that other layers keep and the store does not look into: a row here is all that
//! a further one takes.
//!
//! | table | key | rows | which go |
//! |---|---|---|---|
//! | sessions | session | [`States::SESSIONS_MAX`] | those heard of longest ago |
//! | incidents | scope and fingerprint | [`States::INCIDENTS_MAX`] | those that came longest ago |
//! | observations | what is observed | [`States::OBSERVATIONS_MAX`] | those about the oldest memories |
//! | projects | scope | [`PROJECTS_MAX`] | those seen longest ago |
//! | jobs | name | [`JOBS_MAX`] | any: there are fewer |
//! | cursors | place of what is read | [`CURSORS_MAX`] | those moved longest ago |
//! | metrics | day | [`METRICS_MAX`] | the oldest days |

use prost::Message;
use redb::TableDefinition;

use super::tables::Named;

/// Projects that are remembered, at a few dozen bytes each.
pub const PROJECTS_MAX: u64 = 10_000;

/// Jobs of the scheduler: it has less than ten.
pub const JOBS_MAX: u64 = 64;

/// Transcripts and other growing files of which is kept how far they were read: some years of
/// them.
pub const CURSORS_MAX: u64 = 100_000;

/// Days of which totals are kept.
pub const METRICS_MAX: u64 = 400;

/// Part of a cap that is made free at once, so that not every further row has the whole table
/// looked through.
pub(super) const SLACK: u64 = 32;

/// A table of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum States {
    /// Memories that each session was given.
    Sessions,
    /// Facts about each mistake.
    Incidents,
    /// Observations of hooks, by the hooks' own names for them.
    Observations,
    /// When each project was worked in.
    Projects,
    /// When each job of the scheduler ran, and what came of it.
    Jobs,
    /// How far each transcript was read.
    Cursors,
    /// Totals of each day.
    Metrics,
}

/// How a table of states is kept small.
pub(super) struct Cap {
    /// Most rows.
    pub(super) rows_max: u64,
    /// Rows that go beyond those that must.
    pub(super) slack: u64,
    /// The age of a row by its key and state: those of the lowest go first.
    pub(super) age: fn(&str, &[u8]) -> i64,
}

impl States {
    /// Things that hooks noticed. Whoever writes them keeps to less: two for each memory that is often
    /// given and not heeded, one for each project and client. All of them are in RAM, at some ten bytes
    /// each.
    pub const OBSERVATIONS_MAX: u64 = 50_000;

    /// Mistakes that are kept: what a few large projects meet in years, at one or two kilobytes each.
    pub const INCIDENTS_MAX: u64 = 10_000;

    /// Sessions that are kept: more than go on at once. All of them are in RAM.
    pub const SESSIONS_MAX: u64 = 1_024;

    /// Every table of states.
    pub const ALL: [Self; 7] = [
        Self::Sessions,
        Self::Incidents,
        Self::Observations,
        Self::Projects,
        Self::Jobs,
        Self::Cursors,
        Self::Metrics,
    ];

    /// The table.
    pub(super) const fn table(self) -> Named {
        TableDefinition::new(match self {
            Self::Sessions => "sessions",
            Self::Incidents => "incidents",
            Self::Observations => "observations",
            Self::Projects => "projects",
            Self::Jobs => "jobs",
            Self::Cursors => "cursors",
            Self::Metrics => "metrics",
        })
    }

    /// How it is kept small.
    pub(super) fn cap(self) -> Cap {
        let cap = |rows_max, slack, age| Cap {
            rows_max,
            slack,
            age,
        };
        let shortened = |rows_max: u64, age| cap(rows_max, rows_max / SLACK, age);
        match self {
            Self::Sessions => cap(States::SESSIONS_MAX, 0, |_, state| {
                decoded::<SessionAge>(state)
            }),
            Self::Incidents => shortened(States::INCIDENTS_MAX, |_, state| {
                decoded::<IncidentAge>(state)
            }),
            Self::Observations => shortened(States::OBSERVATIONS_MAX, |key, _| memory_of(key)),
            Self::Projects => shortened(PROJECTS_MAX, |_, state| decoded::<FirstField>(state)),
            Self::Jobs => cap(JOBS_MAX, 0, |_, _| 0),
            Self::Cursors => shortened(CURSORS_MAX, |_, state| decoded::<FirstField>(state)),
            Self::Metrics => cap(METRICS_MAX, 0, |day, _| day_of(day)),
        }
    }
}

/// A time out of a state, in microseconds.
trait Aged: Message + Default {
    fn at_us(&self) -> i64;
}

macro_rules! aged {
    ($($name:ident, $tag:literal, $doc:literal);+ $(;)?) => {
        $(
            #[doc = $doc]
            #[derive(Clone, PartialEq, Message)]
            pub(super) struct $name {
                #[prost(sint64, tag = $tag)]
                pub(super) at_us: i64,
            }

            impl Aged for $name {
                fn at_us(&self) -> i64 {
                    self.at_us
                }
            }
        )+
    };
}

aged! {
    SessionAge, "3", "When a session was heard of last.";
    IncidentAge, "9", "When a mistake came last.";
    FirstField, "1", "When a project was seen or a cursor moved last.";
}

/// The age of a state; one that cannot be read goes first.
fn decoded<T: Aged>(state: &[u8]) -> i64 {
    T::decode(state).map_or(i64::MIN, |age| age.at_us())
}

/// The memory that an observation is about, by its number: `heed 17`. What is about something else
/// comes behind all.
fn memory_of(key: &str) -> i64 {
    key.rsplit_once(' ')
        .and_then(|(_, number)| number.parse::<u32>().ok())
        .map_or(i64::MAX, i64::from)
}

/// A day such as `2026-11-24` as a number.
fn day_of(key: &str) -> i64 {
    key.replace('-', "").parse().unwrap_or(i64::MIN)
}
