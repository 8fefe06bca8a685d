//! The registry of kinds.

use std::fmt;
use std::sync::Arc;

use crate::neutral::quoted;

/// What a memory is: the name of a registered kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Arc<str>);

impl Kind {
    /// Trusts a name that the registry or the store gave.
    #[must_use]
    pub fn from_stored(name: &str) -> Self {
        Self(Arc::from(name))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the registry knows of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindSpec {
    /// Name.
    pub name: String,
    /// Days after which confidence has halved; `None` never decays.
    pub half_life_days: Option<f64>,
    /// Lines it may take in a surface.
    pub surface_lines: u32,
    /// Whether it is about the user rather than a project, so that its default scope is global.
    pub about_user: bool,
}

/// A kind that is not registered.
#[derive(Debug, thiserror::Error)]
#[error("kind {} is not known; use one of: {known}", quoted(.name))]
pub struct UnknownKind {
    name: String,
    known: String,
}

/// Every kind a strand knows: the built-in ones and those of the configuration.
#[derive(Clone, Debug)]
pub struct Kinds {
    specs: Vec<(Kind, KindSpec)>,
}

/// Name, half-life in days, surface lines, about the user.
const BUILT_IN: &[(&str, Option<f64>, u32, bool)] = &[
    ("identity", None, 10, true),
    ("preference", None, 15, true),
    ("project", None, 15, false),
    ("decision", None, 25, false),
    ("convention", Some(90.0), 20, false),
    ("snippet", Some(90.0), 0, false),
    ("procedure", Some(90.0), 20, false),
    ("entity", None, 10, false),
    ("episode", Some(7.0), 10, false),
    ("fact", None, 20, false),
    ("architecture", None, 25, false),
    ("pattern", Some(60.0), 25, false),
    ("gotcha", Some(45.0), 20, false),
    ("bug_fix", Some(45.0), 20, false),
    ("context", Some(30.0), 15, false),
    ("progress", Some(7.0), 30, false),
    ("code_description", None, 10, false),
    ("code", None, 0, false),
    ("scratch", Some(1.0 / 24.0), 0, false),
];

impl Default for Kinds {
    fn default() -> Self {
        let specs = BUILT_IN
            .iter()
            .map(|&(name, half_life_days, surface_lines, about_user)| {
                let spec = KindSpec {
                    name: name.to_owned(),
                    half_life_days,
                    surface_lines,
                    about_user,
                };
                (Kind::from_stored(name), spec)
            });
        Self {
            specs: specs.collect(),
        }
    }
}

impl Kinds {
    /// Adds kinds of the configuration; a built-in name is redefined.
    #[must_use]
    pub fn with(mut self, extra: impl IntoIterator<Item = KindSpec>) -> Self {
        for spec in extra {
            let kind = Kind::from_stored(&spec.name);
            self.specs.retain(|(known, _)| *known != kind);
            self.specs.push((kind, spec));
        }
        self
    }

    /// Finds a kind by name; dashes and underscores are alike, case does not matter.
    ///
    /// # Errors
    /// [`UnknownKind`], listing what is known.
    pub fn resolve(&self, name: &str) -> Result<Kind, UnknownKind> {
        let wanted = name.trim().to_lowercase().replace('-', "_");
        self.specs
            .iter()
            .find(|(kind, _)| kind.as_str() == wanted)
            .map(|(kind, _)| kind.clone())
            .ok_or_else(|| {
                let known: Vec<&str> = self.specs.iter().map(|(kind, _)| kind.as_str()).collect();
                UnknownKind {
                    name: name.chars().take(40).collect(),
                    known: known.join(", "),
                }
            })
    }

    /// Returns what is known of a kind; `None` for one that the configuration no longer has.
    #[must_use]
    pub fn spec(&self, kind: &Kind) -> Option<&KindSpec> {
        self.specs
            .iter()
            .find(|(known, _)| known == kind)
            .map(|(_, spec)| spec)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_forgiving_and_extensible() {
        let kinds = Kinds::default();
        assert_eq!(kinds.resolve("Bug-Fix").unwrap().as_str(), "bug_fix");
        assert!(
            kinds
                .resolve("recipe")
                .unwrap_err()
                .to_string()
                .contains("gotcha")
        );
        let recipe = KindSpec {
            name: "recipe".into(),
            half_life_days: Some(3.0),
            surface_lines: 1,
            about_user: false,
        };
        let kinds = kinds.with([recipe]);
        let kind = kinds.resolve("recipe").unwrap();
        assert_eq!(kinds.spec(&kind).unwrap().half_life_days, Some(3.0));
    }
}
