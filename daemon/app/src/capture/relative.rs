//! Names the files of a project relative to it, in what was captured there.

use std::path::Path;

use crate::project::Project;

/// What a shell line begins with that first goes to where it is.
const TO_ROOT: [&str; 2] = ["cd . && ", "cd .; "];

/// Returns a text whose paths inside of a project are relative to its root.
pub(super) fn text(project: &Project, text: &str) -> String {
    if project.root.parent().is_none() {
        return text.to_owned();
    }
    let mut relative = text.to_owned();
    for root in spellings(&project.root) {
        relative = without_root(&relative, &root);
    }
    for to_root in TO_ROOT {
        relative = relative.replace(to_root, "");
    }
    relative
}

/// The root as it is known, and as its links lead to it.
fn spellings(root: &Path) -> Vec<String> {
    let real = root.canonicalize().ok();
    let all = [Some(root.to_owned()), real].into_iter().flatten();
    let mut all: Vec<String> = all
        .filter_map(|root| root.to_str().map(str::to_owned))
        .collect();
    all.dedup();
    all
}

/// Takes a root out of a text wherever a path begins with it: a longer name is another directory.
fn without_root(text: &str, root: &str) -> String {
    let mut rest = text;
    let mut relative = String::with_capacity(text.len());
    while let Some(at) = rest.find(root) {
        let (before, found) = rest.split_at(at);
        let behind = found.strip_prefix(root).unwrap_or_default();
        relative.push_str(before);
        let is_inside = before.chars().next_back().is_some_and(continues_path);
        rest = behind;
        if is_inside || is_longer_name(behind) {
            relative.push_str(root);
        } else if let Some(inside) = behind.strip_prefix('/') {
            rest = inside;
        } else if !behind.starts_with('.') {
            relative.push('.');
        }
    }
    relative.push_str(rest);
    relative
}

/// Whether a name goes on behind the root, so that it is the one of another directory.
fn is_longer_name(behind: &str) -> bool {
    let mut next = behind.chars();
    match next.next() {
        Some('/') | None => false,
        Some('.') => next.next().is_some_and(char::is_alphanumeric),
        Some(c) => continues_path(c),
    }
}

/// Whether a character beside a path is a part of it.
fn continues_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '~')
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use helix_memory::Scope;

    use super::*;

    fn project() -> Project {
        Project {
            scope: Scope::Project("a".to_owned()),
            root: PathBuf::from("/work/shop"),
            name: "shop".to_owned(),
            aliases: Vec::new(),
        }
    }

    #[test]
    fn paths_inside_the_project_are_relative() {
        for (said, kept) in [
            (
                "fixed by changing `/work/shop/src/money.rs`: `a` became `b`.",
                "fixed by changing `src/money.rs`: `a` became `b`.",
            ),
            (
                "`cd /work/shop && cargo test` failed with E0277 (src/money.rs)",
                "`cargo test` failed with E0277 (src/money.rs)",
            ),
            ("`pytest /work/shop` fails", "`pytest .` fails"),
            (
                "see (/work/shop/a.md), /work/shop/b.md.",
                "see (a.md), b.md.",
            ),
            ("It is in /work/shop.", "It is in ."),
        ] {
            assert_eq!(text(&project(), said), kept);
        }
    }

    #[test]
    fn paths_outside_of_it_stay() {
        for said in [
            "`/work/shop2/src/a.rs` is vendored",
            "mounted at /mnt/work/shop/a.rs",
            "`/work/shop-old` is gone",
            "`/work/shop.bak` is gone",
            "no path at all",
        ] {
            assert_eq!(text(&project(), said), said);
        }
        let outside = Project::outside(Path::new("/"));
        assert_eq!(text(&outside, "see /etc/hosts"), "see /etc/hosts");
    }
}
