//! Work that reads the disk or burns the processor, for those who must not block.

use std::sync::Arc;

use futures_channel::oneshot;

use crate::ports::{Class, Hold};
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

fn run<T: Send + 'static, W>(
    app: &Arc<App>,
    class: Class,
    going: Hold,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
{
    let (reply, answer) = oneshot::channel();
    let asked = Arc::clone(app);
    let started = app.threads.start(
        class,
        Box::new(move || {
            let _going = going;
            if !reply.is_canceled() {
                // Whoever gave up meanwhile needs no answer.
                reply.send(work(&asked)).ok();
            }
        }),
    );
    async move {
        started.map_err(|error| Refusal::exhausted(error.to_string()))?;
        answer
            .await
            .map_err(|_| Refusal::internal("the request failed inside the daemon; see its log"))?
    }
}
