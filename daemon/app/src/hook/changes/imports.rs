//! What a change makes a source file import. There are decisions on libraries, and this is when
//! they matter.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use super::dependencies::{ADDED_MAX, EVERYDAY, LINE_MAX_BYTES, NAME_MIN_BYTES};

/// Bytes of each text that are read for its imports, as much as is read of a file: imports stand at
/// its beginning.
const READ_MAX_BYTES: usize = 128 * 1024;

/// Names of standard libraries, of what programs use whatever they are about, and of what projects
/// call their own parts.
static FAMILIAR: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("imports/familiar.txt").lines().collect());

/// Where Go's packages are named by their owners first.
const FORGES: [&str; 3] = ["github.com", "gitlab.com", "bitbucket.org"];

/// What Java's packages begin with before the name that people know: the ends of domains, and
/// owners of much.
const OWNERS: &[&str] = &[
    "apache", "ch", "com", "de", "dev", "eclipse", "edu", "github", "google", "io", "net",
    "oracle", "org",
];

/// The packages that a file imports from now on, in their order, as people may spell them;
/// `elsewhere` is what else it holds.
pub(super) fn added(
    file: &Path,
    before: &[String],
    after: &[String],
    elsewhere: impl FnOnce() -> String,
) -> Vec<String> {
    if helix_ablation::is_off("layer/imports") {
        return Vec::new();
    }
    let of = |texts: &[String]| -> Vec<String> {
        texts.iter().flat_map(|text| imported(file, text)).collect()
    };
    let mut known: HashSet<String> = of(before).into_iter().collect();
    let mut added = of(after);
    added.retain(|name| is_telling(name) && !is_own(file, name) && known.insert(name.clone()));
    if added.is_empty() {
        return added;
    }
    let elsewhere = elsewhere();
    let known: HashSet<String> = imported(file, &elsewhere).into_iter().collect();
    let modules: HashSet<&str> = after
        .iter()
        .chain([&elsewhere])
        .flat_map(|text| modules(text))
        .collect();
    added.retain(|name| !known.contains(name) && !modules.contains(name.as_str()));
    // Where names have no dashes, those of packages may have them.
    let mut spelled: Vec<String> = Vec::new();
    for name in added {
        for name in [name.replace('_', "-"), name] {
            if spelled.len() < ADDED_MAX && !spelled.contains(&name) {
                spelled.push(name);
            }
        }
    }
    spelled
}

/// The packages that a text imports, line by line.
fn imported(file: &Path, text: &str) -> Vec<String> {
    let extension = file
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    let of_line: fn(&str) -> Vec<&str> = match extension {
        "rs" => |line| rust(line).into_iter().collect(),
        "py" | "pyi" => python,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            |line| script(line).into_iter().collect()
        }
        "go" => |line| go(line).into_iter().collect(),
        "java" | "kt" | "kts" | "scala" => return java(file, text),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => {
            |line| c(line).into_iter().collect()
        }
        _ => return Vec::new(),
    };
    lines(text).flat_map(of_line).map(str::to_owned).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text
        .get(..text.floor_char_boundary(READ_MAX_BYTES))
        .unwrap_or(text);
    text.lines()
        .map(str::trim)
        .filter(|line| line.len() <= LINE_MAX_BYTES)
}

fn is_telling(name: &str) -> bool {
    name.len() >= NAME_MIN_BYTES
        && !FAMILIAR.contains(name)
        && EVERYDAY.binary_search(&name).is_err()
}

/// Whether a package is called as a directory that the file is in: it is the project's.
fn is_own(file: &Path, name: &str) -> bool {
    let plain = |name: &str| name.replace('-', "_").to_lowercase();
    file.parent().is_some_and(|above| {
        above
            .iter()
            .any(|part| part.to_str().is_some_and(|part| plain(part) == plain(name)))
    })
}

/// Modules that Rust declares.
fn modules(text: &str) -> impl Iterator<Item = &str> {
    let declared = lines(text)
        .filter(|line| line.ends_with([';', '{']))
        .filter_map(|line| line.split_once("mod "));
    declared.map(|(_, rest)| rest.trim_end_matches([';', '{', ' ']))
}

/// The word that a text begins with, and what is behind it.
fn word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// `use tower::limit`, `pub(crate) use tower as t`, `extern crate tower;`
fn rust(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
    });
    let path = ["use ", "extern crate "]
        .iter()
        .find_map(|start| line.trim_start().strip_prefix(start))?;
    let (name, rest) = word(path.trim_start_matches("::"));
    let is_path = ["::", ";", " as "]
        .iter()
        .any(|behind| rest.starts_with(behind));
    Some(name).filter(|name| is_path && !name.starts_with(char::is_uppercase))
}

/// `import pandas as pd, numpy`, `from airflow.operators import x`
fn python(line: &str) -> Vec<&str> {
    if let Some((path, rest)) = line
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(' '))
    {
        return if rest.trim_start().starts_with("import") {
            vec![word(path).0]
        } else {
            Vec::new()
        };
    }
    let Some(paths) = line.strip_prefix("import ") else {
        return Vec::new();
    };
    let paths = paths
        .split('#')
        .next()
        .unwrap_or_default()
        .trim()
        .split(',')
        .map(str::trim);
    // A sentence has more words.
    let is_path = |path: &&str| !path.contains(' ') || path.split_whitespace().nth(1) == Some("as");
    if paths.clone().all(|path| is_path(&path)) {
        paths.map(|path| word(path).0).collect()
    } else {
        Vec::new()
    }
}

/// `import { z } from "zod"`, `export * from 'zod'`, `import "zod/locales"`, `const z =
/// require("zod")`
fn script(line: &str) -> Option<&str> {
    let is_declaration = ["import", "export", "}"]
        .iter()
        .any(|start| line.starts_with(start));
    let marks: &[&str] = if is_declaration {
        &[" from ", "import ", "import(", "require("]
    } else {
        &["require(", "import("]
    };
    if line.starts_with("//") || line.starts_with('*') {
        return None;
    }
    let quoted = marks.iter().find_map(|mark| {
        let (_, rest) = line.split_once(mark)?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest.get(1..)?.split_once(quote)
    });
    let (path, _) = quoted?;
    let scope = path
        .strip_prefix('@')
        .and_then(|rest| rest.split_once('/'))
        .filter(|(scope, _)| !scope.is_empty());
    let end = scope.map_or(0, |(scope, _)| scope.len() + 2);
    let end = path.get(end..)?.find('/').map_or(path.len(), |at| at + end);
    // Paths, the project's own short names for them, and addresses are none.
    path.get(..end).filter(|name| {
        !name.starts_with(['.', '/', '~', '#', '$']) && !name.contains(':') && *name != "@"
    })
}

/// `"github.com/redis/go-redis/v9"` on a line of its own, with or without `import` and another
/// name.
fn go(line: &str) -> Option<&str> {
    let line = line.strip_prefix("import ").unwrap_or(line);
    let (before, rest) = line.split_once('"')?;
    let (path, behind) = rest.split_once('"')?;
    let is_alias = before
        .trim()
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let behind = behind.trim();
    let mut parts = path.split('/');
    let host = parts.next().filter(|host| {
        host.contains('.') && is_alias && (behind.is_empty() || behind.starts_with("//"))
    })?;
    let name = if FORGES.contains(&host) {
        parts.nth(1)
    } else {
        parts.find(|part| *part != "x")
    };
    name.map(|name| name.split_once(".v").map_or(name, |(name, _)| name))
}

/// `import com.stripe.model.Charge;`. What begins as the file's own place is the project's.
fn java(file: &Path, text: &str) -> Vec<String> {
    let place = file.to_string_lossy().replace('/', ".");
    let mut names = Vec::new();
    for line in lines(text) {
        let Some(path) = line.strip_prefix("import ") else {
            continue;
        };
        let path = path.strip_prefix("static ").unwrap_or(path);
        let parts: Vec<&str> = path
            .split('.')
            .take_while(|part| part.starts_with(char::is_lowercase))
            .collect();
        let begins = parts.iter().take(2).copied().collect::<Vec<_>>().join(".");
        let is_own = place.contains(&format!(".{begins}."));
        let is_standard = parts.first().is_some_and(|first| FAMILIAR.contains(first));
        let name = parts
            .iter()
            .find(|part| !OWNERS.contains(part))
            .filter(|_| !is_own && !is_standard);
        names.extend(name.map(|name| word(name).0.to_owned()));
    }
    names
}

/// `#include <curl/curl.h>`, `#include <zmq.hpp>`
fn c(line: &str) -> Option<&str> {
    let line = line
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("include")?;
    let (path, _) = line.trim_start().strip_prefix('<')?.split_once('>')?;
    path.split_once('/')
        .or_else(|| path.split_once('.'))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &str, before: &str, after: &str, elsewhere: &str) -> String {
        let texts = |text: &str| vec![text.to_owned()];
        added(Path::new(file), &texts(before), &texts(after), || {
            elsewhere.to_owned()
        })
        .join(" ")
    }

    #[test]
    fn only_the_beginning_of_a_text_is_read() {
        let filler = "// nothing\n".repeat(READ_MAX_BYTES / 11 + 1);
        assert_eq!(
            of(
                "/p/a.rs",
                "",
                &format!("use tower::limit;\n{filler}use papaya::pin;\n"),
                ""
            ),
            "tower"
        );
    }

    #[test]
    fn new_imports_are_named() {
        for (file, line, name) in [
            ("/p/a.rs", "use tower::limit::RateLimit;", "tower"),
            (
                "/p/a.rs",
                "pub(crate) use ::or_tools::{",
                "or-tools or_tools",
            ),
            ("/p/a.rs", "    pub use tower as layers;", "tower"),
            ("/p/a.rs", "extern crate tower;", "tower"),
            ("/p/a.py", "import pandas as pd", "pandas"),
            (
                "/p/a.py",
                "import os, pandas, numpy as np  # tables",
                "pandas numpy",
            ),
            ("/p/a.py", "from airflow.operators import (", "airflow"),
            ("/p/a.ts", "import { z } from \"zod\";", "zod"),
            (
                "/p/a.ts",
                "} from '@reduxjs/toolkit/query'",
                "@reduxjs/toolkit",
            ),
            ("/p/a.ts", "import type { A } from 'zod/locales'", "zod"),
            ("/p/a.mjs", "import 'zod/locales'", "zod"),
            ("/p/a.js", "const z = require(\"zod\")", "zod"),
            (
                "/p/a.tsx",
                "const Chart = lazy(() => import('recharts'))",
                "recharts",
            ),
            (
                "/p/a.go",
                "import \"github.com/redis/go-redis/v9\"",
                "go-redis",
            ),
            (
                "/p/a.go",
                "\t_ \"github.com/jackc/pgx/v5/stdlib\" // driver",
                "pgx",
            ),
            ("/p/a.go", "\t\"go.uber.org/zap\"", "zap"),
            ("/p/a.go", "\t\"golang.org/x/oauth2/jwt\"", "oauth2"),
            ("/p/A.java", "import com.stripe.model.Charge;", "stripe"),
            (
                "/p/A.java",
                "import static org.apache.kafka.clients.Names.of;",
                "kafka",
            ),
            ("/p/A.kt", "import io.ktor.server.Call", "ktor"),
            ("/p/a.c", "#include <curl/curl.h>", "curl"),
            ("/p/a.cpp", "# include <zmq.hpp>", "zmq"),
        ] {
            assert_eq!(of(file, "", line, ""), name, "{line}");
            assert_eq!(of(file, line, line, ""), "", "it is replaced: {line}");
            assert_eq!(of(file, "", line, line), "", "it is there already: {line}");
        }
    }

    #[test]
    fn what_is_standard_familiar_or_the_projects_own_is_not_named() {
        for (file, line) in [
            ("/p/a.rs", "use std::io;"),
            ("/p/a.rs", "use super::tower::Limit;"),
            ("/p/a.rs", "use Shape::*;"),
            ("/p/a.rs", "use serde::Serialize;"),
            ("/p/a.rs", "/// use tower::limit"),
            ("/p/a.rs", "mod tower;\nuse tower::limit;"),
            ("/p/router-core/tests/a.rs", "use router_core::Route;"),
            ("/p/a.py", "import sys"),
            ("/p/a.py", "from __future__ import annotations"),
            ("/p/a.py", "from .pandas import x"),
            ("/p/a.py", "import pandas whenever tables are large"),
            ("/p/a.py", "from pandas to numpy"),
            ("/p/shop/a.py", "from shop.orders import Order"),
            ("/p/a.tsx", "import React from \"react\""),
            ("/p/a.ts", "import { x } from \"./zod\""),
            ("/p/a.ts", "import { x } from \"@/zod\""),
            ("/p/a.ts", "import fs from \"node:fs\""),
            ("/p/a.ts", "// import { z } from \"zod\""),
            ("/p/a.ts", "say(\"a word from 'zod'\")"),
            ("/p/a.go", "import \"encoding/json\""),
            ("/p/a.go", "\"github.com/redis/go-redis\","),
            ("/p/a.go", "host := \"github.com/redis/go-redis\""),
            ("/go/shop/a.go", "\"github.com/acme/shop/order\""),
            ("/p/src/com/acme/A.java", "import com.acme.orders.Order;"),
            ("/p/A.java", "import java.util.List;"),
            ("/p/A.java", "import org.junit.jupiter.api.Test;"),
            ("/p/a.c", "#include <stdio.h>"),
            ("/p/a.c", "#include <sys/socket.h>"),
            ("/p/a.cpp", "#include <vector>"),
            ("/p/a.c", "#include \"curl/curl.h\""),
            ("/p/a.md", "import pandas as pd"),
        ] {
            assert_eq!(of(file, "", line, ""), "", "{line}");
        }
    }

    #[test]
    fn the_imports_of_a_change_are_bounded() {
        let many = (0..100)
            .map(|n| format!("import package{n}\n"))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(of("/p/a.py", "", &many, "").split(' ').count(), ADDED_MAX);
        let long = format!("import pandas, {}", "x".repeat(LINE_MAX_BYTES));
        assert_eq!(of("/p/a.py", "", &long, ""), "");
    }
}
