//! The thread that distils sessions which ended: one after the other, behind everything else.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use helix_app::App;
use helix_app::capture::ended::{self, Job};

/// How long a step waits at most for hooks that wait for their turn.
const GIVE_WAY_MAX: Duration = Duration::from_secs(5);

/// Pause between two looks at the hooks.
const GIVE_WAY_PAUSE: Duration = Duration::from_millis(10);

/// How far below others the system lets it run: 19 is the lowest.
const NICENESS: i32 = 19;

/// The thread.
pub(crate) struct Capturer {
    thread: JoinHandle<()>,
}

impl Capturer {
    /// Starts the thread, which ends when the queue of captures does.
    pub(crate) fn start(app: Arc<App>) -> io::Result<Self> {
        let thread = thread::Builder::new()
            .name("capture".to_owned())
            .spawn(move || run(&app))?;
        Ok(Self { thread })
    }

    /// Waits for its end.
    pub(crate) fn join(self) {
        if self.thread.join().is_err() {
            tracing::error!("the thread of captures panicked; an import reads what it left");
        }
    }
}

fn run(app: &App) {
    step_back();
    while let Some(job) = app.hooks.captures.next() {
        let done = match &job {
            Job::Session(ended) => ended::distil(app, ended, &|| goes_on(app)),
            Job::Remedy(remedy) => ended::propose(app, remedy),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "nothing was kept of a session; an import reads it again");
        }
    }
}

/// Gives way to hooks that wait; returns whether to go on.
fn goes_on(app: &App) -> bool {
    let is_ending = || app.hooks.captures.is_ending();
    let deadline = Instant::now() + GIVE_WAY_MAX;
    while app.hooks.load.is_crowded() && !is_ending() && Instant::now() < deadline {
        thread::sleep(GIVE_WAY_PAUSE);
    }
    !is_ending()
}

/// Lets the system prefer every other thread. On Linux a priority is a thread's own.
#[cfg(target_os = "linux")]
fn step_back() {
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "captures have the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back() {
    tracing::debug!(NICENESS, "captures have the usual priority here");
}
