//! Who is worked on, and for how long. An event that passes its deadline gives its place to the
//! next one although its thread may hang for good, as on a file system that does not answer. One
//! whose turn comes too late is recorded when it comes.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use helix_app::hook::{HANGING_MAX, Lateness, Load};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Events worked on at the same time; the others wait in the order in which they came. Most take
/// less than a millisecond, and the machine's cores are the agent's.
const AT_ONCE_MAX: usize = 8;

/// Threads that events ever have.
pub(crate) const THREADS_MAX: usize = AT_ONCE_MAX + HANGING_MAX;

/// Inputs that may wait to be recorded after they were answered with nothing, in KiB: a storm of a
/// thousand events, or two that bring a large file.
const UNRECORDED_MAX_KIB: u32 = 16 * 1024;

/// Room that an event takes of that beside its input: it bounds how many there are.
const UNRECORDED_EACH_KIB: u32 = 16;

/// How long a daemon that ends waits for them.
const UNRECORDED_DEADLINE: Duration = Duration::from_secs(1);

/// Bounds how much of the machine events take.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Arc<Semaphore>,
    load: Arc<Load>,
    /// Room for what is to be recorded later.
    unrecorded: Arc<Semaphore>,
}

/// One event's place.
#[derive(Debug)]
pub(crate) struct Turn {
    load: Arc<Load>,
    place: Mutex<Place>,
    lateness: Lateness,
}

#[derive(Debug)]
enum Place {
    Held {
        /// Given back when it is dropped.
        _permit: OwnedSemaphorePermit,
    },
    /// Given back while the thread works on.
    GivenUp,
    /// The thread is at its end.
    Done,
}

/// Does something at its end, however that comes.
pub(crate) struct AtEnd<'t>(&'t Turn, fn(&Turn));

impl Gate {
    /// Says in `load` how many wait.
    pub(crate) fn new(load: Arc<Load>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE_MAX)),
            load,
            unrecorded: Arc::new(Semaphore::new(UNRECORDED_MAX_KIB as usize)),
        }
    }

    /// Waits for a place. Whoever keeps this keeps its place in the line.
    pub(crate) fn turn(&self) -> impl Future<Output = Turn> + Send + 'static {
        let (places, load) = (Arc::clone(&self.places), Arc::clone(&self.load));
        async move {
            let permit = if let Ok(permit) = Arc::clone(&places).try_acquire_owned() {
                Ok(permit)
            } else {
                let _in_line = InLine::of(Arc::clone(&load));
                places.acquire_owned().await
            };
            // It is never closed.
            let place = permit.map_or(Place::Done, |permit| Place::Held { _permit: permit });
            Turn {
                load,
                place: Mutex::new(place),
                lateness: Lateness::default(),
            }
        }
    }

    /// Takes room for an event that is to be recorded later; `None` when too much waits already.
    pub(crate) fn keep(&self, input_bytes: usize) -> Option<OwnedSemaphorePermit> {
        let input_kib = u32::try_from(input_bytes / 1024).ok()?;
        Arc::clone(&self.unrecorded)
            .try_acquire_many_owned(input_kib.saturating_add(UNRECORDED_EACH_KIB))
            .ok()
    }

    /// Waits until everything that was kept is recorded, but not for ever.
    pub(crate) async fn recorded(&self) {
        if tokio::time::timeout(
            UNRECORDED_DEADLINE,
            self.unrecorded.acquire_many(UNRECORDED_MAX_KIB),
        )
        .await
        .is_err()
        {
            tracing::warn!("some of what hooks told was not recorded before the end");
        }
    }
}

/// An event that waits for a place, for as long as the value lives.
#[derive(Debug)]
struct InLine(Arc<Load>);

impl InLine {
    fn of(load: Arc<Load>) -> Self {
        load.waiting.fetch_add(1, Ordering::AcqRel);
        Self(load)
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Turn {
    /// The thread's own part: it needs no place once this is dropped.
    pub(crate) fn until_done(&self) -> AtEnd<'_> {
        AtEnd(self, Self::done)
    }

    /// The part of who waits for the answer: the thread's place is given back when this is dropped,
    /// if it has not ended.
    pub(crate) fn until_given_up(&self) -> AtEnd<'_> {
        AtEnd(self, Self::give_up)
    }

    /// Where it is noted that the answer comes too late.
    pub(crate) fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    fn done(&self) {
        if matches!(
            std::mem::replace(&mut *self.lock(), Place::Done),
            Place::GivenUp
        ) {
            self.load.hanging.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn give_up(&self) {
        let mut place = self.lock();
        if !matches!(*place, Place::Held { .. }) {
            return;
        }
        let may_hang = |hanging: usize| (hanging < HANGING_MAX).then_some(hanging + 1);
        if self
            .load
            .hanging
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, may_hang)
            .is_ok()
        {
            *place = Place::GivenUp;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        (self.1)(self.0);
    }
}

#[cfg(test)]
mod tests {
    use tokio_test::{assert_pending, assert_ready, task::spawn};

    use super::*;

    fn taken(gate: &Gate) -> Turn {
        assert_ready!(spawn(gate.turn()).poll())
    }

    #[test]
    fn who_passes_the_deadline_leaves_its_place_to_the_next() {
        let gate = Gate::new(Arc::default());
        let slow: Vec<Turn> = (0..AT_ONCE_MAX).map(|_| taken(&gate)).collect();
        let mut next = spawn(gate.turn());
        assert_pending!(next.poll());
        let ends = slow.iter().map(Turn::until_done).collect::<Vec<_>>();
        drop(slow.first().map(Turn::until_given_up));
        assert!(next.is_woken() && !gate.load.is_stuck() && gate.load.is_crowded());
        let next = assert_ready!(next.poll());
        assert!(!gate.load.is_crowded(), "nobody waits any more");
        for turn in &slow {
            drop(turn.until_given_up());
        }
        assert!(gate.load.is_stuck());
        assert_eq!(
            gate.places.available_permits(),
            HANGING_MAX - 1,
            "the rest keep theirs"
        );
        drop(ends);
        assert!(!gate.load.is_stuck());
        drop(next.until_done());
        assert_eq!(
            (
                gate.places.available_permits(),
                gate.load.hanging.load(Ordering::Acquire)
            ),
            (AT_ONCE_MAX, 0)
        );
    }

    #[tokio::test]
    async fn what_waits_to_be_recorded_is_bounded_and_waited_for() {
        let gate = Gate::new(Arc::default());
        let small: Vec<_> = std::iter::from_fn(|| gate.keep(100)).collect();
        assert_eq!(small.len(), 1_024);
        drop(small);
        let large = gate.keep(8 * 1024 * 1024);
        assert!(
            large.is_some() && gate.keep(8 * 1024 * 1024).is_none() && gate.keep(100).is_some()
        );
        let mut recorded = spawn(gate.recorded());
        assert_pending!(recorded.poll());
        drop(large);
        assert!(recorded.is_woken());
        assert_ready!(recorded.poll());
    }

    #[test]
    fn who_is_done_in_time_hangs_nowhere() {
        let gate = Gate::new(Arc::default());
        let turn = taken(&gate);
        let given_up = turn.until_given_up();
        drop(turn.until_done());
        drop(given_up);
        assert_eq!(
            (
                gate.places.available_permits(),
                gate.load.hanging.load(Ordering::Acquire)
            ),
            (AT_ONCE_MAX, 0)
        );
    }
}
