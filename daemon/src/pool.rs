//! Work of a pool that may wait for what is async.

use helix_app::pool::{Full, Pool};
use tokio::runtime::Handle;

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
