//! The outbox: the latest state of each thing that hooks keep, until the writer has it.
//!
//! A state is put here inside the lock under which it was made, so the last one put is the latest
//! one, and it replaces an older one that still waits. The writer takes what waits with each
//! commit; nobody is told when. This lock is taken last: nothing is done inside it but moving
//! states.
//!
//! Encoding a state with every event would cost more than the event, so whoever changes one often
//! only announces the change ([`Outbox::expect`]). The writer collects what was announced within
//! [`COLLECT_AFTER`].

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use helix_engine::{Request, States};
use helix_redact::State;

/// Bytes of states that may wait: all sessions' several times over. Beyond it a session keeps its
/// state and puts it again.
const WAITING_MAX_BYTES: usize = 64 * 1024 * 1024;

/// Rows of one commit, and about their bytes: whoever waits for an acknowledgement waits for these
/// too.
const TAKEN_MAX: usize = 1_024;
const TAKEN_MAX_BYTES: usize = 4 * 1024 * 1024;

/// How long an announced change may stay in RAM alone: a crash loses no older one.
pub const COLLECT_AFTER: Duration = Duration::from_millis(500);

/// The thing that a state is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// A session, by its key. An empty state removes it.
    Session(String),
    /// A mistake, by its scope and fingerprint.
    Incident(String),
    /// Something that hooks noticed, by its own name. An empty state removes it.
    Observation(String),
    /// A receipt, by its time in microseconds.
    Receipt(i64),
}

impl Row {
    /// The place of its kind among the kinds, and how many of it may wait: as many as the store
    /// keeps.
    fn kind(&self) -> (usize, u64) {
        match self {
            Self::Session(_) => (0, States::SESSIONS_MAX * 2),
            Self::Incident(_) => (1, States::INCIDENTS_MAX),
            Self::Observation(_) => (2, States::OBSERVATIONS_MAX),
            Self::Receipt(_) => (3, States::RECEIPTS_MAX),
        }
    }

    /// Bytes that it takes beside its state, about.
    fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Session(key) | Self::Incident(key) | Self::Observation(key) => key.len(),
                Self::Receipt(_) => 0,
            }
    }
}

/// Tells the writer that something waits. One with a full queue takes it with the group that comes
/// next; one that ended takes nothing.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Puts the states whose change was announced.
pub type Collect = Box<dyn Fn() + Send + Sync>;

/// What waits for the writer. Clones share it.
#[derive(Clone, Default)]
pub struct Outbox {
    waiting: Arc<Mutex<Waiting>>,
    collect: Arc<OnceLock<Collect>>,
    /// Wakes the writer; nobody takes from an outbox without.
    writer: Option<Wake>,
}

#[derive(Debug, Default)]
struct Waiting {
    states: HashMap<Row, State>,
    /// The rows in the order in which they are taken.
    order: VecDeque<Row>,
    /// Rows of each kind.
    counts: [u64; 4],
    bytes: usize,
    /// What is being committed: neither waiting nor in the store.
    committing: HashMap<Row, State>,
    /// When the first change was announced that is not collected yet.
    expected_since: Option<Instant>,
    /// True if the writer was woken since it took anything.
    is_called: bool,
    /// Rows that were given up because too many of their kind waited.
    displaced: u64,
    /// Kinds of which nothing is recorded, by their places.
    left_out: [bool; 4],
}

/// Rows that are recorded, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Memories that each session was given, and its activity.
    pub sessions: bool,
    /// Knowledge of mistakes.
    pub incidents: bool,
    /// What hooks told.
    pub receipts: bool,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Outbox")
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}

impl Outbox {
    /// Wakes the writer by calling `writer`.
    #[must_use]
    pub fn new(writer: Wake) -> Self {
        Self {
            waiting: Arc::default(),
            collect: Arc::default(),
            writer: Some(writer),
        }
    }

    /// The side of the thread that writes, which ends when nobody can wake it any more.
    #[must_use]
    pub fn taker(&self) -> Self {
        Self {
            waiting: Arc::clone(&self.waiting),
            collect: Arc::clone(&self.collect),
            writer: None,
        }
    }

    /// Leaves out what is not recorded: it is in RAM for as long as its session goes on.
    pub fn record_only(&self, recorded: Recorded) {
        let Recorded {
            sessions,
            incidents,
            receipts,
        } = recorded;
        self.lock().left_out = [!sessions, !incidents, false, !receipts];
    }

    /// Has announced changes collected by `collect`. The first caller decides.
    pub fn collect_with(&self, collect: Collect) {
        self.collect.set(collect).ok();
    }

    /// Announces that a state changed, outside of the lock on it.
    pub fn expect(&self) {
        let is_first = {
            let mut waiting = self.lock();
            let is_first = waiting.expected_since.is_none();
            waiting.expected_since.get_or_insert_with(Instant::now);
            is_first
        };
        if is_first {
            self.wake();
        }
    }

    /// How long until announced changes are to be collected; `None` where there are none.
    #[must_use]
    pub fn collects_in(&self) -> Option<Duration> {
        let since = self.lock().expected_since?;
        Some(COLLECT_AFTER.saturating_sub(since.elapsed()))
    }

    /// Collects announced changes when it is time.
    pub fn collect_when_due(&self) {
        if self.collects_in() != Some(Duration::ZERO) {
            return;
        }
        // Before the states are read: what changes meanwhile is announced again.
        self.lock().expected_since = None;
        if let Some(collect) = self.collect.get() {
            collect();
        }
    }

    /// Puts the latest state of a row, inside of the lock under which it was made. Returns false
    /// where there is no room for a session's: an older one does not wait either, and the
    /// session has to put it again. Of other kinds the row that waited longest goes instead,
    /// which the store would not keep either.
    #[expect(
        clippy::must_use_candidate,
        reason = "only a session's state has to be put again"
    )]
    pub fn put(&self, row: Row, state: State) -> bool {
        let is_put = self.lock().put(row, state);
        self.wake();
        is_put
    }

    /// The latest state of a row, where the store may not have it yet.
    #[must_use]
    pub fn get(&self, row: &Row) -> Option<Vec<u8>> {
        let waiting = self.lock();
        waiting
            .states
            .get(row)
            .or_else(|| waiting.committing.get(row))
            .map(|state| state.to_vec())
    }

    /// Gives up every state that waits and holds a text.
    pub fn drop_holding(&self, text: &str) {
        self.lock().drop_holding(text.as_bytes());
    }

    /// Returns whether the writer has anything to take.
    #[must_use]
    pub fn has_any(&self) -> bool {
        !self.lock().states.is_empty()
    }

    /// Takes what is to be committed next. It is found by [`Self::get`] until [`Self::committed`].
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        let mut waiting = self.lock();
        waiting.is_called = false;
        if mem::take(&mut waiting.displaced) > 0 {
            tracing::warn!(
                "hooks note more than the disk takes; the oldest receipts and mistakes that waited are dropped"
            );
        }
        let taken = waiting.take();
        waiting.committing = taken.iter().cloned().collect();
        drop(waiting);
        requests(taken)
    }

    /// Notes that what was taken is in the store.
    pub fn committed(&self) {
        self.lock().committing = HashMap::new();
    }

    fn wake(&self) {
        let Some(writer) = &self.writer else { return };
        if !mem::replace(&mut self.lock().is_called, true) {
            writer();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn put(&mut self, row: Row, state: State) -> bool {
        let (kind, most) = row.kind();
        if self.left_out.get(kind) == Some(&true) {
            return true;
        }
        let is_known = self.remove(&row);
        let is_full = self.counts.get(kind).is_some_and(|count| *count >= most);
        if let Row::Session(_) = row {
            let bytes = self.bytes + row.weight() + state.len();
            if is_full || bytes > WAITING_MAX_BYTES {
                if is_known {
                    self.order.retain(|known| *known != row);
                }
                return false;
            }
        } else if is_full {
            self.displace(kind);
        }
        if let Some(count) = self.counts.get_mut(kind) {
            *count += 1;
        }
        self.bytes += row.weight() + state.len();
        if !is_known {
            self.order.push_back(row.clone());
        }
        self.states.insert(row, state);
        true
    }

    /// Takes a state out, and leaves its place in the order. Returns whether there was one.
    fn remove(&mut self, row: &Row) -> bool {
        let Some(state) = self.states.remove(row) else {
            return false;
        };
        self.bytes = self.bytes.saturating_sub(row.weight() + state.len());
        if let Some(count) = self.counts.get_mut(row.kind().0) {
            *count = count.saturating_sub(1);
        }
        true
    }

    fn drop_holding(&mut self, text: &[u8]) {
        let holds = |state: &State| state.windows(text.len()).any(|window| window == text);
        let held: Vec<Row> = self
            .states
            .iter()
            .filter(|(_, state)| holds(state))
            .map(|(row, _)| row.clone())
            .collect();
        for row in held {
            self.remove(&row);
            self.order.retain(|known| *known != row);
        }
    }

    /// Gives up the row of a kind that waited longest.
    fn displace(&mut self, kind: usize) {
        let Some(place) = self.order.iter().position(|row| row.kind().0 == kind) else {
            return;
        };
        let Some(oldest) = self.order.remove(place) else {
            return;
        };
        self.remove(&oldest);
        self.displaced += 1;
    }

    fn take(&mut self) -> Vec<(Row, State)> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while taken.len() < TAKEN_MAX && bytes < TAKEN_MAX_BYTES {
            let Some(row) = self.order.pop_front() else {
                break;
            };
            let Some(state) = self.states.get_mut(&row).map(mem::take) else {
                continue;
            };
            self.bytes = self.bytes.saturating_sub(state.len());
            bytes += state.len();
            self.remove(&row);
            taken.push((row, state));
        }
        taken
    }
}

/// The requests that write some states, one for each kind of row.
fn requests(taken: Vec<(Row, State)>) -> Vec<Request> {
    let (mut sessions, mut incidents) = (Vec::new(), Vec::new());
    let (mut observations, mut receipts) = (Vec::new(), Vec::new());
    for (row, state) in taken {
        match row {
            Row::Session(key) => sessions.push((key, state)),
            Row::Incident(key) => incidents.push((key, state)),
            Row::Observation(key) => observations.push((key, state)),
            Row::Receipt(at_us) => receipts.push((at_us, state)),
        }
    }
    let states = [
        (States::Sessions, sessions),
        (States::Incidents, incidents),
        (States::Observations, observations),
    ];
    let mut requests: Vec<Request> = states
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(states, rows)| Request::States(states, rows))
        .collect();
    requests.extend((!receipts.is_empty()).then_some(Request::Receipts(receipts)));
    requests
}

#[cfg(test)]
pub(crate) mod tests {
    use helix_redact::{Redact, Secrets};

    use super::*;

    /// A state of some bytes and few more.
    #[derive(Clone, PartialEq, prost::Message)]
    struct Large {
        #[prost(bytes = "vec", tag = "1")]
        numbers: Vec<u8>,
    }

    impl Redact for Large {
        fn redact(&mut self, _: &mut Secrets) {}
    }

    pub(crate) fn large(bytes: usize) -> State {
        State::of_message(Large {
            numbers: vec![0; bytes],
        })
    }

    fn session(key: &str) -> Row {
        Row::Session(key.to_owned())
    }

    #[test]
    fn the_latest_state_waits_and_is_known_until_it_is_committed() {
        let outbox = Outbox::default();
        assert!(outbox.put(session("s"), State::of_numbers([1])));
        assert!(outbox.put(session("s"), State::of_numbers([2])));
        assert!(outbox.put(Row::Receipt(7), State::of_numbers([3])));
        let taken = outbox.take();
        assert!(matches!(
            taken.as_slice(),
            [Request::States(States::Sessions, rows), Request::Receipts(_)]
                if rows.iter().all(|(_, state)| state.as_slice() == [2])
        ));
        assert!(!outbox.has_any());
        assert_eq!(
            outbox.get(&session("s")),
            Some(vec![2]),
            "the store does not have it yet"
        );
        assert!(outbox.put(session("s"), State::of_numbers([4])));
        outbox.committed();
        assert_eq!(
            (outbox.get(&session("s")), outbox.get(&Row::Receipt(7))),
            (Some(vec![4]), None)
        );
    }

    #[test]
    fn what_waits_is_bounded_and_a_session_that_finds_no_room_is_told_so() {
        let outbox = Outbox::default();
        assert!(outbox.put(session("s"), large(WAITING_MAX_BYTES / 2)));
        assert!(
            outbox.put(session("s"), large(WAITING_MAX_BYTES / 2)),
            "it replaces the one before"
        );
        assert!(!outbox.put(session("t"), large(WAITING_MAX_BYTES / 2)));
        assert!(!outbox.put(session("s"), large(WAITING_MAX_BYTES)));
        assert_eq!(
            outbox.get(&session("s")),
            None,
            "what waited is older than what was refused"
        );
        assert!(outbox.put(session("t"), large(WAITING_MAX_BYTES / 2)));
        while outbox.has_any() {
            drop(outbox.take());
        }
        let waiting = outbox.lock();
        assert_eq!((waiting.bytes, waiting.counts), (0, [0; 4]));
    }

    #[test]
    fn announced_changes_are_collected_together_when_it_is_time() {
        let outbox = Outbox::default();
        let collector = outbox.taker();
        outbox.collect_with(Box::new(move || {
            collector.put(session("s"), State::of_numbers([1]));
        }));
        assert_eq!(outbox.collects_in(), None);
        outbox.expect();
        outbox.expect();
        outbox.collect_when_due();
        assert!(!outbox.has_any(), "it is not time yet");
        outbox.lock().expected_since = Instant::now().checked_sub(COLLECT_AFTER);
        outbox.collect_when_due();
        assert_eq!(outbox.get(&session("s")), Some(vec![1]));
        assert_eq!(outbox.collects_in(), None);
    }

    #[test]
    fn what_is_switched_off_is_not_recorded() {
        let outbox = Outbox::default();
        outbox.record_only(Recorded {
            sessions: true,
            incidents: false,
            receipts: false,
        });
        assert!(outbox.put(Row::Receipt(1), State::of_numbers([1])));
        assert!(outbox.put(Row::Incident("a".to_owned()), State::of_numbers([1])));
        assert!(!outbox.has_any());
        assert!(outbox.put(session("s"), State::of_numbers([1])));
        assert!(outbox.has_any());
    }

    #[test]
    fn of_too_many_receipts_the_oldest_go() {
        let outbox = Outbox::default();
        let most = i64::try_from(States::RECEIPTS_MAX).unwrap_or(i64::MAX);
        for at_us in 0..most + 3 {
            assert!(outbox.put(Row::Receipt(at_us), State::of_numbers([1])));
        }
        assert_eq!(
            (outbox.get(&Row::Receipt(2)), outbox.get(&Row::Receipt(3))),
            (None, Some(vec![1]))
        );
        let mut rows = 0;
        while outbox.has_any() {
            for request in outbox.take() {
                let Request::Receipts(receipts) = request else {
                    unreachable!("only receipts were put")
                };
                rows += receipts.len();
            }
        }
        assert_eq!(rows as u64, States::RECEIPTS_MAX);
    }
}
