//! Asking what may never answer, without blocking.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use helix_app::reach::Reach;
use tokio::sync::oneshot;

/// Asks at a place; `None` when it does not answer within `patience`, as [`Reach::ask`] says.
pub(crate) async fn asked<T: Send + 'static>(
    reach: &Reach,
    path: &Path,
    patience: Duration,
    question: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (reply, answer) = oneshot::channel();
    let asker = Arc::new(());
    let job = move || {
        reply.send(question()).ok();
    };
    reach.begin(path, patience, Box::new(job), Arc::downgrade(&asker))?;
    let answer = tokio::time::timeout(patience, answer).await.ok()?.ok();
    drop(asker);
    answer
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn who_does_not_block_waits_as_long() {
        let reach = Reach::default();
        let (hung, wait) = channel::<()>();
        assert_eq!(
            asked(&reach, Path::new("/hung"), SOON, move || wait
                .recv()
                .is_ok())
            .await,
            None
        );
        assert_eq!(
            asked(&reach, Path::new("/hung"), SOON, || true).await,
            None,
            "nobody waits twice"
        );
        drop(hung);
        assert_eq!(asked(&reach, Path::new("/hung"), LONG, || 1).await, Some(1));
    }
}
