//! `helixctl down`: no running daemon.

use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use helix_client::limits::NOTICE_DEADLINE;
use helix_client::{ConnectError, Doing, Holder, Notice, Paths, Start, v1};
use helix_proto::{exit, own_file};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::{Instant, sleep, timeout};
use tonic::Code;

use crate::context::{Context, wait};
use crate::failure::{Failure, Outcome};
use crate::screen;

/// How long a daemon may take to end that does not say why it takes longer; one that does has
/// [`NOTICE_DEADLINE`].
const STOP_DEADLINE: Duration = Duration::from_secs(6);

/// How long a daemon may take to greet, and to say that it heard, before it is asked by signal: one
/// that is stopped or hangs never does, and to wait longer tells nothing more.
const ANSWER_DEADLINE: Duration = Duration::from_secs(1);

/// How long nothing is said about the waiting.
const QUIET: Duration = Duration::from_secs(1);

/// Pause between two looks at its lock.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Arguments of `down`.
#[derive(Debug, Args)]
pub(crate) struct Down {}

/// What became of the request to stop.
enum Asked {
    /// It was received.
    Heard(u32),
    /// Nobody listens.
    Nobody,
}

impl Down {
    /// Asks the daemon to stop, and waits until its lock is free, which the kernel sees to when the
    /// process has ended.
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let Self {} = self;
        wait(async {
            let heard = stop(context).await?;
            // Else the next hook takes it for one that died, and starts another.
            Holder::clear(&context.paths).ok();
            let said = heard.map_or_else(
                || "helixd was not running\n".to_owned(),
                |pid| format!("helixd stopped: pid {pid}\n"),
            );
            screen::print(&said)?;
            Ok(exit::OK)
        })
    }
}

/// Asks until somebody heard it or the lock is free; then waits for the lock.
pub(super) async fn stop(context: &Context) -> Result<Option<u32>, Failure> {
    let lock = context.paths.lock();
    let started = Instant::now();
    let mut is_said = false;
    let mut heard = None;
    loop {
        let notice = Notice::read(&context.paths);
        match notice {
            // It stops already; whoever asked it.
            Some(Notice {
                pid,
                doing: Doing::Stopping,
            }) => heard = Some(pid),
            // Its successor is to be asked, and it cannot tell it.
            Some(Notice {
                doing: Doing::HandingOver,
                ..
            }) => heard = None,
            Some(Notice {
                doing: Doing::Opening,
                ..
            })
            | None => {
                if heard.is_none() {
                    // One that listens nowhere may be about to. Later only the kernel reaches it.
                    let asked = match ask(context).await? {
                        Asked::Nobody if started.elapsed() >= ANSWER_DEADLINE => {
                            signal(&context.paths).unwrap_or(Asked::Nobody)
                        }
                        asked => asked,
                    };
                    if let Asked::Heard(pid) = asked {
                        heard = Some(pid);
                    }
                }
            }
        }
        if !is_held(&lock)? {
            return Ok(heard);
        }
        let deadline = if notice.is_some() {
            NOTICE_DEADLINE
        } else {
            STOP_DEADLINE
        };
        if started.elapsed() >= deadline {
            return Err(still_running(&lock, heard, notice));
        }
        if started.elapsed() >= QUIET && !is_said {
            is_said = true;
            screen::remark(&waiting(&lock, heard));
        }
        sleep(LOOK_PAUSE).await;
    }
}

async fn ask(context: &Context) -> Result<Asked, Failure> {
    let mut client = match timeout(ANSWER_DEADLINE, context.connect(Start::Never)).await {
        Ok(Ok(client)) => client,
        Ok(Err(Failure::Connect(ConnectError::Absent { .. }))) => return Ok(Asked::Nobody),
        // It does not talk to us, but the kernel does.
        Err(_)
        | Ok(Err(Failure::Connect(
            ConnectError::Version { .. } | ConnectError::Silent { .. } | ConnectError::NotOurs(_),
        ))) => return signal(&context.paths),
        Ok(Err(other)) => return Err(other),
    };
    let pid = client.greeting.pid;
    let asked = client.call(async |rpc| rpc.shutdown(v1::ShutdownRequest {}).await);
    match timeout(ANSWER_DEADLINE, asked).await {
        Ok(Ok(reply)) => Ok(Asked::Heard(reply.pid)),
        // It went away while it answered.
        Ok(Err(status)) if matches!(status.code(), Code::Unavailable | Code::Cancelled) => {
            Ok(Asked::Heard(pid))
        }
        Ok(Err(status)) => Err(status.into()),
        // It was stopped after it had greeted.
        Err(_) => signal(&context.paths),
    }
}

/// Asks the lock's holder by signal. It wrote its process id into the file, and lives as long as
/// the lock is held.
///
/// A process that was stopped, by Ctrl-Z or a debugger, heeds the request only once it goes on, so
/// that is asked for too; one that runs does not notice. It ends as ever, with what it acknowledged
/// on the disk.
fn signal(paths: &Paths) -> Result<Asked, Failure> {
    let lock = paths.lock();
    if !is_held(&lock)? {
        return Ok(Asked::Nobody);
    }
    let unknown = || {
        Failure::Unavailable(format!(
            "{} does not name its holder; end helixd yourself",
            lock.display()
        ))
    };
    let pid = Holder::read(paths)
        .map(|holder| holder.pid)
        .filter(|pid| holds(*pid, &lock))
        .ok_or_else(unknown)?;
    let id = i32::try_from(pid).map_err(|_| unknown())?;
    for signal in [Signal::SIGTERM, Signal::SIGCONT] {
        kill(Pid::from_raw(id), signal)
            .map_err(|errno| Failure::io(format!("sending {signal} to {id}"))(errno.into()))?;
    }
    screen::remark(&format!(
        "helixctl: helixd (pid {id}) did not answer; asked it to stop by signal"
    ));
    Ok(Asked::Heard(pid))
}

/// Returns whether the kernel says that this process holds the lock: the file may name one that
/// died, whose number another has by now.
#[cfg(target_os = "linux")]
fn holds(pid: u32, lock: &Path) -> bool {
    use std::fs::{metadata, read_dir, read_to_string};
    use std::os::unix::fs::MetadataExt;
    let Ok(wanted) = metadata(lock) else {
        return false;
    };
    let process = Path::new("/proc").join(pid.to_string());
    let Ok(open) = read_dir(process.join("fd")) else {
        return false;
    };
    let is_locked = |name: &std::ffi::OsStr| {
        read_to_string(process.join("fdinfo").join(name)).is_ok_and(|said| said.contains("FLOCK"))
    };
    open.flatten().any(|entry| {
        let found = metadata(entry.path()).map(|found| (found.dev(), found.ino()));
        found.is_ok_and(|found| found == (wanted.dev(), wanted.ino()))
            && is_locked(&entry.file_name())
    })
}

/// Returns whether this process may hold the lock. Only Linux says which one does.
#[cfg(not(target_os = "linux"))]
fn holds(pid: u32, _: &Path) -> bool {
    i32::try_from(pid).is_ok_and(|pid| kill(Pid::from_raw(pid), None).is_ok())
}

/// Returns whether a process holds the lock. A home without a lock file never had a daemon.
fn is_held(lock: &Path) -> Result<bool, Failure> {
    let file = match own_file::open(OpenOptions::new().read(true), lock) {
        Ok(file) => file,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(false);
        }
        Err(error) => return Err(Failure::io(format!("opening {}", lock.display()))(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => {
            Err(Failure::io(format!("looking at {}", lock.display()))(error))
        }
    }
}

fn waiting(lock: &Path, heard: Option<u32>) -> String {
    let (seconds, place) = (NOTICE_DEADLINE.as_secs(), lock.display());
    match heard {
        Some(pid) => format!(
            "helixctl: waiting for helixd (pid {pid}) to finish its writes and let go of {place}, {seconds} s at most"
        ),
        None => {
            format!(
                "helixctl: waiting for whoever holds {place} to answer or to let go of it, {seconds} s at most"
            )
        }
    }
}

fn still_running(lock: &Path, heard: Option<u32>, notice: Option<Notice>) -> Failure {
    let place = lock.display();
    if let Some(Notice { pid, doing }) = notice {
        let (seconds, doing) = (NOTICE_DEADLINE.as_secs(), doing.words());
        return Failure::Unavailable(format!(
            "helixd (pid {pid}) is still {doing} after {seconds} s, so leave it alone; its log says how far it is; \
             run `helixctl down` again to wait on"
        ));
    }
    let seconds = STOP_DEADLINE.as_secs();
    Failure::Unavailable(match heard {
        Some(pid) => {
            format!(
                "helixd (pid {pid}) still holds {place} after {seconds} s; see its log, then end it with `kill -9 {pid}`"
            )
        }
        None => format!(
            "a process holds {place} but answers nobody; see the log, then end that process"
        ),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::File;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_the_process_that_holds_the_lock_does() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("helixd.lock");
        let file = File::create(&path).unwrap();
        let own = std::process::id();
        assert!(!holds(own, &path), "it has the file open, and no lock");
        file.lock().unwrap();
        assert!(holds(own, &path));
        assert!(!holds(std::os::unix::process::parent_id(), &path));
    }

    #[test]
    fn a_lock_is_held_as_long_as_its_holder_lives() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("helixd.lock");
        assert!(!is_held(&path).unwrap());
        let holder = File::create(&path).unwrap();
        assert!(!is_held(&path).unwrap());
        holder.lock().unwrap();
        assert!(is_held(&path).unwrap());
        drop(holder);
        assert!(!is_held(&path).unwrap());
    }
}
