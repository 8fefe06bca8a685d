//! Runs programs and talks to the terminal.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Prints a line. A reader that went away is not an error.
pub(crate) fn say(line: &str) {
    drop(writeln!(io::stdout(), "{line}"));
}

/// Prints a line on stderr.
pub(crate) fn complain(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

/// Announces a step.
pub(crate) fn announce(step: &str) {
    say(&format!("==> {step}"));
}

/// Runs a program to its end, its output going to ours; fails when it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("could not start {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a program and returns its stdout; its stderr goes to ours.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start {}", shown(command)))?;
    if !output.status.success() {
        bail!(
            "{} failed ({})\n{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the first line that a program prints, or nothing when it is absent or fails.
pub(crate) fn version_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output
        .status
        .success()
        .then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// Returns the command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ");
    format!("`{line}`")
}
