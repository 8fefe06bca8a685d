//! Scopes: who a memory applies to.

use std::fmt;

use helix_neutral::quoted;

/// Who a memory applies to. A filter, never a score alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// True everywhere.
    Global,
    /// True in one project, named by its identity.
    Project(String),
    /// The working memory of one session: bounded, expiring, never on disk.
    Session(String),
}

/// A text that names no scope.
#[derive(Debug, thiserror::Error)]
#[error("scope {} is not one of `project`, `global`, `project:<id>` or, for a search, `all`", quoted(.0))]
pub struct InvalidScope(pub String);

impl Scope {
    /// The scope of examinations, which store a memory, look for it and forget it: what it holds is in
    /// no count, no listing and no guess, and is found only by whoever names the scope or the memory in
    /// full. No project's identity looks like it.
    pub const SCRATCH: &str = "project:scratch:helix-doctor";

    /// Reads `global`, `project:<id>` or `session:<id>`.
    ///
    /// # Errors
    /// `InvalidScope` for anything else.
    pub fn parse(text: &str) -> Result<Self, InvalidScope> {
        match text.split_once(':') {
            None if text == "global" => Ok(Self::Global),
            Some(("project", id)) if !id.is_empty() => Ok(Self::Project(id.to_owned())),
            Some(("session", id)) if !id.is_empty() => Ok(Self::Session(id.to_owned())),
            _ => Err(InvalidScope(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Project(id) => write!(f, "project:{id}"),
            Self::Session(id) => write!(f, "session:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in ["global", "project:github.com/a/b", "session:42"] {
            assert_eq!(Scope::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "project", "project:", "team:x"] {
            assert!(Scope::parse(text).is_err(), "{text}");
        }
    }
}
