//! What was done, counted day by day (UTC), and how long recalls took. It survives a restart and
//! holds numbers alone, never a text.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_engine::{Outcome, Request, States, StepChange, WriteError};
use helix_memory::{EXTRACTOR, Edge, EdgeStatus, Edit, Relation, Status, Timestamp};
use helix_redact::{Redact, Secrets, State};
use jiff::tz::TimeZone;
use prost::Message;

use crate::language::corrections::EXTRACTOR as MODEL;

/// Bars of the histogram: the last begins at about a minute.
pub const BARS: usize = 27;

/// Names that are counted: more than there are.
const NAMES_MAX: usize = 128;

/// The name of contradictions that were noted.
const CONFLICTS_NOTED: &str = "conflicts-noted";

/// Microseconds of a day.
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// One day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// Its date, such as `2026-11-24`.
    pub date: String,
    /// Recalls by how long they took: bar `i` counts those of `2^i` to `2^(i+1)` microseconds, the
    /// first also faster ones and the last also slower ones.
    pub recalls: [u64; BARS],
    /// How often each thing happened, by its name.
    pub counts: BTreeMap<String, u64>,
}

impl Day {
    /// How many recalls there were.
    #[must_use]
    pub fn recall_count(&self) -> u64 {
        self.recalls.iter().sum()
    }

    /// The time that so many of a thousand recalls did not take longer than, in microseconds: the
    /// upper end of a bar. 0 without recalls.
    #[must_use]
    pub fn quantile_us(&self, of_thousand: u64) -> u64 {
        let wanted = (self.recall_count() * of_thousand).div_ceil(1_000);
        if wanted == 0 {
            return 0;
        }
        let mut seen = 0;
        for (bar, count) in self.recalls.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return 2_u64 << bar;
            }
        }
        2_u64 << (BARS - 1)
    }
}

#[derive(Clone, PartialEq, Message)]
struct DayV1 {
    #[prost(uint64, repeated, tag = "1")]
    recalls: Vec<u64>,
    #[prost(btree_map = "string, uint64", tag = "2")]
    counts: BTreeMap<String, u64>,
}

impl Redact for DayV1 {
    fn redact(&mut self, _: &mut Secrets) {
        // The names are Helix's own.
        let Self {
            recalls: _,
            counts: _,
        } = self;
    }
}

/// Counts what is done.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Totals>);

#[derive(Debug, Default)]
struct Totals {
    /// Days since 1970 of the day that goes on.
    number: i64,
    today: Day,
    /// Days that ended since they were written last.
    ended: Vec<Day>,
    is_changed: bool,
}

impl Metrics {
    /// Goes on with what an earlier daemon counted today.
    #[must_use]
    pub fn restore(now: Timestamp, kept: &[(String, Vec<u8>)]) -> Self {
        let number = day_number(now);
        let date = date_of(number);
        let today = kept.iter().find(|(key, _)| *key == date);
        let today = today.and_then(|(key, state)| read(key, state));
        Self(Mutex::new(Totals {
            number,
            today: today.unwrap_or(Day {
                date,
                ..Day::default()
            }),
            ..Totals::default()
        }))
    }

    /// Counts a recall.
    pub fn recalled(&self, now: Timestamp, took: Duration) {
        let micros = took.as_micros().max(1);
        let bar = usize::try_from(micros.ilog2())
            .unwrap_or(BARS)
            .min(BARS - 1);
        let mut totals = self.at(now);
        if let Some(count) = totals.today.recalls.get_mut(bar) {
            *count += 1;
        }
    }

    /// Counts what hooks gave to an agent.
    pub fn injected(&self, now: Timestamp, tokens: u64) {
        self.count(now, "injections", 1);
        self.count(now, "injected-tokens", tokens);
    }

    /// Counts something by its name, which is one of the program's own.
    pub fn count(&self, now: Timestamp, name: &'static str, times: u64) {
        self.at(now).add(name, times);
    }

    /// What changed since this was asked last, to be written.
    #[must_use]
    pub fn unsaved(&self) -> Option<Request> {
        let mut totals = self.lock();
        if !totals.is_changed {
            return None;
        }
        totals.is_changed = false;
        let ended = std::mem::take(&mut totals.ended);
        let rows = ended.into_iter().chain([totals.today.clone()]);
        let row = |day: Day| {
            let record = DayV1 {
                recalls: day.recalls.to_vec(),
                counts: day.counts,
            };
            (day.date, State::of_message(record))
        };
        Some(Request::States(States::Metrics, rows.map(row).collect()))
    }

    /// The last days, newest first: those that are kept, and the one that goes on.
    #[must_use]
    pub fn days(&self, now: Timestamp, kept: &[(String, Vec<u8>)], most: usize) -> Vec<Day> {
        let totals = self.at(now);
        let mut days: BTreeMap<String, Day> = kept
            .iter()
            .filter_map(|(date, state)| Some((date.clone(), read(date, state)?)))
            .collect();
        let newer = totals.ended.iter().chain([&totals.today]);
        days.extend(newer.map(|day| (day.date.clone(), day.clone())));
        days.into_values().rev().take(most).collect()
    }

    /// Today's totals, where something is about to be counted.
    fn at(&self, now: Timestamp) -> MutexGuard<'_, Totals> {
        let mut totals = self.lock();
        let number = day_number(now);
        if totals.number != number {
            let next = Day {
                date: date_of(number),
                ..Day::default()
            };
            let ended = std::mem::replace(&mut totals.today, next);
            if !ended.date.is_empty() {
                totals.ended.push(ended);
            }
            totals.number = number;
        }
        totals.is_changed = true;
        totals
    }

    fn lock(&self) -> MutexGuard<'_, Totals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Totals {
    fn add(&mut self, name: &str, times: u64) {
        if let Some(count) = self.today.counts.get_mut(name) {
            *count += times;
        } else if self.today.counts.len() < NAMES_MAX {
            self.today.counts.insert(name.to_owned(), times);
        }
    }
}

fn read(date: &str, state: &[u8]) -> Option<Day> {
    let record = DayV1::decode(state).ok()?;
    let mut recalls = [0; BARS];
    for (bar, count) in recalls.iter_mut().zip(record.recalls) {
        *bar = count;
    }
    Some(Day {
        date: date.to_owned(),
        recalls,
        counts: record.counts,
    })
}

fn day_number(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(DAY_US)
}

fn date_of(day_number: i64) -> String {
    let at = jiff::Timestamp::from_microsecond(day_number.saturating_mul(DAY_US));
    let at = at.unwrap_or_default();
    at.to_zoned(TimeZone::UTC).date().to_string()
}

/// The names under which a request is counted, apart from how it ends.
#[derive(Clone, Debug)]
pub enum Counted {
    /// A memory is stored, in the place of others where it replaces them.
    Store {
        /// True if it does.
        replaces: bool,
        /// The known ones that it contradicts.
        conflicts: usize,
    },
    /// Memories and edges are changed.
    Changes(Vec<&'static str>),
    /// It is not counted.
    Nothing,
}

impl Counted {
    /// Reads what a request is, before it is handed on.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        match request {
            Request::Store { corrects, .. } => Self::Store {
                replaces: corrects.iter().any(|known| known.is_replaced),
                conflicts: corrects.iter().filter(|known| !known.is_replaced).count(),
            },
            Request::Edit { edit, .. } => Self::Changes(vec![name_of(edit)]),
            Request::EditTopic { .. } => Self::Changes(vec!["topic-edits"]),
            Request::MergeDuplicates { .. } => Self::Changes(vec!["merges"]),
            Request::Together { steps, .. } => {
                let name = |step: &helix_engine::Step| match &step.change {
                    StepChange::Edit { edit, .. } => name_of(edit),
                    StepChange::Relate(edge) => name_of_edge(edge),
                    StepChange::Unrelate(_) => "relations-removed",
                };
                Self::Changes(steps.iter().map(name).collect())
            }
            Request::Split(_) => Self::Changes(vec!["splits"]),
            Request::Distil(_) => Self::Changes(vec!["distilled"]),
            Request::Purge { .. } | Request::PurgeCheckpoints(_) => Self::Changes(vec!["purges"]),
            Request::Checkpoint { .. } => Self::Changes(vec!["checkpoints"]),
            Request::Tombstones(_)
            | Request::SaveTombstones(_)
            | Request::States(..)
            | Request::Receipts(_)
            | Request::Mend(_)
            | Request::Accesses => Self::Nothing,
        }
    }

    /// Counts it, now that it has ended.
    pub fn ended(self, metrics: &Metrics, now: Timestamp, outcome: &Result<Outcome, WriteError>) {
        let names = match (self, outcome) {
            (Self::Nothing, _) => return,
            (Self::Store { .. }, Ok(Outcome::Reinforced(_))) => vec!["stores-reinforced"],
            (
                Self::Store {
                    replaces,
                    conflicts,
                },
                Ok(outcome),
            ) => {
                if conflicts > 0 {
                    metrics.count(now, CONFLICTS_NOTED, conflicts as u64);
                }
                stored(replaces, outcome)
            }
            (Self::Changes(names), Ok(_)) => names,
            (Self::Store { .. } | Self::Changes(_), Err(_)) => vec!["writes-refused"],
        };
        for name in names {
            metrics.count(now, name, 1);
        }
    }
}

/// The name of an edge that was made. A contradiction that the rules found is noted; one that a
/// model was asked about, or that a person settled, was noted before.
fn name_of_edge(edge: &Edge) -> &'static str {
    let is_waiting = edge.status == EdgeStatus::Suggested;
    match edge.provenance.extractor.as_str() {
        EXTRACTOR if is_waiting && edge.key.relation == Relation::Contradicts => CONFLICTS_NOTED,
        MODEL => "pairs-judged",
        _ => "relations",
    }
}

/// The names of a memory that was stored anew.
fn stored(replaces: bool, outcome: &Outcome) -> Vec<&'static str> {
    let mut names = vec!["stores-new"];
    if replaces {
        names.push("stores-superseding");
    }
    if matches!(outcome, Outcome::Stored(memory) if memory.status == Status::Quarantined) {
        names.push("stores-quarantined");
    }
    names
}

fn name_of(edit: &Edit) -> &'static str {
    match edit {
        Edit::Append { .. } => "appends",
        Edit::Revise { .. } => "revisions",
        Edit::Tag { .. } => "tag-changes",
        Edit::Move { .. } => "moves",
        Edit::Set(_) => "field-changes",
        Edit::Forget => "forgotten",
        Edit::Restore => "restored",
        Edit::Supersede { .. } => "superseded",
        Edit::Absorb(_) => "absorbed",
        Edit::Archive => "archived",
        Edit::Prune => "pruned",
        Edit::Approve { .. } => "approved",
        Edit::Reject => "rejected",
        Edit::Withhold { .. } => "withheld",
        Edit::Revert { .. } => "reverted",
        Edit::Repair { .. } => "repaired",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn day(day: i64) -> Timestamp {
        Timestamp::from_micros(day * DAY_US + 5)
    }

    fn kept(metrics: &Metrics) -> Vec<(String, Vec<u8>)> {
        let Some(Request::States(States::Metrics, rows)) = metrics.unsaved() else {
            return Vec::new();
        };
        let row = |(key, state): (String, State)| (key, state.to_vec());
        rows.into_iter().map(row).collect()
    }

    #[test]
    fn totals_outlive_the_daemon_and_the_day() {
        let first = Metrics::restore(day(1), &[]);
        first.count(day(1), "stores-new", 2);
        let rows = kept(&first);
        assert!(first.unsaved().is_none(), "nothing is new");

        let second = Metrics::restore(day(1), &rows);
        second.count(day(1), "stores-new", 3);
        second.injected(day(2), 40);
        let rows = kept(&second);
        assert_eq!(rows.len(), 2, "the day that ended is written as well");
        let days = Metrics::restore(day(3), &rows).days(day(3), &rows, 3);
        let dates: Vec<&str> = days.iter().map(|day| day.date.as_str()).collect();
        assert_eq!(dates, ["1970-01-04", "1970-01-03", "1970-01-02"]);
        assert_eq!(days[1].counts["injected-tokens"], 40);
        assert_eq!(days[2].counts["stores-new"], 5);
    }

    #[test]
    fn quantiles_are_the_upper_ends_of_bars() {
        let metrics = Metrics::restore(day(1), &[]);
        for micros in [0, 1, 700, 700, 900, 40_000_000_000] {
            metrics.recalled(day(1), Duration::from_micros(micros));
        }
        let today = metrics.days(day(1), &[], 1).remove(0);
        assert_eq!(today.recall_count(), 6);
        assert_eq!(today.quantile_us(500), 1_024);
        assert_eq!(today.quantile_us(1_000), 2 << (BARS - 1));
        assert_eq!(Day::default().quantile_us(500), 0);
    }
}
