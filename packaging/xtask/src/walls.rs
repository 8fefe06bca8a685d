//! Walls between the crates, and references from the documents: tests that read the sources.
//!
//! A wall is a list of names that must not occur in a directory. Comments and tests do not count.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {path:?}: {error}"))
}

/// Files below a directory whose names end so, in order.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        let entries = fs::read_dir(&next).unwrap_or_else(|error| panic!("{next:?}: {error}"));
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns whether a file holds nothing but tests.
fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let in_tests = path.components().any(|part| part.as_os_str() == "tests");
    in_tests || stem == "tests" || stem.ends_with("_tests")
}

/// The code of a file: without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let before_tests = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text);
    let lines = before_tests.lines();
    let kept = lines.filter(|line| !line.trim_start().starts_with("//"));
    kept.collect::<Vec<_>>().join("\n")
}

/// Places below a directory where one of the names occurs in code.
fn places_of(directory: &Path, names: &[&str]) -> Vec<String> {
    let mut places = Vec::new();
    let sources = files(directory, ".rs");
    assert!(!sources.is_empty(), "no sources in {directory:?}");
    for source in sources.iter().filter(|source| !is_test(source)) {
        let code = code(&read(source));
        for name in names.iter().filter(|name| code.contains(*name)) {
            places.push(format!("{name} in {}", source.display()));
        }
    }
    places
}

/// Checks that none of the names occurs in the code of the directory.
fn check_absent(directory: &str, names: &[&str]) {
    let places = places_of(&root().join(directory), names);
    assert!(places.is_empty(), "{places:#?}");
}

/// Checks that a crate does not depend on any of these directly.
fn check_no_dependency(manifest: &str, crates: &[&str]) {
    let text = read(&root().join(manifest));
    for name in crates {
        let is_named = text.lines().any(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with([' ', '.']))
        });
        assert!(!is_named, "{manifest} depends on {name}");
    }
}

#[test]
fn a_planted_name_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let plant = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    plant("comment.rs", "// std::env is not used\n");
    plant("tests.rs", "use std::env;\n");
    plant(
        "end.rs",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use std::env;\n}\n",
    );
    assert_eq!(
        places_of(directory.path(), &["std::env"]),
        Vec::<String>::new()
    );
    plant("code.rs", "use std::env;\n");
    let places = places_of(directory.path(), &["std::env"]);
    assert_eq!(places.len(), 1);
    assert!(places[0].ends_with("code.rs"));
}

#[test]
fn the_engine_knows_no_runtime_no_environment_and_no_clock() {
    let names = [
        "tokio::",
        "tonic::",
        " ort::",
        "std::env",
        "home_dir",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
        "Zoned::now",
        "TimeZone::system",
    ];
    check_absent("daemon/engine/src", &names);
    check_no_dependency(
        "daemon/engine/Cargo.toml",
        &[
            "tokio",
            "tonic",
            "ort",
            "helix-proto",
            "helix-app",
            "directories",
        ],
    );
}

/// Most names of the engine that others may use.
const ENGINE_NAMES_MAX: usize = 93;

/// Names that `pub use` statements of a crate's root list.
fn listed(root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in root.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap_or_default();
        let leaves = statement
            .split_once('{')
            .map_or(statement, |(_, leaves)| leaves);
        for leaf in leaves.trim_end_matches('}').split(',') {
            let name = leaf.rsplit([' ', ':']).next().unwrap_or_default();
            names.push(name.trim().to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn the_engine_shows_one_short_list_of_names() {
    let root_file = root().join("daemon/engine/src/lib.rs");
    let code = code(&read(&root_file));
    assert!(
        !code.contains("pub mod"),
        "modules of the engine are private"
    );
    let names = listed(&code);
    assert!(!names.iter().any(|name| name == "*"), "each name is listed");
    assert!(names.len() <= ENGINE_NAMES_MAX, "{} names", names.len());
    let mut others = String::new();
    for directory in ["daemon", "tests"] {
        let sources = files(&root().join(directory), ".rs");
        let engine = root().join("daemon/engine/src");
        for source in sources.iter().filter(|source| !source.starts_with(&engine)) {
            others.push_str(&read(source));
        }
    }
    let words: BTreeSet<&str> = others
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let unused = names.iter().filter(|name| !words.contains(name.as_str()));
    let unused: Vec<&String> = unused.collect();
    assert!(unused.is_empty(), "nobody uses {unused:?}");
}

#[test]
fn a_list_is_read_whole() {
    let root = "pub use a::{B, c::D as E};\npub use f::G;\nuse h::I;";
    assert_eq!(listed(root), ["B", "E", "G"]);
}

#[test]
fn what_writes_texts_and_files_reads_no_store_and_no_clock() {
    let names = [
        "Snapshot",
        "StrandWriter",
        "std::fs",
        "std::env",
        "SystemTime",
        "Instant::now",
        "Zoned::now",
        "TimeZone::system",
    ];
    check_absent("daemon/surface/src", &names);
    check_absent("daemon/exchange/src", &names);
}

#[test]
fn a_memory_and_its_rules_know_no_store() {
    let names = [
        "std::fs",
        "std::env",
        "SystemTime",
        "Instant::now",
        "Timestamp::now",
        "Zoned::now",
        "TimeZone::system",
    ];
    check_absent("daemon/memory/src", &names);
    check_absent("daemon/memory/src/model", &["crate::policy"]);
    let below = [
        "redb",
        "tantivy",
        "nix",
        "helix-engine",
        "helix-surface",
        "helix-exchange",
        "helix-app",
        "helix-proto",
    ];
    check_no_dependency("daemon/memory/Cargo.toml", &below);
}

#[test]
fn the_use_cases_name_no_transport() {
    check_absent("daemon/app/src", &["tonic::", "tokio::", "helix_proto::v1"]);
    check_no_dependency("daemon/app/Cargo.toml", &["tokio", "tonic", "ort"]);
}

#[test]
fn what_reads_commands_sources_and_secrets_knows_no_memories() {
    let ours = ["helix-engine", "helix-app", "helix-proto"];
    for manifest in [
        "daemon/redact/Cargo.toml",
        "daemon/terminal/Cargo.toml",
        "daemon/code/Cargo.toml",
        "daemon/neutral/Cargo.toml",
    ] {
        check_no_dependency(manifest, &ours);
    }
}

#[test]
fn nothing_that_ships_opens_an_internet_socket() {
    let names = [
        "std::net",
        "TcpStream",
        "TcpListener",
        "TcpSocket",
        "UdpSocket",
        "AddressFamily::Inet",
    ];
    for directory in [
        "daemon",
        "client/src",
        "client/ctl/src",
        "proto/src",
        "hookshim/src",
        "mcp-bridge/src",
    ] {
        check_absent(directory, &names);
    }
    let lock = read(&root().join("Cargo.lock"));
    for program in ["helixd", "helixctl", "helix-mcp", "helix-hook"] {
        let needed = needed(&lock, program);
        assert!(
            needed.contains("prost") || program == "helix-hook",
            "{program}"
        );
        for client in CLIENTS {
            assert!(!needed.contains(client), "{program} needs {client}");
        }
    }
    // The one program that asks language models, which is started where they are configured.
    assert!(needed(&lock, "helix-provider").contains("ureq"));
}

/// Crates that speak with the network.
const CLIENTS: [&str; 6] = ["reqwest", "ureq", "curl", "rustls", "native-tls", "openssl"];

/// The names of all packages that one needs, by the lock file.
fn needed<'l>(lock: &'l str, package: &'l str) -> BTreeSet<&'l str> {
    let quoted = |line: &'l str| line.split('"').nth(1).unwrap_or_default();
    let mut needs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in lock.split("[[package]]") {
        let mut lines = entry.lines();
        let name = lines.find(|line| line.starts_with("name = "));
        let Some(name) = name else { continue };
        let dependencies = lines.filter(|line| line.starts_with(" \""));
        // A version may follow the name.
        let names = dependencies.map(|line| quoted(line).split(' ').next().unwrap_or_default());
        needs.entry(quoted(name)).or_default().extend(names);
    }
    let (mut all, mut waiting) = (BTreeSet::new(), vec![package]);
    while let Some(next) = waiting.pop() {
        for name in needs.get(next).into_iter().flatten() {
            if all.insert(*name) {
                waiting.push(name);
            }
        }
    }
    all
}

/// Tests that a document names, as `path.rs::name` in backticks.
fn cited(document: &str) -> Vec<(String, String)> {
    let spans = document.split('`').skip(1).step_by(2);
    let tests = spans.filter_map(|span| span.split_once(".rs::"));
    tests
        .map(|(path, name)| (format!("{path}.rs"), name.to_owned()))
        .collect()
}

/// Checks that each test exists that a document names, and returns how many those are.
fn check_cited(document: &Path) -> usize {
    let tests = cited(&read(document));
    for (path, name) in &tests {
        let source = root().join(path);
        let is_there = source.exists() && read(&source).contains(&format!("fn {name}("));
        assert!(
            is_there,
            "{document:?} names {path}::{name}, which is not there"
        );
    }
    tests.len()
}

#[test]
fn every_test_that_a_document_names_exists() {
    let architecture = root().join("daemon/ARCHITECTURE.md");
    assert!(check_cited(&architecture) >= 30);
    for page in files(&root().join("daemon/decisions"), ".md") {
        check_cited(&page);
    }
}

#[test]
fn every_decision_is_listed() {
    let directory = root().join("daemon/decisions");
    let list = read(&directory.join("README.md"));
    for page in files(&directory, ".md") {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        let is_listed = name == "README.md" || list.contains(&format!("({name})"));
        assert!(is_listed, "{name} is not in daemon/decisions/README.md");
    }
}

#[test]
fn paths_in_the_guides_exist() {
    let guide = read(&root().join("CONTRIBUTING.md"));
    let spans = guide.split('`').skip(1).step_by(2);
    let paths = spans.filter(|span| {
        let is_a_path = span.contains('/') && !span.contains([' ', '*', '<', '$', '{', '(']);
        is_a_path && !span.starts_with(['/', '-', '~'])
    });
    let mut count = 0;
    for path in paths {
        assert!(root().join(path).exists(), "CONTRIBUTING.md names {path}");
        count += 1;
    }
    assert!(count >= 30, "only {count} paths were found");
}
