//! The eight categories of a brief.

use std::fmt;
use std::sync::LazyLock;

use helix_memory::Tags;
use helix_neutral::quoted;
use rustc_hash::FxHashMap;

/// The part of a mental model that a memory belongs to. The order is that of a brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// How it is built.
    Architecture,
    /// How data moves through it.
    DataFlow,
    /// Conditions that must always hold.
    Invariants,
    /// Traps.
    Gotchas,
    /// Choices, and their reasons.
    Decisions,
    /// How things are done.
    HowTo,
    /// How fast it is, and why.
    Performance,
    /// Things that are missing or hurt.
    Gaps,
    /// None of these.
    Untagged,
}

/// A word that names no category.
#[derive(Debug, thiserror::Error)]
#[error("category {} is not known; use some of: {known}", quoted(.0), known = Category::names())]
pub struct UnknownCategory(String);

/// Tags of each category, normalised.
const TAGS: &[(Category, &[&str])] = &[
    (
        Category::Architecture,
        &["architecture", "module-map", "coupling", "interface"],
    ),
    (Category::DataFlow, &["data-flow", "lifecycle", "protocol"]),
    (
        Category::Invariants,
        &["invariant", "boundary", "concurrency"],
    ),
    (Category::Gotchas, &["gotcha", "bug", "error-handling"]),
    (
        Category::Decisions,
        &["decision", "deprecation", "migration"],
    ),
    (Category::HowTo, &["how-to", "config", "deploy"]),
    (
        Category::Performance,
        &["perf", "performance", "benchmark", "optimization"],
    ),
    (Category::Gaps, &["gap", "friction", "todo", "missing"]),
    (Category::Untagged, &["untagged"]),
];

/// The categories by their tags: a brief looks up each tag of each memory.
static BY_TAG: LazyLock<FxHashMap<&str, Category>> = LazyLock::new(|| {
    TAGS.iter()
        .flat_map(|(category, tags)| tags.iter().map(|tag| (*tag, *category)))
        .collect()
});

impl Category {
    /// All of them, in a brief's order.
    pub const ALL: [Self; 9] = [
        Self::Architecture,
        Self::DataFlow,
        Self::Invariants,
        Self::Gotchas,
        Self::Decisions,
        Self::HowTo,
        Self::Performance,
        Self::Gaps,
        Self::Untagged,
    ];

    /// Returns the heading.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Architecture => "ARCHITECTURE",
            Self::DataFlow => "DATA FLOW",
            Self::Invariants => "INVARIANTS",
            Self::Gotchas => "GOTCHAS",
            Self::Decisions => "DECISIONS",
            Self::HowTo => "HOW-TO",
            Self::Performance => "PERFORMANCE",
            Self::Gaps => "GAPS",
            Self::Untagged => "UNTAGGED",
        }
    }

    /// Returns the name used in `focus`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Architecture => "architecture",
            Self::DataFlow => "data-flow",
            Self::Invariants => "invariants",
            Self::Gotchas => "gotchas",
            Self::Decisions => "decisions",
            Self::HowTo => "how-to",
            Self::Performance => "performance",
            Self::Gaps => "gaps",
            Self::Untagged => "untagged",
        }
    }

    /// The category that a normalised tag names.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        BY_TAG.get(tag).copied()
    }

    /// Reads one name: singular or plural, any case, dashes or not; a tag of the category will do.
    ///
    /// # Errors
    /// [`UnknownCategory`], listing the names.
    pub fn parse(name: &str) -> Result<Self, UnknownCategory> {
        let unknown = || UnknownCategory(name.trim().chars().take(40).collect());
        let wanted = Tags::normalise_one(name).ok_or_else(unknown)?;
        let joined = wanted.replace('-', "");
        // `How-Tos` keeps its plural, because words on -os mostly are none.
        let singular = joined.strip_suffix('s').unwrap_or(&joined);
        let is_wanted = |tag: &&str| [&joined, singular].contains(&tag.replace('-', "").as_str());
        let found = TAGS.iter().find(|(_, tags)| tags.iter().any(is_wanted));
        found.map(|(category, _)| *category).ok_or_else(unknown)
    }

    /// Reads a comma-separated list, as in `gotchas,invariants`; empty parts are skipped.
    ///
    /// # Errors
    /// [`UnknownCategory`] for the first name that is none.
    pub fn parse_list(list: &str) -> Result<Vec<Self>, UnknownCategory> {
        let mut focus = Vec::new();
        for name in list.split(',').filter(|name| !name.trim().is_empty()) {
            focus.push(Self::parse(name)?);
        }
        focus.sort_unstable();
        focus.dedup();
        Ok(focus)
    }

    fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.heading())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_read_leniently() {
        for (name, category) in [
            ("gotchas", Category::Gotchas),
            ("Gotcha", Category::Gotchas),
            ("DATA FLOW", Category::DataFlow),
            ("dataflow", Category::DataFlow),
            ("data_flows", Category::DataFlow),
            ("howto", Category::HowTo),
            ("How-Tos", Category::HowTo),
            ("perf", Category::Performance),
            ("todos", Category::Gaps),
            ("Untagged", Category::Untagged),
        ] {
            assert_eq!(Category::parse(name).unwrap(), category, "{name}");
        }
        for category in Category::ALL {
            assert_eq!(Category::parse(category.name()).unwrap(), category);
            assert_eq!(Category::parse(category.heading()).unwrap(), category);
        }
    }

    #[test]
    fn lists_are_sorted_and_name_what_is_wrong() {
        let focus = Category::parse_list("gotchas, invariants,,gotcha ").unwrap();
        assert_eq!(focus, [Category::Invariants, Category::Gotchas]);
        assert!(Category::parse_list("").unwrap().is_empty());
        let error = Category::parse_list("gotchas,colours")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("colours") && error.contains("how-to"),
            "{error}"
        );
    }

    #[test]
    fn every_tag_is_in_its_normal_form() {
        for tag in TAGS.iter().flat_map(|(_, tags)| *tags) {
            assert_eq!(Tags::normalise_one(tag).unwrap(), *tag);
        }
    }
}
