//! Files that a search names and does not place: `**/order.rs` is any file of that name.

use std::path::Path;

use helix_memory::SourceRef;

use crate::hook::event::{WILDCARDS, has_partial_name, literal_directory};
use crate::hook::paths::Paths;
use crate::hook::words::is_common_stem;
use crate::project::Project;

/// The files of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedFiles {
    /// Where they are, relative to the project's root; empty for the root.
    directory: String,
    /// Whether they are right there, and not somewhere below.
    is_placed: bool,
    /// What they may be called.
    names: Vec<Name>,
}

/// Name of files, whole or with anything between its beginning and its end.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    beginning: String,
    /// `None` for a whole name.
    end: Option<String>,
}

/// Shortest beginning of a name that says which files are meant.
const BEGINNING_MIN_CHARS: usize = 3;

impl NamedFiles {
    /// Returns what a pattern names that is looked for in a directory; `None` for one that says no
    /// more than an ending, for what every directory has, and for what is outside of the project.
    pub(super) fn of(pattern: &str, base: &Path, paths: Paths<'_>) -> Option<Self> {
        let (above, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let is_placed = !above.is_empty() && !above.contains(WILDCARDS);
        let names = names(last);
        let tells = |name: &Name| is_placed || !is_common_stem(name.stem());
        if names.is_empty() || !names.iter().all(tells) || has_partial_name(pattern) {
            return None;
        }
        let directory = paths.relative(&base.join(literal_directory(pattern)));
        let is_inside = directory.is_relative() && !directory.starts_with("..");
        let directory =
            SourceRef::one_spelling(directory.to_str()?.trim_end_matches('/')).into_owned();
        is_inside.then_some(Self {
            directory,
            is_placed,
            names,
        })
    }

    /// Returns whether a source is one of the files. One without a directory is a mere name, and
    /// may be anywhere.
    pub(super) fn holds(&self, source: &str, project: &Project) -> bool {
        let source = SourceRef::one_spelling(source);
        let (above, name) = source.rsplit_once('/').unwrap_or(("", &source));
        self.names.iter().any(|wanted| wanted.is_of(name))
            && (above.is_empty() || self.reaches(above, &project.root))
    }

    /// Returns whether the files of a directory are meant.
    fn reaches(&self, directory: &str, root: &Path) -> bool {
        let inside = Path::new(directory)
            .strip_prefix(root)
            .ok()
            .and_then(Path::to_str)
            .unwrap_or(directory);
        match inside.strip_prefix(self.directory.as_str()) {
            Some("") => true,
            Some(below) => !self.is_placed && (self.directory.is_empty() || below.starts_with('/')),
            None => false,
        }
    }
}

impl Name {
    fn whole(name: String) -> Self {
        Self {
            beginning: name,
            end: None,
        }
    }

    /// The part that tells the files from others.
    fn stem(&self) -> &str {
        self.beginning
            .split('.')
            .next()
            .unwrap_or_default()
            .trim_end_matches(['_', '-'])
    }

    fn is_of(&self, name: &str) -> bool {
        match &self.end {
            None => name == self.beginning,
            Some(end) => name
                .strip_prefix(self.beginning.as_str())
                .is_some_and(|rest| rest.ends_with(end.as_str())),
        }
    }
}

/// The names that a pattern's last part stands for, where it says all but the ending, or how they
/// begin.
fn names(last: &str) -> Vec<Name> {
    let Some((beginning, rest)) = last
        .find(WILDCARDS)
        .and_then(|at| last.split_at_checked(at))
    else {
        return Some(last.to_owned())
            .filter(|name| !name.is_empty())
            .map(Name::whole)
            .into_iter()
            .collect();
    };
    let says_stem = beginning.len() > 1 && beginning.ends_with('.');
    if let Some(endings) = rest
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        let endings = endings
            .split(',')
            .filter(|ending| says_stem && !ending.contains(WILDCARDS));
        return endings
            .map(|ending| Name::whole(format!("{beginning}{}", ending.trim())))
            .collect();
    }
    let end = rest.trim_start_matches('*');
    let is_telling = says_stem
        || (beginning.chars().count() >= BEGINNING_MIN_CHARS && !beginning.starts_with('.'));
    if !is_telling || end.contains(WILDCARDS) {
        return Vec::new();
    }
    vec![Name {
        beginning: beginning.to_owned(),
        end: Some(end.to_owned()),
    }]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use helix_memory::Scope;

    use super::*;
    use crate::reach::Reach;

    fn project() -> Project {
        Project {
            scope: Scope::Global,
            root: "/p".into(),
            name: "p".to_owned(),
            aliases: Vec::new(),
        }
    }

    fn named(pattern: &str, base: &str) -> Option<NamedFiles> {
        let project = Arc::new(project());
        let paths = Paths {
            reach: &Reach::default(),
            home: &project,
            project: &project,
        };
        NamedFiles::of(pattern, Path::new(base), paths)
    }

    fn holds(pattern: &str, base: &str, source: &str) -> bool {
        let named = named(pattern, base);
        named.is_some_and(|named| named.holds(source, &project()))
    }

    #[test]
    fn a_name_is_that_of_files_in_any_directory_below() {
        for (pattern, base, source) in [
            ("**/order.rs", "/p", "src/order.rs"),
            ("**/order.rs", "/p", "order.rs"),
            ("**/order.rs", "/p", "/p/src/order.rs"),
            ("order.rs", "/p", "shop/src/order.rs"),
            ("src/**/order.rs", "/p", "src/shop/order.rs"),
            ("src/**/order.rs", "/p", "src/order.rs"),
            ("/p/src/**/order.rs", "/elsewhere", "src/shop/order.rs"),
            ("**/order.rs", "/p/src", "src/order.rs"),
            ("**/order.*", "/p", "web/order.test.ts"),
            ("**/order.{ts,tsx}", "/p", "web/order.tsx"),
            ("src/main.rs", "/p", "src/main.rs"),
            ("./src/main.rs", "/p", "src/main.rs"),
            ("src/row*.rs", "/p", "src/row_set.rs"),
            ("src/row*", "/p", "src/rows.rs"),
            ("**/order*.rs", "/p", "shop/order_book.rs"),
        ] {
            assert!(
                holds(pattern, base, source),
                "{pattern} in {base}: {source}"
            );
        }
        for (pattern, base, source) in [
            ("**/order.rs", "/p", "src/reorder.rs"),
            ("**/order.rs", "/p", "src/order.rs/notes.md"),
            ("src/**/order.rs", "/p", "lib/order.rs"),
            ("src/**/order.rs", "/p", "src2/order.rs"),
            ("**/order.rs", "/p/src", "lib/order.rs"),
            ("**/order.*", "/p", "web/orders.ts"),
            ("**/order.{ts,tsx}", "/p", "web/order.py"),
            ("src/row*.rs", "/p", "src/row_set.py"),
            ("src/row*.rs", "/p", "src/arrow.rs"),
            ("src/row*.rs", "/p", "lib/row_set.rs"),
            ("src/main.rs", "/p", "src/tools/main.rs"),
            ("src/main.rs", "/p", "tools/src/main.rs"),
        ] {
            assert!(
                !holds(pattern, base, source),
                "{pattern} in {base}: {source}"
            );
        }
    }

    #[test]
    fn an_ending_and_what_every_directory_has_name_nothing() {
        for pattern in [
            "*.rs",
            "**/*.ts",
            "**/*",
            "**/*.{png,svg}",
            "**/mod.rs",
            "**/index.{ts,tsx}",
            "main.rs",
            "src/**/lib.rs",
            "**/*order*",
            "**/or*.rs",
            "**/test_*.py",
            "**/.*",
            "src/",
            "",
        ] {
            assert_eq!(named(pattern, "/p"), None, "{pattern}");
        }
        assert_eq!(named("**/order.rs", "/elsewhere"), None);
    }
}
