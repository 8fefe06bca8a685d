//! A sign of life on stderr while something takes longer than a second, and somebody watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::timeout;

use crate::screen::Screen;

/// How long something may take before a sign of life is due.
const QUIET: Duration = Duration::from_secs(1);

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(120);

/// Waits for `work`, showing `message` once it has been going on for a second.
pub(crate) async fn while_slow<T>(screen: Screen, message: &str, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    if let Ok(done) = timeout(QUIET, &mut work).await {
        return done;
    }
    let bar = spinner(screen, message);
    let done = work.await;
    bar.finish_and_clear();
    done
}

/// Returns a spinner that shows nothing unless somebody watches.
pub(crate) fn spinner(screen: Screen, message: &str) -> ProgressBar {
    let target = if screen.watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(None, target).with_message(message.to_owned());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        bar.set_style(style);
    }
    if screen.watched {
        bar.enable_steady_tick(FRAME);
    }
    bar
}
