//! Words that tell nothing about a file, a search or a memory, because every project has them.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Stems of which a project has many files, so that a bare name says of none of them that it is
/// meant.
const MANIFOLD_STEMS: &[&str] = &[
    "__init__",
    "base",
    "common",
    "constants",
    "error",
    "errors",
    "helper",
    "helpers",
    "index",
    "init",
    "lib",
    "main",
    "mod",
    "model",
    "models",
    "test",
    "tests",
    "types",
    "util",
    "utils",
    "view",
    "views",
];

/// Stems of which every project has a file, but few.
const LONE_STEMS: &[&str] = &[
    "batch",
    "build",
    "cargo",
    "changelog",
    "config",
    "conftest",
    "default",
    "dockerfile",
    "entry",
    "handle",
    "layer",
    "license",
    "makefile",
    "package",
    "protocol",
    "protocols",
    "queue",
    "readme",
    "settings",
    "setup",
];

/// Stems of files beside those of which the packages of one repository have one each.
const REPEATED_STEMS: &[&str] = &[
    "compose",
    "composer",
    "docker-compose",
    "gemfile",
    "go",
    "jest.config",
    "pom",
    "pubspec",
    "pyproject",
    "requirements",
    "tsconfig",
    "vite.config",
];

/// Words that are searched for as they are in every program: keywords of languages, and what
/// everything is called.
const COMMON_WORDS: &[&str] = &[
    "abstract",
    "alter",
    "array",
    "assert",
    "async",
    "await",
    "begin",
    "bool",
    "boolean",
    "break",
    "byte",
    "call",
    "case",
    "catch",
    "char",
    "class",
    "code",
    "column",
    "commit",
    "const",
    "continue",
    "copy",
    "count",
    "create",
    "data",
    "date",
    "debug",
    "debugger",
    "declare",
    "defer",
    "define",
    "defined",
    "delete",
    "dict",
    "double",
    "drop",
    "dyn",
    "elif",
    "else",
    "elseif",
    "elsif",
    "end",
    "endif",
    "enum",
    "error",
    "errors",
    "eval",
    "except",
    "exception",
    "exists",
    "export",
    "extends",
    "extern",
    "fail",
    "failed",
    "false",
    "file",
    "files",
    "final",
    "finally",
    "fixme",
    "float",
    "fmt",
    "foreach",
    "friend",
    "from",
    "func",
    "function",
    "get",
    "global",
    "goto",
    "group",
    "hack",
    "hash",
    "having",
    "http",
    "https",
    "impl",
    "implements",
    "implicit",
    "import",
    "imports",
    "include",
    "inline",
    "input",
    "insert",
    "instanceof",
    "int",
    "integer",
    "interface",
    "internal",
    "into",
    "item",
    "items",
    "join",
    "json",
    "lambda",
    "length",
    "let",
    "limit",
    "line",
    "lines",
    "list",
    "lock",
    "log",
    "logger",
    "long",
    "loop",
    "macro",
    "match",
    "message",
    "method",
    "mock",
    "move",
    "name",
    "names",
    "namespace",
    "native",
    "next",
    "nil",
    "node",
    "none",
    "nonlocal",
    "note",
    "null",
    "nullptr",
    "number",
    "object",
    "operator",
    "option",
    "order",
    "output",
    "override",
    "panic",
    "params",
    "parse",
    "pass",
    "path",
    "print",
    "printf",
    "println",
    "private",
    "proc",
    "property",
    "protected",
    "pub",
    "public",
    "raise",
    "range",
    "read",
    "readonly",
    "record",
    "register",
    "request",
    "require",
    "rescue",
    "response",
    "result",
    "return",
    "returns",
    "sealed",
    "select",
    "self",
    "server",
    "set",
    "short",
    "signed",
    "size",
    "sizeof",
    "sleep",
    "some",
    "start",
    "state",
    "static",
    "status",
    "stop",
    "string",
    "struct",
    "super",
    "switch",
    "sync",
    "synchronized",
    "table",
    "template",
    "test",
    "tests",
    "text",
    "then",
    "this",
    "throw",
    "throws",
    "time",
    "todo",
    "trait",
    "transient",
    "true",
    "type",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unless",
    "unsafe",
    "unsigned",
    "until",
    "update",
    "use",
    "user",
    "users",
    "using",
    "value",
    "values",
    "var",
    "vector",
    "view",
    "virtual",
    "void",
    "volatile",
    "when",
    "where",
    "while",
    "with",
    "write",
    "yield",
];

/// Stems that files have whatever they are about: those of six or more of 433 published packages in
/// Rust, Python and JavaScript.
static USUAL_STEMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common/stems.txt").lines().collect());

/// Names that programs declare whatever they are about: those of five or more of the same packages.
static USUAL_SYMBOLS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common/symbols.txt").lines().collect());

/// Words of any sentence that files are called after as well.
static EVERYDAY_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common/everyday.txt").lines().collect());

/// Whether a stem is a word of any sentence: "report what you find" says nothing of the file
/// `report`.
pub(super) fn is_everyday_word(stem: &str) -> bool {
    EVERYDAY_WORDS.contains(stem.to_lowercase().as_str())
}

/// Whether a project has many files of a stem.
pub(super) fn is_manifold_stem(stem: &str) -> bool {
    if helix_ablation::is_off("words/manifold") {
        return false;
    }
    MANIFOLD_STEMS
        .binary_search(&stem.to_lowercase().as_str())
        .is_ok()
}

/// Whether every project has files of a stem.
pub(super) fn is_common_stem(stem: &str) -> bool {
    is_manifold_stem(stem)
        || LONE_STEMS
            .binary_search(&stem.to_lowercase().as_str())
            .is_ok()
}

/// Whether projects have several files of a stem, one in each of their packages or directories.
pub(super) fn is_repeated_stem(stem: &str) -> bool {
    if helix_ablation::is_off("words/repeated") {
        return false;
    }
    is_common_stem(stem)
        || REPEATED_STEMS
            .binary_search(&stem.to_lowercase().as_str())
            .is_ok()
}

/// Whether a stem is a word that says of no memory by itself that the file is meant.
pub(super) fn is_usual_stem(stem: &str) -> bool {
    if helix_ablation::is_off("words/usual-stems") {
        return false;
    }
    let stem = stem.to_lowercase();
    USUAL_STEMS.contains(stem.as_str()) || is_common_word(&stem)
}

/// Whether programs of every kind declare a name.
pub(super) fn is_usual_symbol(name: &str) -> bool {
    if helix_ablation::is_off("words/usual-symbols") {
        return false;
    }
    USUAL_SYMBOLS.contains(name)
}

/// Whether a word is one that is searched for in every program.
pub(super) fn is_common_word(word: &str) -> bool {
    if helix_ablation::is_off("words/common") {
        return false;
    }
    COMMON_WORDS
        .binary_search(&word.to_lowercase().as_str())
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(MANIFOLD_STEMS.is_sorted() && LONE_STEMS.is_sorted() && COMMON_WORDS.is_sorted());
        assert!(
            REPEATED_STEMS.is_sorted()
                && is_repeated_stem("pyproject")
                && is_repeated_stem("package")
        );
        assert!(
            is_common_stem("Cargo")
                && is_common_stem("lib")
                && is_manifold_stem("LIB")
                && !is_manifold_stem("cargo")
        );
        assert!(is_usual_stem("Stack") && is_usual_stem("state") && !is_usual_stem("kernels"));
        assert!(
            is_usual_symbol("Error")
                && is_usual_symbol("with_capacity")
                && !is_usual_symbol("load_rows")
        );
        assert!(
            is_common_word("import") && is_common_word("TODO") && !is_common_word("ImportError")
        );
    }
}
