//! What the output of a build or test says of how it went, where no exit status does: behind a
//! pipe, before another command, and with clients that do not tell.
//!
//! A failure is believed before a success, and a success only in the tools' own words: what is
//! unclear stays unknown, so that nothing counts as mended that is not. Sources: the tools' own
//! output.

use std::sync::LazyLock;

use serde::Deserialize;

use super::command::{Purpose, Run};
use super::fault::{faults, plain};
use super::pattern::Pattern;

/// How a build or test went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It found nothing wrong.
    Succeeded,
    /// It found something wrong, or broke down.
    Failed,
    /// Nobody says.
    Unknown,
}

impl Verdict {
    /// Judges a run by its output alone.
    #[must_use]
    pub fn of(run: &Run, output: &str) -> Self {
        if helix_ablation::is_off("command/verdict") {
            return Self::Unknown;
        }
        let plain = plain(output);
        if WORDS.failed.is_match(&plain) {
            return Self::Failed;
        }
        let succeeded = match run.purpose {
            Purpose::Build => Some(&WORDS.built),
            Purpose::Test => Some(&WORDS.tested),
            Purpose::Check => Some(&WORDS.checked),
            Purpose::Install => Some(&WORDS.installed),
            // What a program of the project says when it is content is its own.
            Purpose::Run => None,
        };
        if succeeded.is_some_and(|words| words.is_match(&plain)) {
            return if run.is_filtered {
                Self::Unknown
            } else {
                Self::Succeeded
            };
        }
        // Beside a success, mistakes are somebody's words.
        if faults(output).is_empty() {
            Self::Unknown
        } else {
            Self::Failed
        }
    }
}

/// Compiles everything, so that the first failure is not answered late.
pub fn warm_up() {
    LazyLock::force(&WORDS);
}

/// Words of `verdict.toml`, each list as one expression.
#[derive(Debug, Default)]
struct Words {
    failed: Pattern,
    built: Pattern,
    tested: Pattern,
    checked: Pattern,
    installed: Pattern,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    prefix: String,
    failed: Vec<String>,
    built: Vec<String>,
    tested: Vec<String>,
    checked: Vec<String>,
    installed: Vec<String>,
}

/// Read once. A test reads the same text, so that it is valid here.
static WORDS: LazyLock<Words> = LazyLock::new(|| Words::read().unwrap_or_default());

impl Words {
    /// `None` where the text or an expression is not valid.
    fn read() -> Option<Self> {
        let data: Data = toml::from_str(include_str!("verdict.toml")).ok()?;
        let any_of = |words: &[String]| {
            let any = words.join("|");
            Pattern::compile(&format!("(?m){}(?:{any})", data.prefix)).ok()
        };
        Some(Self {
            failed: any_of(&data.failed)?,
            built: any_of(&data.built)?,
            tested: any_of(&data.tested)?,
            checked: any_of(&data.checked)?,
            installed: any_of(&data.installed)?,
        })
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
