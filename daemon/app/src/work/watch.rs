//! Watches a project's hooks: which fired when, which failed, and what of it is worth telling.
//!
//! A client never says that it stopped running a hook, and a hook that is silent looks like one
//! that has nothing to say. So those that every session fires are expected to: one that is wired
//! and has not fired for a week in which there were sessions is told of, once a day at most.

use std::time::Duration;

use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets};
use prost::Message;

/// The events that every session has, by the names that hooks are started with.
pub const EXPECTED: [&str; 3] = ["prompt", "ambient", "stop"];

/// How long a hook may be silent.
const SILENT_MAX: Duration = Duration::from_hours(7 * 24);

/// Sessions in that time from which on silence says something.
const SESSIONS_MIN: usize = 3;

/// Starts of sessions that are remembered.
const STARTS_MAX: usize = 8;

/// Late answers from which on they say something: a busy machine has some.
const LATE_MIN: u32 = 5;

/// How long late answers are remembered one by one.
const LATE_MAX: Duration = Duration::from_hours(7 * 24);

/// How long after its start a daemon may be late: files are read for the first time, and models
/// loaded.
const STARTING_MAX: Duration = Duration::from_secs(30);

/// How long until the same is told again.
const TOLD_INTERVAL: Duration = Duration::from_hours(24);

/// Least time between two writes of when an event fired: a crash costs so much of it.
const WRITE_INTERVAL: Duration = Duration::from_hours(1);

/// The record of one event's hook.
#[derive(Clone, PartialEq, Eq, Message)]
struct Hook {
    #[prost(string, tag = "1")]
    event: String,
    /// When it fired last, or was seen to be wired first.
    #[prost(sint64, tag = "2")]
    fired_at_us: i64,
}

/// Answers of one event that came too late.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Late {
    /// The event, by the name that its hook is started with.
    #[prost(string, tag = "1")]
    pub event: String,
    /// How many.
    #[prost(uint32, tag = "2")]
    pub times: u32,
    /// How many of them right after a start of the daemon.
    #[prost(uint32, tag = "3")]
    pub after_start: u32,
    /// When the last one was, in microseconds since the epoch.
    #[prost(sint64, tag = "4")]
    pub last_at_us: i64,
}

/// The record of a project's hooks.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Watch {
    #[prost(message, repeated, tag = "1")]
    hooks: Vec<Hook>,
    /// When its last sessions started, the newest last.
    #[prost(sint64, repeated, tag = "2")]
    starts_us: Vec<i64>,
    /// Events that were answered with nothing because something failed, and were not told of yet.
    #[prost(uint32, tag = "3")]
    failures: u32,
    /// Events whose answers came too late though the daemon had run for a while, and were not told
    /// of yet.
    #[prost(uint32, tag = "6")]
    late: u32,
    /// Those of the last week, whether told of or not.
    #[prost(message, repeated, tag = "7")]
    lates: Vec<Late>,
    /// When silence was told of last.
    #[prost(sint64, optional, tag = "4")]
    told_at_us: Option<i64>,
    /// When this was last worth writing.
    #[prost(sint64, tag = "5")]
    written_at_us: i64,
}

impl Redact for Watch {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            hooks,
            starts_us: _,
            failures: _,
            late: _,
            lates,
            told_at_us: _,
            written_at_us: _,
        } = self;
        for Hook {
            event,
            fired_at_us: _,
        } in hooks
        {
            secrets.said(event);
        }
        for Late {
            event,
            times: _,
            after_start: _,
            last_at_us: _,
        } in lates
        {
            secrets.said(event);
        }
    }
}

impl Watch {
    /// Reads what was persisted; as new when it is damaged.
    #[must_use]
    pub fn read(state: &[u8]) -> Self {
        Self::decode(state).unwrap_or_default()
    }

    /// When any of its hooks fired last, in microseconds.
    #[must_use]
    pub fn fired_at_us(&self) -> i64 {
        self.hooks
            .iter()
            .map(|hook| hook.fired_at_us)
            .max()
            .unwrap_or(i64::MIN)
    }

    /// Notes that an event's hook fired. Returns whether that is worth writing now.
    pub fn fired(&mut self, event: &str, now: Timestamp) -> bool {
        let hook = self.hook(event, now);
        let is_new = std::mem::replace(&mut hook.fired_at_us, now.as_micros()) == now.as_micros();
        let is_due = is_new || age(self.written_at_us, now) >= WRITE_INTERVAL;
        if is_due {
            self.written_at_us = now.as_micros();
        }
        is_due
    }

    /// Notes that an event was answered with nothing because something failed.
    pub fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// Notes that an event's answer came too late, from a daemon that was started at a time.
    pub fn was_late(&mut self, event: &str, started_at: Timestamp, now: Timestamp) {
        self.lates
            .retain(|late| age(late.last_at_us, now) < LATE_MAX);
        let known = self.lates.iter().position(|late| late.event == event);
        let mut late = known.map_or_else(Late::default, |place| self.lates.swap_remove(place));
        event.clone_into(&mut late.event);
        late.times = late.times.saturating_add(1);
        let is_starting = age(started_at.as_micros(), now) < STARTING_MAX;
        late.after_start = late.after_start.saturating_add(u32::from(is_starting));
        // Nobody could do anything about what a start delays.
        self.late = self.late.saturating_add(u32::from(!is_starting));
        late.last_at_us = now.as_micros();
        self.lates.push(late);
    }

    /// The events whose answers came too late in the last week.
    pub fn late(&self, now: Timestamp) -> impl Iterator<Item = &Late> {
        self.lates
            .iter()
            .filter(move |late| age(late.last_at_us, now) < LATE_MAX)
    }

    /// Notes that a session starts, of which these events' hooks are `wired`. Returns what is worth
    /// telling it.
    pub fn started(&mut self, wired: &[String], now: Timestamp) -> Vec<String> {
        self.starts_us.push(now.as_micros());
        let surplus = self.starts_us.len().saturating_sub(STARTS_MAX);
        self.starts_us.drain(..surplus);
        self.written_at_us = now.as_micros();
        self.silence(wired, now)
            .into_iter()
            .chain(self.failures())
            .collect()
    }

    fn silence(&mut self, wired: &[String], now: Timestamp) -> Option<String> {
        let expected = EXPECTED
            .iter()
            .filter(|event| wired.iter().any(|wired| wired == *event));
        let silent: Vec<(&str, Duration)> = expected
            .map(|event| (*event, age(self.hook(event, now).fired_at_us, now)))
            .filter(|(_, silence)| *silence >= SILENT_MAX)
            .collect();
        let sessions = self
            .starts_us
            .iter()
            .filter(|&&at_us| age(at_us, now) < SILENT_MAX)
            .count();
        let is_told = self
            .told_at_us
            .is_some_and(|told_at_us| age(told_at_us, now) < TOLD_INTERVAL);
        if silent.is_empty() || sessions < SESSIONS_MIN || is_told {
            return None;
        }
        self.told_at_us = Some(now.as_micros());
        let days = silent
            .iter()
            .map(|(_, silence)| silence.as_secs() / 86_400)
            .min()
            .unwrap_or_default();
        let names: Vec<String> = silent
            .iter()
            .map(|(event, _)| format!("`{event}`"))
            .collect();
        let (hooks, have) = if names.len() == 1 {
            ("hook", "has")
        } else {
            ("hooks", "have")
        };
        Some(format!(
            "Helix: the {hooks} {} {have} not fired here for {days} days although wired; tell the user to \
             look at `helixctl hooks status` and at whether the client has hooks switched off.",
            names.join(" and ")
        ))
    }

    fn failures(&mut self) -> Option<String> {
        let late = std::mem::take(&mut self.late);
        let failures = std::mem::take(&mut self.failures) + if late >= LATE_MIN { late } else { 0 };
        (failures > 0).then(|| {
            let events = if failures == 1 { "1 event" } else { &format!("{failures} events") };
            format!(
                "Helix: {events} of earlier sessions got no answer, because something failed or took too long; tell the user \
                 that `helixctl doctor` looks for the cause."
            )
        })
    }

    fn hook(&mut self, event: &str, now: Timestamp) -> &mut Hook {
        let known = self.hooks.iter().position(|hook| hook.event == event);
        let place = known.unwrap_or_else(|| {
            self.hooks.push(Hook {
                event: event.to_owned(),
                fired_at_us: now.as_micros(),
            });
            self.hooks.len() - 1
        });
        &mut self.hooks[place]
    }
}

fn age(from_us: i64, now: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(now.as_micros().saturating_sub(from_us)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: i64) -> Timestamp {
        Timestamp::from_micros((20_000 + day) * 86_400_000_000)
    }

    fn wired() -> Vec<String> {
        ["session", "prompt", "ambient"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_hook_that_falls_silent_is_told_of_once_a_day() {
        let mut watch = Watch::default();
        watch.fired("ambient", day(0));
        for at in [0, 3, 5, 6] {
            watch.fired("prompt", day(at));
            assert!(watch.started(&wired(), day(at)).is_empty());
        }
        watch.fired("prompt", day(7));
        let told = watch.started(&wired(), day(7));
        assert_eq!(told.len(), 1);
        assert!(
            told.iter()
                .all(|text| text.contains("the hook `ambient` has not fired here for 7 days")),
            "{told:?}"
        );
        assert!(watch.started(&wired(), day(7)).is_empty());
        assert_eq!(watch.started(&wired(), day(8)).len(), 1);
        watch.fired("ambient", day(9));
        assert!(watch.started(&wired(), day(9)).is_empty());
    }

    #[test]
    fn silence_says_nothing_where_nobody_works_or_nothing_is_wired() {
        let mut watch = Watch::default();
        watch.fired("ambient", day(0));
        assert!(
            watch.started(&wired(), day(30)).is_empty(),
            "the first session after a holiday"
        );
        let mut watch = Watch::default();
        watch.fired("ambient", day(0));
        for at in 5..9 {
            assert!(watch.started(&["session".to_owned()], day(at)).is_empty());
        }
    }

    #[test]
    fn a_hook_that_never_fired_counts_from_when_it_was_seen() {
        let mut watch = Watch::default();
        let told: Vec<usize> = (0..9)
            .map(|at| watch.started(&wired(), day(at)).len())
            .collect();
        assert_eq!(told, [0, 0, 0, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn failures_are_told_of_once() {
        let mut watch = Watch::default();
        watch.failed();
        watch.failed();
        watch.was_late("prompt", day(0), day(1));
        let told = watch.started(&[], day(0));
        assert!(
            told.len() == 1
                && told
                    .iter()
                    .all(|text| text.contains("2 events of earlier sessions"))
        );
        assert!(watch.started(&[], day(0)).is_empty());
        (0..LATE_MIN).for_each(|_| watch.was_late("prompt", day(0), day(1)));
        let told = watch.started(&[], day(1));
        assert!(
            told.len() == 1 && told.iter().all(|text| text.contains("5 events")),
            "{told:?}"
        );
        (0..LATE_MIN).for_each(|_| watch.was_late("prompt", day(1), day(1)));
        assert!(watch.started(&[], day(1)).is_empty(), "a start delays some");
    }

    #[test]
    fn late_answers_are_remembered_for_a_week() {
        let mut watch = Watch::default();
        watch.was_late("prompt", day(0), day(0));
        watch.was_late("prompt", day(0), day(1));
        watch.was_late("ambient", day(0), day(5));
        let late = |watch: &Watch, at| {
            watch
                .late(at)
                .map(|late| (late.event.clone(), late.times, late.after_start))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            late(&watch, day(6)),
            [("prompt".to_owned(), 2, 1), ("ambient".to_owned(), 1, 0)]
        );
        watch.started(&[], day(6));
        assert_eq!(late(&watch, day(8)), [("ambient".to_owned(), 1, 0)]);
        watch.was_late("prompt", day(8), day(8));
        assert_eq!(
            late(&watch, day(8)),
            [("ambient".to_owned(), 1, 0), ("prompt".to_owned(), 1, 1)]
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut watch = Watch::default();
        assert!(watch.fired("ambient", day(0)));
        assert!(!watch.fired("ambient", day(0)) || watch.written_at_us == day(0).as_micros());
        assert!(watch.fired("ambient", day(1)));
        assert_eq!(Watch::read(&watch.encode_to_vec()), watch);
        assert_eq!(Watch::read(b"\xff"), Watch::default());
    }
}
