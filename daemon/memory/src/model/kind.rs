//! The registry of kinds.

use std::fmt;
use std::sync::Arc;

use crate::error::{ErrorKind, Fault};
use helix_neutral::quoted;

/// A memory's kind: the name of a registered one.
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

/// The sort of knowledge that a kind holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Lasting facts.
    #[default]
    Semantic,
    /// How something is done.
    Procedural,
    /// A thing that has a name.
    Entity,
    /// Single events.
    Episodic,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [
        Self::Semantic,
        Self::Procedural,
        Self::Entity,
        Self::Episodic,
    ];

    /// Returns the name used on the wire and in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
            Self::Entity => "entity",
            Self::Episodic => "episodic",
        }
    }

    /// Reads a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }
}

/// A registered kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindSpec {
    /// Name.
    pub name: String,
    /// The sort of knowledge that it holds.
    pub shape: Shape,
    /// Days after which confidence has halved; `None` never decays.
    pub half_life_days: Option<f64>,
    /// Lines it may take in a surface.
    pub surface_lines: u32,
    /// True if it is about the user rather than a project, so that its default scope is global.
    pub about_user: bool,
}

/// A kind that is not registered.
#[derive(Debug, thiserror::Error)]
#[error("kind {} is not known; use one of: {known}", quoted(.name))]
pub struct UnknownKind {
    name: String,
    known: String,
}

impl Fault for UnknownKind {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

/// Every kind a strand knows: the built-in ones and those of the configuration.
#[derive(Clone, Debug)]
pub struct Kinds {
    specs: Vec<(Kind, KindSpec)>,
}

/// Name, shape, half-life in days, surface lines, about the user.
const BUILT_IN: &[(&str, Shape, Option<f64>, u32, bool)] = &[
    ("identity", Shape::Semantic, None, 10, true),
    ("preference", Shape::Semantic, None, 15, true),
    ("project", Shape::Semantic, None, 15, false),
    ("decision", Shape::Semantic, None, 25, false),
    ("convention", Shape::Procedural, Some(90.0), 20, false),
    ("snippet", Shape::Procedural, Some(90.0), 0, false),
    ("procedure", Shape::Procedural, Some(90.0), 20, false),
    ("entity", Shape::Entity, None, 10, false),
    ("episode", Shape::Episodic, Some(7.0), 10, false),
    ("fact", Shape::Semantic, None, 20, false),
    ("architecture", Shape::Semantic, None, 25, false),
    ("pattern", Shape::Procedural, Some(60.0), 25, false),
    ("gotcha", Shape::Semantic, Some(45.0), 20, false),
    ("bug_fix", Shape::Semantic, Some(45.0), 20, false),
    ("context", Shape::Semantic, Some(30.0), 15, false),
    ("progress", Shape::Episodic, Some(7.0), 30, false),
    ("code_description", Shape::Entity, None, 10, false),
    ("code", Shape::Entity, None, 0, false),
    ("scratch", Shape::Episodic, Some(1.0 / 24.0), 0, false),
];

impl Default for Kinds {
    fn default() -> Self {
        let specs = BUILT_IN.iter().map(
            |&(name, shape, half_life_days, surface_lines, about_user)| {
                let spec = KindSpec {
                    name: name.to_owned(),
                    shape,
                    half_life_days,
                    surface_lines,
                    about_user,
                };
                (Kind::from_stored(name), spec)
            },
        );
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
    /// `UnknownKind`, listing what is known.
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

    /// Returns a kind's shape; the default one for a kind that the configuration no longer has.
    #[must_use]
    pub fn shape(&self, kind: &Kind) -> Shape {
        self.spec(kind).map(|spec| spec.shape).unwrap_or_default()
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
            shape: Shape::Procedural,
            half_life_days: Some(3.0),
            surface_lines: 1,
            about_user: false,
        };
        let kinds = kinds.with([recipe]);
        let kind = kinds.resolve("recipe").unwrap();
        assert_eq!(kinds.spec(&kind).unwrap().half_life_days, Some(3.0));
        assert_eq!(kinds.shape(&kind), Shape::Procedural);
    }

    #[test]
    fn every_kind_has_its_shape() {
        let kinds = Kinds::default();
        let shape = |name: &str| kinds.shape(&kinds.resolve(name).unwrap()).name();
        for name in ["identity", "preference", "decision", "fact", "project"] {
            assert_eq!(shape(name), "semantic", "{name}");
        }
        for name in ["convention", "snippet", "procedure"] {
            assert_eq!(shape(name), "procedural", "{name}");
        }
        assert_eq!((shape("entity"), shape("episode")), ("entity", "episodic"));
        for shape in Shape::ALL {
            assert_eq!(Shape::parse(shape.name()), Some(shape));
        }
    }
}
