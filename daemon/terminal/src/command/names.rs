//! How programs are called.

use super::is_number;

/// An interpreter that may be called by its version.
const PYTHON: &str = "python3";

/// A program as somebody calls it: a wrapper that the project has is no program of that name.
pub(super) fn as_called(word: &str) -> &str {
    let is_wrapper = word.ends_with("gradlew") || word.ends_with("mvnw");
    if is_wrapper { word } else { file_name(word) }
}

/// The program's name without its directory; wrappers that a project carries count as what they
/// wrap, and an interpreter with its version as any.
pub(super) fn basename(word: &str) -> &str {
    match file_name(word) {
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        name if is_versioned(name) => PYTHON,
        name => name,
    }
}

pub(super) fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns whether it is an interpreter that is called by its version: `python3.12`.
pub(super) fn is_versioned(name: &str) -> bool {
    name.strip_prefix(PYTHON)
        .and_then(|version| version.strip_prefix('.'))
        .is_some_and(is_number)
}
