//! Work that reads the disk or burns the processor, for those who must not block.

use std::sync::Arc;

use futures_channel::oneshot;

use crate::pool::Full;
use crate::ports::{Class, Hold, Later, Threads};
use crate::{App, Refusal};

/// Has a thread do this. It is queued at once, before it is awaited, and left out when its caller
/// gives up before its turn.
pub fn off_thread<T: Send + 'static, W>(
    app: &Arc<App>,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
{
    run(app, Class::Quick, app.threads.begin(), work)
}

/// The same for a step of what may take minutes; `going` says so to whoever ends the daemon.
pub fn long_off_thread<T: Send + 'static, W>(
    app: &Arc<App>,
    going: &Hold,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
{
    run(app, Class::Long, Arc::clone(going), work)
}

/// Blocks until something has come.
#[must_use]
pub fn wait<T>(later: Later<'_, T>) -> T {
    futures_executor::block_on(later)
}

fn run<T: Send + 'static, W>(
    app: &Arc<App>,
    class: Class,
    going: Hold,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
{
    let asked = Arc::clone(app);
    let answer = ask(app.threads.as_ref(), class, move || {
        let _going = going;
        work(&asked)
    });
    async move {
        let answer = answer.map_err(|error| Refusal::unavailable(error.to_string()))?;
        answer
            .await
            .map_err(|_| Refusal::internal("the request failed inside the daemon; see its log"))?
    }
}

/// Has a thread do this, unless nobody waits for it any more when its turn comes.
fn ask<T: Send + 'static>(
    threads: &dyn Threads,
    class: Class,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<oneshot::Receiver<T>, Full> {
    let (reply, answer) = oneshot::channel();
    let job = move || {
        if !reply.is_canceled() {
            // Whoever gave up meanwhile needs no answer.
            reply.send(work()).ok();
        }
    };
    threads.start(class, Box::new(job))?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::pool::{Job, Pool};

    /// All work goes to one pool.
    struct Only(Pool);

    impl Threads for Only {
        fn start(&self, _: Class, job: Job) -> Result<(), Full> {
            self.0.submit(job)
        }

        fn begin(&self) -> Hold {
            Arc::new(())
        }
    }

    fn only(threads: &Only) -> &dyn Threads {
        threads
    }

    fn answer<T: Send + 'static>(answer: oneshot::Receiver<T>) -> Option<T> {
        wait(Box::pin(answer)).ok()
    }

    #[test]
    fn threads_and_queue_are_bounded() {
        let threads = Only(Pool::new("tests", 2, 1));
        let (go, waiting) = channel::<()>();
        let waiting = Arc::new(Mutex::new(waiting));
        let held = || {
            let waiting = Arc::clone(&waiting);
            ask(only(&threads), Class::Quick, move || {
                waiting.lock().unwrap().recv().is_ok()
            })
        };
        let answers = [held().unwrap(), held().unwrap(), held().unwrap()];
        assert!(matches!(held(), Err(Full { .. })));
        for _ in 0..answers.len() {
            go.send(()).unwrap();
        }
        for held in answers {
            assert_eq!(answer(held), Some(true));
        }
        let seven = ask(only(&threads), Class::Quick, || 7).unwrap();
        assert_eq!(answer(seven), Some(7));
    }

    #[test]
    fn nothing_is_done_for_who_gave_up_and_a_panic_costs_no_thread() {
        let threads = Only(Pool::new("tests", 1, 8));
        let (go, waiting) = channel::<()>();
        let (done, did) = channel();
        let first = ask(only(&threads), Class::Quick, move || waiting.recv().is_ok()).unwrap();
        let unwanted = done.clone();
        let given_up = ask(only(&threads), Class::Quick, move || {
            unwanted.send("unwanted")
        });
        drop(given_up.unwrap());
        let bad = ask(only(&threads), Class::Quick, || {
            assert!(did_panic(), "planted");
        });
        let last = move || done.send("done").unwrap();
        threads.start(Class::Quick, Box::new(last)).unwrap();
        go.send(()).unwrap();
        assert_eq!(answer(first), Some(true));
        assert_eq!(answer(bad.unwrap()), None);
        assert_eq!(did.iter().collect::<Vec<_>>(), ["done"]);
    }

    fn did_panic() -> bool {
        false
    }
}
