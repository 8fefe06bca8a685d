//! The one order in which a strand's locks are taken. Two threads that keep it never wait for each
//! other.
//!
//! Builds with debug assertions and unit tests check it: taking a lock out of order, or a second
//! time in one thread, panics there, also where no other thread is in the way. Other builds carry
//! nothing of it.

use std::ops::{Deref, DerefMut};

/// The locks, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lock {
    /// Which memories name which topics.
    Mentions,
    /// When memories were changed.
    Changes,
    /// The catalog.
    Catalog,
    /// The vectors.
    Space,
    /// The word index's writer.
    WordsWriter,
    /// The searched part of the word index.
    Words,
}

/// A guard that is taken in order.
#[derive(Debug)]
pub struct Ordered<G> {
    guard: G,
    _held: Held,
}

impl<G> Ordered<G> {
    /// Takes a lock by `take`, where nothing is held that comes behind it.
    pub(crate) fn take(lock: Lock, take: impl FnOnce() -> G) -> Self {
        // Before waiting: a lock that is never had is what this is about.
        let held = Held::new(lock);
        Self {
            guard: take(),
            _held: held,
        }
    }
}

impl<G: Deref> Deref for Ordered<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Ordered<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

#[cfg(any(test, debug_assertions))]
use checked::Held;
#[cfg(not(any(test, debug_assertions)))]
use unchecked::Held;

#[cfg(not(any(test, debug_assertions)))]
mod unchecked {
    #[derive(Debug)]
    pub(super) struct Held;

    impl Held {
        pub(super) const fn new(_: super::Lock) -> Self {
            Self
        }
    }
}

#[cfg(any(test, debug_assertions))]
mod checked {
    use std::cell::RefCell;

    use super::Lock;

    thread_local! {
        static HELD: RefCell<Vec<Lock>> = const { RefCell::new(Vec::new()) };
    }

    #[derive(Debug)]
    pub(super) struct Held(Lock);

    impl Held {
        pub(super) fn new(lock: Lock) -> Self {
            HELD.with_borrow_mut(|held| {
                assert!(
                    held.iter().all(|known| *known < lock),
                    "{lock:?} is taken while {held:?} are held"
                );
                held.push(lock);
            });
            Self(lock)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            HELD.with_borrow_mut(|held| held.retain(|lock| *lock != self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn locks_are_taken_in_one_order() {
        let locks = [Mutex::new(0), Mutex::new(0)];
        let take = |lock, at: usize| {
            Ordered::take(lock, || locks.get(at).and_then(|lock| lock.lock().ok()))
        };
        let catalog = take(Lock::Catalog, 0);
        let words = take(Lock::Words, 1);
        // In whatever order they are given back.
        drop(catalog);
        drop(words);
        for (first, second) in [
            (Lock::Catalog, Lock::Mentions),
            (Lock::Catalog, Lock::Catalog),
            (Lock::Words, Lock::Space),
        ] {
            let misordered = catch_unwind(|| {
                let _first = Held::new(first);
                Held::new(second)
            });
            assert!(misordered.is_err(), "{first:?}, {second:?}");
        }
        drop(take(Lock::Mentions, 0));
    }
}
