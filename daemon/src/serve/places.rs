//! How many connections there are, of whom, and which of them have asked for nothing yet.
//!
//! One that has asked for nothing gives way to one that is new: whoever opens connections and says
//! nothing takes no place from those who have something to say.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// Connections at once: every agent, bridge and shell of one person, many times over.
pub(super) const CONNECTIONS_MAX: usize = 512;

/// Connections of one process, which needs one or two: a good part stays for the others.
const EACH_MAX: usize = CONNECTIONS_MAX / 4 * 3;

/// Connections of one process that have asked for nothing yet: more than it ever opens at the same
/// moment.
const EACH_SILENT_MAX: usize = 128;

/// How long a connection is left alone that has asked for nothing: what it sent may not have been
/// read on a busy machine.
const SILENT_MIN: Duration = Duration::from_millis(100);

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Places {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    serial: u64,
    /// By age, the oldest first.
    open: BTreeMap<u64, Open>,
}

#[derive(Debug)]
struct Open {
    process: i64,
    since: Instant,
    /// Cuts it off; `None` once it has asked for something.
    cut: Option<oneshot::Sender<()>>,
}

/// The place of one connection, for as long as the value lives.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    serial: u64,
}

/// Told when a connection is to give way.
pub(super) type Cut = oneshot::Receiver<()>;

impl Places {
    /// Takes a place for a connection of a process, if that is known; `None` where there is none.
    pub(super) fn take(self: &Arc<Self>, process: Option<i32>) -> Option<(Place, Cut)> {
        let mut state = self.lock();
        state.serial += 1;
        let serial = state.serial;
        // One that is not known is its own.
        let process = process.map_or_else(|| -i64::try_from(serial).unwrap_or(i64::MAX), i64::from);
        let own = state.open.values().filter(|open| open.process == process);
        let silent = own.clone().filter(|open| open.cut.is_some()).count();
        if silent >= EACH_SILENT_MAX || own.count() >= EACH_MAX {
            state.cut_oldest(|open| open.process == process)?;
        } else if state.open.len() >= CONNECTIONS_MAX {
            state.cut_oldest(|_| true)?;
        }
        let (cut, told) = oneshot::channel();
        state.open.insert(
            serial,
            Open {
                process,
                since: Instant::now(),
                cut: Some(cut),
            },
        );
        Some((
            Place {
                places: Arc::clone(self),
                serial,
            },
            told,
        ))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn cut_oldest(&mut self, is_meant: impl Fn(&Open) -> bool) -> Option<()> {
        let oldest = self
            .open
            .iter()
            .find(|(_, open)| open.cut.is_some() && is_meant(open));
        let serial = oldest
            .filter(|(_, open)| open.since.elapsed() >= SILENT_MIN)
            .map(|(serial, _)| *serial)?;
        let cut = self.open.remove(&serial)?.cut?;
        // It may have ended by itself.
        cut.send(()).ok();
        Some(())
    }
}

impl Place {
    /// Notes that the connection has asked for something, so that it gives way to nobody.
    pub(super) fn asked(&self) {
        if let Some(open) = self.places.lock().open.get_mut(&self.serial) {
            open.cut = None;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().open.remove(&self.serial);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn age(places: &Places) {
        places
            .lock()
            .open
            .values_mut()
            .for_each(|open| open.since -= SILENT_MIN);
    }

    #[test]
    fn who_says_nothing_gives_way() {
        let places = Arc::new(Places::default());
        let mut silent: Vec<_> = (0..EACH_SILENT_MAX)
            .map(|_| places.take(Some(1)).unwrap())
            .collect();
        assert!(
            places.take(Some(1)).is_none(),
            "they are too young to give way"
        );
        let (good, _) = places.take(Some(2)).unwrap();
        good.asked();
        age(&places);
        let (other, _) = places.take(Some(1)).unwrap();
        assert!(
            silent.first_mut().unwrap().1.try_recv().is_ok()
                && silent.last_mut().unwrap().1.try_recv().is_err()
        );
        assert_eq!(places.lock().open.len(), EACH_SILENT_MAX + 1);
        drop((silent, other, good));
        assert!(places.lock().open.is_empty());
    }

    #[test]
    fn who_has_asked_keeps_its_place() {
        let places = Arc::new(Places::default());
        let all: Vec<_> = (0..CONNECTIONS_MAX)
            .map(|process| places.take(i32::try_from(process).ok()).unwrap())
            .collect();
        for (place, _) in &all {
            place.asked();
        }
        age(&places);
        assert!(places.take(None).is_none());
        let mut all = all;
        all.pop();
        assert!(places.take(None).is_some());
    }
}
