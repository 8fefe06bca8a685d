//! Whether a command is about a failure: it changes what the failure names, brings what it misses,
//! or mends what its tool found.

use super::menders::mender;
use super::names::basename;
use super::scripts::words_of;
use super::tools::{has, known, tool};
use super::{after_options, is_assignment, without_starters};

/// Characters of the shortest word by which a command and a failure are about one thing.
const NAME_MIN_CHARS: usize = 3;

/// What stands between a package and its version.
const VERSIONED: &[&str] = &["==", ">=", "<=", "~=", "@", "=", "^"];

/// Returns whether a command is about a failure that says this, of a tool.
pub fn concerns(command: &str, output: &str, failed: &str) -> bool {
    if helix_ablation::is_off("command/concerns") {
        return true;
    }
    let written: Vec<String> = command
        .split_whitespace()
        .map(|word| word.trim_matches(['\'', '"']).to_owned())
        .collect();
    let words = without_starters(&written);
    let Some(program) = words.first().map(|word| basename(word)) else {
        return false;
    };
    let at = after_options(&words, 1);
    let subcommand = words.get(at).map_or("", String::as_str);
    let is_named = |word: &&String| !word.starts_with('-') && !is_assignment(word);
    let mut arguments = words
        .iter()
        .skip(1)
        .filter(|word| *word != subcommand || word.contains(['.', '/']))
        .filter(is_named);
    let lower = output.to_lowercase().replace('_', "-");
    if arguments.clone().any(|argument| is_about(argument, &lower)) {
        return true;
    }
    let called = format!("{program} {subcommand}")
        .to_lowercase()
        .replace('_', "-");
    let brings = has(&tool(program).install, subcommand) && arguments.next().is_none();
    !subcommand.is_empty() && has_word(&lower, &called)
        || brings && known().missing.is_match(output)
        || mender(&written).is_none() && is_of_tool(&words, failed)
}

/// Returns whether a failure names what a word of a command is: a package without its version, or a
/// file.
fn is_about(word: &str, output: &str) -> bool {
    let bare = VERSIONED
        .iter()
        .fold(word, |bare, between| match bare.split_once(between) {
            Some((name, _)) if !name.is_empty() => name,
            _ => bare,
        });
    let name = bare
        .trim_start_matches("./")
        .trim_end_matches('/')
        .to_lowercase()
        .replace('_', "-");
    name.chars().count() >= NAME_MIN_CHARS
        && name.chars().any(char::is_alphabetic)
        && has_word(output, &name)
}

/// Returns whether the words name the tool that failed, or the check of it: `cargo fmt` mends
/// `cargo fmt
/// --check`, `npm run lint:fix` mends `npm run lint`.
fn is_of_tool(words: &[String], failed: &str) -> bool {
    if helix_ablation::is_off("command/of-tool") {
        return false;
    }
    let Some(name) = failed.split_whitespace().next_back() else {
        return false;
    };
    let name = basename(name);
    // What else it runs has nothing to do with it.
    if tool(name).names_commands {
        return false;
    }
    words
        .iter()
        .any(|word| basename(word) == name || words_of(word).any(|part| part == name))
}

/// Returns whether a text has this between what is of no word.
fn has_word(text: &str, word: &str) -> bool {
    let is_inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text
            .get(at + found.len()..)
            .and_then(|behind| behind.chars().next());
        !is_inner(before) && !is_inner(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_about_what_it_names_brings_or_mends() {
        let module = "Cannot find module 'decimal.js-light' from 'src/rate.js'";
        let gems = "Could not find rack-4.0.0 in locally installed gems\nRun `bundle install` to install missing gems.";
        for (command, output, tool) in [
            ("npm install decimal.js-light", module, "npx jest"),
            (
                "npm install --save-exact decimal.js-light@1.0.2",
                module,
                "npx jest",
            ),
            ("npm ci", module, "npm test"),
            ("bundle install", gems, "bundle exec rake"),
            (
                "pip install tomlkit-stubs",
                "module named \"tomlkit_stubs\"",
                "mypy",
            ),
            ("chmod +x run.sh", "./run.sh: Permission denied", "make"),
            ("git checkout -- src/rate.js", module, "npx jest"),
            ("cargo fmt --all", "Diff in src/a.rs:3:", "cargo fmt"),
            (
                "npx eslint --fix src",
                "'a' is never reassigned",
                "npx eslint",
            ),
            (
                "npm run lint:fix",
                "'a' is never reassigned",
                "npm run lint",
            ),
        ] {
            assert!(concerns(command, output, tool), "{command}");
        }
    }

    #[test]
    fn a_command_about_something_else_is_no_remedy() {
        let moved = "error[E0382]: borrow of moved value: `rows`\n --> src/a.rs:3:4";
        for command in [
            "npm install left-pad",
            "npm ci",
            "git reset --hard HEAD~1",
            "git status",
            "cat notes.txt",
            "cargo insta accept",
            "make proto",
            "just gen",
            "cargo update",
            "systemctl start postgresql",
        ] {
            for tool in ["cargo build", "make", "just"] {
                assert!(!concerns(command, moved, tool), "{command}, {tool}");
            }
        }
    }
}
