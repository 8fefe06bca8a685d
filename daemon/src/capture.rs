//! The thread that distils sessions which ended, and looks whether agents' own files changed: one after
//! the other, behind everything else.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use helix_app::App;
use helix_app::capture::ended::{self, Job};
use helix_app::capture::memories;

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
    let captures = &app.hooks.captures;
    let goes_on = || app.hooks.load.give_way(|| captures.is_ending());
    while let Some(job) = captures.next() {
        let done = match &job {
            Job::Session(ended) => ended::distil(app, ended, &goes_on),
            Job::Remedy(remedy) => ended::propose(app, remedy),
            Job::Files(project) => memories::read(app, project).map(drop),
            Job::Look => memories::look(app).map(drop),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "nothing was kept of a session or a file; it is read again later");
        }
    }
}

/// Does work in a thread behind all others, and waits for it.
pub(crate) fn behind_others<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("capture-import".to_owned());
        let doing = thread.spawn_scoped(scope, || {
            step_back();
            work()
        })?;
        doing
            .join()
            .map_err(|_| io::Error::other("the thread of an import panicked"))
    })
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
