//! What a command starts, behind variables and programs that merely start it.

use super::after_options;
use super::names::{as_called, basename};
use super::shown::shown;
use super::tools::{has, tool};

/// Takes away variables and programs that merely start the one that counts.
pub(super) fn without_starters(words: &[String]) -> Vec<String> {
    split(words).1.to_vec()
}

/// The programs that start what counts and without which it may not run: `npx`, `uv run`.
pub(super) fn starters(words: &[String]) -> Vec<String> {
    split(words).0
}

/// A command as somebody would run it again: with what it needs to start, and without variables,
/// limits and rights.
pub(super) fn as_run(words: &[String]) -> String {
    let (mut run, rest) = split(words);
    if let Some((program, arguments)) = rest.split_first() {
        run.push(as_written(program).to_owned());
        run.extend_from_slice(arguments);
    }
    joined(&run)
}

/// These words as one line.
#[must_use]
pub fn joined(words: &[String]) -> String {
    words
        .split_first()
        .map(|(program, arguments)| shown(program, arguments))
        .unwrap_or_default()
}

/// A program as it was written, but for where it is on this machine only.
pub(super) fn as_written(program: &str) -> &str {
    if program.starts_with(['/', '~']) {
        as_called(program)
    } else {
        program
    }
}

/// The programs that start what counts, and this.
fn split(words: &[String]) -> (Vec<String>, &[String]) {
    let mut rest = words;
    let mut needed = Vec::new();
    while let Some(count) = started_at(rest) {
        let (before, behind) = rest.split_at(count.min(rest.len()));
        let is_needed =
            |word: &String| !is_assignment(word) && !tool(basename(word)).is_dispensable;
        if before.first().is_some_and(is_needed) {
            needed.extend_from_slice(before);
        }
        rest = behind;
    }
    (needed, rest)
}

/// The place of what the first word starts; `None` when that is what counts itself.
fn started_at(words: &[String]) -> Option<usize> {
    let first = words.first()?;
    let program = basename(first);
    if is_assignment(first) {
        Some(1)
    } else if tool(program).starts {
        Some(after_options(words, 1))
    } else if program == "timeout" {
        Some(after_options(words, 1) + 1)
    } else {
        started_with(program, words)
    }
}

/// The place of what a program starts after words of its own.
fn started_with(program: &str, words: &[String]) -> Option<usize> {
    let starts = |word: &String| has(&tool(program).starts_by, word);
    let leading = words.get(..=after_options(words, 1)).unwrap_or(words);
    let at = leading.iter().position(starts)?;
    let mut rest = words.get(at..)?.to_vec();
    // Options after the subcommand are its program's as well.
    program.clone_into(rest.first_mut()?);
    Some(at + after_options(&rest, 1))
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::super::run_of;
    use super::*;

    #[test]
    fn a_run_knows_how_it_was_called() {
        for (line, called) in [
            (
                "npx -y -p typescript tsc --noEmit",
                "npx -y -p typescript tsc",
            ),
            ("python -m pytest x", "python -m pytest"),
            ("A=1 timeout 60 poetry run pytest", "poetry run pytest"),
            (
                "uv run --with x python -W error -m pytest",
                "uv run --with x python -W error -m pytest",
            ),
            (
                "coverage run --source=x -m pytest",
                "coverage run --source=x -m pytest",
            ),
            (
                "pnpm --filter=web exec tsc -b",
                "pnpm --filter=web exec tsc",
            ),
            ("yarn jest a", "yarn jest"),
            ("npm run -s mypy", "npm run -s mypy"),
            ("sudo vendor/bin/phpunit", "vendor/bin/phpunit"),
            ("/usr/bin/cargo test", "cargo"),
            ("../mvnw verify", "../mvnw"),
            ("bash -c 'npx jest'", "npx jest"),
        ] {
            assert_eq!(
                run_of(line).map(|run| joined(&run.called)).as_deref(),
                Some(called),
                "{line}"
            );
        }
    }
}
