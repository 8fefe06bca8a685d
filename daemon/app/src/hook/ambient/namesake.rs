//! By which topics a file goes besides its stem: those called as the whole of its name, or as the
//! part of it that says what the file is about.

use std::ffi::OsStr;
use std::path::Path;

use helix_engine::model::Topic;

use super::common::{is_common_stem, is_manifold_stem, is_usual_stem};
use super::tested::tested;
use crate::project::spelled;

/// Letters of a stem that is looked for in texts as well, and of the shortest that says anything.
const STEM_MIN_CHARS: usize = 4;
const TOPIC_MIN_CHARS: usize = 2;

/// Stems of files that stand for their directory.
const ENTRIES: [&str; 4] = ["__init__", "index", "main", "mod"];

/// What a file is to its topic, behind the topic's name.
const SUFFIXES: [&str; 21] = [
    "api",
    "client",
    "config",
    "controller",
    "handler",
    "handlers",
    "helpers",
    "impl",
    "model",
    "models",
    "routes",
    "server",
    "service",
    "spec",
    "store",
    "test",
    "tests",
    "types",
    "util",
    "utils",
    "views",
];

/// The topics that a file goes by, the most exact first, and then those of what it tests; the file
/// is given below the project's root.
pub(super) fn topics_of(file: &Path) -> Vec<Topic> {
    let file = spelled(file);
    let tested = tested(&file);
    let mut topics: Vec<Topic> = Vec::new();
    for file in [Some(&*file), tested.as_deref()].into_iter().flatten() {
        for name in whole_names(file).into_iter().chain(subject_of(file)) {
            topics.extend(
                Topic::parse(&name)
                    .ok()
                    .filter(|topic| !topics.contains(topic)),
            );
        }
    }
    topics
}

/// The whole name of a file as topics are called, with and without its ending. One word is none:
/// that is for its stem to say.
fn whole_names(file: &Path) -> Vec<String> {
    let (Some(name), Some(stem)) = (text(file.file_name()), text(file.file_stem())) else {
        return Vec::new();
    };
    let directory = text(file.parent().and_then(Path::file_name));
    let within = |name: &str| match directory.filter(|_| is_manifold_stem(stem)) {
        Some(directory) => Some(format!("{directory}-{}", name.trim_matches('_'))),
        None => Some(name.to_owned()).filter(|_| !is_manifold_stem(stem)),
    };
    let names = [within(name), within(stem), within(&parted(stem))];
    names
        .into_iter()
        .flatten()
        .filter(|name| has_parts(name))
        .collect()
}

fn has_parts(name: &str) -> bool {
    name.chars().count() >= STEM_MIN_CHARS
        && name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty())
            .count()
            > 1
}

/// A name in capitals and small letters with dashes between its parts.
fn parted(name: &str) -> String {
    let mut parted = String::with_capacity(name.len() + 2);
    let mut is_inside = false;
    for c in name.chars() {
        if c.is_uppercase() && is_inside {
            parted.push('-');
        }
        is_inside = c.is_lowercase() || c.is_numeric();
        parted.push(c);
    }
    parted
}

/// What a file is about where no stem says it: a word of two or three letters, its directory, or
/// the rest of its name.
fn subject_of(file: &Path) -> Option<String> {
    let stem = plain(text(file.file_stem())?);
    let topic = if ENTRIES.contains(&stem.as_str()) {
        plain(text(file.parent()?.file_name())?)
    } else if stem.chars().count() < STEM_MIN_CHARS {
        stem
    } else {
        let before = || {
            stem.rsplit_once('_')
                .filter(|(_, last)| SUFFIXES.contains(last))
                .map(|(before, _)| before)
        };
        let rest = stem.strip_prefix("test_").or_else(before);
        rest.filter(|rest| rest.chars().count() >= STEM_MIN_CHARS)?
            .to_owned()
    };
    let is_name = topic.chars().count() >= TOPIC_MIN_CHARS
        && topic.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !is_usual_stem(&topic) && !is_common_stem(&topic)).then_some(topic)
}

fn text(name: Option<&OsStr>) -> Option<&str> {
    name.and_then(OsStr::to_str)
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics(file: &str) -> String {
        topics_of(Path::new(file))
            .iter()
            .map(Topic::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn files_go_by_what_they_are_about() {
        for (file, topic) in [
            ("src/db.rs", "db"),
            ("jobs/EDI.py", "edi"),
            ("src/api.rs", "api"),
            ("src/edi/mod.rs", "edi"),
            ("web/ledger/index.ts", "ledger"),
            ("jobs/rate-limit/__init__.py", "rate-limit"),
            ("cmd/edi/main.go", "edi"),
            ("src/ledger_client.py", "ledger"),
            ("src/ledger.test.ts", "ledger"),
            ("src/rate-limit.spec.ts", "rate-limit"),
            ("src/ledger_service_test.go", "ledger-service"),
            ("tests/test_ledger.py", "ledger"),
            ("tests/test_ledger_rows.py", "ledger-rows"),
        ] {
            assert!(
                topics(file).split(' ').any(|found| found == topic),
                "{file}: {}",
                topics(file)
            );
        }
    }

    #[test]
    fn files_go_by_the_whole_of_their_names() {
        for (file, expected) in [
            ("web/ui-kit.ts", "ui-kit-ts ui-kit"),
            ("src/pay_client.py", "pay-client-py pay-client"),
            ("web/UiKit.tsx", "uikit-tsx ui-kit"),
            ("tests/test_cache.py", "test-cache-py test-cache cache-py"),
            ("tests/test_db.py", "test-db-py test-db db-py db"),
            (
                "src/UiKitTest.java",
                "uikittest-java ui-kit-test uikit-java ui-kit",
            ),
            ("src/ledger.rs", "ledger-rs"),
            ("docker-compose.yml", "docker-compose-yml docker-compose"),
            ("gears/mod.rs", "gears-mod-rs gears-mod gears"),
            (
                "jobs/ledger/__init__.py",
                "ledger-init-py ledger-init ledger",
            ),
            ("Makefile", ""),
            ("main.py", ""),
            ("src/_test.go", "test-go"),
        ] {
            assert_eq!(topics(file), expected, "{file}");
        }
    }

    #[test]
    fn what_every_project_has_is_no_subject() {
        for file in [
            "main.py",
            "x.rs",
            "src/log.rs",
            "tests/mod.rs",
            "utils/index.ts",
            "src/cache_test.py",
            "tests/test_cache.py",
            "src/edi_client.py",
            "src/ledger_rows.py",
            "src/ledger.rs",
            "src/_test.go",
            ".env",
            "",
        ] {
            assert_eq!(subject_of(Path::new(file)), None, "{file}");
        }
    }
}
