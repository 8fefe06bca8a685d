//! The tools of the clients that run commands or change files, and the members of their inputs.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lists of `tools.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tools {
    pub(super) commands: Vec<String>,
    pub(super) edits: Vec<String>,
    pub(super) line_keys: Vec<String>,
    pub(super) directory_keys: Vec<String>,
    pub(super) path_keys: Vec<String>,
    pub(super) old_keys: Vec<String>,
    pub(super) new_keys: Vec<String>,
    pub(super) patch_keys: Vec<String>,
    pub(super) shells: Vec<String>,
    pub(super) own_programs: Vec<String>,
}

pub(super) static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| toml::from_str(include_str!("tools.toml")).unwrap_or_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(
            toml::from_str::<Tools>(include_str!("tools.toml")).err(),
            None
        );
    }
}
