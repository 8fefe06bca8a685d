//! The findings of an examination, part by part.

use helix_client::v1;
use helix_proto::exit;
use serde::Serialize;

use crate::command::Reach;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// As it should be.
    Ok,
    /// Works, but not as well as it could.
    Warning,
    /// Does not work.
    Failure,
}

/// One part and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Which part.
    pub(crate) name: String,
    /// Its state.
    pub(crate) level: Level,
    /// The finding, and its remedy.
    pub(crate) detail: String,
}

impl Finding {
    /// A part as it should be.
    pub(crate) fn ok(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            level: Level::Ok,
            detail: detail.into(),
        }
    }

    /// A part that could do better.
    pub(crate) fn warning(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            level: Level::Warning,
            detail: detail.into(),
        }
    }

    /// A part that does not work.
    pub(crate) fn failure(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            level: Level::Failure,
            detail: detail.into(),
        }
    }
}

impl From<&v1::CheckResult> for Finding {
    fn from(result: &v1::CheckResult) -> Self {
        let level = match result.level() {
            v1::CheckLevel::Ok => Level::Ok,
            v1::CheckLevel::Warning => Level::Warning,
            v1::CheckLevel::Failure => Level::Failure,
        };
        Self {
            name: result.name.clone(),
            level,
            detail: result.detail.clone(),
        }
    }
}

/// All findings of one examination.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    /// The worst of them.
    pub(crate) level: Level,
    /// In the order in which they were made.
    pub(crate) results: Vec<Finding>,
    /// The memories that their own questions do not find, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reach: Option<Reach>,
}

/// Adds findings, but for those that say no worse of a part than what is already known of it.
pub(crate) fn extend(known: &mut Vec<Finding>, more: impl IntoIterator<Item = Finding>) {
    for finding in more {
        if !known
            .iter()
            .any(|one| one.name == finding.name && one.level >= finding.level)
        {
            known.push(finding);
        }
    }
}

impl Findings {
    /// Sums up.
    pub(crate) fn new(results: Vec<Finding>) -> Self {
        let level = results
            .iter()
            .map(|finding| finding.level)
            .max()
            .unwrap_or(Level::Ok);
        Self {
            level,
            results,
            reach: None,
        }
    }

    /// Counts the findings of a level.
    pub(crate) fn count(&self, level: Level) -> usize {
        self.results
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    /// Answers the exit code: only failures are failures.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.level {
            Level::Ok | Level::Warning => exit::OK,
            Level::Failure => exit::UNAVAILABLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_again_only_when_it_is_worse() {
        let mut known = vec![Finding::ok("home", "private")];
        let worse = Finding::failure("home", "full");
        extend(
            &mut known,
            [
                Finding::ok("home", "there"),
                worse.clone(),
                Finding::warning("home", "old"),
            ],
        );
        assert_eq!(known, [Finding::ok("home", "private"), worse]);
    }
}
