//! A sign of life on stderr while something takes longer than a second, and somebody watches.

use std::time::{Duration, Instant};

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

/// A count of memories that grows while something long goes on, shown once that took a second.
#[derive(Debug)]
pub(crate) struct Counter {
    bar: ProgressBar,
    started: Instant,
    waits: bool,
}

impl Counter {
    /// How it looks when the whole is known, and when it is not.
    const TEMPLATES: [&str; 2] = [
        "{spinner} {msg} {wide_bar} {human_pos}/{human_len} memories {eta}",
        "{spinner} {msg} {human_pos} memories {elapsed}",
    ];

    /// Starts counting, unseen.
    pub(crate) fn new(screen: Screen, message: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(message.to_owned());
        Self { bar, started: Instant::now(), waits: screen.watched }
    }

    /// Says how far it is; the whole may be unknown.
    pub(crate) fn set(&mut self, done: u64, whole: Option<u64>) {
        if let Some(whole) = whole {
            self.bar.set_length(whole.max(done));
        }
        self.bar.set_position(done);
        if self.waits && self.started.elapsed() >= QUIET {
            self.waits = false;
            self.show();
        }
    }

    /// Writes lines while it stands below them.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes it off the screen.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let [known, unknown] = Self::TEMPLATES;
        let template = if self.bar.length().is_some() { known } else { unknown };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(FRAME);
    }
}
