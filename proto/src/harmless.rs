//! Which calls of Helix's own tools need not be asked about. Those that look, store or correct are
//! harmless: every change of one memory stays in its history and can be undone. Whatever takes
//! memories away, moves whole topics, hands memories out or lets them in is the user's to permit,
//! and so is what is not known here. A checkpoint is cleared when its task is done.
//!
//! The shim compiles this file too, so that it decides without a daemon: nothing but `core` is
//! used.

/// Beginnings of the names of Helix's tools, through the project's server or the plugin's.
pub const SERVERS: [&str; 2] = ["mcp__helix__", "mcp__plugin_helix_helix__"];

/// Which calls of a tool are harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harmless {
    /// All.
    Always,
    /// Those with one of these actions; a call without any is known by the empty one.
    Actions(&'static [&'static str]),
}

/// The tools that have harmless calls.
pub const TOOLS: &[(&str, Harmless)] = &[
    ("store", Harmless::Always),
    ("batch", Harmless::Always),
    ("search", Harmless::Always),
    ("brief", Harmless::Always),
    ("read", Harmless::Always),
    ("context", Harmless::Always),
    // Clients write a dot of a tool's name as an underscore.
    ("memory_search", Harmless::Always),
    ("memory_write", Harmless::Always),
    ("memory_note", Harmless::Always),
    ("memory_list", Harmless::Always),
    ("memory_context", Harmless::Always),
    ("context_recall", Harmless::Always),
    ("context_getCurrent", Harmless::Always),
    ("context_store", Harmless::Always),
    ("event", Harmless::Always),
    (
        "edit",
        Harmless::Actions(&["append", "revise", "tag", "set", "restore", "relate"]),
    ),
    (
        "topics",
        Harmless::Actions(&[
            "",
            "list",
            "recent",
            "entries",
            "stats",
            "xref",
            "graph",
            "stale",
            "prune",
            "compact",
            "session",
            "checkpoint",
            "resume",
            "clear_checkpoint",
            "log",
            "diff",
            "why",
            "neighbours",
            "traverse",
            "path",
            "conflicts",
        ]),
    ),
];

/// The argument that names an action.
pub const ACTION: &str = "action";

/// The argument that turns a report of what could be done into doing it.
pub const APPLY: &str = "apply";

/// Words by which that argument says no.
pub const NO: [&str; 4] = ["", "false", "no", "0"];
