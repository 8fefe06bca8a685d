//! The boundary around redb: a panic over a damaged page becomes [`StoreError::Damaged`].
//!
//! redb trusts the pages that it reads. A page that changed under it (a failing disk, an editor, a
//! copy that stopped halfway) makes it index out of bounds, which is a panic. A reader gets an
//! error instead, and the daemon lives.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::StoreError;

thread_local! {
    /// Boundaries that the thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Counts the boundary, also while it is left by a panic.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.with(|depth| depth.set(depth.get() + 1));
        Self
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

/// Runs calls into redb.
///
/// # Errors
/// [`StoreError::Damaged`] when they panic, or whatever `act` returns.
pub(super) fn guarded<T, E: From<StoreError>>(act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    log_instead_of_printing();
    let inside = Inside::enter();
    // Nothing half changed is used afterwards: a snapshot changes nothing, a transaction is dropped
    // and thereby void, and the writer takes no more commits after an error.
    let outcome = catch_unwind(AssertUnwindSafe(act));
    drop(inside);
    outcome.unwrap_or_else(|panic| {
        Err(StoreError::Damaged {
            detail: said(panic.as_ref()),
        }
        .into())
    })
}

/// Has panics inside of a boundary logged rather than printed: they are answered with an error.
fn log_instead_of_printing() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |panic| {
            if DEPTH.with(Cell::get) == 0 {
                previous(panic);
            } else {
                let place = panic
                    .location()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                tracing::debug!(place, "a panic inside of the store became an error");
            }
        }));
    });
}

/// The panic's own words: redb's speak of pages, never of what is in them.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    text.chars().take(DETAIL_MAX_CHARS).collect()
}

/// Characters of a panic's words that an error repeats.
const DETAIL_MAX_CHARS: usize = 120;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_next_call_works() {
        let broken: Result<(), StoreError> =
            guarded(|| panic!("range end index {} out of range", 9));
        assert!(
            matches!(broken, Err(StoreError::Damaged { detail }) if detail.contains("out of range"))
        );
        assert_eq!(guarded(|| Ok::<_, StoreError>(7)).unwrap(), 7);
        assert_eq!(DEPTH.with(Cell::get), 0);
    }
}
