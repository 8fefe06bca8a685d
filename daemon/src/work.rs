//! What is being done now, for whoever is to end the daemon: what to wait for, and how those are told who can end early.
//!
//! A request's own future may be dropped while its work goes on in a thread, so the work holds a guard, not the request.

use std::sync::Arc;

use tokio::sync::watch;

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
        Going { work: Arc::clone(self), name: None }
    }

    /// Begins what may take minutes. It is to end early, leaving nothing half done, once [`Self::is_ending`].
    pub(crate) fn begin_long(self: &Arc<Self>, name: &'static str) -> Going {
        self.long.send_modify(|names| names.push(name));
        Going { work: Arc::clone(self), name: Some(name) }
    }

    /// What long work goes on, by name.
    pub(crate) fn long(&self) -> Vec<&'static str> {
        self.long.borrow().clone()
    }

    /// Tells long work to end early.
    pub(crate) fn end(&self) {
        self.is_ending.send_replace(true);
    }

    /// Whether long work is to end early.
    pub(crate) fn is_ending(&self) -> bool {
        *self.is_ending.borrow()
    }

    /// Waits until long work is to end early.
    pub(crate) async fn ending(&self) {
        // The sender is ours, so it lives.
        self.is_ending.subscribe().wait_for(|is_ending| *is_ending).await.ok();
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
        let (import, export, search) = (work.begin_long("import"), work.begin_long("export"), work.begin());
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
    fn long_work_is_told_to_end() {
        let work = Arc::new(Work::default());
        let mut ending = spawn(work.ending());
        assert_pending!(ending.poll());
        work.end();
        assert!(work.is_ending() && ending.is_woken());
        assert_ready!(ending.poll());
    }
}
