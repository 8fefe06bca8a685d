//! The commands as `--help` groups them. Clap knows one list of subcommands; this is the table that
//! divides it.

use clap::Command;

/// What people look for, in the order in which they need it.
pub(super) const GROUPS: [(&str, &[&str]); 9] = [
    (
        "Memories",
        &[
            "add",
            "note",
            "batch",
            "search",
            "read",
            "forget",
            "restore",
            "settle",
            "supersede",
            "review",
            "purge",
        ],
    ),
    (
        "Changing them",
        &["edit", "append", "revise", "tag", "set", "split"],
    ),
    (
        "Relations",
        &["relate", "unrelate", "neighbours", "traverse", "path"],
    ),
    (
        "Topics",
        &[
            "topics", "entries", "recent", "xref", "graph", "rename", "merge",
        ],
    ),
    ("History", &["log", "diff", "undo", "rollback", "why"]),
    (
        "Overview",
        &[
            "brief",
            "context",
            "checkpoint",
            "session",
            "receipts",
            "stats",
        ],
    ),
    (
        "Care",
        &[
            "conflicts",
            "consolidate",
            "stale",
            "prune",
            "compact",
            "lifecycle",
            "backup",
            "reindex",
            "export",
            "import",
        ],
    ),
    (
        "Daemon",
        &["up", "down", "status", "doctor", "upgrade", "model"],
    ),
    (
        "Agents and shell",
        &[
            "hooks",
            "connect",
            "disconnect",
            "capture",
            "event",
            "provider",
            "hook",
            "completions",
        ],
    ),
];

/// Lays `--help` out in groups.
pub(super) fn grouped(command: Command) -> Command {
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        listed(&command)
    );
    command.help_template(template)
}

fn listed(command: &Command) -> String {
    let name_chars = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .map(|name| name.len())
        .max()
        .unwrap_or_default();
    let line = |name: &&str| {
        let about = command
            .find_subcommand(name)
            .and_then(Command::get_about)
            .map(ToString::to_string);
        format!("  {name:name_chars$}  {}\n", about.unwrap_or_default())
    };
    let group = |(title, names): &(&str, &[&str])| {
        format!("{title}:\n{}\n", names.iter().map(line).collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}
