//! A hook through the real shim, as an agent would run it.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use helix_client::Paths;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::context::variables;
use crate::finding::Finding;
use crate::programs;
use crate::wiring::HOOK_PROGRAM;

/// How the finding is called.
const NAME: &str = "hook";

/// When a hook gets in the agent's way: the shim's own deadlines for connecting and for the reply,
/// and as much again.
const SLOW: Duration = Duration::from_millis(350);

/// When a shim that does not end is ended.
const STUCK: Duration = Duration::from_secs(5);

/// Why there is nothing to judge.
#[derive(Debug, thiserror::Error)]
enum ShimError {
    #[error("running {HOOK_PROGRAM}: {0}")]
    Run(#[from] io::Error),
    #[error("{HOOK_PROGRAM} did not end within {} s; report this", STUCK.as_secs())]
    Stuck,
}

/// Runs the shim for the beginning of a session in an empty directory.
pub(super) async fn examine(paths: &Paths, label: &str) -> Finding {
    let shim = match programs::find(HOOK_PROGRAM) {
        Ok(shim) => shim,
        Err(failure) => return Finding::failure(NAME, failure.to_string()),
    };
    let (paths, label) = (paths.clone(), label.to_owned());
    let ran = spawn_blocking(move || {
        let started = Instant::now();
        run(&shim, &paths, &label).map(|output| (output, started.elapsed()))
    });
    match ran.await {
        Ok(Ok((output, took))) => judge(&output, took),
        Ok(Err(error)) => Finding::failure(NAME, error.to_string()),
        Err(_) => Finding::failure(NAME, "the examination itself failed; report this"),
    }
}

fn run(shim: &Path, paths: &Paths, label: &str) -> Result<Output, ShimError> {
    let scratch = tempfile::tempdir()?;
    let event = json!({
        "session_id": label, "transcript_path": "", "cwd": scratch.path(), "hook_event_name": "SessionStart", "source": "startup",
    });
    let mut child = Command::new(shim)
        .arg("session")
        .envs(variables(paths))
        .env_remove("CLAUDE_PROJECT_DIR")
        .env_remove("CURSOR_VERSION")
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.to_string().as_bytes())?;
    }
    await_end(child)
}

fn await_end(child: Child) -> Result<Output, ShimError> {
    let pid = Pid::from_raw(child.id().cast_signed());
    let (sender, receiver) = mpsc::channel();
    let waiter = thread::Builder::new().name("shim-waiter".to_owned());
    let waiter = waiter.spawn(move || drop(sender.send(child.wait_with_output())))?;
    let output = receiver.recv_timeout(STUCK);
    if output.is_err() {
        // Not reaped yet, so the number is still its own. Failing means that it has just ended.
        kill(pid, Signal::SIGKILL).unwrap_or_default();
    }
    drop(waiter.join());
    Ok(output.map_err(|_| ShimError::Stuck)??)
}

fn judge(output: &Output, took: Duration) -> Finding {
    let ms = took.as_millis();
    if !output.status.success() {
        return Finding::failure(
            NAME,
            format!(
                "{HOOK_PROGRAM} ended with {}, but must always exit 0; report this",
                output.status
            ),
        );
    }
    if !output.stdout.is_empty() && serde_json::from_slice::<Value>(&output.stdout).is_err() {
        return Finding::failure(
            NAME,
            format!("{HOOK_PROGRAM} printed what no agent reads; report this"),
        );
    }
    let said = if output.stdout.is_empty() {
        "nothing"
    } else {
        "text"
    };
    if took > SLOW {
        Finding::warning(
            NAME,
            format!("a hook took {ms} ms and answered {said}; look at the machine's load"),
        )
    } else {
        Finding::ok(NAME, format!("a session hook answered {said} in {ms} ms"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;
    use crate::finding::Level;

    fn output(code: i32, stdout: &str) -> Output {
        Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: stdout.into(),
            stderr: Vec::new(),
        }
    }

    #[test]
    fn only_silence_and_json_in_time_are_right() {
        let quick = Duration::from_millis(3);
        assert_eq!(judge(&output(0, ""), quick).level, Level::Ok);
        assert_eq!(judge(&output(0, "{\"a\":1}"), quick).level, Level::Ok);
        assert_eq!(judge(&output(0, ""), SLOW * 2).level, Level::Warning);
        assert_eq!(judge(&output(0, "oops"), quick).level, Level::Failure);
        assert_eq!(judge(&output(2, ""), quick).level, Level::Failure);
    }
}
