//! By which topic a file goes where no stem says it: one of two or three letters, that of its directory, or the rest of its name.

use std::path::Path;

use super::common::{is_common_stem, is_usual_stem};

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

/// The name of the topic that a file goes by, besides its stem; the file is given below the project's root.
pub(super) fn topic_of(file: &Path) -> Option<String> {
    let stem = plain(file.file_stem()?.to_str()?);
    let topic = if ENTRIES.contains(&stem.as_str()) {
        plain(file.parent()?.file_name()?.to_str()?)
    } else if stem.chars().count() < STEM_MIN_CHARS {
        stem
    } else {
        let (topic, suffix) = stem.rsplit_once('_')?;
        let is_telling = SUFFIXES.contains(&suffix) && topic.chars().count() >= STEM_MIN_CHARS;
        Some(topic).filter(|_| is_telling)?.to_owned()
    };
    let is_name = topic.chars().count() >= TOPIC_MIN_CHARS && topic.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !is_usual_stem(&topic) && !is_common_stem(&topic)).then_some(topic)
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_by_their_topic() {
        for (file, topic) in [
            ("src/db.rs", "db"),
            ("jobs/EDI.py", "edi"),
            ("src/api.rs", "api"),
            ("src/edi/mod.rs", "edi"),
            ("web/ledger/index.ts", "ledger"),
            ("jobs/rate-limit/__init__.py", "rate_limit"),
            ("cmd/edi/main.go", "edi"),
            ("src/ledger_client.py", "ledger"),
            ("src/ledger.test.ts", "ledger"),
            ("src/rate-limit.spec.ts", "rate_limit"),
            ("src/ledger_service_test.go", "ledger_service"),
        ] {
            assert_eq!(topic_of(Path::new(file)).as_deref(), Some(topic), "{file}");
        }
    }

    #[test]
    fn what_every_project_has_is_no_topic() {
        for file in [
            "main.py",
            "x.rs",
            "src/log.rs",
            "tests/mod.rs",
            "utils/index.ts",
            "src/cache_test.py",
            "src/edi_client.py",
            "src/ledger_rows.py",
            "src/ledger.rs",
            "src/_test.go",
            ".env",
            "",
        ] {
            assert_eq!(topic_of(Path::new(file)), None, "{file}");
        }
    }
}
