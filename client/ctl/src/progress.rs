//! A sign of life on stderr while something takes longer than a second, and somebody watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use helix_client::v1::CaptureProgress;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::timeout;

use crate::screen::Screen;

/// How long something may take before a sign of life is due.
const QUIET: Duration = Duration::from_secs(1);

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(120);

/// Waits for `work`, showing `message` once it has been going on for a second.
pub(crate) async fn while_slow<T>(
    screen: Screen,
    message: &str,
    work: impl Future<Output = T>,
) -> T {
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
    let target = if screen.watched {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
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
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_message(message.to_owned());
        Self {
            bar,
            started: Instant::now(),
            waits: screen.watched,
        }
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
        let template = if self.bar.length().is_some() {
            known
        } else {
            unknown
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(FRAME);
    }
}

/// Bytes that go out, of a whole that may be known, and then how far they are read and the memories
/// that come of them; shown once that took a second. The first is over long before the second where
/// the daemon keeps what comes faster than it reads it. Whoever sends and whoever counts may be two
/// threads.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    bar: ProgressBar,
    message: &'static str,
    started: Instant,
    waits: Arc<AtomicBool>,
    /// True if the bytes have all gone out and memories are counted.
    counts: Arc<AtomicBool>,
}

impl Transfer {
    /// How it looks while a known whole goes out, while an unknown one does, and while memories are
    /// made of it.
    const SENDING: &str = "{spinner} {msg} {wide_bar} {bytes}/{total_bytes} {eta}";
    const SENDING_UNKNOWN: &str = "{spinner} {msg} {bytes} {elapsed}";
    const COUNTING: &str = "{spinner} {msg} {wide_bar} {percent} % {eta}";

    /// Starts with nothing sent, unseen.
    pub(crate) fn new(screen: Screen, message: &'static str, whole_bytes: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(whole_bytes, ProgressDrawTarget::hidden())
            .with_message(format!("{message}: sending"));
        let waits = Arc::new(AtomicBool::new(screen.watched));
        let this = Self {
            bar,
            message,
            started: Instant::now(),
            waits,
            counts: Arc::default(),
        };
        this.look(if whole_bytes.is_some() {
            Self::SENDING
        } else {
            Self::SENDING_UNKNOWN
        });
        this
    }

    /// Says that so many more bytes went out.
    pub(crate) fn sent(&self, bytes: u64) {
        self.bar.inc(bytes);
        self.show_when_due();
    }

    /// Says how many memories came of them so far, and how much of all bytes they were made of.
    pub(crate) fn counted(&self, memories: u64, read_bytes: u64, whole_bytes: u64) {
        if !self.counts.swap(true, Ordering::Relaxed) {
            self.look(Self::COUNTING);
            self.bar.reset_eta();
        }
        self.bar.set_length(whole_bytes);
        self.bar.set_position(read_bytes);
        self.bar.set_message(format!(
            "{}: {} memories",
            self.message,
            HumanCount(memories)
        ));
        self.show_when_due();
    }

    /// Takes it off the screen.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn look(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }

    fn show_when_due(&self) {
        if self.started.elapsed() >= QUIET && self.waits.swap(false, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(FRAME);
        }
    }
}

/// How far the transcripts of this machine are read, shown once that took a second.
#[derive(Debug)]
pub(crate) struct Course {
    bar: ProgressBar,
    message: &'static str,
    started: Instant,
    waits: AtomicBool,
}

impl Course {
    const TEMPLATE: &str = "{spinner} {msg} {wide_bar} {bytes}/{total_bytes} {eta}";

    /// Starts with nothing read, unseen.
    pub(crate) fn new(screen: Screen, message: &'static str) -> Self {
        let bar =
            ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_message(message);
        if let Ok(style) = ProgressStyle::with_template(Self::TEMPLATE) {
            bar.set_style(style);
        }
        Self {
            bar,
            message,
            started: Instant::now(),
            waits: AtomicBool::new(screen.watched),
        }
    }

    /// Says how far it is.
    pub(crate) fn reached(&self, progress: &CaptureProgress) {
        self.bar.set_length(progress.bytes_total);
        self.bar.set_position(progress.bytes);
        self.bar.set_message(format!(
            "{}: {} of {} sessions, {} facts",
            self.message,
            HumanCount(progress.done),
            HumanCount(progress.total),
            HumanCount(progress.facts)
        ));
        if self.started.elapsed() >= QUIET && self.waits.swap(false, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(FRAME);
        }
    }

    /// Takes it off the screen.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Look;

    #[test]
    fn bytes_go_out_and_then_memories_are_counted() {
        let screen = Screen {
            look: Look {
                table_width: None,
                color: false,
            },
            watched: false,
        };
        let transfer = Transfer::new(screen, "importing", Some(10));
        transfer.clone().sent(4);
        assert_eq!(
            (transfer.bar.position(), transfer.bar.length()),
            (4, Some(10))
        );
        assert_eq!(transfer.bar.message(), "importing: sending");
        transfer.counted(0, 0, 60);
        assert_eq!(
            (transfer.bar.position(), transfer.bar.length()),
            (0, Some(60))
        );
        transfer.counted(1_234, 30, 60);
        assert_eq!(
            (transfer.bar.position(), transfer.bar.length()),
            (30, Some(60))
        );
        assert_eq!(transfer.bar.message(), "importing: 1,234 memories");
        assert!(transfer.bar.is_hidden(), "nobody watches");
    }
}
