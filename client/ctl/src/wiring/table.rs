//! Every hook that Helix writes, client by client: the client's event, what narrows it, Helix's
//! event, how long the client waits.
//!
//! The shim gives up long before any of these timeouts; they only bound what a stuck machine can
//! cost. An event stands here when the client has it and Helix answers it. A pair of event and verb
//! stands at most once in a list.

/// How long a client waits for a hook, in the unit that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timeout {
    /// Read as seconds.
    Seconds(u32),
    /// Read as milliseconds.
    Millis(u32),
}

impl Timeout {
    /// The number that is written.
    pub(super) fn number(self) -> u32 {
        let (Self::Seconds(number) | Self::Millis(number)) = self;
        number
    }
}

/// One event that Helix listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookRow {
    /// The client's name of the event.
    pub(crate) event: &'static str,
    /// The matcher that narrows the event; `None` for all of them.
    pub(crate) matcher: Option<&'static str>,
    /// Helix's name of the event: the shim's first argument.
    pub(crate) verb: &'static str,
    /// How long the client waits.
    pub(crate) timeout: Timeout,
}

impl HookRow {
    /// Returns the row's name for people: the verb tells rows of one event apart.
    pub(crate) fn label(&self) -> String {
        format!("{}/{}", self.event, self.verb)
    }
}

/// Time that a hook may take. The `session` hook may have to start the daemon first.
const WAIT: Timeout = Timeout::Seconds(5);
/// The same for a client that reads milliseconds.
const WAIT_MILLIS: Timeout = Timeout::Millis(5000);
/// The client holds its own end back for it.
const WAIT_AT_END: Timeout = Timeout::Seconds(1);

/// Helix's tools as a client names them when it asks for permission.
const OWN_TOOLS: &str = "mcp__helix__.*";

const fn row(
    event: &'static str,
    matcher: Option<&'static str>,
    verb: &'static str,
    timeout: Timeout,
) -> HookRow {
    HookRow {
        event,
        matcher,
        verb,
        timeout,
    }
}

/// Claude Code. A matcher of names and bars is a list of exact names.
#[rustfmt::skip]
pub(crate) const CLAUDE: &[HookRow] = &[
    row("SessionStart",       None,                                                        "session",       WAIT),
    row("UserPromptSubmit",   None,                                                        "prompt",        WAIT),
    row("PreToolUse",         Some("Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep"),      "ambient",       WAIT),
    row("PreToolUse",         Some("Agent|Task"),                                            "subagent",      WAIT),
    row("SubagentStart",      None,                                                        "subagent",      WAIT),
    row("PostToolUse",        Some("Bash"),                                                  "post-build",    WAIT),
    row("PostToolUseFailure", None,                                                        "error-context", WAIT),
    row("PermissionRequest",  Some(OWN_TOOLS),                                               "approve-mcp",   WAIT),
    row("PreCompact",         None,                                                        "pre-compact",   WAIT),
    row("Stop",               None,                                                        "stop",          WAIT),
    row("SessionEnd",         None,                                                        "session-end",   WAIT_AT_END),
];

/// Codex. Its shell is `Bash`, its editor `apply_patch` (also matched by `Edit` and `Write`), and a failing command is a
/// `PostToolUse` like any other. A line of the shell that is a patch is carried out by Codex itself, which tells of it only before.
#[rustfmt::skip]
pub(crate) const CODEX: &[HookRow] = &[
    row("SessionStart",      None,                                "session",     WAIT),
    row("UserPromptSubmit",  None,                                "prompt",      WAIT),
    row("PreToolUse",        Some("apply_patch|Bash|Edit|Write"), "ambient",     WAIT),
    row("SubagentStart",     None,                                "subagent",    WAIT),
    row("PostToolUse",       Some("Bash"),                        "post-build",  WAIT),
    row("PermissionRequest", Some(OWN_TOOLS),                     "approve-mcp", WAIT),
    row("PreCompact",        None,                                "pre-compact", WAIT),
    row("Stop",              None,                                "stop",        WAIT),
];

/// Cursor. Only the start of a session is documented to take context from a hook.
#[rustfmt::skip]
pub(crate) const CURSOR: &[HookRow] = &[
    row("sessionStart", None, "session", WAIT),
];

/// Gemini CLI. A matcher is a regular expression that is not anchored. Before a tool is used it takes a decision and no text, so
/// that what is known of a file comes with what the tool says.
#[rustfmt::skip]
pub(crate) const GEMINI: &[HookRow] = &[
    row("SessionStart", None,                                                                                 "session",     WAIT_MILLIS),
    row("BeforeAgent",  None,                                                                                 "prompt",      WAIT_MILLIS),
    row("AfterTool",    Some("^(read_file|write_file|replace|glob|grep_search|search_file_content)$"),          "ambient",     WAIT_MILLIS),
    row("AfterTool",    Some("^run_shell_command$"),                                                            "post-build",  WAIT_MILLIS),
    row("PreCompress",  None,                                                                                 "pre-compact", WAIT_MILLIS),
    row("SessionEnd",   None,                                                                                 "session-end", WAIT_MILLIS),
];
