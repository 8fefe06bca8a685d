//! What is being done now, for whoever is to end the daemon: what to wait for, and how those are
//! told who can end early.
//!
//! A request's own future may be dropped while its work goes on in a thread, so the work holds a
//! guard, not the request.

use std::sync::Arc;

use tokio::sync::watch;

/// Calls of one kind of long work at once: each holds a thread, and may hold a snapshot, for as
/// long as its caller takes.
const LONG_EACH_MAX: usize = 4;

/// Calls of long work at once.
pub(crate) const LONG_MAX: usize = LONG_EACH_MAX * 12;

/// What may take minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    Import,
    Export,
    Compact,
    Reindex,
    Check,
    Stale,
    Lifecycle,
    Backup,
    Capture,
    Consolidate,
    Models,
    Provider,
}

impl Long {
    /// Its name for readers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Export => "export",
            Self::Compact => "compact",
            Self::Reindex => "reindex",
            Self::Check => "check",
            Self::Stale => "stale",
            Self::Lifecycle => "lifecycle",
            Self::Backup => "backup",
            Self::Capture => "capture",
            Self::Consolidate => "consolidate",
            Self::Models => "models",
            Self::Provider => "provider",
        }
    }
}

/// So much goes on already that no more is begun.
#[derive(Debug, thiserror::Error)]
#[error("{LONG_EACH_MAX} calls of {} go on already; try again when one of them has ended", kind.name())]
pub(crate) struct TooMany {
    kind: Long,
}

/// Counts the work that goes on.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// What an ordinary request has a thread do.
    short: watch::Sender<usize>,
    /// What may take minutes, by name.
    long: watch::Sender<Vec<&'static str>>,
    is_ending: watch::Sender<bool>,
}

/// Work that goes on for as long as the value lives.
#[derive(Debug)]
pub(crate) struct Going {
    work: Arc<Work>,
    /// `None` for what is short.
    name: Option<&'static str>,
}

impl Work {
    /// Begins what an ordinary request takes.
    pub(crate) fn begin(self: &Arc<Self>) -> Going {
        self.short.send_modify(|count| *count += 1);
        Going {
            work: Arc::clone(self),
            name: None,
        }
    }

    /// Begins what may take minutes. It is to end early, leaving nothing half done, once
    /// [`Self::is_ending`].
    ///
    /// # Errors
    /// [`TooMany`] of the same kind.
    pub(crate) fn begin_long(self: &Arc<Self>, kind: Long) -> Result<Going, TooMany> {
        let name = kind.name();
        let has_begun = self.long.send_if_modified(|names| {
            let is_free = names.iter().filter(|known| **known == name).count() < LONG_EACH_MAX;
            if is_free {
                names.push(name);
            }
            is_free
        });
        has_begun
            .then(|| Going {
                work: Arc::clone(self),
                name: Some(name),
            })
            .ok_or(TooMany { kind })
    }

    /// Returns what long work goes on, by name.
    pub(crate) fn long(&self) -> Vec<&'static str> {
        self.long.borrow().clone()
    }

    /// Tells long work to end early.
    pub(crate) fn end(&self) {
        self.is_ending.send_replace(true);
    }

    /// Returns whether long work is to end early.
    pub(crate) fn is_ending(&self) -> bool {
        *self.is_ending.borrow()
    }

    /// Waits until long work is to end early.
    pub(crate) async fn ending(&self) {
        // The sender is ours, so it lives.
        self.is_ending
            .subscribe()
            .wait_for(|is_ending| *is_ending)
            .await
            .ok();
    }

    /// Waits until no long work goes on.
    pub(crate) async fn no_long(&self) {
        self.long.subscribe().wait_for(Vec::is_empty).await.ok();
    }

    /// Waits until no work goes on.
    pub(crate) async fn idle(&self) {
        let (mut short, mut long) = (self.short.subscribe(), self.long.subscribe());
        while !(long.borrow_and_update().is_empty() && *short.borrow_and_update() == 0) {
            tokio::select! {
                _ = short.changed() => {}
                _ = long.changed() => {}
            }
        }
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        match self.name {
            None => self.work.short.send_modify(|count| *count -= 1),
            Some(name) => self.work.long.send_modify(|names| {
                if let Some(place) = names.iter().position(|other| *other == name) {
                    names.swap_remove(place);
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_test::{assert_pending, assert_ready, task::spawn};

    use super::*;

    #[test]
    fn who_waits_is_told_when_the_last_of_it_ends() {
        let work = Arc::new(Work::default());
        assert_ready!(spawn(work.idle()).poll());
        let long = |kind| work.begin_long(kind).ok();
        let (import, export, search) = (long(Long::Import), long(Long::Export), work.begin());
        let (mut no_long, mut idle) = (spawn(work.no_long()), spawn(work.idle()));
        assert_pending!(no_long.poll());
        assert_pending!(idle.poll());
        drop(import);
        assert_pending!(no_long.poll());
        assert_eq!(work.long(), ["export"]);
        drop(export);
        assert_ready!(no_long.poll());
        assert_pending!(idle.poll());
        drop(search);
        assert_ready!(idle.poll());
    }

    #[test]
    fn only_so_much_of_a_kind_goes_on() {
        let work = Arc::new(Work::default());
        let mut all: Vec<_> = (0..LONG_EACH_MAX)
            .map(|_| work.begin_long(Long::Export))
            .collect();
        assert!(all.iter().all(Result::is_ok) && work.begin_long(Long::Export).is_err());
        assert!(
            work.begin_long(Long::Check).is_ok(),
            "another kind has places of its own"
        );
        all.pop();
        assert!(work.begin_long(Long::Export).is_ok());
    }

    #[test]
    fn long_work_is_told_to_end() {
        let work = Arc::new(Work::default());
        let mut ending = spawn(work.ending());
        assert_pending!(ending.poll());
        work.end();
        assert!(work.is_ending() && ending.is_woken());
        assert_ready!(ending.poll());
    }
}
