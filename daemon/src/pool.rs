//! Asking a pool without blocking, and working in it for who goes on.

use helix_app::pool::{Full, Pool};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Has a thread do this in any case, which may wait for what is async.
///
/// # Errors
/// [`Full`]: it is not done.
pub(crate) fn submit(pool: &Pool, work: impl FnOnce() + Send + 'static) -> Result<(), Full> {
    let runtime = Handle::try_current().ok();
    pool.submit(Box::new(move || {
        let _entered = runtime.as_ref().map(Handle::enter);
        work();
    }))
}

/// Has a thread do this, unless nobody waits for it any more when its turn comes.
///
/// # Errors
/// [`Full`]: it is not done.
pub(crate) fn ask<T: Send + 'static>(
    pool: &Pool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<oneshot::Receiver<T>, Full> {
    let (reply, answer) = oneshot::channel();
    submit(pool, move || {
        if !reply.is_closed() {
            // Whoever gave up meanwhile needs no answer.
            reply.send(work()).ok();
        }
    })?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn threads_and_queue_are_bounded() {
        let pool = Pool::new("tests", 2, 1);
        let (go, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let held = || {
            let wait = Arc::clone(&wait);
            ask(&pool, move || wait.lock().unwrap().recv().is_ok())
        };
        let answers = [held().unwrap(), held().unwrap(), held().unwrap()];
        assert!(matches!(held(), Err(Full { .. })));
        for _ in 0..answers.len() {
            go.send(()).unwrap();
        }
        assert!(
            answers
                .into_iter()
                .all(|answer| answer.blocking_recv().unwrap())
        );
        assert_eq!(ask(&pool, || 7).unwrap().blocking_recv(), Ok(7));
    }

    #[test]
    fn nothing_is_done_for_who_gave_up_and_a_panic_costs_no_thread() {
        let pool = Pool::new("tests", 1, 8);
        let (go, wait) = channel::<()>();
        let (done, did) = channel();
        let first = ask(&pool, move || wait.recv().is_ok()).unwrap();
        let unwanted = done.clone();
        drop(ask(&pool, move || unwanted.send("unwanted")).unwrap());
        let bad = ask(&pool, || assert!(did_panic(), "planted")).unwrap();
        submit(&pool, move || done.send("done").unwrap()).unwrap();
        go.send(()).unwrap();
        assert!(first.blocking_recv().unwrap() && bad.blocking_recv().is_err());
        assert_eq!(did.iter().collect::<Vec<_>>(), ["done"]);
    }

    fn did_panic() -> bool {
        false
    }
}
