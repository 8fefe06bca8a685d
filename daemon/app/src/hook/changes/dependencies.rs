//! What a change of a manifest makes the project depend on. There are decisions on libraries, and
//! this is when they matter.

use std::collections::HashSet;
use std::path::Path;

/// Dependencies of one change that are looked for.
pub(super) const ADDED_MAX: usize = 8;

/// Shortest name that is looked for, and longest line that is looked at, in bytes.
pub(super) const NAME_MIN_BYTES: usize = 3;
pub(super) const LINE_MAX_BYTES: usize = 300;

/// What manifests are called, and how the names of some of them begin.
const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "Gemfile",
    "composer.json",
    "pubspec.yaml",
    "Pipfile",
];
const BEGINNINGS: &[&str] = &[LISTED, "build.gradle"];

/// How the manifests begin that are a list of names.
const LISTED: &str = "requirements";

/// Names of packages that are everyday words, sorted: a memory that has one is about something
/// else.
pub(super) const EVERYDAY: &[&str] = &[
    "async", "bytes", "cache", "click", "color", "common", "config", "core", "data", "date",
    "debug", "either", "email", "env", "events", "file", "files", "form", "graph", "http", "image",
    "index", "link", "list", "lock", "log", "map", "memory", "mock", "money", "open", "path",
    "pool", "process", "queue", "request", "rich", "schema", "session", "set", "socket", "state",
    "stock", "stream", "table", "test", "time", "tree", "types", "url", "utils", "when",
];

/// The dependencies that a text has and the one before has not, in their order.
pub(super) fn added(file: &Path, before: &[String], after: &[String]) -> Vec<String> {
    if helix_ablation::is_off("layer/dependencies") {
        return Vec::new();
    }
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if !MANIFESTS.contains(&name)
        && !BEGINNINGS
            .iter()
            .any(|beginning| name.starts_with(beginning))
    {
        return Vec::new();
    }
    let dependency =
        |line| dependency(line).or_else(|| bare(line).filter(|_| name.starts_with(LISTED)));
    let known: HashSet<&str> = before
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(dependency)
        .collect();
    let mut added: Vec<String> = Vec::new();
    for name in after
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(dependency)
    {
        let is_telling = !known.contains(name) && EVERYDAY.binary_search(&name).is_err();
        if is_telling && added.len() < ADDED_MAX && !added.iter().any(|known| known == name) {
            added.push(name.to_owned());
        }
    }
    added
}

/// The name that a manifest's line gives a version: `serde = "1"`, `"react": "^19"`, `httpx>=0.27`,
/// `github.com/a/b v1.2.3`, `gem "rails", "8.0"`, `implementation("a.b:c:1.0")`.
fn dependency(line: &str) -> Option<&str> {
    let line = line.trim();
    // As TOML has them whose versions stand elsewhere or below.
    let table = line
        .strip_prefix('[')
        .and_then(|line| line.strip_suffix(']'));
    let of_table = table
        .and_then(|table| table.split_once("dependencies."))
        .map(|(_, name)| name);
    let of_workspace = line
        .strip_suffix("= true")
        .and_then(|line| line.trim_end().strip_suffix(".workspace"));
    if let Some(name) = of_table
        .or(of_workspace)
        .filter(|name| !name.contains(['.', ' ']))
    {
        return Some(name);
    }
    if line.len() > LINE_MAX_BYTES || line.starts_with(['#', '[']) || line.starts_with("//") {
        return None;
    }
    let words = [
        "gem ",
        "implementation",
        "api(",
        "testImplementation",
        "require ",
    ];
    let line = words
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let line = line.trim_start_matches(['(', '"', '\'', ' ']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    let end = line.find(|c| !is_part(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(end)?;
    // An extra is no part of the name, and neither is where it comes from.
    let rest = rest
        .split_once(']')
        .filter(|_| rest.starts_with('['))
        .map_or(rest, |(_, rest)| rest);
    let value = rest.trim_start_matches(['"', '\'', ' ', ':', '=', ',', '(']);
    let is_separated = rest.len() > value.len() || value.starts_with(['<', '>', '~', '!']);
    let name = if name.starts_with('@') {
        name
    } else {
        last_part(name)
    };
    (is_separated
        && is_version(value)
        && name.len() >= NAME_MIN_BYTES
        && name.contains(char::is_alphabetic))
    .then_some(name)
    .filter(|name| {
        ![
            "version",
            "edition",
            "rust-version",
            "requires-python",
            "python",
            "node",
        ]
        .contains(name)
    })
}

/// The name that is all of a line, but for what is asked for beside it: `httpx`, `httpx[http2]`.
fn bare(line: &str) -> Option<&str> {
    let name = line.trim().split('[').next().unwrap_or_default();
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    (is_name && name.len() >= NAME_MIN_BYTES && !name.starts_with(['-', '.'])).then_some(name)
}

/// What a path of parts is called: `c` of `a/b/c` and of `a/b/c/v2`.
fn last_part(path: &str) -> &str {
    let is_major = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    path.rsplit('/')
        .find(|part| !is_major(part))
        .unwrap_or(path)
}

/// Whether a value says which versions are wanted.
fn is_version(value: &str) -> bool {
    let rest = value.trim_start_matches(['^', '~', '=', '>', '<', '!', ' ', '*', 'v']);
    rest.starts_with(|c: char| c.is_ascii_digit())
        || value.starts_with('*')
        || [
            "{ version",
            "{version",
            "{ git",
            "{ path",
            "{ workspace",
            "workspace:",
            "latest",
            "file:",
            "git+",
        ]
        .iter()
        .any(|beginning| value.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &str, before: &str, after: &str) -> Vec<String> {
        added(Path::new(file), &[before.to_owned()], &[after.to_owned()])
    }

    #[test]
    fn new_dependencies_are_named() {
        for (file, line, name) in [
            ("/p/Cargo.toml", "or-tools = \"1\"", "or-tools"),
            (
                "/p/Cargo.toml",
                "serde = { version = \"1\", features = [\"derive\"] }",
                "serde",
            ),
            (
                "/p/web/package.json",
                "    \"@reduxjs/toolkit\": \"^2.2\",",
                "@reduxjs/toolkit",
            ),
            (
                "/p/web/package.json",
                "    \"redux\": \"workspace:*\"",
                "redux",
            ),
            ("/p/requirements-dev.txt", "httpx[http2]>=0.27", "httpx"),
            ("/p/requirements.txt", "httpx[http2]", "httpx"),
            ("/p/Cargo.toml", "[dev-dependencies.tokio]", "tokio"),
            ("/p/Cargo.toml", "tokio.workspace = true", "tokio"),
            ("/p/pyproject.toml", "    \"pandas~=2.2\",", "pandas"),
            (
                "/p/go.mod",
                "\tgithub.com/redis/go-redis v9.5.1",
                "go-redis",
            ),
            (
                "/p/go.mod",
                "\tgithub.com/redis/go-redis/v9 v9.5.1",
                "go-redis",
            ),
            (
                "/p/go.mod",
                "require github.com/gin-gonic/gin v1.10.0",
                "gin",
            ),
            ("/p/Gemfile", "gem \"sidekiq\", \"~> 7\"", "sidekiq"),
        ] {
            assert_eq!(of(file, "", line), [name], "{line}");
            assert!(of(file, line, line).is_empty(), "{line}");
        }
    }

    #[test]
    fn everyday_words_are_sorted() {
        assert!(EVERYDAY.is_sorted());
    }

    #[test]
    fn what_is_no_dependency_is_none() {
        for (file, line) in [
            ("/p/src/main.rs", "let serde = \"1\";"),
            ("/p/Cargo.toml", "version = \"0.2.0\""),
            ("/p/Cargo.toml", "name = \"serde-tools\""),
            ("/p/Cargo.toml", "# or-tools = \"1\""),
            ("/p/Cargo.toml", "[dependencies]"),
            ("/p/Cargo.toml", "time = \"0.3\""),
            ("/p/pyproject.toml", "httpx"),
            ("/p/package.json", "\"build\": \"vite build\","),
            ("/p/package.json", "\"version\": \"1.2.3\","),
            ("/p/requirements.txt", "-r base.txt"),
            ("/p/requirements.txt", "é==1"),
        ] {
            assert!(of(file, "", line).is_empty(), "{line}");
        }
    }
}
