//! Commands by which a program is merely asked for something, or does only a part of what its name
//! says: that they succeed says nothing of the state of a build.

use super::names::basename;
use super::tools::tool;
use super::{Purpose, after_options};

/// How much of what its name says a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// It compiles or collects what it would run: its failure is one, its success is none.
    Part,
    /// It tells what it could do, or of itself.
    Nothing,
}

/// Options by which every program tells of itself, and the one of them that never has a value.
const TELLING: &[&str] = &[HELP, "--version", "-h"];
const HELP: &str = "--help";

/// Those that scripts pass on to programs which are not known.
const TELLING_BY_SCRIPTS: &[&str] = &["--listTests", "--showConfig"];

/// Says how much of what its name says a command does.
pub(super) fn extent(words: &[String], purpose: Purpose) -> Extent {
    if helix_ablation::is_off("command/extent") {
        return Extent::Whole;
    }
    let Some((program, arguments)) = words.split_first() else {
        return Extent::Nothing;
    };
    // What is run takes options of its own.
    let end = if purpose == Purpose::Run {
        own_end(words).saturating_sub(1)
    } else {
        arguments.len()
    };
    let arguments = arguments.get(..end).unwrap_or(arguments);
    let program = basename(program);
    let subcommand = words
        .get(after_options(words, 1))
        .map_or("", String::as_str);
    let known = tool(program);
    // A word that is no option may be a file elsewhere.
    let is_given = |known: &String| {
        known == subcommand || known.starts_with('-') && is_among(arguments, known)
    };
    let tells = (0..arguments.len()).any(|at| tells_at(arguments, at));
    let passes_on = known.runs_scripts
        && TELLING_BY_SCRIPTS
            .iter()
            .any(|option| is_among(arguments, option));
    let lists =
        || program == "cargo" && arguments.windows(2).any(|pair| pair == ["nextest", "list"]);
    if tells || passes_on || known.tells.iter().any(is_given) {
        Extent::Nothing
    } else if known.part.iter().any(is_given) || lists() {
        Extent::Part
    } else {
        Extent::Whole
    }
}

/// The end of the words of one that builds and runs a program that are not this program's.
pub(super) fn own_end(words: &[String]) -> usize {
    let behind = (after_options(words, 1) + 1).min(words.len());
    let is_cargo = words.first().is_some_and(|program| program == "cargo");
    let is_own = |word: &&String| *word != "--" && (is_cargo || word.starts_with('-'));
    behind + words.iter().skip(behind).take_while(is_own).count()
}

/// Returns whether an argument asks a program about itself. Where a value follows, it is of the
/// version to take, or of the host.
fn tells_at(arguments: &[String], at: usize) -> bool {
    let Some(word) = arguments.get(at) else {
        return false;
    };
    let is_last = arguments
        .get(at + 1)
        .is_none_or(|next| next.starts_with('-'));
    TELLING.contains(&word.as_str()) && (is_last || word == HELP)
}

/// Returns whether an option is given, by itself or with a value.
fn is_among(arguments: &[String], option: &str) -> bool {
    arguments
        .iter()
        .any(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name) == option)
}

#[cfg(test)]
mod tests {
    use super::super::run_of;

    fn extent(line: &str) -> Option<bool> {
        run_of(line).map(|run| run.is_partial)
    }

    #[test]
    fn what_a_program_is_asked_for_is_no_run() {
        for line in [
            "pytest --version",
            "python -m pytest --help",
            "pytest --fixtures tests",
            "cargo --version",
            "cargo build --help",
            "cargo run --help",
            "npm test -- --help",
            "npm test -- --listTests",
            "make -n test",
            "make help",
            "npx tsc --showConfig",
            "npx eslint --print-config src/a.ts",
            "./gradlew tasks",
            "./gradlew build --dry-run",
            "ruff rule E501",
            "./test.sh --help",
            "rustc --explain E0382",
            "npx vitest list",
        ] {
            assert_eq!(extent(line), None, "{line}");
        }
    }

    #[test]
    fn what_only_compiles_or_collects_is_a_part() {
        for line in [
            "pytest --collect-only -q",
            "pytest --co tests",
            "cargo test --no-run",
            "cargo test -- --list",
            "cargo nextest list",
            "go test -list . ./...",
            "go test -c ./a",
            "dotnet test --list-tests",
        ] {
            assert_eq!(extent(line), Some(true), "{line}");
        }
    }

    #[test]
    fn what_works_is_whole() {
        for line in [
            "pytest -k version",
            "terraform validate",
            "cargo install just --version 1.2.3",
            "cargo run -- --help",
            "cargo run --bin app -- --version",
            "go run ./cmd --version",
            "./build.sh --version 2.0",
            "make -j8",
            "npm run list-build",
            "cargo test version",
            "clang-format --dry-run a.c",
            "ruff check config",
        ] {
            assert_eq!(extent(line), Some(false), "{line}");
        }
    }
}
