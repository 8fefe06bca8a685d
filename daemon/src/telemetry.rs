//! Logs, in files with rotation, and to stderr when the daemon runs in the foreground. Never a
//! memory's text.

mod daily;

use std::io::{self, IsTerminal, Write};

use helix_redact::redacted;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Config;
use crate::failure::Failure;
use daily::DailyLog;

/// Writes what is left when it is dropped.
#[derive(Debug)]
pub(crate) struct Telemetry {
    _guard: WorkerGuard,
}

/// Starts logging.
pub(crate) fn start(config: &Config, detached: bool) -> Result<Telemetry, Failure> {
    let filter = EnvFilter::try_new(&config.log).map_err(|error| Failure::Config {
        path: "log filter".to_owned(),
        detail: format!(
            "{:?}: {error}; write it like `info` or `helixd=debug`",
            config.log
        ),
    })?;
    let (writer, guard) = tracing_appender::non_blocking(Plain(DailyLog::new(config.paths.logs())));
    let to_file = fmt::layer().with_writer(writer).with_ansi(false);
    let colours = io::stderr().is_terminal();
    let to_stderr = (!detached).then(|| {
        fmt::layer()
            .with_writer(|| Plain(io::stderr()))
            .with_ansi(colours)
    });
    tracing_subscriber::registry()
        .with(filter)
        .with(to_file)
        .with(to_stderr)
        .init();
    Ok(Telemetry { _guard: guard })
}

/// Writes lines without the secrets that are in them: some repeat what a client sent.
struct Plain<W>(W);

impl<W: Write> Write for Plain<W> {
    /// Takes one event, as loggers write them.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.0
            .write_all(redacted(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_event_has_a_secret() {
        let mut log = Plain(Vec::new());
        let event = format!(
            "INFO handing over program=/x/{}{}",
            "ghp", "_a1B2c3D4e5F6g7H8i9J0a1B2\n"
        );
        log.write_all(event.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(log.0).unwrap(),
            "INFO handing over program=/x/[redacted:github-token]\n"
        );
    }
}
