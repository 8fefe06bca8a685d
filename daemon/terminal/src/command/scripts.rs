//! Scripts of a project, by the runners that know them by their names, and as files.

use super::names::basename;
use super::tools::{has, known, tool};
use super::{Purpose, after_options};

/// What a runner of scripts runs.
pub(super) enum Script {
    /// A script of the project, by its name.
    Named(String, Purpose),
    /// A program, from this word on.
    Program(usize),
}

/// Finds the script that a runner runs. Among the words `run` is left only where the script is not
/// run without it.
pub(super) fn script_of(words: &mut Vec<String>) -> Option<Script> {
    let mut at = after_options(words, 1);
    match words.get(at).map(String::as_str) {
        // Yarn's workspaces come before what is run in them.
        Some("workspace") => at = after_options(words, at + 2),
        Some("workspaces") => at = words.iter().position(|word| word == "run")?,
        _ => {}
    }
    let is_run = words
        .get(at)
        .is_some_and(|word| word == "run" || word == "run-script");
    if is_run {
        words.remove(at);
        at = after_options(words, at);
    }
    let runner = words.first()?.clone();
    let Some(name) = words.get(at) else {
        let installs =
            |option: &String| option.starts_with("--immutable") || option.starts_with("--frozen");
        let is_install = runner == "yarn" && words.iter().skip(1).all(installs);
        return is_install.then(|| Script::Named("install".to_owned(), Purpose::Install));
    };
    let short = if matches!(name.as_str(), "t" | "tst") {
        "test"
    } else {
        name
    };
    if has(&tool(&runner).install, short) {
        return Some(Script::Named(short.to_owned(), Purpose::Install));
    }
    let Some(purpose) = script_purpose(short) else {
        return Some(Script::Program(at));
    };
    if !(is_run && needs_run(&runner, short)) {
        return Some(Script::Named(short.to_owned(), purpose));
    }
    let name = format!("run {short}");
    words.insert(at, "run".to_owned());
    Some(Script::Named(name, purpose))
}

/// Returns whether a runner takes the name of a script for something else, unless it is told to run
/// it.
fn needs_run(runner: &str, script: &str) -> bool {
    match runner {
        "npm" => !matches!(script, "start" | "stop" | "test"),
        "bun" | "lerna" => true,
        _ => false,
    }
}

/// Returns what the name of a script says it is for.
pub(super) fn script_purpose(name: &str) -> Option<Purpose> {
    known().script_names.find(|part| name.contains(part))
}

/// Returns what the name of a script's file says it is for: `scripts/run-tests.sh`.
pub(super) fn file_purpose(path: &str) -> Option<Purpose> {
    if helix_ablation::is_off("command/script-files") {
        return None;
    }
    let name = basename(path);
    known()
        .script_files
        .find(|word| words_of(name).any(|part| part == word))
}

/// The words of a name, in lower case: `db:migrate`, `gen-types`, `genTypes`.
pub(super) fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    let parts: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_owned)
        .collect();
    parts.into_iter().filter(|part| !part.is_empty())
}
