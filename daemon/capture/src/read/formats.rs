//! The kinds of records of each format that hold nothing said or done, and the versions that the
//! readers know.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lists of one client.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// Major versions.
    #[serde(default)]
    pub(super) versions: Vec<String>,
    /// Kinds of records.
    #[serde(default)]
    pub(super) quiet: Vec<String>,
    /// Kinds of parts of messages.
    #[serde(default)]
    pub(super) quiet_parts: Vec<String>,
    /// Origins of prompts that no person gave.
    #[serde(default)]
    pub(super) machine_prompts: Vec<String>,
    /// Starts of outcomes of calls that the user refused.
    #[serde(default)]
    pub(super) refused: Vec<String>,
    /// Behind this an outcome of a refused call has the user's words.
    #[serde(default)]
    pub(super) refused_saying: String,
}

impl Known {
    pub(super) fn is_quiet(&self, kind: &str) -> bool {
        self.quiet.iter().any(|quiet| quiet == kind)
    }

    pub(super) fn is_quiet_part(&self, kind: &str) -> bool {
        self.quiet_parts.iter().any(|quiet| quiet == kind)
    }

    pub(super) fn is_machine_prompt(&self, origin: &str) -> bool {
        self.machine_prompts.iter().any(|machine| machine == origin)
    }

    /// The user's words in the outcome of a call that they refused; empty when they said nothing,
    /// and `None` when they did not refuse it.
    pub(super) fn refusal(&self, outcome: &str) -> Option<String> {
        let is_refused = self
            .refused
            .iter()
            .any(|start| outcome.starts_with(start.as_str()));
        let said = outcome.split_once(self.refused_saying.as_str());
        let said = said.filter(|_| !self.refused_saying.is_empty());
        is_refused.then(|| said.map_or_else(String::new, |(_, said)| said.to_owned()))
    }
}

/// The lists of `formats.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Formats {
    pub(super) claude_code: Known,
    pub(super) codex: Known,
    pub(super) opencode: Known,
    pub(super) gemini: Known,
    pub(super) cursor: Known,
}

pub(super) static FORMATS: LazyLock<Formats> =
    LazyLock::new(|| toml::from_str(include_str!("formats.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(
            toml::from_str::<Formats>(include_str!("formats.toml")).err(),
            None
        );
    }
}
