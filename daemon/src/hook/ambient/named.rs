//! Files that a search names and does not place: `**/order.rs` is any file of that name.

use std::path::Path;

use helix_engine::model::one_spelling;

use super::common::is_manifold_stem;
use crate::hook::event::{WILDCARDS, literal_directory};
use crate::project::Project;

/// The files of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedFiles {
    /// Where they are, relative to the project's root; empty for the root.
    directory: String,
    /// Whether they are right there, and not somewhere below.
    is_placed: bool,
    /// What they may be called. Behind one that ends with a dot stands any ending.
    names: Vec<String>,
}

impl NamedFiles {
    /// What a pattern names that is looked for in a directory; `None` for one that says no more than an ending, for what every
    /// directory has, and for what is outside of the project.
    pub(super) fn of(pattern: &str, base: &Path, project: &Project) -> Option<Self> {
        let (above, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let is_placed = !above.is_empty() && !above.contains(WILDCARDS);
        let names = names(last);
        let tells = |name: &String| is_placed || !is_manifold_stem(name.split('.').next().unwrap_or_default());
        if names.is_empty() || !names.iter().all(tells) {
            return None;
        }
        let directory = project.relative(&base.join(literal_directory(pattern)));
        let is_inside = directory.is_relative() && !directory.starts_with("..");
        let directory = one_spelling(directory.to_str()?.trim_end_matches('/')).into_owned();
        is_inside.then_some(Self { directory, is_placed, names })
    }

    /// Whether a source is one of the files. One without a directory is a mere name, and may be anywhere.
    pub(super) fn holds(&self, source: &str, project: &Project) -> bool {
        let source = one_spelling(source);
        let (above, name) = source.rsplit_once('/').unwrap_or(("", &source));
        let is_called =
            |wanted: &String| name == wanted || (wanted.ends_with('.') && name.starts_with(wanted.as_str()));
        self.names.iter().any(is_called) && (above.is_empty() || self.reaches(above, &project.root))
    }

    /// Whether the files of a directory are meant.
    fn reaches(&self, directory: &str, root: &Path) -> bool {
        let inside = Path::new(directory).strip_prefix(root).ok().and_then(Path::to_str).unwrap_or(directory);
        match inside.strip_prefix(self.directory.as_str()) {
            Some("") => true,
            Some(below) => !self.is_placed && (self.directory.is_empty() || below.starts_with('/')),
            None => false,
        }
    }
}

/// The names that a pattern's last part stands for, where it says all but the ending.
fn names(last: &str) -> Vec<String> {
    let Some((name, rest)) = last.find(WILDCARDS).and_then(|at| last.split_at_checked(at)) else {
        return Some(last.to_owned()).filter(|name| !name.is_empty()).into_iter().collect();
    };
    if name.len() < 2 || !name.ends_with('.') {
        return Vec::new();
    }
    let endings = match rest {
        "*" => "",
        _ => rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(rest),
    };
    let endings = endings.split(',').filter(|ending| !ending.contains(WILDCARDS));
    endings.map(|ending| format!("{name}{}", ending.trim())).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::model::Scope;

    use super::*;

    fn project() -> Project {
        Project { scope: Scope::Global, root: "/p".into(), name: "p".to_owned(), aliases: Vec::new() }
    }

    fn holds(pattern: &str, base: &str, source: &str) -> bool {
        let named = NamedFiles::of(pattern, Path::new(base), &project());
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
        ] {
            assert!(holds(pattern, base, source), "{pattern} in {base}: {source}");
        }
        for (pattern, base, source) in [
            ("**/order.rs", "/p", "src/reorder.rs"),
            ("**/order.rs", "/p", "src/order.rs/notes.md"),
            ("src/**/order.rs", "/p", "lib/order.rs"),
            ("src/**/order.rs", "/p", "src2/order.rs"),
            ("**/order.rs", "/p/src", "lib/order.rs"),
            ("**/order.*", "/p", "web/orders.ts"),
            ("**/order.{ts,tsx}", "/p", "web/order.py"),
            ("src/main.rs", "/p", "src/tools/main.rs"),
            ("src/main.rs", "/p", "tools/src/main.rs"),
        ] {
            assert!(!holds(pattern, base, source), "{pattern} in {base}: {source}");
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
            "**/order*.rs",
            "**/.*",
            "src/",
            "",
        ] {
            assert_eq!(NamedFiles::of(pattern, Path::new("/p"), &project()), None, "{pattern}");
        }
        assert_eq!(NamedFiles::of("**/order.rs", Path::new("/elsewhere"), &project()), None);
    }
}
